/**
 * Assumptions: each gap of the specification, how the sandbox fills it, and how other values change an answer.
 */
import { isRecord } from '@newsletter-kit/core/engine';
import { Hono } from 'hono';
import * as z from 'zod';
import { apiError } from '../api/errors.ts';
import { readBody } from '../api/read-request.ts';
import type { Feature } from './feature.ts';

export interface Draft {
  /** Id in the contract, null where the request matched none. */
  readonly operation: string | null;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The parsed JSON body; undefined where there is none. */
  readonly body: unknown;
  readonly facts: Facts;
}

/** Facts about an answer that its body and headers do not contain. */
export interface Facts {
  /** Whether the request made something that was not there before. */
  readonly created: boolean;
  /** Counts the whole list behind a page; null where the answer is none. */
  readonly total: (() => number) | null;
  /** Seconds until the window of the rate limit ends. */
  readonly resetsIn: number;
  /** Seconds since the Unix epoch. */
  readonly now: number;
}

/** A JSON object. */
export type Json = Readonly<Record<string, unknown>>;

/** The answer with another body. */
export function withBody(draft: Draft, change: (body: Json) => Json): Draft {
  return isRecord(draft.body) ? { ...draft, body: change(draft.body) } : draft;
}

/** The answer with every record in its `data` changed, be it one or a list. */
function withRecords(draft: Draft, change: (record: Json) => Json): Draft {
  const each = (record: unknown): unknown => (isRecord(record) ? change(record) : record);
  return withBody(draft, (body) =>
    'data' in body
      ? { ...body, data: Array.isArray(body['data']) ? body['data'].map(each) : each(body['data']) }
      : body,
  );
}

/** A copy without these keys. */
export function without(record: Json, ...keys: readonly string[]): Json {
  return Object.fromEntries(Object.entries(record).filter(([key]) => !keys.includes(key)));
}

export interface Assumption {
  /** What the specification leaves open. */
  readonly silent: string;
  /** What the sandbox does by itself. */
  readonly default: string;
  /** The other values, each with what it makes of an answer: nothing where {@link decidedByRule} decided already. */
  readonly others: Readonly<Record<string, (draft: Draft) => Draft>>;
}

/** A value that the operation's rule reads itself; the answer needs no change. */
const decidedByRule = (draft: Draft): Draft => draft;

const paging = ['limit', 'has_more', 'next_cursor', 'page', 'total_results', 'total_pages'];
const pagingOf = (body: Json): Json =>
  Object.fromEntries(paging.filter((key) => key in body).map((key) => [key, body[key]]));
const isPage = (body: Json): boolean => Array.isArray(body['data']) && 'limit' in body;
const pages =
  (change: (body: Json) => Json) =>
  (draft: Draft): Draft =>
    withBody(draft, (body) => (isPage(body) ? change(body) : body));

/** The lists whose nesting is not shown; that of publication fields is. */
const openPages =
  (change: (body: Json) => Json) =>
  (draft: Draft): Draft =>
    draft.operation === 'publicationFields.list' ? draft : pages(change)(draft);

const of =
  (operations: readonly string[], change: (draft: Draft) => Draft) =>
  (draft: Draft): Draft =>
    draft.operation !== null &&
    draft.status < 300 &&
    operations.some((name) => draft.operation === name || draft.operation?.startsWith(`${name}.`))
      ? change(draft)
      : draft;

const texts = ['utm_source', 'utm_medium', 'utm_campaign', 'utm_term', 'utm_content', 'referring_site'];
const unknownValues: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  utm_channel: { api: 'partner_network' },
  status: { needs_attention: 'on_hold' },
  kind: { double: 'decimal' },
};

/** Replaces values in a record and its nested records by ones that no enumeration has today. */
function withUnknownValues(record: Json): Json {
  return Object.fromEntries(
    Object.entries(record).map(([key, value]) => {
      if (Array.isArray(value))
        return [key, value.map((item: unknown) => (isRecord(item) ? withUnknownValues(item) : item))];
      return [key, typeof value === 'string' ? (unknownValues[key]?.[value] ?? value) : value];
    }),
  );
}

const retryAfter =
  (text: (draft: Draft) => string) =>
  (draft: Draft): Draft =>
    draft.status === 429 ? { ...draft, headers: { ...draft.headers, 'retry-after': text(draft) } } : draft;

const seconds = (value: unknown): unknown => (typeof value === 'string' ? Math.floor(Date.parse(value) / 1000) : value);

