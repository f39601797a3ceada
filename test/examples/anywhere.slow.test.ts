/** The relay of `examples/relay` on Deno, Bun and SvelteKit, by the commands of its page, with PostgreSQL. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { run } from '../../packages/relay/test/commands/relay-process.ts';
import { waitUntil } from '../support/waits.ts';
import { startMailServer } from '../../packages/relay/test/mail-server.ts';
import { postgresServer } from '../../packages/relay/test/postgres-server.ts';
import { onPort, sandboxApi } from '../../packages/relay/test/sandbox-api.ts';
import { startReceiver, webhookSettings } from '../../packages/relay/test/webhooks/receiver.ts';
import { installLocked } from '../../scripts/n8n/locked.ts';
import { root } from '../../scripts/root.ts';
import { freePort } from '../support/free-ports.ts';
import { readPage } from '../docs/page.ts';

const page = readPage(readFileSync(join(root, 'docs/src/content/docs/relay/anywhere.md'), 'utf8'));
const [settingLines = [], ...blocks] = page.commands.map(({ text }) => text.split('\n'));
const starts = blocks.slice(0, -1).flat();
const calls = blocks.at(-1) ?? [];
const documented = Object.fromEntries(
  settingLines.flatMap((line) => {
    const [, name, value = ''] = /^export (\w+)=(.*)$/.exec(line) ?? [];
    return name === undefined ? [] : [[name, value] as const];
  }),
);
const { PORT: documentedPort = '', CRON_SECRET: cronSecret = '', RELAY_ALLOWED_ORIGINS: site = '' } = documented;
const runtimes = starts.map((line) => ({
  runtime: /examples\/relay\/(\w+)/.exec(line)?.[1] ?? line,
  build: line.includes(' && node ') ? line.replace(/ && node .*/, '') : null,
  command: line.replace(/.* && /, ''),
}));

const runtimeFolder = join(root, 'test/examples/runtimes');

/** Folders of the programs. The link of `deno` in `.bin` starts it by way of Node, which passes no signal on. */
const programs = [
  ...['node_modules/deno', 'node_modules/.bin'].map((folder) => join(runtimeFolder, folder)),
  join(root, 'node_modules/.bin'),
];
const path = [...programs, process.env['PATH']].join(delimiter);

beforeAll(
  () =>
    installLocked({
      folder: runtimeFolder,
      title: 'Deno and Bun (200 MB)',
      needs: 'the npm registry and about 200 MB of disk',
    }),
  10 * 60_000,
);

const postgres = postgresServer();
const operatorToken = 'operator-token-of-the-tests';

/** What a call of the cron route answers. */
interface Delivered {
  readonly nextDueAt: number | null;
}

