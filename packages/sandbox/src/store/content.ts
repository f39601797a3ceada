/** Store of authors, advertisement opportunities, condition sets, publication fields and complimentary access. */
import type { timeUnits } from '@newsletter-kit/core/contract';
import { type Bound, type Database, type PagedRows, selection, statementsOf } from './database.ts';

/** An author as stored; `social_media_links` is a JSON object. */
export interface AuthorRow {
  readonly seq: number;
  readonly id: string;
  readonly publication_id: string;
  readonly type: string;
  readonly name: string;
  readonly bio: string;
  readonly bio_image_url: string;
  readonly social_media_links: string;
  readonly created: number;
}

export interface AdvertisementOpportunityRow {
  readonly seq: number;
  readonly id: string;
  readonly publication_id: string;
  readonly advertiser_name: string;
  readonly payout_rate: string;
  readonly advertisement_kind: string;
  readonly send_by_window_start_at: number;
  readonly send_by_window_end_at: number;
  readonly created: number;
}

/** A condition set as stored; `conditions` is JSON. */
export interface ConditionSetRow {
  readonly seq: number;
  readonly id: string;
  readonly publication_id: string;
  readonly name: string;
  readonly status: string;
  readonly purpose: string;
  readonly conditions: string;
  readonly created: number;
  readonly updated: number;
}

/** A publication field as stored; `response_keys` is a JSON list. */
export interface PublicationFieldRow {
  readonly seq: number;
  readonly id: string;
  readonly name: string;
  readonly display: string;
  readonly kind: string;
  readonly value_source: string;
  readonly response_keys: string;
  readonly status: string;
  readonly default_value: string | null;
  readonly endpoint_url: string | null;
  readonly created: number;
  readonly updated: number;
}

/** The queries about what surrounds the subscriptions. */
export type ContentQueries = ReturnType<typeof contentStore>;

export function contentStore(database: Database) {
  const { one, all, insert } = statementsOf(database);
  return {
    insertAuthor: insert<AuthorRow>('authors'),
    insertOpportunity: insert<AdvertisementOpportunityRow>('advertisement_opportunities'),
    insertConditionSet: insert<ConditionSetRow>('condition_sets'),
    insertPublicationField: insert<PublicationFieldRow>('publication_fields'),
    /** Oldest first. */
    authors: all<AuthorRow, [publicationId: string]>(
      'SELECT * FROM authors WHERE publication_id = ? ORDER BY created, seq',
    ),
    opportunities: all<AdvertisementOpportunityRow, [publicationId: string]>(
      'SELECT * FROM advertisement_opportunities WHERE publication_id = ? ORDER BY created, seq',
    ),
    conditionSet: one<ConditionSetRow, [publicationId: string, id: string]>(
      "SELECT * FROM condition_sets WHERE publication_id = ?1 AND id = ?2 AND status = 'active'",
    ),
    conditionSets: (publicationId: string, purpose?: string): PagedRows<ConditionSetRow> =>
      selection(database, {
        table: 'condition_sets',
        where: `publication_id = ? AND status = 'active'${purpose === undefined ? '' : ' AND purpose = ?'}`,
        values: purpose === undefined ? [publicationId] : [publicationId, purpose],
      }),
    publicationFieldNamed: one<PublicationFieldRow, [name: string]>('SELECT * FROM publication_fields WHERE name = ?'),
    publicationFields: (status?: string): PagedRows<PublicationFieldRow> =>
      selection(database, {
        table: 'publication_fields',
        where: status === undefined ? 'true' : 'status = ?',
        values: status === undefined ? [] : [status],
      }),
    /** How many active subscriptions of a publication meet a condition on `subscriptions`. */
    activeSubscribers: (publicationId: string, condition: string, values: readonly Bound[]): number =>
      one<{ n: number }, Bound[]>(
        `SELECT count(*) AS n FROM subscriptions
         WHERE publication = (SELECT seq FROM publications WHERE id = ?) AND status = 'active' AND (${condition})`,
      )(publicationId, ...values)?.n ?? 0,
  };
}

/** A complimentary access object; `duration` is null where it lasts forever. */
export interface ComplimentaryAccessRow {
  readonly seq: number;
  readonly id: string;
  readonly publication_id: string;
  readonly tier: number;
  readonly duration: number | null;
  readonly time_unit: (typeof timeUnits)[number];
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
  const { one, all, run, insert } = statementsOf(database);
  const counts = one<{ total: number; active: number }, [access: number]>(
    'SELECT count(*) AS total, count(*) FILTER (WHERE ended = 0) AS active FROM gifts WHERE access = ?',
  );
  return {
    insertAccess: insert<ComplimentaryAccessRow>('complimentary_access'),
    insert: insert<GiftRow>('gifts'),
    byId: one<ComplimentaryAccessRow, [publicationId: string, id: string]>(
      'SELECT * FROM complimentary_access WHERE publication_id = ?1 AND id = ?2',
    ),
    bySeq: one<ComplimentaryAccessRow, [seq: number]>('SELECT * FROM complimentary_access WHERE seq = ?'),
    list: (publicationId: string): PagedRows<ComplimentaryAccessRow> =>
      selection(database, { table: 'complimentary_access', where: 'publication_id = ?', values: [publicationId] }),
    counts: (access: number) => counts(access) ?? { total: 0, active: 0 },
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