/** Applied from top to bottom. */
export const assumptions = {
  last_cursor: {
    silent: '"next_cursor" is null when has_more is false; whether the key may be missing then is not specified.',
    default: 'null',
    others: { absent: pages((body) => (body['next_cursor'] === null ? without(body, 'next_cursor') : body)) },
  },
  cursor_totals: {
    silent:
      'Cursor answers carry no total counts, yet the publication field list shows total_results in both kinds of paging.',
    default: 'absent',
    others: {
      present: (draft) => {
        const { total } = draft.facts;
        return total
          ? pages((body) => ('has_more' in body ? { ...body, total_results: total() } : body))(draft)
          : draft;
      },
    },
  },
  known_address: {
    silent:
      'A subscription is "created or updated", and of a known address only custom fields are said to change; whether the other fields of the request change it too is not specified.',
    default: 'custom_fields',
    others: { all_fields: decidedByRule },
  },
  data_deletion: {
    silent: 'Data deletion needs enablement for the organization; which 403 it answers without is not shown.',
    default: 'enabled',
    others: { not_enabled: decidedByRule },
  },
  publication_list: {
    silent:
      'The scope list names publications, but their endpoints are not shown; whether a service lists publications is not specified.',
    default: 'present',
    others: { absent: decidedByRule },
  },
  created_status: {
    silent:
      'Creating a subscription answers 200; whether a new one is told apart from a known one by 201 is not specified.',
    default: '200',
    others: {
      '201': of(['subscriptions.create'], (draft) => (draft.facts.created ? { ...draft, status: 201 } : draft)),
    },
  },
  empty_warnings: {
    silent: '"warnings" is optional; whether it is missing or an empty list when there is none is not specified.',
    default: 'absent',
    others: { list: of(['subscriptions.create'], (draft) => withBody(draft, (body) => ({ warnings: [], ...body }))) },
  },
  empty_texts: {
    silent:
      'The utm fields of a subscription are required texts; what they hold when nothing was sent is not specified.',
    default: 'empty',
    others: {
      null: of(['subscriptions'], (draft) =>
        withRecords(draft, (record) => ({
          ...record,
          ...Object.fromEntries(texts.filter((key) => record[key] === '').map((key) => [key, null])),
        })),
      ),
      absent: of(['subscriptions'], (draft) =>
        withRecords(draft, (record) => without(record, ...texts.filter((key) => record[key] === ''))),
      ),
    },
  },
  unknown_values: {
    silent: 'Whether enumerations such as utm_channel or status grow within a version is not specified.',
    default: 'none',
    others: { some: (draft) => withRecords(draft, withUnknownValues) },
  },
  extra_fields: {
    silent: 'Whether answers gain fields within a version is not specified.',
    default: 'none',
    others: {
      some: (draft) =>
        withBody(
          withRecords(draft, (record) => ({ ...record, external_ref: null, labels: { beta: ['x'] } })),
          (body) => ({ ...body, meta: { region: 'eu' } }),
        ),
    },
  },
  retry_after: {
    silent:
      'Rate limit headers are not shown; whether a 429 says Retry-After, and in which of its two forms, is not specified.',
    default: 'absent',
    others: {
      seconds: retryAfter(({ facts }) => String(facts.resetsIn)),
      date: retryAfter(({ facts }) => new Date((facts.now + facts.resetsIn) * 1000).toUTCString()),
    },
  },
  unknown_path: {
    silent:
      'Every error has the error body; whether that holds for a path that does not exist at all is not specified.',
    default: 'error',
    others: {
      html: (draft) =>
        draft.status === 404 && draft.operation === null
          ? { ...draft, headers: { ...draft.headers, 'content-type': 'text/html' }, body: undefined }
          : draft,
    },
  },
  bulk_import: {
    silent: 'The body of an accepted bulk creation is not shown.',
    default: 'bare',
    others: { data: of(['subscriptions.bulkCreate'], (draft) => withBody(draft, (body) => ({ data: body }))) },
  },
  bulk_done: {
    silent: 'The status values of bulk subscription updates are not shown.',
    default: 'complete',
    others: {
      completed: of(['bulkSubscriptionUpdates'], (draft) =>
        withRecords(draft, (record) => (record['status'] === 'complete' ? { ...record, status: 'completed' } : record)),
      ),
    },
  },
  custom_field_deletion: {
    silent: 'Deleting a custom field answers 204; the service has been seen to answer 200 with an object.',
    default: '204',
    others: {
      '200': of(['customFields.delete'], (draft) => ({
        ...draft,
        status: 200,
        headers: { ...draft.headers, 'content-type': 'application/json' },
        body: {},
      })),
    },
  },
  deletion_times: {
    silent: 'The times of a data deletion request are not shown; the rule of integers covers only created and updated.',
    default: 'text',
    others: {
      seconds: of(['deletionRequests'], (draft) =>
        withRecords(draft, (record) =>
          Object.fromEntries(
            Object.entries(record).map(([key, value]) => [key, key.endsWith('_at') ? seconds(value) : value]),
          ),
        ),
      ),
    },
  },
  token_info: {
    silent: 'The fields of token info are not shown: the scope may be a list or a text, the time left has two names.',
    default: 'both',
    others: {
      documented: of(['oauth.tokenInfo'], (draft) =>
        withBody(draft, (body) => ({
          ...without(body, 'expires_in'),
          scope: Array.isArray(body['scope']) ? body['scope'].join(' ') : body['scope'],
        })),
      ),
      bare: of(['oauth.tokenInfo'], (draft) => withBody(draft, (body) => without(body, 'expires_in_seconds'))),
    },
  },
  // Last, because the others look for the paging fields at top level.
  pagination_fields: {
    silent:
      'The general description nests the paging fields in an object "pagination" next to "data"; the publication field list shows them at top level. Which nesting each endpoint uses is not shown.',
    default: 'top',
    others: {
      nested: openPages((body) => ({ ...without(body, ...paging), pagination: pagingOf(body) })),
      both: openPages((body) => ({ ...body, pagination: pagingOf(body) })),
    },
  },
} as const satisfies Record<string, Assumption>;

