/** Complimentary access in the store: what can be given, and what was given to whom. */
import type { Database } from './database.ts';
import { inserter, selection, type Rows } from './rows.ts';

/** A complimentary access object; `duration` is null where it lasts forever. */
export interface ComplimentaryAccessRow {
  readonly seq: number;
  readonly id: string;
  readonly publication_id: string;
  readonly tier: number;
  readonly duration: number | null;
  readonly time_unit: string;
  readonly description: string;
  readonly created: number;
}

/** Access that was given; `ended` and `brought_tier` are 0 or 1. */
export interface GiftRow {
  readonly seq: number;
  readonly access: number;
  readonly subscription: number;
  readonly created: number;
  readonly ended: number;
  readonly brought_tier: number;
}

/** The queries about complimentary access. */
export type Gifts = ReturnType<typeof giftStore>;

export function giftStore(database: Database) {
  const byId = database.prepare<ComplimentaryAccessRow>(
    'SELECT * FROM complimentary_access WHERE id = ? AND publication_id = ?',
  );
  const bySeq = database.prepare<ComplimentaryAccessRow>('SELECT * FROM complimentary_access WHERE seq = ?');
  const counts = database.prepare<{ total: number; active: number }>(
    'SELECT count(*) AS total, count(*) FILTER (WHERE ended = 0) AS active FROM gifts WHERE access = ?',
  );
  const gift = database.prepare<GiftRow>('SELECT * FROM gifts WHERE seq = ?');
  const running = database.prepare<GiftRow & { tier: number }>(
    `SELECT gifts.*, tier FROM gifts JOIN complimentary_access ON complimentary_access.seq = access
     WHERE subscription = ? AND ended = 0 ORDER BY gifts.seq`,
  );
  const end = database.prepare('UPDATE gifts SET ended = 1 WHERE seq = ?');
  const pass = database.prepare('UPDATE gifts SET brought_tier = 1 WHERE seq = ?');
  return {
    insertAccess: inserter<ComplimentaryAccessRow>(database, 'complimentary_access', [
      'seq',
      'id',
      'publication_id',
      'tier',
      'duration',
      'time_unit',
      'description',
      'created',
    ]),
    insert: inserter<GiftRow>(database, 'gifts', ['seq', 'access', 'subscription', 'created', 'ended', 'brought_tier']),
    byId: (publicationId: string, id: string) => byId.get(id, publicationId),
    bySeq: (seq: number) => bySeq.get(seq),
    list: (publicationId: string): Rows<ComplimentaryAccessRow> =>
      selection(database, { table: 'complimentary_access', where: 'publication_id = ?', values: [publicationId] }),
    counts: (access: number) => counts.get(access) ?? { total: 0, active: 0 },
    gift: (seq: number) => gift.get(seq),
    /** What a subscription has been given and still has, with the tier it gives. */
    running: (subscription: number) => running.all(subscription),
    end: (seq: number): void => end.run(seq),
    /** From now on this gift is what the tier hangs on. */
    carryTier: (seq: number): void => pass.run(seq),
  };
}
