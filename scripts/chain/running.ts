/** Recognizes a chain that a command of this project started: its demo site tells who started it. */
import { serverUrl } from './servers.ts';

/** A chain that runs, as its demo site describes it. */
export interface RunningChain {
  /** The command that started it, such as `npm start`. */
  readonly command: string;
  /** The root of the clone that it runs from. */
  readonly folder: string;
  /** Process that Ctrl-C would stop. */
  readonly pid: number;
  /** What listens where, in words. */
  readonly addresses: readonly string[];
}

/** Milliseconds after which whatever listens on the port counts as something else. */
const patience = 2000;

/** @returns undefined where something else listens on the demo site's port */
export async function runningChain(demoPort: number): Promise<RunningChain | undefined> {
  try {
    const answer = await fetch(`${serverUrl(demoPort)}/chain.json`, { signal: AbortSignal.timeout(patience) });
    const found: unknown = await answer.json();
    return isRunningChain(found) ? found : undefined;
  } catch {
    return undefined;
  }
}

function isRunningChain(value: unknown): value is RunningChain {
  if (typeof value !== 'object' || value === null) return false;
  const { command, folder, pid, addresses } = value as Partial<Record<keyof RunningChain, unknown>>;
  return (
    typeof command === 'string' &&
    typeof folder === 'string' &&
    typeof pid === 'number' &&
    Array.isArray(addresses) &&
    addresses.every((address) => typeof address === 'string')
  );
}
