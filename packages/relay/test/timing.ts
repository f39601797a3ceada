/**
 * Tells kinds of work apart by how long they take, on a machine that does other things too: one of each is done in every
 * round, in an order that chance decides, and only times of one round are compared. Where nothing tells them apart, either is
 * the slower one as a coin falls, whatever the machine did meanwhile: so the error of a verdict is that of the binomial distribution.
 */

/** Rounds that warm up and are not counted; their numbers are below zero. */
const warmUp = 8;

/** The same in an order that chance decides, each as likely as any other. */
function shuffled<T>(all: readonly T[]): T[] {
  const left = [...all];
  return all.flatMap(() => left.splice(Math.floor(Math.random() * left.length), 1));
}

/**
 * Does the work of every kind in every round; what it works on is made before its time begins.
 *
 * @returns in what share of the rounds `one` took longer than `other`: about 0.5 where nothing tells them apart, 0 or 1 where everything does
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
