/** `npm run relay`, `sandbox`, `newsletter` and `node`: the packages' commands in a clone, without a build. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { freePort } from '../support/free-ports.ts';
import { launch } from '../../scripts/launch.ts';
import { plans, sandboxAccount } from '../../scripts/servers.ts';
import { npmRun, starter } from './starter.ts';

interface Settings {
  readonly env: Readonly<Record<string, string>>;
  readonly folder: string;
}

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'newsletter-commands-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** A sandbox until the test is over. @returns the environment that names it to the commands */
async function sandbox(): Promise<Record<string, string>> {
  const port = await freePort();
  const running = await launch(
    plans.sandbox,
    { ports: { sandbox: port, relay: 0, demo: 0 }, relayStore: '' },
    () => undefined,
  );
  onTestFinished(() => running.stop());
  return {
    NEWSLETTER_API_URL: `${running.url}/v2`,
    NEWSLETTER_API_KEY: sandboxAccount.key,
    NEWSLETTER_PUBLICATION_ID: sandboxAccount.publicationId,
  };
}

describe('npm run newsletter', () => {
  it("reads a file in the caller's folder, and prints nothing but the command's output to stdout", async () => {
    const env = await sandbox();
    await writeFile(join(folder, 'people.csv'), 'email\ngrace.in.a.clone@example.com\n');
    const imported = npmRun(['newsletter', '--', 'import', 'people.csv'], { env, folder });
    expect(await imported.ended, imported.output()).toBe(0);
    expect(imported.output()).toMatch(/\b1 row/);

    const exported = npmRun(['newsletter', '--', 'export', '--format', 'ndjson'], { env, folder });
    expect(await exported.ended, exported.output()).toBe(0);
    const emails = exported
      .stdout()
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { email: string }).email);
    expect(emails).toContain('ada.lovelace@example.com');
  });
});

describe.each([
  ['relay', 2, "newsletter-relay: unknown command 'sail'"],
  ['newsletter', 64, "unknown command 'sail'"],
  ['sandbox', 2, "newsletter-sandbox: unknown command 'sail'"],
])('npm run %s', (script, code, sentence) => {
  it("passes on the command's own error and exit code", async () => {
    const { ended, output } = npmRun([script, '--', 'sail']);
    expect(await ended).toBe(code);
    expect(output()).toContain(sentence);
    expect(output()).not.toMatch(/^\s+at /m);
  });
});

describe('npm run sandbox', () => {
  it('runs a command against a fresh sandbox and ends with its exit code', async () => {
    await writeFile(
      join(folder, 'ask.mjs'),
      "process.exit(process.env.NEWSLETTER_API_URL.startsWith('http://127.0.0.1:') ? 7 : 1);",
    );
    const { ended } = npmRun(['sandbox', '--', 'exec', '--', 'node', 'ask.mjs'], { folder });
    expect(await ended).toBe(7);
  });
});

describe('npm run node', () => {
  it('resolves the packages to their sources and passes on stdin and arguments', async () => {
    const { child, ended, stdout } = npmRun(['node', '--', '--input-type=module', '-', 'ahoy']);
    child.stdin?.end(`
      import { operations } from '@newsletter-kit/core/contract';
      console.log(operations.length > 30, process.argv.at(-1), import.meta.resolve('@newsletter-kit/core'));
    `);
    expect(await ended).toBe(0);
    expect(stdout()).toMatch(/^true ahoy file:.*\/packages\/core\/src\/index\.ts\n$/);
  });
});

describe.skipIf(process.platform === 'win32')('npm run relay', () => {
  it.each([
    ['SIGTERM to npm', (settings: Settings) => npmRun(['relay', '--', 'serve'], settings), 'SIGTERM'],
    ['SIGINT to the starter', ({ env }: Settings) => starter(['relay', 'serve'], env), 'SIGINT'],
  ] as const)('serves until %s, which ends the relay in order', async (_name, start, signal) => {
    const port = await freePort();
    const relay = start({
      folder,
      env: {
        ...(await sandbox()),
        RELAY_ALLOWED_ORIGINS: 'http://127.0.0.1:4000',
        RELAY_PORT: String(port),
        RELAY_STORE: `sqlite:${join(folder, 'relay.db')}`,
      },
    });
    onTestFinished(() => void relay.child.kill('SIGTERM'));
    await relay.says(/the relay takes signups/);
    expect((await fetch(`http://127.0.0.1:${port}/livez`)).status).toBe(200);

    relay.child.kill(signal);
    await relay.ended;
    expect(relay.output()).toContain('"stopped"');
    await expect(fetch(`http://127.0.0.1:${port}/livez`)).rejects.toThrow();
  });
});
