import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { apiKeys, publicationId } from '../../src/index.ts';
import { run, start, type Running } from './process.ts';
import { scratchFolder } from '../../../../test/support/scratch-folder.ts';

const headers = { Authorization: `Bearer ${apiKeys.workspace}`, 'Content-Type': 'application/json' };
const subscriptions = ({ address }: Running) => `${address}/v2/publications/${publicationId}/subscriptions`;
const subscribe = (running: Running, body: object) =>
  fetch(subscriptions(running), { method: 'POST', headers, body: JSON.stringify(body) });
const addresses = async (running: Running, query = '') =>
  (
    (await (await fetch(`${subscriptions(running)}?limit=100&${query}`, { headers })).json()) as {
      data: { email: string }[];
    }
  ).data.map((one) => one.email);

test('it starts with the demo, answers over its port, moves on by its clock, and stops cleanly on SIGINT with the window open', async () => {
  const running = await start();
  expect(running.output()).toContain(publicationId);
  expect(await addresses(running)).toHaveLength(100);
  const events = await fetch(`${running.address}/_sandbox/events`);
  const reader = events.body!.pipeThrough(new TextDecoderStream()).getReader();
  expect((await subscribe(running, { email: 'ada+now@bücher.example', utm_campaign: 'Frühling 🌷' })).status).toBe(200);
  let text = '';
  while (!text.includes('"status":"active"')) text += (await reader.read()).value ?? '';
  expect(text).toContain('ada+now@bücher.example');
  expect((await fetch(running.address)).headers.get('content-type')).toContain('text/html');
  expect(await running.stop('SIGINT')).toBe(0);
  await reader.cancel().catch(() => undefined);
});

test('options come from the environment too, and flags win', async () => {
  const running = await start(['--seed', 'empty'], { SANDBOX_SEED: 'demo', SANDBOX_PROFILE: 'service' });
  expect(await addresses(running)).toEqual([]);
  expect((await fetch(subscriptions(running), { headers })).headers.get('ratelimit-limit')).toBe('180');
  expect(await running.stop()).toBe(0);
});

test('a file keeps everything over a restart, and ids go on where they stopped', async () => {
  const db = join(scratchFolder(), 'sandbox.db');
  const first = await start(['--db', db, '--seed', 'empty']);
  const ada = (await (await subscribe(first, { email: 'Ada@example.com', double_opt_override: 'on' })).json()) as {
    data: { id: string };
  };
  expect(await first.stop()).toBe(0);

  const second = await start(['--db', db, '--seed', 'demo']);
  expect(second.output()).toContain('kept as it was');
  const again = (await (await subscribe(second, { email: 'ADA@example.com' })).json()) as { data: { id: string } };
  const grace = (await (await subscribe(second, { email: 'grace@example.com' })).json()) as { data: { id: string } };
  expect(again.data.id).toBe(ada.data.id);
  expect(grace.data.id).not.toBe(ada.data.id);
  expect(await addresses(second)).toEqual(['Ada@example.com', 'grace@example.com']);
  // A crash instead of a stop: what was answered is there.
  expect(await second.stop('SIGKILL')).toBe('SIGKILL');

  const third = await start(['--db', db]);
  // The check of her address was still to come when the sandbox was first stopped; it has not been forgotten.
  await fetch(`${third.address}/_sandbox/clock`, { method: 'POST', body: JSON.stringify({ advance: 'PT1S' }) });
  expect(await addresses(third, 'status=pending')).toEqual(['Ada@example.com']);
  expect(await addresses(third)).toEqual(['Ada@example.com', 'grace@example.com']);
});

test('a seed file is planted', async () => {
  const file = join(scratchFolder(), 'seed.json');
  const seed = {
    publications: [
      {
        id: publicationId,
        name: 'Mine',
        subscriptions: [
          { email: 'bo@例え.example', utm_source: 'ö', custom_fields: [{ name: 'Topics', value: ['a'] }] },
        ],
        custom_fields: [{ display: 'Topics', kind: 'list', options: ['a', 'b'] }],
      },
    ],
  };
  writeFileSync(file, JSON.stringify(seed));
  const running = await start(['--seed', file]);
  expect(await addresses(running)).toEqual(['bo@例え.example']);
});

test('a disk without room makes writes fail with 503, leaves reading as it was, and corrupts nothing', async () => {
  const db = join(scratchFolder(), 'sandbox.db');
  // A limit on the size of files stands in for the full disk: the write itself fails, as it would there.
  const running = await start(['--db', db, '--seed', 'empty'], {}, 'ulimit -f 4000');
  const kept: string[] = [];
  let refusal: Response | undefined;
  for (let i = 0; i < 2000 && !refusal; i += 1) {
    const email = `reader${i}@example.com`;
    const answer = await subscribe(running, { email, utm_content: 'x'.repeat(2000), double_opt_override: 'off' });
    if (answer.ok) kept.push(email);
    else refusal = answer;
  }
  expect(kept.length).toBeGreaterThan(10);
  expect(refusal?.status).toBe(503);
  expect(await refusal?.json()).toMatchObject({
    status: 503,
    statusText: 'service_unavailable',
    errors: [{ message: expect.stringContaining('disk space') }],
  });
  expect((await addresses(running, 'direction=desc')).at(0)).toBe(kept.at(-1));
  await running.stop();

  const after = await start(['--db', db]);
  expect(await addresses(after, 'direction=desc')).toEqual(kept.slice(-100).toReversed());
  expect((await subscribe(after, { email: 'room.again@example.com' })).status).toBe(200);
});

