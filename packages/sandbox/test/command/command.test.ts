/** The commands in this process: what they print, read and end with. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { apiKeys, publicationId } from '../../src/index.ts';
import { addresses, headers, run, start, subscribe, subscriptions, tellingScript } from './process.ts';
import { scratchFolder } from '../../../../test/support/scratch-folder.ts';

test('the command loads the demo, answers on its port, runs scheduled events, and stops with the interface open', async () => {
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
  expect(await running.stop()).toBe(0);
  await reader.cancel().catch(() => undefined);
});

test('options come from the environment too, and flags win', async () => {
  const running = await start(['--seed', 'empty'], { SANDBOX_SEED: 'demo', SANDBOX_PROFILE: 'service' });
  expect(await addresses(running)).toEqual([]);
  expect((await fetch(subscriptions(running), { headers })).headers.get('ratelimit-limit')).toBe('180');
  expect(await running.stop()).toBe(0);
});

test('a database file keeps everything over a restart, and ids continue', async () => {
  const db = join(scratchFolder(), 'sandbox.db');
  const first = await start(['--db', db, '--seed', 'empty']);
  const ada = (await (await subscribe(first, { email: 'Ada@example.com', double_opt_override: 'on' })).json()) as {
    data: { id: string };
  };
  expect(await first.stop()).toBe(0);

  const second = await start(['--db', db, '--seed', 'demo']);
  expect(second.output()).toContain('existing content');
  const again = (await (await subscribe(second, { email: 'ADA@example.com' })).json()) as { data: { id: string } };
  const grace = (await (await subscribe(second, { email: 'grace@example.com' })).json()) as { data: { id: string } };
  expect(again.data.id).toBe(ada.data.id);
  expect(grace.data.id).not.toBe(ada.data.id);
  expect(await addresses(second)).toEqual(['Ada@example.com', 'grace@example.com']);
  expect(await second.stop()).toBe(0);

  const third = await start(['--db', db]);
  // The check of her address was still to come when the sandbox was first stopped; it has not been forgotten.
  await fetch(`${third.address}/_sandbox/clock`, { method: 'POST', body: JSON.stringify({ advance: 'PT1S' }) });
  expect(await addresses(third, 'status=pending')).toEqual(['Ada@example.com']);
  expect(await addresses(third)).toEqual(['Ada@example.com', 'grace@example.com']);
});

test('a seed file is loaded', async () => {
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

test('a sandbox answers as its file of assumptions says, also after a reset', async () => {
  const file = join(scratchFolder(), 'assumptions.json');
  writeFileSync(file, JSON.stringify({ pagination_fields: 'nested', last_cursor: 'null' }));
  const { address } = await start(['--assumptions', file]);
  const answer = async (): Promise<unknown> =>
    (
      await fetch(`${address}/v2/publications?limit=1`, { headers: { Authorization: `Bearer ${apiKeys.workspace}` } })
    ).json();
  expect(await answer()).toMatchObject({ pagination: { limit: 1 } });
  await fetch(`${address}/_sandbox/reset`, { method: 'POST' });
  expect(await answer()).toMatchObject({ pagination: { limit: 1 } });
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

test('a control token that is not valid is refused without repeating it', async () => {
  const { code, stderr } = await run([], { SANDBOX_PORT: '0', SANDBOX_CONTROL_TOKEN: 'hush hush' });
  expect({ code, stderr }).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('The control token must be 8 to 200'),
  });
  expect(stderr).not.toContain('hush');
});

test('version, help of a command and completion come with every command', async () => {
  expect(await run(['--version'])).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) });
  expect((await run(['--help'])).stdout).toMatch(/--port <number> .*4010.*SANDBOX_PORT/s);
  const help = await run(['certify', '--help']);
  for (const word of ['certify [options] -- COMMAND', '--only <name>', '--db <file>', 'SANDBOX_DB'])
    expect(help.stdout).toContain(word);
  expect((await run(['completion', 'bash'])).stdout).toContain('complete -F _newsletter_sandbox newsletter-sandbox');
  const complete = async (...words: readonly string[]) => (await run(['completion', 'words', '--', ...words])).stdout;
  expect(await complete('ex')).toMatch(/^exec\t/);
  expect(await complete('exec', '--prof')).toMatch(/^--profile\t/);
  expect(await complete('exec', '--profile', 's')).toBe('spec\nservice-30\nservice\nservice-500\nservice-800\n');
  expect(await complete('--seed', 'd')).toBe('demo\n');
  expect(await complete('certify', '--only', 'lost')).toMatch(/^lost-response\t/);
  expect(await complete('exec', '--', 'n')).toBe(':files\n');
});

test('a blank variable counts as not set, and flags work before and after the command', async () => {
  const { command, told } = tellingScript('tell(new URL(process.env.NEWSLETTER_API_URL).port !== "4010")');
  const ended = await run(['--seed', 'empty', 'exec', ...command, '--', '--port', '4010'], {
    SANDBOX_PROFILE: '',
    SANDBOX_PORT: ' ',
    SANDBOX_HOST: '',
    SANDBOX_ALLOWED_HOSTS: '',
    SANDBOX_CONTROL_TOKEN: '',
    SANDBOX_DB: '',
  });
  expect([ended, told()]).toEqual([{ code: 0, stdout: '', stderr: '' }, 'true\n']);
});

test('a port in use is reported in one sentence', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  const { code, stdout, stderr } = await run([], { SANDBOX_PORT: String(port) });
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toBe(
    `newsletter-sandbox: Port ${port} on 127.0.0.1 is in use. Stop the program that uses it, or choose another with --port or SANDBOX_PORT.\n`,
  );
});

test('a database in use is reported in one sentence', async () => {
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
  writeFileSync(
    join(at, 'shapes.json'),
    '{"operations":{"posts.list":{"statuses":{"200":1},"headers":[],"body":["object"],"fields":{}}}}',
  );
  return at;
};
const mistakes: readonly (readonly [string, readonly string[], number, RegExp])[] = [
  [
    'an unknown flag',
    ['--prot', '4011'],
    2,
    /unknown option '--prot'\n\(Did you mean --port\?\)\nSee newsletter-sandbox serve --help/,
  ],
  ['exec without a command', ['exec'], 2, /missing required argument 'command'\nSee newsletter-sandbox exec --help/],
  [
    'exec without dashes',
    ['exec', 'npm', 'test'],
    2,
    /Write the command after " -- ": newsletter-sandbox exec -- npm test/,
  ],
  ['dashes without exec', ['--', 'npm', 'test'], 2, /write "exec" or "certify" before/],
  [
    'a port that is none',
    ['--port', '70000'],
    2,
    /--port.*'70000' is invalid. It must be a whole number from 0 to 65535/,
  ],
  [
    'an unknown profile',
    ['--profile', 'fast'],
    2,
    /no profile "fast".*spec, service-30, service, service-500, service-800, unlimited/,
  ],
  ['a host name with a scheme', ['--allowed-host', 'http://box'], 2, /Use a host name such as host\.docker\.internal/],
  ['an unknown seed', ['--seed', 'dmeo'], 1, /no seed and no file "dmeo".*demo, empty/],
  ['a seed file that is no JSON', ['--seed', 'broken.json'], 1, /broken\.json" is not valid JSON/],
  [
    'a seed file with a mistake',
    ['--seed', 'wrong.json'],
    1,
    /wrong\.json".*publications\.0\.subscriptions\.0\.email.*e-mail address/,
  ],
  ['a folder for a seed', ['--seed', 'folder'], 1, /folder" can't be read/],
  [
    'assumptions that are no JSON',
    ['--assumptions', 'broken.json'],
    2,
    /broken\.json" is not valid JSON\. It is written /,
  ],
  ['an unknown assumption', ['--assumptions', 'wrong.json'], 2, /wrong\.json" is wrong: .*"publications"/],
  [
    'shapes that are no JSON',
    ['--shape', 'broken.json'],
    2,
    /broken\.json" is not valid JSON\. newsletter probe --out/,
  ],
  ['shapes in another format', ['--shape', 'wrong.json'], 2, /wrong\.json" is wrong at operations: /],
  [
    'shapes of an unknown operation',
    ['--shape', 'shapes.json'],
    2,
    /has an operation that there is not: "posts\.list"\./,
  ],
  ['shapes that are not there', ['--shape', 'nowhere/x.json'], 2, /nowhere\/x\.json" can't be read \(ENOENT\)/],
  ['a folder for assumptions', ['--assumptions', 'folder'], 2, /folder" can't be read \(EISDIR\)/],
  ['a folder that does not exist', ['--db', 'nowhere/x.db'], 1, /nowhere\/x\.db" can't be opened for writing/],
  ['a folder for a database', ['--db', 'folder'], 1, /folder" can't be opened for writing/],
  ['a file of another kind', ['--db', 'text.db'], 1, /text\.db" is not a SQLite database/],
  ['an address of another machine', ['--host', '192.0.2.1'], 1, /"192\.0\.2\.1" is not an address of this machine/],
];

test.each(mistakes)('%s is an error that says what to do', async (_, args, code, says) => {
  const at = place();
  const inPlace = args.map((arg) => (existsSync(join(at, arg)) || arg.includes('/') ? join(at, arg) : arg));
  const ended = await run(args.includes('--port') ? inPlace : ['--port', '0', ...inPlace]);
  expect(ended.stderr).toMatch(says);
  expect(ended.stderr).toMatch(/^newsletter-sandbox: /);
  expect(ended.stderr).not.toContain('    at ');
  expect(ended).toMatchObject({ code, stdout: '' });
});
