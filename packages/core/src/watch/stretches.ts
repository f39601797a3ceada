/** When each part of the list was read last. Pure. */

/** Records created up to `to`, from the end of the stretch before, were last read at `at`. */
export interface ReadStretch {
  /** Unix seconds, included. */
  readonly to: number;
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
}

/** Most stretches. Beyond it neighbours are merged: the age may come out too high, never too low. */
const maxStretches = 64;

/** Records that everything created after `from` and up to `to` was read. */
export function recordRead(
  stretches: readonly ReadStretch[],
  from: number,
  to: number,
  at: number,
): readonly ReadStretch[] {
  const before = stretches.filter((stretch) => stretch.to <= from);
  const cut = stretches.find((stretch) => stretch.to > from);
  const upTo =
    cut !== undefined && (before.at(-1)?.to ?? Number.NEGATIVE_INFINITY) < from ? [{ to: from, at: cut.at }] : [];
  return mergeNeighbours([...before, ...upTo, { to, at }, ...stretches.filter((stretch) => stretch.to > to)]);
}

/** Milliseconds since the oldest read; null before the first. */
export function oldestReadAge(stretches: readonly ReadStretch[], now: number): number | null {
  return stretches.length === 0 ? null : Math.max(0, now - Math.min(...stretches.map(({ at }) => at)));
}

/** Merges the two neighbours whose times are closest, until at most {@link maxStretches} are left. */
function mergeNeighbours(stretches: readonly ReadStretch[]): readonly ReadStretch[] {
  const left = [...stretches];
  while (left.length > maxStretches) {
    const gaps = left.slice(1).map((stretch, index) => Math.abs(stretch.at - (left[index]?.at ?? 0)));
    const closest = gaps.indexOf(Math.min(...gaps));
    const [first, second] = left.slice(closest, closest + 2);
    if (first === undefined || second === undefined) break;
    left.splice(closest, 2, { to: second.to, at: Math.min(first.at, second.at) });
  }
  return left;
}
