/**
 * Starts one server of the chain as a process of its own, waits until it answers, and stops it without leaving it
 * behind.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { Complaint } from '../bring/complaint.mjs';
import { root } from './root.ts';
import { serverUrl, type ChainSettings, type ServerPlan } from './servers.ts';

/** A server that answered at least once. */
export interface RunningServer {
  readonly plan: ServerPlan;
  readonly url: string;
  /** Resolves when the process is gone, with how it ended in words. */
  readonly ended: Promise<string>;
  /** Asks it to stop, insists after fifteen seconds, and resolves when it is gone. */
  stop(): Promise<void>;
  /** Ends it at once, as a power cut would. */
  kill(): Promise<void>;
}

/** Longest time a server may take until it answers, in milliseconds. */
const startLimit = 60_000;
/** Longest time a server may take to stop when asked, in milliseconds. */
const stopLimit = 15_000;

/** A server's built file, and the Node that runs it. */
export interface BuiltServer {
  readonly node: string;
  readonly file: string;
}

/**
 * @param onLine - gets each line the server prints
 * @param built - what to run in place of the sources
 * @throws Complaint where it ends or stays silent instead of answering
 */
export async function launch(
  plan: ServerPlan,
  settings: ChainSettings,
  onLine: (line: string) => void,
  built?: BuiltServer,
): Promise<RunningServer> {
  const url = serverUrl(settings.ports[plan.name]);
  const child = spawn(
    built?.node ?? process.execPath,
    [
      ...(built ? [] : ['--conditions=source']),
      '--disable-warning=ExperimentalWarning',
      built?.file ?? join(root, plan.entry),
      ...plan.args(settings),
    ],
    { cwd: root, stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...plan.env(settings) } },
  );
  const lines: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on('line', (line) => {
      lines.push(line);
      onLine(line);
    });
  }
  const ended = once(child, 'close').then(([code, signal]) =>
    signal ? `was ended by ${String(signal)}` : `stopped with exit code ${String(code)}`,
  );
  // Where this process ends without stopping it, such as by a signal that reached nobody else, it ends too.
  const last = (): void => void child.kill('SIGKILL');
  process.once('exit', last);
  void ended.finally(() => process.off('exit', last)).catch(() => undefined);
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    child.kill(signal);
    const insist = setTimeout(() => child.kill('SIGKILL'), stopLimit);
    await ended;
    clearTimeout(insist);
  };

  const settled = new AbortController();
  try {
    await Promise.race([
      answers(url + plan.ready, settled.signal),
      ended.then((how) => {
        throw new Complaint(
          `The ${plan.name} ${how} before it answered.`,
          lines.slice(-5).join('\n  ') || 'It printed nothing.',
        );
      }),
    ]);
  } catch (error) {
    await end('SIGKILL');
    throw error;
  } finally {
    settled.abort();
  }
  return { plan, url, ended, stop: () => end('SIGTERM'), kill: () => end('SIGKILL') };
}

/** Asks until there is an answer; `stop` ends the asking when nobody waits any more. */
async function answers(url: string, stop: AbortSignal): Promise<void> {
  const deadline = Date.now() + startLimit;
  let last = 'no connection';
  while (Date.now() < deadline && !stop.aborted) {
    try {
      const response = await fetch(url, { signal: AbortSignal.timeout(2_000) });
      await response.body?.cancel();
      if (response.ok) return;
      last = `status ${response.status}`;
    } catch (error) {
      last = error instanceof Error ? error.message : String(error);
    }
    await sleep(50);
  }
  if (stop.aborted) return;
  throw new Complaint(
    `${url} did not answer within ${startLimit / 1000} s (${last}).`,
    'Is this machine very busy? Run the command again.',
  );
}
