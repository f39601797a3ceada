/**
 * Tells two kinds of request apart by how long they take, on a machine that does other things too: both are made in each
 * round, in an order that chance decides, and only times of one round are compared. Where nothing tells them apart, either is
 * the slower one as a coin falls, whatever the machine did meanwhile: so the error of a verdict is that of the binomial distribution.
 */

/** The same in an order that chance decides, each as likely as any other. */
export function shuffled<T>(all: readonly T[]): T[] {
  const left = [...all];
  return all.flatMap(() => left.splice(Math.floor(Math.random() * left.length), 1));
}

/** @returns in what share of the rounds `one` took longer than `other`: about 0.5 where nothing tells them apart, 0 or 1 where everything does */
export function slowerShare(one: readonly number[], other: readonly number[]): number {
  const slower = one.filter((time, round) => time > (other[round] ?? Number.NaN)).length;
  return slower / one.length;
}
