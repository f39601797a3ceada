/**
 * How long ago each part of a list was looked at, coarsely: stretches of creation time, each with its oldest look.
 * Pure.
 */

/** Everything created up to `to`, from where the stretch before ends, was last looked at then. */
export interface LookedAt {
  /** Unix seconds, included. */
  readonly to: number;
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
}

/** More stretches are told apart no further: the age is then told a little too high, never too low. */
const most = 64;

/** Notes a look at everything created after `from` and up to `to`. */
export function looked(stretches: readonly LookedAt[], from: number, to: number, at: number): readonly LookedAt[] {
  const before = stretches.filter((stretch) => stretch.to <= from);
  const cut = stretches.find((stretch) => stretch.to > from);
  const upTo =
    cut !== undefined && (before.at(-1)?.to ?? Number.NEGATIVE_INFINITY) < from ? [{ to: from, at: cut.at }] : [];
  return thinned([...before, ...upTo, { to, at }, ...stretches.filter((stretch) => stretch.to > to)]);
}

/** Milliseconds since the oldest look; null where nothing was looked at. */
export function ageOf(stretches: readonly LookedAt[], now: number): number | null {
  return stretches.length === 0 ? null : Math.max(0, now - Math.min(...stretches.map(({ at }) => at)));
}

/** Joins the two neighbours whose looks lie closest together, until few enough are left. */
function thinned(stretches: readonly LookedAt[]): readonly LookedAt[] {
  const left = [...stretches];
  while (left.length > most) {
    const gaps = left.slice(1).map((stretch, index) => Math.abs(stretch.at - (left[index]?.at ?? 0)));
    const closest = gaps.indexOf(Math.min(...gaps));
    const [first, second] = left.slice(closest, closest + 2);
    if (first === undefined || second === undefined) break;
    left.splice(closest, 2, { to: second.to, at: Math.min(first.at, second.at) });
  }
  return left;
}
