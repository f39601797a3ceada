/**
 * The first commands of the packages' READMEs, run in a terminal in the root of this clone: they start the command, and
 * the alias works in every folder.
 */
import { mkdtemp, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { freePort } from '../support/free-ports.ts';
import { launch } from '../../scripts/launch.ts';
import { root } from '../../scripts/root.ts';
import { servers } from '../../scripts/servers.ts';
import { openTerminal, type Terminal } from './terminal.ts';

let folder: string;
beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'newsletter-first-lines-')));
});
afterEach(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

/** The first shell block of a package's README, and the one that gives a terminal the command's name. */
async function blocksOf(path: string): Promise<{ first: string; alias: string }> {
  const text = await readFile(join(root, path), 'utf8');
  const blocks = [...text.matchAll(/^```sh.*\n([\s\S]*?)^```$/gm)].map(([, block = '']) => block);
  const [first = ''] = blocks.filter((block) => !block.startsWith('alias '));
  const [alias = ''] = blocks.filter((block) => block.startsWith('alias '));
  return { first, alias };
}

async function terminal(env: Readonly<Record<string, string>> = {}): Promise<Terminal> {
  const { PATH = '' } = process.env;
  const opened = await openTerminal(root, { PATH, HOME: folder, ...env });
  onTestFinished(() => opened.close());
  return opened;
}

/** Types lines that end by themselves. @returns what they printed */
async function run({ type, finished, screen }: Terminal, lines: string): Promise<string> {
  await type(lines);
  expect(await finished(), screen()).toBe(0);
  return screen();
}

describe.skipIf(process.platform === 'win32')('the first commands of the READMEs', () => {
  it('start the relay until Ctrl-C, and define an alias for every folder', async () => {
    const { first: documented, alias } = await blocksOf('packages/relay/README.md');
    const port = String(await freePort());
    // Nothing listens on the port of the API, so that the signup stays undelivered.
    const first = documented.replace('4021', port).replace('127.0.0.1:4010', `127.0.0.1:${await freePort()}`);
    const env = { RELAY_PORT: port, RELAY_STORE: `sqlite:${join(folder, 'relay.db')}` };
    const serving = await terminal(env);
    await serving.type(first);
    await serving.shows(/the relay takes signups/);
    const answer = await fetch(`http://127.0.0.1:${env.RELAY_PORT}/signup`, {
      method: 'POST',
      headers: { origin: 'http://127.0.0.1:4000', 'content-type': 'application/json' },
      body: JSON.stringify({ email: 'ada@example.com' }),
    });
    expect(answer.status).toBe(202);

    const other = await terminal(env);
    const settings = first.replace(/^npm .*\n/m, '');
    expect(await run(other, `${alias}${settings}cd '${folder}'\nnewsletter-relay status`)).toMatch(/waiting\s+1\b/i);
    serving.interrupt();
    await serving.finished();
    expect(serving.screen()).toContain('stopped');
    // The store is free, so that the command reads it itself.
    await run(other, 'newsletter-relay export > signups.ndjson');
    const [line = ''] = (await readFile(join(folder, 'signups.ndjson'), 'utf8')).split('\n');
    expect(JSON.parse(line)).toMatchObject({ submission: { email: 'ada@example.com' } });
  });

  it('start the sandbox until Ctrl-C, and define an alias for every folder', async () => {
    const { first, alias } = await blocksOf('packages/sandbox/README.md');
    const port = await freePort();
    const sandbox = await terminal();
    expect(first).toContain('--port 4011');
    await sandbox.type(first.replace('4011', String(port)));
    await sandbox.shows(/Stop with Ctrl-C/);
    expect((await fetch(`http://127.0.0.1:${port}/_sandbox/requests`)).status).toBe(200);
    sandbox.interrupt();
    await sandbox.finished();
    await expect(fetch(`http://127.0.0.1:${port}/_sandbox/requests`)).rejects.toThrow();
    await run(sandbox, `${alias}cd '${folder}'\nnewsletter-sandbox exec -- sh -c 'echo $NEWSLETTER_API_KEY > key'`);
    expect(await readFile(join(folder, 'key'), 'utf8')).toBe('sandbox-key\n');
  });

  it('call the sandbox with newsletter, and export into the current folder', async () => {
    const { first, alias } = await blocksOf('packages/cli/README.md');
    const port = await freePort();
    const plan = servers.find(({ name }) => name === 'sandbox');
    if (!plan) throw new Error('The chain has no sandbox.');
    const sandbox = await launch(
      plan,
      { ports: { sandbox: port, relay: 0, demo: 0 }, relayStore: '' },
      () => undefined,
    );
    onTestFinished(() => sandbox.stop());
    const lines = first.replace('127.0.0.1:4010', `127.0.0.1:${port}`);
    expect(await run(await terminal(), `${alias}cd '${folder}'\n${lines}`)).toContain('accessible');
    expect(await readFile(join(folder, 'subscribers.csv'), 'utf8')).toContain('ada.lovelace@example.com');
  });
});
