/** A real n8n of its own: a fresh folder, free ports, imports before it starts, and nothing left behind. */
import { createServer } from 'node:net';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { run, start, type Running } from './process.ts';

/** A credential as `n8n import:credentials` reads it; n8n encrypts it on import. */
export interface CredentialFile {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly data: Readonly<Record<string, string>>;
}

/** An n8n that is not running yet. */
export interface Installation {
  readonly userFolder: string;
  readonly url: string;
  importCredential(credential: CredentialFile): Promise<void>;
  importWorkflow(file: string): Promise<void>;
  /** Starts n8n and waits until it takes requests; again after {@link Installation.kill}. */
  start(): Promise<void>;
  /** Ends n8n at once, as a power cut would. */
  kill(): Promise<void>;
  /** Starts a worker beside it, for queue mode, and waits until it takes executions. */
  startWorker(): Promise<Running>;
  /** What n8n printed last. */
  output(): string;
  /** Of the process that was started last. */
  pid(): number | undefined;
  /** Ends n8n and its workers, and deletes its folder. */
  close(): Promise<void>;
}

/**
 * @param command - the path of the n8n command
 * @param settings - variables besides those that every installation of a test has
 */
export async function createInstallation(command: string, settings: Readonly<Record<string, string>> = {}): Promise<Installation> {
  const userFolder = await mkdtemp(join(tmpdir(), 'newsletter-n8n-'));
  const [port, broker] = await freePorts(2);
  const url = `http://127.0.0.1:${port}`;
  const env = {
    N8N_USER_FOLDER: userFolder,
    N8N_PORT: String(port),
    N8N_LISTEN_ADDRESS: '127.0.0.1',
    N8N_RUNNERS_BROKER_PORT: String(broker),
    N8N_ENCRYPTION_KEY: 'newsletter-kit-tests',
    N8N_SECURE_COOKIE: 'false',
    // The address that services are told to send people back to: the session's cookie is of this host.
    N8N_EDITOR_BASE_URL: url,
    N8N_DIAGNOSTICS_ENABLED: 'false',
    N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
    N8N_TEMPLATES_ENABLED: 'false',
    N8N_PERSONALIZATION_ENABLED: 'false',
    N8N_WORKFLOW_PUBLICATION_OUTBOX_POLL_INTERVAL_MS: '500',
    GENERIC_TIMEZONE: 'UTC',
    ...settings,
  };
  const n8n = (...args: string[]): Promise<string> => run(process.execPath, [command, ...args], { env });
  let running: Running | undefined;
  const workers: Running[] = [];

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
      running = start(process.execPath, [command, 'start'], { env });
      await ready(url, running);
    },
    async kill() {
      await running?.kill();
    },
    async startWorker() {
      const [health, workerBroker] = await freePorts(2);
      const worker = start(process.execPath, [command, 'worker', '--concurrency=2'], {
        env: { ...env, N8N_RUNNERS_BROKER_PORT: String(workerBroker), QUEUE_HEALTH_CHECK_ACTIVE: 'true', QUEUE_HEALTH_CHECK_PORT: String(health) },
      });
      workers.push(worker);
      await ready(`http://127.0.0.1:${health}`, worker);
      return worker;
    },
    output: () => running?.output() ?? '',
    pid: () => running?.child.pid,
    async close() {
      const processes = running ? [...workers, running] : workers;
      await Promise.all(processes.map((each) => each.stop()));
      await rm(userFolder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

async function ready(url: string, running: Running): Promise<void> {
  let ended: number | string | undefined;
  void running.ended.then((how) => (ended = how));
  for (const deadline = Date.now() + 90_000; Date.now() < deadline; await sleep(250)) {
    if (ended !== undefined) throw new Error(`n8n ended with ${ended} instead of starting:\n${running.output()}`);
    const response = await fetch(`${url}/healthz/readiness`).catch(() => undefined);
    await response?.body?.cancel();
    if (response?.ok) return;
  }
  throw new Error(`n8n was not ready within 90 s:\n${running.output()}`);
}

export async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  await Promise.all(servers.map((server) => new Promise((resolve) => server.once('listening', resolve))));
  const ports = servers.map((server) => {
    const address = server.address();
    return typeof address === 'object' && address !== null ? address.port : 0;
  });
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}
