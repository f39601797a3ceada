/** Store of authors, advertisement opportunities, condition sets, publication fields and complimentary access. */
import type { timeUnits } from '@newsletter-kit/core/contract';
import { type Bound, type Database, inserter, type PagedRows, selection } from './database.ts';

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
  const authors = database.prepare<AuthorRow>('SELECT * FROM authors WHERE publication_id = ? ORDER BY created, seq');
  const opportunities = database.prepare<AdvertisementOpportunityRow>(
    'SELECT * FROM advertisement_opportunities WHERE publication_id = ? ORDER BY created, seq',
  );
  const conditionSet = database.prepare<ConditionSetRow>(
    "SELECT * FROM condition_sets WHERE id = ? AND publication_id = ? AND status = 'active'",
  );
  const publicationFieldNamed = database.prepare<PublicationFieldRow>(
    'SELECT * FROM publication_fields WHERE name = ?',
  );
  return {
    insertAuthor: inserter<AuthorRow>(database, 'authors', [
      'seq',
      'id',
      'publication_id',
      'type',
      'name',
      'bio',
      'bio_image_url',
      'social_media_links',
      'created',
    ]),
    insertOpportunity: inserter<AdvertisementOpportunityRow>(database, 'advertisement_opportunities', [
      'seq',
      'id',
      'publication_id',
      'advertiser_name',
      'payout_rate',
      'advertisement_kind',
      'send_by_window_start_at',
      'send_by_window_end_at',
      'created',
    ]),
    insertConditionSet: inserter<ConditionSetRow>(database, 'condition_sets', [
      'seq',
      'id',
      'publication_id',
      'name',
      'status',
      'purpose',
      'conditions',
      'created',
      'updated',
    ]),
    insertPublicationField: inserter<PublicationFieldRow>(database, 'publication_fields', [
      'seq',
      'id',
      'name',
      'display',
      'kind',
      'value_source',
      'response_keys',
      'status',
      'default_value',
      'endpoint_url',
      'created',
      'updated',
    ]),
    /** Oldest first. */
    authors: (publicationId: string) => authors.all(publicationId),
    opportunities: (publicationId: string) => opportunities.all(publicationId),
    conditionSet: (publicationId: string, id: string) => conditionSet.get(id, publicationId),
    conditionSets: (publicationId: string, purpose?: string): PagedRows<ConditionSetRow> =>
      selection(database, {
        table: 'condition_sets',
        where: `publication_id = ? AND status = 'active'${purpose === undefined ? '' : ' AND purpose = ?'}`,
        values: purpose === undefined ? [publicationId] : [publicationId, purpose],
      }),
    publicationFieldNamed: (name: string) => publicationFieldNamed.get(name),
    publicationFields: (status?: string): PagedRows<PublicationFieldRow> =>
      selection(database, {
        table: 'publication_fields',
        where: status === undefined ? 'true' : 'status = ?',
        values: status === undefined ? [] : [status],
      }),
    /** How many active subscriptions of a publication meet a condition on `subscriptions`. */
    activeSubscribers: (publicationId: string, condition: string, values: readonly Bound[]): number =>
      database
        .prepare<{ n: number }>(
          `SELECT count(*) AS n FROM subscriptions
           WHERE publication = (SELECT seq FROM publications WHERE id = ?) AND status = 'active' AND (${condition})`,
        )
        .get(publicationId, ...values)?.n ?? 0,
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
    list: (publicationId: string): PagedRows<ComplimentaryAccessRow> =>
      selection(database, { table: 'complimentary_access', where: 'publication_id = ?', values: [publicationId] }),
    counts: (access: number) => counts.get(access) ?? { total: 0, active: 0 },
    gift: (seq: number) => gift.get(seq),
    /** The running gifts of a subscription, with the tier each gives. */
    running: (subscription: number) => running.all(subscription),
    end: (seq: number): void => end.run(seq),
    /** Marks this gift as the one that the subscription's tier depends on. */
    carryTier: (seq: number): void => pass.run(seq),
  };
}
