/** A place in a list that is ordered by whole seconds: a second, and which of its records lie behind us. Pure. */

/** What every watched record carries. */
export interface Dated {
  readonly id: string;
  /** Unix seconds. Many records may share one. */
  readonly created: number;
}

/** The second reached, and the ids seen in it: the second alone cannot tell two records of one second apart. */
export interface Frontier {
  readonly created: number;
  readonly ids: readonly string[];
  /** A time by which the second had been reached, in milliseconds of the watcher's clock; only where it holds many. */
  readonly noticed?: number;
  /** Set once the second is over for certain: then all of it was seen, and no ids are kept. */
  readonly settled?: true;
}

/** Before every record. */
export const beginning: Frontier = { created: 0, ids: [] };

/** Tells records that are newer than the frontier, or of its second and not yet seen. */
export function after({ created, ids, settled }: Frontier): (item: Dated) => boolean {
  if (settled) return (item) => item.created > created;
  const seen = new Set(ids);
  return (item) => item.created > created || (item.created === created && !seen.has(item.id));
}

/** Tells records that are older than the frontier, or of its second and not yet seen. */
export function before({ created, ids }: Frontier): (item: Dated) => boolean {
  const seen = new Set(ids);
  return (item) => item.created < created || (item.created === created && !seen.has(item.id));
}

/** The frontier raised to the newest of the items, which come newest first. */
export function raise(frontier: Frontier, items: readonly Dated[]): Frontier {
  const newest = items[0];
  if (newest === undefined || newest.created < frontier.created) return frontier;
  return withIds(newest.created > frontier.created ? { created: newest.created, ids: [] } : frontier, items);
}

/** The frontier lowered to the oldest of the items, which come newest first; null stands for "after every record". */
export function lower(frontier: Frontier | null, items: readonly Dated[]): Frontier | null {
  const oldest = items.at(-1);
  if (oldest === undefined) return frontier;
  const same = frontier !== null && frontier.created === oldest.created;
  return withIds(same ? frontier : { created: oldest.created, ids: [] }, items);
}

/** Adds the ids of the items that fall into the frontier's own second. */
function withIds(frontier: Frontier, items: readonly Dated[]): Frontier {
  const ids = new Set(frontier.ids);
  for (const item of items) if (item.created === frontier.created) ids.add(item.id);
  return { created: frontier.created, ids: [...ids] };
}
