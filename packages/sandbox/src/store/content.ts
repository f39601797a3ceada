/** Store of authors, advertisement opportunities, condition sets, publication fields and complimentary access. */
import type { timeUnits } from '@newsletter-kit/core/contract';
import { type Bound, type Database, type PagedRows, selection, statementsOf } from './database.ts';
import type { Row } from './tables.ts';

export type AuthorRow = Row<'authors'>;
export type ConditionSetRow = Row<'condition_sets'>;
export type PublicationFieldRow = Row<'publication_fields'>;

/** The queries about what surrounds the subscriptions. */
export function contentStore(database: Database) {
  const { number, one, all } = statementsOf(database);
  return {
    /** Oldest first. */
    authors: all<AuthorRow, [publicationId: string]>(
      'SELECT * FROM authors WHERE publication_id = ? ORDER BY created, seq',
    ),
    opportunities: all<Row<'advertisement_opportunities'>, [publicationId: string]>(
      'SELECT * FROM advertisement_opportunities WHERE publication_id = ? ORDER BY created, seq',
    ),
    conditionSet: one<ConditionSetRow, [publicationId: string, id: string]>(
      "SELECT * FROM condition_sets WHERE publication_id = ?1 AND id = ?2 AND status = 'active'",
    ),
    conditionSets: (publicationId: string, purpose?: string) =>
      selection(database, {
        table: 'condition_sets',
        where: { 'publication_id = ?': publicationId, 'status = ?': 'active', 'purpose = ?': purpose },
      }),
    publicationFieldNamed: one<PublicationFieldRow, [name: string]>('SELECT * FROM publication_fields WHERE name = ?'),
    publicationFields: (status?: string) =>
      selection(database, { table: 'publication_fields', where: { 'status = ?': status } }),
    /** How many active subscriptions of a publication meet a condition on `subscriptions`. */
    activeSubscribers: (publicationId: string, condition: string, values: readonly Bound[]): number =>
      number<Bound[]>(
        `SELECT count(*) AS n FROM subscriptions
         WHERE publication = (SELECT seq FROM publications WHERE id = ?) AND status = 'active' AND (${condition})`,
      )(publicationId, ...values),
  };
}

/** A complimentary access object; `duration` is null where it lasts forever. */
export type ComplimentaryAccessRow = Row<'complimentary_access'> & { readonly time_unit: (typeof timeUnits)[number] };
/** Access that was given. */
export type GiftRow = Row<'gifts'>;

/** The queries about complimentary access. */
export function giftStore(database: Database) {
  const { aggregate, one, all, run } = statementsOf(database);
  return {
    byId: one<ComplimentaryAccessRow, [publicationId: string, id: string]>(
      'SELECT * FROM complimentary_access WHERE publication_id = ?1 AND id = ?2',
    ),
    bySeq: one<ComplimentaryAccessRow, [seq: number]>('SELECT * FROM complimentary_access WHERE seq = ?'),
    list: (publicationId: string): PagedRows<ComplimentaryAccessRow> =>
      selection(database, { table: 'complimentary_access', where: { 'publication_id = ?': publicationId } }),
    counts: aggregate<{ total: number; active: number }, [access: number]>(
      'SELECT count(*) AS total, count(*) FILTER (WHERE ended = 0) AS active FROM gifts WHERE access = ?',
    ),
    gift: one<GiftRow, [seq: number]>('SELECT * FROM gifts WHERE seq = ?'),
    /** The running gifts of a subscription, with the tier each gives. */
    running: all<GiftRow & { tier: number }, [subscription: number]>(
      `SELECT gifts.*, tier FROM gifts JOIN complimentary_access ON complimentary_access.seq = access
       WHERE subscription = ? AND ended = 0 ORDER BY gifts.seq`,
    ),
    end: run<[seq: number]>('UPDATE gifts SET ended = 1 WHERE seq = ?'),
    /** Marks this gift as the one that the subscription's tier depends on. */
    carryTier: run<[seq: number]>('UPDATE gifts SET brought_tier = 1 WHERE seq = ?'),
  };
}
