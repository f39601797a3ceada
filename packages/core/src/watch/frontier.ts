/** A place in a list that is ordered by whole seconds: a second, and which items of that second lie behind us. */

/** What every watched record carries. */
export interface Dated {
  readonly id: string;
  /** Unix seconds. Many records may share one. */
  readonly created: number;
}

/** The second reached, and the ids already seen in it. Seconds alone cannot tell two records of one second apart. */
export interface Frontier {
  readonly created: number;
  readonly ids: readonly string[];
}

/** Before every record. */
export const beginning: Frontier = { created: 0, ids: [] };

/** Whether the item is newer than the frontier, or of its second and not yet seen. */
export function isAfter(frontier: Frontier, item: Dated): boolean {
  return item.created > frontier.created || (item.created === frontier.created && !frontier.ids.includes(item.id));
}

/** Whether the item is older than the frontier, or of its second and not yet seen. */
export function isBefore(frontier: Frontier, item: Dated): boolean {
  return item.created < frontier.created || (item.created === frontier.created && !frontier.ids.includes(item.id));
}

/** The frontier raised to the newest of the items, which come newest first. */
export function raise(frontier: Frontier, items: readonly Dated[]): Frontier {
  const newest = items[0];
  if (newest === undefined || newest.created < frontier.created) return frontier;
  return gather(newest.created > frontier.created ? { created: newest.created, ids: [] } : frontier, items);
}

/** The frontier lowered to the oldest of the items, which come newest first. */
export function lower(frontier: Frontier, items: readonly Dated[]): Frontier {
  const oldest = items.at(-1);
  if (oldest === undefined || oldest.created > frontier.created) return frontier;
  return gather(oldest.created < frontier.created ? { created: oldest.created, ids: [] } : frontier, items);
}

/** Adds the ids of the items that fall into the frontier's own second. */
function gather(frontier: Frontier, items: readonly Dated[]): Frontier {
  const ids = new Set(frontier.ids);
  for (const item of items) if (item.created === frontier.created) ids.add(item.id);
  return { created: frontier.created, ids: [...ids] };
}
