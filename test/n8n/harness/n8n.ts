/** A separate real n8n: a fresh folder, free ports, imports before the start, and cleanup. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { freeNumbers } from '../../support/free-ports.ts';
import { serverUrl } from '../../../scripts/servers.ts';
import { waitUntil } from '../../support/waits.ts';
import type { CredentialFile } from '../../../scripts/n8n/examples.ts';
import type { N8nProgram } from '../../../scripts/n8n/install.ts';
import { run, start, type RunningProcess } from '../../../scripts/program.ts';
import { settingsOf, untilReady } from '../../../scripts/n8n/server.ts';

/** An n8n that is not running yet. */
export interface Installation {
  readonly userFolder: string;
  readonly url: string;
  importCredential(credential: CredentialFile): Promise<void>;
  importWorkflow(file: string): Promise<void>;
  /** Starts n8n and waits until it accepts requests; also after {@link Installation.kill}. */
  start(): Promise<void>;
  /** Ends n8n with SIGKILL, like a power cut. */
  kill(): Promise<void>;
  /** Ends n8n with SIGTERM, as a service manager does. */
  stop(): Promise<void>;
  /** Starts a further process for queue mode, and waits until it is ready. */
  startAlso(kind: 'worker' | 'webhook'): Promise<{ readonly url: string; readonly output: () => string }>;
  /** The last lines that n8n printed. */
  output(): string;
  /** The ID of the process started last. */
  pid(): number | undefined;
  /** Ends n8n and its workers, and deletes its folder. */
  close(): Promise<void>;
}

/**
 * @param program - which n8n to run
 * @param settings - variables in addition to those of every test installation
 */
export async function createInstallation(
  { node, command, env: needed }: N8nProgram,
  settings: Readonly<Record<string, string>> = {},
): Promise<Installation> {
  const userFolder = await mkdtemp(join(tmpdir(), 'newsletter-n8n-'));
  const [port = 0, broker = 0] = await freeNumbers(2);
  const url = serverUrl(port);
  const env = {
    ...settingsOf({ userFolder, port, broker }),
    ...needed,
    // n8n starts its task runner as `node`.
    PATH: `${dirname(node)}${delimiter}${process.env['PATH'] ?? ''}`,
    NODE_OPTIONS: `--require=${join(import.meta.dirname, 'regexTimeout.cjs')}`,
    N8N_ENCRYPTION_KEY: 'newsletter-kit-tests',
    N8N_WORKFLOW_PUBLICATION_OUTBOX_POLL_INTERVAL_MS: '500',
    ...settings,
  };
  const n8n = (...args: string[]): Promise<string> => run(node, [command, ...args], { env });
  let running: RunningProcess | undefined;
  const others: RunningProcess[] = [];

  return {
    userFolder,
    url,
    async importCredential(credential) {
      const folder = join(userFolder, 'imports');
      await mkdir(folder, { recursive: true });
      const file = join(folder, `${credential.id}.json`);
      await writeFile(file, JSON.stringify([credential]));
      await n8n('import:credentials', `--input=${file}`);
    },
    async importWorkflow(file) {
      await n8n('import:workflow', `--input=${file}`);
    },
    async start() {
      running = start(node, [command, 'start'], { env });
      await untilReady(url, running);
      // n8n 1 reports that it is ready before it has registered its routes.
      await waitUntil('n8n answers', async () => (await fetch(`${url}/rest/settings`)).ok, 300_000);
    },
    async kill() {
      await running?.kill();
    },
    async stop() {
      await running?.stop();
    },
    async startAlso(kind) {
      const [ownPort = '', ownBroker = ''] = (await freeNumbers(2)).map(String);
      const server =
        kind === 'worker'
          ? { QUEUE_HEALTH_CHECK_ACTIVE: 'true', QUEUE_HEALTH_CHECK_PORT: ownPort }
          : { N8N_PORT: ownPort };
      const other = start(node, [command, kind], { env: { ...env, N8N_RUNNERS_BROKER_PORT: ownBroker, ...server } });
      others.push(other);
      const address = serverUrl(Number(ownPort));
      await untilReady(address, other);
      return { url: address, output: () => other.output() };
    },
    output: () => running?.output() ?? '',
    pid: () => running?.child.pid,
    async close() {
      const processes = running ? [...others, running] : others;
      await Promise.all(processes.map((each) => each.stop()));
      await rm(userFolder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