test('a body that is too large is refused while it is being sent', async () => {
  const running = await start();
  const block = new Uint8Array(1024 * 1024).fill(120);
  let sent = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if ((sent += 1) > 20) controller.close();
      else controller.enqueue(block);
    },
  });
  const answer = await fetch(subscriptions(running), { method: 'POST', headers, body, duplex: 'half' });
  expect(answer.status).toBe(413);
  expect(sent).toBeLessThan(20);
  expect(await addresses(running)).toHaveLength(100);
});

test('--help names every option and its variable', async () => {
  const { code, stdout } = await run(['--help']);
  expect(code).toBe(0);
  for (const word of ['--port', '--host', '--db', '--seed', '--profile', 'SANDBOX_PORT', '4010'])
    expect(stdout).toContain(word);
});

test('a port in use is one sentence that names it', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  const { code, stdout, stderr } = await run([], { SANDBOX_PORT: String(port) });
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toBe(
    `newsletter-sandbox: Port ${port} on 127.0.0.1 is in use. Stop what listens there, or choose another with --port or SANDBOX_PORT.\n`,
  );
});

test('a database in use is one sentence that names it', async () => {
  const db = join(scratchFolder(), 'sandbox.db');
  await start(['--db', db]);
  const { code, stderr } = await run(['--port', '0', '--db', db]);
  expect(code).toBe(1);
  expect(stderr).toContain(`"${db}" is in use by another process`);
});

const place = () => {
  const at = scratchFolder();
  mkdirSync(join(at, 'folder'));
  writeFileSync(
    join(at, 'text.db'),
    'This is not a database, but a text of some length that nobody should ever overwrite.'.repeat(20),
  );
  writeFileSync(join(at, 'broken.json'), '{');
  writeFileSync(
    join(at, 'wrong.json'),
    '{"publications":[{"id":"pub_1","name":"P","subscriptions":[{"email":"nobody"}]}]}',
  );
  return at;
};
const mistakes: readonly (readonly [string, readonly string[], number, RegExp])[] = [
  ['an unknown flag', ['--prot', '4011'], 2, /--prot.*--help/],
  ['a flag without its value', ['--port'], 2, /--port.*--help/],
  ['a stray word', ['start'], 2, /"start" is not an option.*--help/],
  ['exec without a command', ['exec'], 2, /"exec" needs a command to run/],
  ['exec without dashes', ['exec', 'npm', 'test'], 2, /"npm" is not an option.*behind " -- "/],
  ['dashes without exec', ['--', 'npm', 'test'], 2, /needs "exec" or "certify" before it/],
  ['a port that is none', ['--port', '70000'], 2, /"70000" is not a port.*--port/],
  ['an unknown profile', ['--profile', 'fast'], 2, /no profile "fast".*spec, service, unlimited/],
  ['an unknown seed', ['--seed', 'dmeo'], 1, /no seed and no file "dmeo".*demo, empty/],
  ['a seed file that is no JSON', ['--seed', 'broken.json'], 1, /broken\.json" is not valid JSON/],
  [
    'a seed file with a mistake',
    ['--seed', 'wrong.json'],
    1,
    /wrong\.json".*publications\.0\.subscriptions\.0\.email.*e-mail address/,
  ],
  ['a folder for a seed', ['--seed', 'folder'], 1, /folder" can't be read/],
  ['a folder that does not exist', ['--db', 'nowhere/x.db'], 1, /nowhere\/x\.db" can't be opened for writing/],
  ['a folder for a database', ['--db', 'folder'], 1, /folder" can't be opened for writing/],
  ['a file of another kind', ['--db', 'text.db'], 1, /text\.db" is not a SQLite database/],
  ['an address of another machine', ['--host', '192.0.2.1'], 1, /"192\.0\.2\.1" is not an address of this machine/],
];

test.each(mistakes)('%s is one sentence that says what to do', async (_, args, code, says) => {
  const at = place();
  const inPlace = args.map((arg) => (existsSync(join(at, arg)) || arg.includes('/') ? join(at, arg) : arg));
  const ended = await run(args.includes('--port') ? inPlace : ['--port', '0', ...inPlace]);
  expect(ended.stderr).toMatch(says);
  expect(ended.stderr.trim().split('\n')).toHaveLength(1);
  expect(ended).toMatchObject({ code, stdout: '' });
});
