/** The waits of tests: each has a name, and the failure of a test whose time is up lists those that were open. */

// A test may replace the timers of its page or process; a wait goes on in real time.
const { setTimeout, performance } = globalThis;

interface Wait {
  readonly what: string;
  /** Why the condition did not hold when it was last checked. */
  error?: unknown;
}

/** A value that is awaited, or null or false. `undefined` is not among them: it is what assertions return. */
type Value = string | number | boolean | (object & { readonly then?: never }) | null;
type Returns<T> = () => T | Promise<T>;

const open = new Set<Wait>();
/** The second half of the time-out errors of Vitest and Mocha. */
const advice = /\s+(?:If this is a long-running|For async tests and hooks, ensure)[^]*/;

/**
 * Gives a promise a name while it is pending. Prefer it to {@link waitUntil} wherever something reports the event.
 *
 * @param what - what is awaited, as a sentence: `the relay has claimed a signup`
 */
export async function waitFor<T>(what: string, promise: PromiseLike<T>): Promise<T> {
  const wait: Wait = { what };
  open.add(wait);
  try {
    return await promise;
  } finally {
    open.delete(wait);
  }
}

/**
 * Checks a condition every 10 milliseconds until it holds: until it neither throws nor returns false or null. The time
 * limit of the test ends it.
 *
 * @param what - what is awaited, as a sentence: `the relay listens`
 * @param condition - a value, such as a record that is looked up and null if there is none, or assertions
 * @param withinMs - a limit of its own, where no test has begun
 * @returns the value
 * @throws Error when the test has ended or the limit is over; its cause is the last error of the condition
 */
export function waitUntil(what: string, condition: Returns<boolean>, withinMs?: number): Promise<void>;
export function waitUntil<T extends Value>(
  what: string,
  condition: Returns<T>,
  withinMs?: number,
): Promise<Exclude<T, false | null>>;
export function waitUntil(what: string, condition: Returns<void>, withinMs?: number): Promise<void>;
export async function waitUntil(what: string, condition: () => unknown, withinMs = Infinity): Promise<unknown> {
  const wait: Wait = { what };
  const start = performance.now();
  open.add(wait);
  try {
    while (open.has(wait) && performance.now() - start < withinMs) {
      try {
        const value = await condition();
        if (value !== false && value !== null) return value;
        wait.error = undefined;
      } catch (error) {
        wait.error = error;
      }
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  } finally {
    open.delete(wait);
  }
  throw new Error(`This did not happen: ${described(wait)}`, { cause: wait.error });
}

/**
 * Ends the waits of a test that has ended, and writes those that were open into its time-out error.
 *
 * @param errors - the errors of the test or of a hook
 */
export function endWaits(errors: readonly { message: string; stack?: string | undefined }[] = []): void {
  const waits = [...open].map(described);
  open.clear();
  if (waits.length === 0) return;
  for (const error of errors) {
    const named = error.message.replace(
      advice,
      () => `\nIt waited until:${waits.map((wait) => `\n- ${wait}`).join('')}`,
    );
    error.stack = error.stack?.replace(error.message, () => named);
    error.message = named;
  }
}

function described({ what, error }: Wait): string {
  if (error === undefined) return what;
  return `${what} (${error instanceof Error ? error.message : String(error)})`;
}
