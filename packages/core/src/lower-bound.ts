/**
 * The first index below `end` for which the test holds, by binary search: it has to hold for all behind that one. Pure.
 *
 * @returns `end` where it holds for none
 */
export function lowerBound(end: number, holds: (index: number) => boolean): number {
  let low = 0;
  for (let high = end; low < high;) {
    const middle = (low + high) >>> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
