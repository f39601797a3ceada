/** Groups input items, and works on several groups at a time. */

/** Groups that are worked on at a time; the engine keeps to the rate limits of the service. */
const concurrency = 10;

/**
 * Works on several groups at a time, and on the items of each group in their order. Starts no other item after `work`
 * resolved to false.
 *
 * @param work - gets an item and its group; resolves to whether to continue; must not reject
 */
export async function forEachGroup<Item>(
  groups: readonly (readonly Item[])[],
  work: (item: Item, group: readonly Item[]) => Promise<boolean>,
): Promise<void> {
  const queue = groups.values();
  let continues = true;
  const worker = async (): Promise<void> => {
    for (const group of queue) {
      for (const item of group) {
        if (!continues) return;
        if (!(await work(item, group))) continues = false;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, groups.length) }, worker));
}

/**
 * Groups items by a key: the groups in the order of their first items, each in the order of its items. `Map.groupBy`
 * needs Node 21, and n8n may run on 20.
 */
export function groupBy<Item>(items: readonly Item[], keyOf: (item: Item) => unknown): Item[][] {
  const groups = new Map<unknown, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return [...groups.values()];
}
