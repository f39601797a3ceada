/** Runs commands in the process of the tests: with another environment, and with what they write kept. */
import process from 'node:process';
import { vi } from 'vitest';

export interface CapturedOutput {
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Does work and keeps what it writes to the standard streams. Calls must not overlap.
 *
 * @param onWrite - called after each write with all that was written
 */
export async function withCapturedOutput<T>(
  work: () => Promise<T>,
  onWrite?: (written: CapturedOutput) => void,
): Promise<CapturedOutput & { readonly result: T }> {
  const written = { stdout: '', stderr: '' };
  const spies = (['stdout', 'stderr'] as const).map((name) =>
    vi.spyOn(process[name], 'write').mockImplementation((text) => {
      written[name] += String(text);
      onWrite?.(written);
      return true;
    }),
  );
  try {
    return { result: await work(), ...written };
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
}

/** Does work with these variables and no others. Calls must not overlap. */
export async function withEnvironment<T>(env: NodeJS.ProcessEnv, work: () => Promise<T>): Promise<T> {
  const ownEnvironment = process.env;
  process.env = env;
  try {
    return await work();
  } finally {
    process.env = ownEnvironment;
  }
}
