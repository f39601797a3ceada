/** Several items at a time, where their order does not matter. */

/** How many are worked on at a time. What the service allows is the engine's concern. */
const atOnce = 10;

/**
 * Works on the items of each line in their order, on several lines at a time. Starts nothing more once it was told to
 * stop.
 *
 * @param work - resolves to false where nothing more is to be started; must not reject
 */
export async function workInLines<T>(
  lines: readonly (readonly T[])[],
  work: (item: T) => Promise<boolean>,
): Promise<void> {
  const waiting = lines.values();
  let goOn = true;
  const worker = async (): Promise<void> => {
    for (const line of waiting) {
      for (const item of line) {
        if (!goOn) return;
        if (!(await work(item))) goOn = false;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, lines.length) }, worker));
}

/** Items with the same key in one line, in their order. */
export function toLines<T>(items: readonly T[], keyOf: (item: T) => string): T[][] {
  const lines = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const line = lines.get(key);
    if (line) line.push(item);
    else lines.set(key, [item]);
  }
  return [...lines.values()];
}
