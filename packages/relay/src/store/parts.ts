/** Much work in parts: whoever comes meanwhile waits for one of them, not for all. */
export function* parts<T>(items: readonly T[], size: number): Generator<readonly T[]> {
  for (let at = 0; at < items.length; at += size) yield items.slice(at, at + size);
}
