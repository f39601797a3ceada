/** Suggests the known name that a misspelt one is closest to. Pure. */
import leven from 'leven';

/**
 * The name that differs in the fewest letters, at most half of them; otherwise one that contains the given name or is
 * contained in it. Undefined where none is close.
 *
 * @param bare - takes away what does not tell one name from another, such as a prefix
 */
export function nearestName(
  name: string,
  known: readonly string[],
  bare: (name: string) => string,
): string | undefined {
  const given = bare(name);
  if (given.length < 3) return undefined;
  const [closest] = known
    .map((each) => ({ each, distance: leven(given, bare(each)) }))
    .toSorted((a, b) => a.distance - b.distance);
  if (closest && closest.distance <= Math.max(1, Math.floor(given.length / 2))) return closest.each;
  return known.find((each) => bare(each).includes(given) || given.includes(bare(each)));
}
