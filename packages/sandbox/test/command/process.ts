/** Runs the command from source: in this process, or in one of its own. */
import { spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { withCapturedOutput, withEnvironment } from '../../../../test/support/captured-output.ts';
import { scratchFolder } from '../../../../test/support/scratch-folder.ts';
import { runCommands } from '../../src/command/command-line.ts';
import { apiKeys, publicationId } from '../../src/index.ts';

const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
/** Nothing of the person's own settings; what a test needs it gives. */
const clean = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('SANDBOX_')));

type Variables = Readonly<Record<string, string>>;
type Ended = number | NodeJS.Signals | null;

export interface Running {
  /** `http://127.0.0.1:<free port>` */
  readonly address: string;
  readonly output: () => string;
  /** Asks it to stop; the exit code and signal. */
  readonly stop: (signal?: NodeJS.Signals) => Promise<Ended>;
}

/** Runs the command to its end in this process. */
export async function run(args: readonly string[], env: Variables = {}) {
  const { result: code, ...written } = await withCapturedOutput(() =>
    withEnvironment({ ...clean, ...env }, () => runCommands(args, new EventEmitter())),
  );
  return { code, ...written };
}

/** Starts the command in this process on a free port, and waits until it listens. */
export async function start(args: readonly string[] = [], env: Variables = {}): Promise<Running> {
  const signals = new EventEmitter();
  const listens = Promise.withResolvers<void>();
  const serve = async (): Promise<{ readonly ended: Promise<Ended> }> => {
    const ended = runCommands(['--port', '0', ...args], signals);
    await Promise.race([listens.promise, ended]);
    return { ended };
  };
  const { result, stdout, stderr } = await withCapturedOutput(
    () => withEnvironment({ ...clean, ...env }, serve),
    (written) => addressIn(written.stdout) && listens.resolve(),
  );
  const address = addressIn(stdout);
  if (address === undefined) throw new Error(`It ended with ${await result.ended}: ${stderr}`);
  let stopping = false;
  const stop = (): Promise<Ended> => {
    if (!stopping) signals.emit('SIGTERM');
    stopping = true;
    return result.ended;
  };
  onTestFinished(async () => void (await stop()));
  return { address, output: () => stdout + stderr, stop };
}

/** Starts the command in a process of its own; `prelude` is shell code before it. */
export function launch(args: readonly string[], env: Variables = {}, prelude = '') {
  const command = [process.execPath, '--conditions=@newsletter-kit/source', main, ...args];
  const options = { env: { ...clean, ...env }, stdio: ['ignore', 'pipe', 'pipe'] as ['ignore', 'pipe', 'pipe'] };
  const child = prelude
    ? spawn('bash', ['-c', `${prelude}; exec "$@"`, 'bash', ...command], options)
    : spawn(command[0]!, command.slice(1), options);
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const ended = new Promise<Ended>((resolve) => child.once('close', (code, signal) => resolve(code ?? signal)));
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  return { child, ended, stdout: () => stdout, stderr: () => stderr };
}

/** Starts the command in a process of its own on a free port, and waits until it listens. */
export async function startProcess(args: readonly string[] = [], env: Variables = {}, prelude = ''): Promise<Running> {
  const { child, ended, stdout, stderr } = launch(['--port', '0', ...args], env, prelude);
  const address = await new Promise<string>((resolve, reject) => {
    child.stdout.on('data', () => {
      const found = addressIn(stdout());
      if (found !== undefined) resolve(found);
    });
    void ended.then((code) => reject(new Error(`It ended with ${code}: ${stderr()}`)));
  });
  return {
    address,
    output: () => stdout() + stderr(),
    stop(signal = 'SIGTERM') {
      child.kill(signal);
      return ended;
    },
  };
}

/** The address that a server prints, once all of its lines are there. */
const addressIn = (stdout: string): string | undefined =>
  /^Newsletter sandbox: (\S+)\n[^]*Ctrl-C\.\n/m.exec(stdout)?.[1];

/** Calls of a sandbox on a port, as anybody makes them. */
export const headers = { Authorization: `Bearer ${apiKeys.workspace}`, 'Content-Type': 'application/json' };
export const subscriptions = ({ address }: Running) => `${address}/v2/publications/${publicationId}/subscriptions`;
export const subscribe = (running: Running, body: object) =>
  fetch(subscriptions(running), { method: 'POST', headers, body: JSON.stringify(body) });
export const addresses = async (running: Running, query = '') => {
  const answer = await fetch(`${subscriptions(running)}?limit=100&${query}`, { headers });
  return ((await answer.json()) as { data: { email: string }[] }).data.map(({ email }) => email);
};

/** Node that runs `code` as a module, as the command that `exec` and `certify` run. */
export const script = (code: string): readonly string[] => ['--', process.execPath, '--input-type=module', '-e', code];

/** A script with a function `tell`, and the lines it told: its standard streams are those of this process. */
export function tellingScript(code: string) {
  const file = join(scratchFolder(), 'told');
  const tell = `import { appendFileSync } from 'node:fs';
    const tell = (...values) => appendFileSync(${JSON.stringify(file)}, values.join(' ') + '\\n');`;
  return { command: script(`${tell}\n${code}`), told: (): string => readFileSync(file, 'utf8') };
}

/**
 * A script that connects to this process once it runs, as `socket`.
 *
 * @param code - runs when it is connected
 * @returns the script, and its connection, which closes when the script ends
 */
export async function connectingScript(code = '') {
  const server = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const connected = once(server, 'connection').then(([socket]: Socket[]) => {
    const closed = once(
      socket!.on('error', () => undefined),
      'close',
    );
    return { socket: socket!, closed };
  });
  return {
    command: script(`import { connect } from 'node:net';
      const socket = connect(${port}, '127.0.0.1', () => { ${code} });`),
    connected,
  };
}
