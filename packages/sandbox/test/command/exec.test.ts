import { join } from 'node:path';
import { expect, test } from 'vitest';
import { run, script, tellingScript } from './process.ts';
import { scratchFolder } from '../../../../test/support/scratch-folder.ts';

const publication = '`${process.env.NEWSLETTER_API_URL}/publications/${process.env.NEWSLETTER_PUBLICATION_ID}';
const headers = '{ Authorization: `Bearer ${process.env.NEWSLETTER_API_KEY}` }';

test('the environment of a command has the address of the sandbox, and exec ends with 0 on success', async () => {
  const { command, told } = tellingScript(`
    const answer = await fetch(${publication}/subscriptions\`, { headers: ${headers} });
    const { NEWSLETTER_APP_URL: app, NEWSLETTER_OAUTH_CLIENT_ID: id, NEWSLETTER_OAUTH_CLIENT_SECRET: secret, NEWSLETTER_SANDBOX_URL: control } = process.env;
    const log = await (await fetch(control + '/requests')).json();
    tell(answer.status, JSON.stringify(await answer.json()), new URL(app).hostname, id, secret, log.data.length);
  `);
  expect(await run(['exec', '--seed', 'empty', ...command])).toEqual({ code: 0, stdout: '', stderr: '' });
  expect(told()).toBe(
    '200 {"data":[],"limit":10,"has_more":false,"next_cursor":null} 127.0.0.1 sandbox-app sandbox-secret 1\n',
  );
});

test('a failed command keeps its exit code; its requests are printed with reasons and the nearest valid one', async () => {
  const ended = await run([
    'exec',
    ...script(`
    await fetch(${publication}/subscriptions?limit=500\`, { headers: ${headers} });
    await fetch(${publication}/subscribers\`);
    process.exitCode = 7;
  `),
  ]);
  expect(ended.code).toBe(7);
  expect(ended.stderr).toMatch(/^newsletter-sandbox: the command ended with exit code 7\. Its requests:\n/);
  expect(ended.stderr).toMatch(
    /GET \/v2\/publications\/pub_\S+\/subscriptions\?limit=500 → 400 {2}\(subscriptions\.list\)\n {6}"limit" must be at most 100\.\n {6}Nearest valid request: GET \/v2\/publications\/\{publicationId\}\/subscriptions with limit 100\n/,
  );
  expect(ended.stderr).toContain('/subscribers → 404');
});

test('a failed command that sent no request is shown how to reach the sandbox', async () => {
  expect(await run(['exec', '--', process.execPath, '-e', 'process.exit(1)'])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(
      'sent no request to the sandbox. The address of the sandbox is in NEWSLETTER_API_URL',
    ),
  });
});

test('a command that is not found ends with 127 and one sentence', async () => {
  const { code, stderr } = await run(['exec', '--', 'no-such-command-here']);
  expect(code).toBe(127);
  expect(stderr).toMatch(/^newsletter-sandbox: the command could not be started \(.*ENOENT\).*\n$/);
});

test('exec resets a database with content and uses a free port', async () => {
  const db = join(scratchFolder(), 'sandbox.db');
  const { command, told } = tellingScript(`
    const create = await fetch(${publication}/subscriptions\`, { method: 'POST', headers: { ...${headers}, 'Content-Type': 'application/json' }, body: JSON.stringify({ email: process.pid + '@example.com' }) });
    const { data } = await (await fetch(${publication}/subscriptions\`, { headers: ${headers} })).json();
    tell(create.status, data.length, new URL(process.env.NEWSLETTER_APP_URL).port);
  `);
  for (let time = 0; time < 2; time += 1)
    expect(await run(['exec', '--seed', 'empty', '--db', db, ...command], { SANDBOX_PORT: '4010' })).toMatchObject({
      code: 0,
    });
  expect(told()).toMatch(/^(?:200 1 (?!4010)\d+\n){2}$/);
});

test('a command that was ended by a signal gives 128 plus its number', async () => {
  expect(await run(['exec', '--', process.execPath, '-e', 'process.kill(process.pid, "SIGKILL")'])).toMatchObject({
    code: 137,
    stderr: expect.stringContaining('was ended by SIGKILL'),
  });
});
