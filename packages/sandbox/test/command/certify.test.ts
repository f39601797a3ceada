/** `newsletter-sandbox certify` with commands that survive everything, something or nothing. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test, vi } from 'vitest';
import { scratchFolder } from '../../../../test/support/scratch-folder.ts';
import { scenarios } from '../../src/command/scenarios.ts';
import { gaps } from '../../src/gaps.ts';
import { connectingScript, run, script } from './process.ts';

interface Result {
  readonly command: readonly string[];
  readonly readings: readonly {
    readonly name: string;
    readonly outcome: string;
    readonly failure?: { readonly code: number; readonly requests: readonly string[]; readonly output: string[] };
  }[];
}

const publication = '`${process.env.NEWSLETTER_API_URL}/publications/${process.env.NEWSLETTER_PUBLICATION_ID}';
const headers = "{ Authorization: `Bearer ${process.env.NEWSLETTER_API_KEY}`, 'Content-Type': 'application/json' }";
const create = `fetch(${publication}/subscriptions\`, { method: 'POST', headers: ${headers}, body: '{"email":"ada@example.com"}' })`;

/** What `--json` tells, with the outcomes by name. */
async function certify(options: readonly string[], command: readonly string[]) {
  const { code, stdout, stderr } = await run(['certify', '--json', ...options, ...command]);
  const result = JSON.parse(stdout) as Result;
  return { code, result, stderr, outcomes: Object.fromEntries(result.readings.map((one) => [one.name, one.outcome])) };
}

// A test of the README compares the faults with its table.
test('every other value of every assumption is a scenario', () => {
  const names = scenarios.map(({ name }) => name);
  expect(names[0]).toBe('default');
  expect(new Set(names).size).toBe(names.length);
  for (const [id, { others }] of Object.entries(gaps))
    for (const value of Object.keys(others)) expect(names).toContain(`${id}=${value}`);
});

test('a command that accepts only 200 fails under 201; its requests and output are printed, its state is fresh', async () => {
  const code = `const answer = await ${create}; if (answer.status !== 200) { console.error('It was', answer.status); process.exit(3); }`;
  const only = ['--only', 'created_status', '--only', 'errors-500', '--only', 'last_cursor'];
  const ended = await certify(only, script(code));
  expect(ended.code).toBe(1);
  expect(ended.outcomes).toEqual({
    default: 'survived',
    'last_cursor=absent': 'not met',
    'created_status=201': 'failed',
    'errors-500': 'failed',
  });
  const failure = ended.result.readings.find(({ name }) => name === 'created_status=201')?.failure;
  expect(failure).toMatchObject({ code: 3, output: ['It was 201'] });
  // One request, and the address is new again: every run has a sandbox of its own.
  expect(failure?.requests).toEqual([
    expect.stringContaining('→ 201  (subscriptions.create)'),
    expect.stringContaining('Created a subscription with status validating.'),
  ]);
  expect(JSON.stringify(ended.result.readings)).not.toContain('ada@example.com');
  expect(JSON.stringify(ended.result.readings)).not.toContain('sandbox-key');
  expect(ended.stderr).toContain('✗ errors-500');
  expect(ended.stderr).toContain('1 of them not met');
});

const jobs = `fetch(${publication}/bulk_subscription_updates\`, { headers: ${headers} })`;

test('the client of a service is certified in its shapes', async () => {
  const file = join(scratchFolder(), 'shapes.json');
  const field = { in: 1, of: 1, types: ['null'] };
  const shape = { statuses: { 200: 1 }, body: ['object'], fields: { data: field } };
  writeFileSync(file, JSON.stringify({ operations: { 'bulkSubscriptionUpdates.list': shape } }));
  const code = `const { data } = await (await ${jobs}).json(); if (data === null) process.exit(1)`;
  const { code: exit, stderr } = await run(['--shape', file, 'certify', '--only', 'slow', ...script(code)]);
  expect([exit, stderr]).toEqual([1, '']);
});

test('--bail stops at the first failure, --except leaves out what is not claimed', async () => {
  const code = script(`process.exitCode = (await ${create}).status === 200 ? 0 : 1`);
  const only = ['--only', 'created_status', '--only', 'errors-500', '--only', 'errors-503'];
  const bailed = await certify([...only, '--bail'], code);
  expect(bailed.outcomes).toEqual({ default: 'survived', 'created_status=201': 'failed' });
  expect(bailed.stderr).toContain('Survived 1 of 2 scenarios; 2 not tried.');
  const excepted = await certify(
    [...only, '--except', 'errors-500', '--except', 'errors-503', '--except', 'created_status'],
    code,
  );
  expect(excepted).toMatchObject({ code: 0, outcomes: { default: 'survived', 'errors-500': 'not claimed' } });
  expect(excepted.stderr).toContain('Survived 1 of 1 scenarios; 3 not claimed.');
});