/** Starts the example and waits until it answers; it ends with the test. */
async function start(command: string, settings: Readonly<Record<string, string>>) {
  const port = await freePort();
  const child = spawn('/bin/sh', ['-c', `exec ${command}`], {
    cwd: root,
    env: {
      ...documented,
      PATH: path,
      HOME: process.env['HOME'],
      PORT: String(port),
      RELAY_OPERATOR_TOKEN: operatorToken,
      ...settings,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  const ended = once(child, 'exit');
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  const address = `http://127.0.0.1:${port}`;
  // A framework that cannot start does not end: each request fails.
  const hasFailed = () => child.exitCode !== null || output.includes('Error: ');
  await waitUntil('it answers, or cannot start', async () => hasFailed() || (await fetch(`${address}/livez`)).ok);
  if (hasFailed()) throw new Error(`It cannot start: ${output}`);
  return {
    address,
    port,
    output: () => output,
    signUp: (email: string) =>
      fetch(`${address}/signup`, {
        method: 'POST',
        headers: { origin: site, 'content-type': 'application/json' },
        body: JSON.stringify({ email }),
      }),
    cron: (token = cronSecret) => fetch(`${address}/cron`, { headers: { authorization: `Bearer ${token}` } }),
    /** @returns its exit code */
    async terminate(): Promise<number | null> {
      child.kill('SIGTERM');
      const [code] = (await ended) as [number | null];
      return code;
    },
  };
}

/** A sandbox on a port, an empty database, and the settings that name both. */
async function services() {
  const sandbox = sandboxApi();
  const settings = {
    NEWSLETTER_API_URL: `${await onPort(sandbox.fetch)}/v2`,
    RELAY_STORE: await postgres.database(),
    RELAY_LIMIT_IP: '0',
  };
  return { sandbox, settings };
}

const people = (count: number): string[] => Array.from({ length: count }, (_, n) => `visitor.${n}@example.com`);

it('are Deno, Bun and SvelteKit, and the page has the commands to try them', () => {
  expect(settingLines[0]).toBe('npm run build');
  expect(runtimes.map(({ runtime }) => runtime)).toEqual(['deno', 'bun', 'sveltekit']);
});

/** Runs a command of the page against the relay. @returns what it prints */
async function callOfPage(command: string, port: number): Promise<string> {
  const { stdout } = await promisify(execFile)('/bin/sh', ['-c', command.replace(`:${documentedPort}/`, `:${port}/`)], {
    env: { ...process.env, CRON_SECRET: cronSecret },
  });
  return stdout;
}

describe.each(runtimes)('the relay on $runtime', ({ build, command }) => {
  beforeAll(async () => {
    if (build !== null)
      await promisify(execFile)('/bin/sh', ['-c', build], { cwd: root, env: { ...process.env, PATH: path } });
  });

  it('delivers a signup when the cron route is called with its token', async () => {
    const { sandbox, settings } = await services();
    const relay = await start(command, settings);
    const [signUp = '', cron = ''] = calls;
    expect(await callOfPage(signUp, relay.port)).toBe('{"status":"accepted"}');
    expect((await relay.cron('wrong')).status).toBe(401);
    expect((await fetch(`${relay.address}/cron`)).status).toBe(401);
    expect(sandbox.received).toEqual([]);
    // The API still checks the address, and is asked once more ten minutes later.
    const { nextDueAt } = JSON.parse(await callOfPage(cron, relay.port)) as { readonly nextDueAt: number };
    expect(nextDueAt).toBeGreaterThan(Date.now() + 5 * 60_000);
    expect((await sandbox.subscriptions()).map(({ email }) => email)).toContain('mary@example.com');
    expect((await fetch(`${relay.address}/metrics`)).status).toBe(404);
    const { stdout } = await run(['--remote', relay.address, 'status', '--json'], {
      RELAY_OPERATOR_TOKEN: operatorToken,
    });
    expect(JSON.parse(stdout)).toMatchObject({ counts: { delivered: 1, waiting: 0 } });
    expect(relay.output()).not.toContain('mary@example.com');
    expect(await relay.terminate()).toBe(0);
  });

  it('delivers once, however many cron calls run at the same time in one process and in another', async () => {
    const { sandbox, settings } = await services();
    const [one, other] = await Promise.all([start(command, settings), start(command, settings)]);
    const emails = people(20);
    for (const email of emails) expect((await one.signUp(email)).status).toBe(202);
    const calls = await Promise.all([one.cron(), one.cron(), other.cron()]);
    expect(calls.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(sandbox.received.map(({ email }) => email).toSorted()).toEqual(emails.toSorted());
  });

  it('sends the confirmation mail with one cron call, and delivers with another after the click', async () => {
    const { sandbox, settings } = await services();
    const mail = await startMailServer();
    const relay = await start(command, {
      ...settings,
      RELAY_CONFIRMATION: 'true',
      RELAY_MAIL_FROM: 'news@example.com',
      RELAY_SMTP_URL: mail.url,
      RELAY_PUBLIC_URL: 'https://relay.example',
      RELAY_SECRET: 'a-secret-of-enough-characters',
    });
    expect((await relay.signUp('ada@example.com')).status).toBe(202);
    expect((await relay.cron()).status).toBe(200);
    const [, path = ''] = /https:\/\/relay\.example(\/confirm\/\S+)/.exec(mail.received[0]?.text ?? '') ?? [];
    expect(sandbox.received).toEqual([]);
    // As a browser sends it from the page of the link, behind a proxy with TLS; SvelteKit looks at it.
    const origin = relay.address.replace('http:', 'https:');
    const clicked = await fetch(relay.address + path, { method: 'POST', headers: { origin } });
    expect(clicked.status).toBe(200);
    expect((await relay.cron()).status).toBe(200);
    expect(sandbox.received).toMatchObject([{ email: 'ada@example.com' }]);
  });

  it('sends signed webhooks with the cron call, and none into a private network', async () => {
    const { settings } = await services();
    const receiver = await startReceiver();
    const relay = await start(command, { ...settings, ...webhookSettings(receiver) });
    expect((await relay.signUp('ada@example.com')).status).toBe(202);
    await relay.cron();
    expect(receiver.received).toMatchObject([{ type: 'signup.delivered' }]);
    const wary = await start(command, {
      ...settings,
      ...webhookSettings(receiver),
      RELAY_STORE: await postgres.database(),
      RELAY_WEBHOOK_URL: receiver.url.replace('http:', 'https:'),
      RELAY_WEBHOOK_PRIVATE_NETWORK: 'false',
    });
    expect((await wary.signUp('bob@example.com')).status).toBe(202);
    await wary.cron();
    expect(receiver.received).toHaveLength(1);
    expect(wary.output()).toContain('The URL leads into a private network');
  });

  it('ends a cron call at its bound, and leaves the rest to the next one', async () => {
    const { sandbox, settings } = await services();
    // Five at a time and two seconds in which one is started: fifty at most.
    sandbox.instead = async (request) => {
      if (request.method === 'POST') await sleep(200);
      return answerOf(request);
    };
    const answerOf = async (request: Request): Promise<Response> => {
      if (request.method === 'POST') sandbox.received.push((await request.clone().json()) as Record<string, unknown>);
      return sandbox.sandbox.fetch(request);
    };
    const relay = await start(command, { ...settings, CRON_SECONDS: '4', RELAY_BULK_ABOVE: 'never' });
    const emails = people(70);
    await Promise.all(emails.map((email) => relay.signUp(email)));
    const first = (await (await relay.cron()).json()) as Delivered;
    expect(first.nextDueAt).toBeGreaterThan(0);
    expect(sandbox.received.length).toBeGreaterThan(0);
    expect(sandbox.received.length).toBeLessThan(emails.length);
    await waitUntil('later calls deliver the rest', async () => {
      await relay.cron();
      return sandbox.received.length === emails.length;
    });
    expect(sandbox.received.map(({ email }) => email).toSorted()).toEqual(emails.toSorted());
  });

  it('keeps what it has accepted when it is stopped, and says which setting is missing', async () => {
    const { sandbox, settings } = await services();
    const before = await start(command, settings);
    expect((await before.signUp('ada@example.com')).status).toBe(202);
    expect(await before.terminate()).toBe(0);
    const after = await start(command, settings);
    await after.cron();
    expect(sandbox.received).toMatchObject([{ email: 'ada@example.com' }]);
    await expect(start(command, { ...settings, CRON_SECRET: '' })).rejects.toThrow('CRON_SECRET is missing');
  });
});
