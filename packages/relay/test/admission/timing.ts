/** The Mann–Whitney statistic as an effect size, which says how well two samples can be told apart whatever their spread. */

/** @returns how often a value of `one` is larger than a value of `other`: 0.5 where nothing tells them apart, 0 or 1 where everything does */
export function slowerShare(one: readonly number[], other: readonly number[]): number {
  const ranked = [...one.map((value) => ({ value, first: true })), ...other.map((value) => ({ value, first: false }))].sort((a, b) => a.value - b.value);
  let rankSum = 0;
  for (const [index, { first }] of ranked.entries()) if (first) rankSum += index + 1;
  return (rankSum - (one.length * (one.length + 1)) / 2) / (one.length * other.length);
}
