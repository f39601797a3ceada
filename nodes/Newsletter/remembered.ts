/** A function that computes each result once. */

/** The function with a memory of its results, by its argument. */
export function remembered<Key, Result>(compute: (key: Key) => Result): (key: Key) => Result {
  const known = new Map<Key, { readonly result: Result }>();
  return (key) => {
    const kept = known.get(key) ?? { result: compute(key) };
    known.set(key, kept);
    return kept.result;
  };
}
