/**
 * The watermark: where a poll remembers its place in a list that is ordered by whole seconds – a second, and the ids
 * already seen in it. Pure.
 */

/** The fields that every watched record has. */
export interface Dated {
  readonly id: string;
  /** Unix seconds. Many records may share one. */
  readonly created: number;
}

/** The second reached, and the ids seen in it, because several records may share a second. */
export interface Watermark {
  readonly created: number;
  readonly ids: readonly string[];
  /**
   * When a poll first noticed the second, in milliseconds of the watcher's clock; only for a second with many records.
   */
  readonly noticed?: number;
  /** Set once the second has certainly passed: all its records were seen, and no ids are kept. */
  readonly settled?: true;
}

/** Before every record. */
export const firstWatermark: Watermark = { created: 0, ids: [] };

/** Selects records that are newer than the watermark, or of its second and not yet seen. */
export function after({ created, ids, settled }: Watermark): (item: Dated) => boolean {
  if (settled) return (item) => item.created > created;
  const seen = new Set(ids);
  return (item) => item.created > created || (item.created === created && !seen.has(item.id));
}

/** Selects records that are older than the watermark, or of its second and not yet seen. */
export function before({ created, ids }: Watermark): (item: Dated) => boolean {
  const seen = new Set(ids);
  return (item) => item.created < created || (item.created === created && !seen.has(item.id));
}

/** The watermark raised to the newest of the items, which come newest first. */
export function raise(watermark: Watermark, items: readonly Dated[]): Watermark {
  const newest = items[0];
  if (newest === undefined || newest.created < watermark.created) return watermark;
  return withIds(newest.created > watermark.created ? { created: newest.created, ids: [] } : watermark, items);
}

/** The watermark lowered to the oldest of the items, which come newest first; null stands for "after every record". */
export function lower(watermark: Watermark | null, items: readonly Dated[]): Watermark | null {
  const oldest = items.at(-1);
  if (oldest === undefined) return watermark;
  const same = watermark !== null && watermark.created === oldest.created;
  return withIds(same ? watermark : { created: oldest.created, ids: [] }, items);
}

/** Adds the ids of the items in the watermark's second. */
function withIds(watermark: Watermark, items: readonly Dated[]): Watermark {
  const ids = new Set(watermark.ids);
  for (const item of items) if (item.created === watermark.created) ids.add(item.id);
  return { created: watermark.created, ids: [...ids] };
}
