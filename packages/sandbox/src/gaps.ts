/** The gaps of the specification: how the sandbox fills each, and how other values change an answer. */
import { isRecord } from '@newsletter-kit/core/engine';

/** An answer as the values of the gaps change it. */
export interface Answer {
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
type Json = Readonly<Record<string, unknown>>;

/** The answer with another body. */
function withBody(answer: Answer, change: (body: Json) => Json): Answer {
  return isRecord(answer.body) ? { ...answer, body: change(answer.body) } : answer;
}

/** The answer with every record in its `data` changed, be it one or a list. */
function withRecords(answer: Answer, change: (record: Json) => Json): Answer {
  const each = (record: unknown): unknown => (isRecord(record) ? change(record) : record);
  return withBody(answer, (body) =>
    'data' in body
      ? { ...body, data: Array.isArray(body['data']) ? body['data'].map(each) : each(body['data']) }
      : body,
  );
}

/** A copy without these keys. */
function without(record: Json, ...keys: readonly string[]): Json {
  return Object.fromEntries(Object.entries(record).filter(([key]) => !keys.includes(key)));
}

export interface Gap {
  /** What the specification leaves open. */
  readonly silent: string;
  /** What the sandbox does by itself. */
  readonly default: string;
  /** The other values, each with what it makes of an answer; `rule` where the operation's rule reads the value. */
  readonly others: Readonly<Record<string, 'rule' | ((answer: Answer) => Answer)>>;
}

const paging = ['limit', 'has_more', 'next_cursor', 'page', 'total_results', 'total_pages'];
const pagingOf = (body: Json): Json =>
  Object.fromEntries(paging.filter((key) => key in body).map((key) => [key, body[key]]));
const isPage = (body: Json): boolean => Array.isArray(body['data']) && 'limit' in body;
const pages =
  (change: (body: Json) => Json) =>
  (answer: Answer): Answer =>
    withBody(answer, (body) => (isPage(body) ? change(body) : body));

/** The lists whose nesting is not shown; that of publication fields is. */
const openPages =
  (change: (body: Json) => Json) =>
  (answer: Answer): Answer =>
    answer.operation === 'publicationFields.list' ? answer : pages(change)(answer);

const of =
  (operations: readonly string[], change: (answer: Answer) => Answer) =>
  (answer: Answer): Answer =>
    answer.operation !== null &&
    answer.status < 300 &&
    operations.some((name) => answer.operation === name || answer.operation?.startsWith(`${name}.`))
      ? change(answer)
      : answer;

const texts = ['utm_source', 'utm_medium', 'utm_campaign', 'utm_term', 'utm_content', 'referring_site'];
const unknownValues: Readonly<Partial<Record<string, Readonly<Partial<Record<string, string>>>>>> = {
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
  (text: (answer: Answer) => string) =>
  (answer: Answer): Answer =>
    answer.status === 429 ? { ...answer, headers: { ...answer.headers, 'retry-after': text(answer) } } : answer;

const seconds = (value: unknown): unknown => (typeof value === 'string' ? Math.floor(Date.parse(value) / 1000) : value);

/** Applied from top to bottom. */
export const gaps = {
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
      present: (answer) => {
        const { total } = answer.facts;
        return total
          ? pages((body) => ('has_more' in body ? { ...body, total_results: total() } : body))(answer)
          : answer;
      },
    },
  },
  known_address: {
    silent:
      'A subscription is "created or updated", and of a known address only custom fields are said to change; whether the other fields of the request change it too is not specified.',
    default: 'custom_fields',
    others: { all_fields: 'rule' },
  },
  double_opt_off: {
    silent:
      'With double_opt_override "off" a new subscription is active immediately; whether the answer may still say validating is not specified, and the service was seen to do so.',
    default: 'active',
    others: { validating: 'rule' },
  },
  data_deletion: {
    silent: 'Data deletion needs enablement for the organization; which 403 it answers without is not shown.',
    default: 'enabled',
    others: { not_enabled: 'rule' },
  },
  publication_list: {
    silent:
      'The scope list names publications, but their endpoints are not shown; whether a service lists publications is not specified.',
    default: 'present',
    others: { absent: 'rule' },
  },
  created_status: {
    silent:
      'Creating a subscription answers 200; whether a new one is told apart from a known one by 201 is not specified.',
    default: '200',
    others: {
      '201': of(['subscriptions.create'], (answer) => (answer.facts.created ? { ...answer, status: 201 } : answer)),
    },
  },
  empty_warnings: {
    silent: '"warnings" is optional; whether it is missing or an empty list when there is none is not specified.',
    default: 'absent',
    others: { list: of(['subscriptions.create'], (answer) => withBody(answer, (body) => ({ warnings: [], ...body }))) },
  },
  empty_texts: {
    silent:
      'The utm fields of a subscription are required texts; what they hold when nothing was sent is not specified.',
    default: 'empty',
    others: {
      null: of(['subscriptions'], (answer) =>
        withRecords(answer, (record) => ({
          ...record,
          ...Object.fromEntries(texts.filter((key) => record[key] === '').map((key) => [key, null])),
        })),
      ),
      absent: of(['subscriptions'], (answer) =>
        withRecords(answer, (record) => without(record, ...texts.filter((key) => record[key] === ''))),
      ),
    },
  },
  unknown_values: {
    silent: 'Whether enumerations such as utm_channel or status grow within a version is not specified.',
    default: 'none',
    others: { some: (answer) => withRecords(answer, withUnknownValues) },
  },
  extra_fields: {
    silent: 'Whether answers gain fields within a version is not specified.',
    default: 'none',
    others: {
      some: (answer) =>
        withBody(
          withRecords(answer, (record) => ({ ...record, external_ref: null, labels: { beta: ['x'] } })),
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
      html: (answer) =>
        answer.status === 404 && answer.operation === null
          ? { ...answer, headers: { ...answer.headers, 'content-type': 'text/html' }, body: undefined }
          : answer,
    },
  },
  bulk_import: {
    silent: 'The body of an accepted bulk creation is not shown.',
    default: 'bare',
    others: { data: of(['subscriptions.bulkCreate'], (answer) => withBody(answer, (body) => ({ data: body }))) },
  },
  bulk_done: {
    silent: 'The status values of bulk subscription updates are not shown.',
    default: 'complete',
    others: {
      completed: of(['bulkSubscriptionUpdates'], (answer) =>
        withRecords(answer, (record) =>
          record['status'] === 'complete' ? { ...record, status: 'completed' } : record,
        ),
      ),
    },
  },
  custom_field_deletion: {
    silent: 'Deleting a custom field answers 204; the service has been seen to answer 200 with an object.',
    default: '204',
    others: {
      '200': of(['customFields.delete'], (answer) => ({
        ...answer,
        status: 200,
        headers: { ...answer.headers, 'content-type': 'application/json' },
        body: {},
      })),
    },
  },
  deletion_times: {
    silent: 'The times of a data deletion request are not shown; the rule of integers covers only created and updated.',
    default: 'text',
    others: {
      seconds: of(['deletionRequests'], (answer) =>
        withRecords(answer, (record) =>
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
      documented: of(['oauth.tokenInfo'], (answer) =>
        withBody(answer, (body) => ({
          ...without(body, 'expires_in'),
          scope: Array.isArray(body['scope']) ? body['scope'].join(' ') : body['scope'],
        })),
      ),
      bare: of(['oauth.tokenInfo'], (answer) => withBody(answer, (body) => without(body, 'expires_in_seconds'))),
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
} as const satisfies Record<string, Gap>;

export type AssumptionId = keyof typeof gaps;
/** The values an assumption can take. */
export type AssumptionValue<Id extends AssumptionId> =
  | (typeof gaps)[Id]['default']
  | (keyof (typeof gaps)[Id]['others'] & string);
/** Returns the current value of an assumption. */
export type Assumed = <Id extends AssumptionId>(id: Id) => AssumptionValue<Id>;
/** Each assumption that differs from its default. */
export type AssumptionChoice = { readonly [Id in AssumptionId]?: AssumptionValue<Id> | undefined };