export type AssumptionId = keyof typeof assumptions;
/** The values an assumption can take. */
export type AssumptionValue<Id extends AssumptionId> =
  | (typeof assumptions)[Id]['default']
  | (keyof (typeof assumptions)[Id]['others'] & string);
/** Returns the current value of an assumption. */
export type Assumed = <Id extends AssumptionId>(id: Id) => AssumptionValue<Id>;
/** Each assumption that differs from its default. */
export type AssumptionChoice = { readonly [Id in AssumptionId]?: AssumptionValue<Id> | undefined };

/** One assumption with its current value. */
export interface AssumptionState {
  readonly id: AssumptionId;
  /** What the specification leaves open. */
  readonly silent: string;
  readonly values: readonly string[];
  readonly default: string;
  readonly value: string;
}

export interface Assumptions {
  /** Whether any answer came out differently, or any work was done differently, since they were set. */
  readonly met: boolean;
  list(): readonly AssumptionState[];
  /** Sets the assumptions named and every other to its default. @throws ApiError 400 for an id or value there is not */
  set(choice: AssumptionChoice): void;
}

/** The assumptions as the sandbox uses them. */
export interface AssumptionSet extends Assumptions, Feature {
  /** The answer as it reads under the assumptions; the same object where all have their default. */
  apply(response: Response, operation: string | null, facts: () => Facts): Promise<Response>;
  readonly value: Assumed;
}

const table: Readonly<Record<string, Assumption>> = assumptions;
const ids = Object.keys(table) as AssumptionId[];
const valuesOf = (id: AssumptionId): string[] => [table[id]?.default ?? '', ...Object.keys(table[id]?.others ?? {})];

export function createAssumptions(initial: AssumptionChoice = {}): AssumptionSet {
  let changed = new Map<AssumptionId, string>();
  let met = false;
  const set = (choice: Readonly<Record<string, unknown>>): void => {
    met = false;
    changed = new Map(
      Object.entries(choice)
        .flatMap(([id, value]) => (value === undefined ? [] : [read(id, value)]))
        .filter(([id, value]) => value !== table[id]?.default),
    );
  };
  set(initial);

  const assumptionSet: AssumptionSet = {
    set,
    get met() {
      return met;
    },
    value<Id extends AssumptionId>(id: Id) {
      met ||= changed.has(id);
      return (changed.get(id) ?? assumptions[id].default) as AssumptionValue<Id>;
    },
    reset: () => set(initial),
    list: () =>
      ids.map((id) => {
        const { silent = '', default: fallback = '' } = table[id] ?? {};
        return { id, silent, values: valuesOf(id), default: fallback, value: changed.get(id) ?? fallback };
      }),
    async apply(response, operation, facts) {
      if (changed.size === 0) return response;
      const text = await response.text();
      const json = text !== '' && (response.headers.get('content-type') ?? '').includes('json');
      const headers = Object.fromEntries(response.headers);
      if (text !== '' && !json) return new Response(text, { status: response.status, headers });
      let draft: Draft = {
        operation,
        status: response.status,
        headers,
        body: json ? JSON.parse(text) : undefined,
        facts: facts(),
      };
      for (const id of ids) draft = table[id]?.others[changed.get(id) ?? '']?.(draft) ?? draft;
      const changedText = draft.body === undefined ? '' : JSON.stringify(draft.body);
      const before = JSON.stringify([response.status, headers]);
      met ||= changedText !== text || JSON.stringify([draft.status, draft.headers]) !== before;
      return new Response(draft.body === undefined ? null : changedText, {
        status: draft.status,
        headers: draft.headers,
      });
    },
    routes: () => assumptionRoutes(assumptionSet),
  };
  return assumptionSet;
}

function assumptionRoutes(assumptions: Assumptions): Hono {
  return new Hono()
    .get('/assumptions', (context) => context.json({ data: assumptions.list() }))
    .put('/assumptions', async (context) => {
      assumptions.set(await readBody(context.req.raw, z.record(z.string(), z.union([z.string(), z.number()]))));
      return context.json({ data: assumptions.list() });
    });
}

function read(id: string, value: unknown): [AssumptionId, string] {
  const known = ids.find((name) => name === id);
  if (!known)
    throw apiError(
      400,
      'UNKNOWN_ASSUMPTION',
      `There is no assumption "${id.slice(0, 60)}". The assumptions are ${ids.join(', ')}.`,
    );
  const text = String(value);
  if (!valuesOf(known).includes(text))
    throw apiError(400, 'UNKNOWN_ASSUMPTION', `"${known}" must be ${valuesOf(known).join(' or ')}.`);
  return [known, text];
}
