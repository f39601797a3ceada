/** Groups input items, and works on several groups at a time. */
import type { Engine } from '@newsletter-kit/core/engine';

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

/** The groups in the order of their first members, each in the order it was given. */
export function byEngine<Member>(
  all: readonly Member[],
  engineOf: (member: Member) => Engine,
): Iterable<readonly Member[]> {
  const groups = new Map<Engine, Member[]>();
  for (const member of all) {
    const engine = engineOf(member);
    const group = groups.get(engine);
    if (group) group.push(member);
    else groups.set(engine, [member]);
  }
  return groups.values();
}
