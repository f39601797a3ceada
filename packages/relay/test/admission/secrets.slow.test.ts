/** No secret and no e-mail address in any answer, log line, metric or foreign file. */
import { mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { waitUntil } from '../../../../test/support/waits.ts';
import { environment, site } from '../running-relay.ts';
import { onPort, sandboxApi } from '../sandbox-api.ts';
import { scratchFolder } from '../../../../test/support/scratch-folder.ts';
import { run, serve } from '../commands/relay-process.ts';

const key = 'key-that-nobody-may-see-0123456789';
const operator = 'operator-token-that-nobody-may-see';
const address = 'very.secret.person@example.com';

it('API key, signing secret and e-mail addresses are in no answer, log, metric, error or foreign file', async () => {
  const api = sandboxApi();
  let status = 400;
  const said = new Set<number>();
  api.instead = () =>
    said.add(status) &&
    Promise.resolve(
      Response.json(
        { status, statusText: 'no', errors: [{ message: `key ${key} for ${address}`, code: 'NO' }] },
        { status },
      ),
    );
  const folder = scratchFolder();
  const noFile = join(scratchFolder(), 'folder');
  mkdirSync(noFile);
  const settings = {
    NEWSLETTER_API_URL: `${await onPort(api.fetch)}/v2`,
    NEWSLETTER_API_KEY: key,
    RELAY_OPERATOR_TOKEN: operator,
    RELAY_PROOF: 'attack',
    RELAY_LOG_LEVEL: 'debug',
    RELAY_LIMIT_ADDRESS: '2/1d',
    RELAY_LIMIT_IP: '60/1h',
  };
  const relay = await serve(folder, settings);
  const secret = readFileSync(join(folder, 'relay.db-secret'), 'utf8').trim();
  expect(statSync(join(folder, 'relay.db-secret')).mode & 0o777).toBe(0o600);

  const answers: string[] = [];
  const take = async (answer: Response): Promise<void> =>
    void answers.push(JSON.stringify([...answer.headers]) + (await answer.text()));
  const json = { origin: site, 'content-type': 'application/json' };
  const form = { origin: site, 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' };
  const send = (path: string, init: RequestInit = {}): Promise<Response> =>
    fetch(`${relay.address}${path}`, { redirect: 'manual', ...init });
  for (let n = 0; n < 40; n += 1)
    await take(await relay.signUp(address, { utm_term: String(n), hp_field: n % 5 === 0 ? address : '' }));
  const odd: [string, RequestInit][] = [
    ['/signup', { method: 'POST', headers: json, body: `{"email": "${address}` }],
    ['/signup', { method: 'POST', headers: json, body: JSON.stringify({ email: [address], [address]: address }) }],
    [
      '/signup',
      {
        method: 'POST',
        headers: { ...json, origin: 'https://elsewhere.example' },
        body: JSON.stringify({ email: address }),
      },
    ],
    [
      '/signup',
      { method: 'POST', headers: form, body: new URLSearchParams({ email: address, consent: address }).toString() },
    ],
    [
      '/signup',
      { method: 'POST', headers: form, body: new URLSearchParams({ email: `${address} ${address}` }).toString() },
    ],
    ['/signup', { method: 'PUT', headers: json, body: JSON.stringify({ email: address }) }],
    ['/operator/api/overview', { headers: { authorization: `Bearer ${key}` } }],
    ['/operator', {}],
    ['/livez', {}],
    ['/readyz', {}],
    ['/thanks', {}],
  ];
  for (const [path, init] of odd) await take(await send(path, init));
  for (status of [400, 401, 500]) {
    expect((await relay.signUp(`${status}.${address}`)).status).toBe(202);
    await waitUntil(`the API has answered ${status}`, () => said.has(status));
  }
  const last = [...answers];
  for (let n = 0; n < 30; n += 1) await take(await relay.signUp(`p${n}.${address}`));
  expect(
    answers.slice(last.length).some((answer) => answer.includes('TOO_MANY_SIGNUPS') && answer.includes('retry-after')),
  ).toBe(true);
  await take(await send('/metrics', { headers: { authorization: `Bearer ${operator}` } }));
  relay.child.kill('SIGTERM');
  const { stdout, stderr } = await relay.ended;
  const failed = [
    await run(['serve'], { ...environment, ...settings, RELAY_PORT: 'x', RELAY_SECRET: secret.slice(0, 20) }),
    // The secret is kept beside what is named as the store, here a folder.
    await run(['serve'], { ...environment, ...settings, RELAY_STORE: `sqlite:${noFile}` }),
  ];

  const outside = {
    answers: answers.join('\n'),
    stdout,
    stderr,
    errors: failed.map((end) => end.stdout + end.stderr).join('\n'),
  };
  expect(stdout).toContain('"msg":"refused"');
  for (const [where, text] of Object.entries(outside)) {
    for (const hidden of [
      key,
      operator,
      secret,
      secret.slice(0, 20),
      address,
      address.toUpperCase(),
      'very.secret.person',
    ])
      expect(text.includes(hidden), `${hidden} in ${where}`).toBe(false);
  }
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = entry.name;
    const content = readFileSync(join(entry.parentPath, file), 'latin1');
    expect([file, content.includes(key), content.includes(operator)]).toEqual([file, false, false]);
    if (file !== 'relay.db-secret') expect([file, content.includes(secret)]).toEqual([file, false]);
  }
});