test('a command that fails in the default scenario is not run in others', async () => {
  const { code, outcomes, stderr } = await certify([], script('process.exit(1)'));
  expect([code, outcomes]).toEqual([1, { default: 'failed' }]);
  expect(stderr).toContain('tried only once the command succeeds in the default one');
  expect(stderr).toContain('It sent no request.');
});

test('a run that exceeds the timeout is stopped with its child processes', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const { command, connected } = await connectingScript();
  const parent = `import { spawn } from 'node:child_process';
    spawn(process.execPath, ${JSON.stringify(command.slice(2))}, { stdio: 'inherit' });
    setInterval(() => {}, 1000);`;
  const ending = certify(['--timeout', '3'], script(parent));
  const { closed } = await connected;
  await vi.advanceTimersByTimeAsync(3000);
  const { code, result } = await ending;
  expect([code, result.readings[0]?.failure?.code]).toEqual([1, 124]);
  await closed;
});

test('a command that is not found ends with 127', async () => {
  const { code, stdout } = await run(['certify', '--', 'no-such-command-here']);
  expect(code).toBe(127);
  expect(stdout).toContain('could not be started');
});

test('an access token expires during the run of an OAuth client, and a client that refreshes survives', async () => {
  const consent = fileURLToPath(new URL('../../src/oauth/consent.ts', import.meta.url));
  const file = join(scratchFolder(), 'oauth.mjs');
  writeFileSync(
    file,
    `
    import { consent } from ${JSON.stringify(consent)};
    const { NEWSLETTER_APP_URL: app, NEWSLETTER_OAUTH_CLIENT_ID: client_id, NEWSLETTER_OAUTH_CLIENT_SECRET: client_secret } = process.env;
    const redirect_uri = 'http://localhost/callback';
    const asked = new URLSearchParams({ client_id, redirect_uri, response_type: 'code', scope: 'subscriptions:read', state: 'x' });
    const code = (await consent(fetch, app + '/oauth/authorize?' + asked)).searchParams.get('code');
    const tokens = async (body) => (await fetch(app + '/oauth/token', { method: 'POST', body: new URLSearchParams({ client_id, client_secret, ...body }) })).json();
    let { access_token, refresh_token } = await tokens({ grant_type: 'authorization_code', code, redirect_uri });
    const list = () => fetch(${publication}/subscriptions\`, { headers: { Authorization: 'Bearer ' + access_token } });
    for (let i = 0; i < 3; i += 1) {
      let answer = await list();
      if (answer.status === 401 && process.argv[2] === 'refresh') {
        ({ access_token, refresh_token } = await tokens({ grant_type: 'refresh_token', refresh_token }));
        answer = await list();
      }
      if (!answer.ok) throw new Error('It answered ' + answer.status);
    }`,
  );
  const command = ['--', process.execPath, '--conditions=@newsletter-kit/source', file];
  const only = ['--only', 'expired-token'];
  expect((await certify(only, [...command, 'refresh'])).outcomes).toMatchObject({ 'expired-token': 'survived' });
  expect((await certify(only, command)).outcomes).toMatchObject({ 'expired-token': 'failed' });
});

test.each([
  [['certify'], "missing required argument 'command'"],
  [
    ['certify', '--only', 'nonsense', '--', 'true'],
    'There is no scenario "nonsense". The scenarios are default, last_cursor=absent',
  ],
  [['certify', '--timeout', 'x', '--', 'true'], "'x' is invalid. It must be a number of seconds."],
  [['exec', '--bail', '--', 'true'], "unknown option '--bail'\nSee newsletter-sandbox exec --help."],
  [['--json'], "unknown option '--json'"],
  [['replay', 'session.har'], 'The command replay was removed'],
  [['exec', '--record', 'x.har', '--', 'true'], '--record and SANDBOX_RECORD were removed'],
  [['certify', '--only=deviation=*', '--', 'true'], 'The scenarios deviation=… were removed'],
])('%j is a usage error', async (args, says) => {
  const { code, stdout, stderr } = await run(args);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toContain(says);
});
