/**
 * Compares how long kinds of work take on a machine that does other things too: every round does one of each, in random
 * order, and only times of the same round are compared. Where the kinds take equally long, the share of rounds in which
 * one is slower follows the binomial distribution around 0.5.
 */

/** Rounds that warm up and are not counted. Their numbers are negative. */
const warmUp = 8;

/** A uniformly random permutation. */
function shuffled<T>(all: readonly T[]): T[] {
  const left = [...all];
  return all.flatMap(() => left.splice(Math.floor(Math.random() * left.length), 1));
}

/**
 * Does the work of every kind in every round; its input is made before the time is taken.
 *
 * @returns the share of rounds in which `one` took longer than `other`: about 0.5 for equal times, 0 or 1 where one is
 *   always slower
 */
export async function compareTimes<Kind extends string, Item>(
  kinds: Readonly<Record<Kind, (round: number) => Item>>,
  rounds: number,
  work: (item: Item, kind: Kind, round: number) => Promise<unknown>,
): Promise<(one: Kind, other: Kind) => number> {
  const names = Object.keys(kinds) as Kind[];
  const took = new Map(names.map((kind) => [kind, [] as number[]]));
  for (let round = -warmUp; round < rounds; round += 1) {
    for (const kind of shuffled(names)) {
      const item = kinds[kind](round);
      const from = performance.now();
      await work(item, kind, round);
      if (round >= 0) took.get(kind)?.push(performance.now() - from);
    }
  }
  const time = (kind: Kind, round: number): number => took.get(kind)?.[round] ?? Number.NaN;
  return (one, other) =>
    Array.from({ length: rounds }, (_, round) => time(one, round) > time(other, round)).filter(Boolean).length / rounds;
}
