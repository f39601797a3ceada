/**
 * Detects what the answers of a service show about each gap of the specification. Names and values are those of the
 * sandbox's assumptions, so that a sandbox can be started that answers as the service does.
 */
import { isRecord } from '@newsletter-kit/core/engine';
import { utmFields } from '@newsletter-kit/core/contract';
import { findDifferences, type Difference } from './differences.ts';
import { recordsOf, type Json, type Readings, type RecordedAnswer } from './read-everything.ts';

/** One assumption, and the value that the answers show. */
export interface Finding {
  readonly assumption: string;
  /** Undefined where no answer shows it. */
  readonly value: string | undefined;
  /** The evidence, or why there is none. */
  readonly reason: string;
}

/** A difference, and the assumption that it belongs to; undefined where it belongs to none. */
export interface ExplainedDifference extends Difference {
  readonly assumption: string | undefined;
}

/** An answer with its differences from the contract. */
export interface ComparedAnswer extends RecordedAnswer {
  readonly differences: readonly ExplainedDifference[];
}

/** Everything that was read, compared. */
export interface Evidence {
  readonly answers: readonly ComparedAnswer[];
  readonly rateLimited: Readings['rateLimited'];
}

interface Detector {
  /** The value that the answers show; undefined where none does. */
  readonly detect: (evidence: Evidence) => string | undefined;
  /** Why there may be no value, to follow "not seen: ". */
  readonly otherwise: string;
  /** Whether a difference is this assumption's, so that it says nothing about others. */
  readonly explains?: (difference: Difference, answer: RecordedAnswer) => boolean;
}

const pagingFields = ['limit', 'has_more', 'next_cursor', 'page', 'total_results', 'total_pages'];
const texts: readonly string[] = [...utmFields, 'referring_site'];
const lastPart = (field: string): string => field.slice(field.lastIndexOf('.') + 1);

/** Lists, except that of publication fields, whose form the specification shows. */
const openLists = ({ answers }: Evidence): readonly (Json & { readonly data: readonly unknown[] })[] =>
  answers.flatMap(({ operation, status, body }) =>
    operation !== 'publicationFields.list' && status < 300 && isRecord(body) && Array.isArray(body['data'])
      ? [{ ...body, data: body['data'] as readonly unknown[] }]
      : [],
  );

/** The paging fields of a list, at top level or nested. */
const pagingOf = (list: Json): Json => ({ ...(isRecord(list['pagination']) ? list['pagination'] : {}), ...list });

const answersTo = ({ answers }: Evidence, ...prefixes: readonly string[]): readonly ComparedAnswer[] =>
  answers.filter(({ operation }) => operation !== null && prefixes.some((prefix) => operation.startsWith(prefix)));

const recordsTo = (evidence: Evidence, prefix: string): readonly Json[] =>
  answersTo(evidence, prefix).flatMap(recordsOf);

/** The schema's rule about which paging fields go together. */
const isPagingRule = ({ kind, field }: Difference): boolean => kind === 'other' && field === '';

const hasPaging = ({ body }: RecordedAnswer, fits: (paging: Json) => boolean): boolean =>
  isRecord(body) && fits(pagingOf(body));

/** The most frequent value. */
function mostFrequent(values: readonly (string | undefined)[]): string | undefined {
  const counted = Map.groupBy(
    values.filter((value) => value !== undefined),
    (value) => value,
  );
  return [...counted.entries()].toSorted(([, a], [, b]) => b.length - a.length)[0]?.[0];
}

/** `some` where a difference of this kind is found that no other assumption explains. */
const someOrNone =
  (kind: Difference['kind']) =>
  ({ answers }: Evidence): string | undefined => {
    const seen = answers.some(({ differences }) =>
      differences.some((difference) => difference.kind === kind && difference.assumption === undefined),
    );
    if (seen) return 'some';
    return answers.some((answer) => recordsOf(answer).length > 0) ? 'none' : undefined;
  };

const writesOnly = 'only an answer to a write shows it, and this command writes nothing';

/** By the name of the sandbox's assumption. */
// oxlint-disable-next-line house/typed-tables -- A test compares the keys with the sandbox's.
const detectors: Readonly<Record<string, Detector>> = {
  last_cursor: {
    detect: (evidence) =>
      mostFrequent(
        openLists(evidence)
          .map(pagingOf)
          .filter(({ has_more: hasMore }) => hasMore === false)
          .map((paging) => ('next_cursor' in paging ? 'null' : 'absent')),
      ),
    otherwise: 'no list by cursor came to its end',
    explains: (difference, answer) =>
      ((difference.kind === 'missing' && difference.field === 'next_cursor') || isPagingRule(difference)) &&
      hasPaging(answer, (paging) => paging['has_more'] === false && !('next_cursor' in paging)),
  },
  cursor_totals: {
    detect: (evidence) =>
      mostFrequent(
        answersTo(evidence, 'subscriptions.list')
          .map(({ body }) => (isRecord(body) ? pagingOf(body) : {}))
          .filter((paging) => 'has_more' in paging)
          .map((paging) => ('total_results' in paging ? 'present' : 'absent')),
      ),
    otherwise: 'the list of subscriptions was not read by cursor',
    explains: (difference, answer) =>
      (difference.kind === 'unknown-field' && /^total_(results|pages)$/.test(difference.field)) ||
      (isPagingRule(difference) && hasPaging(answer, (paging) => 'has_more' in paging && 'total_results' in paging)),
  },
  data_deletion: {
    detect(evidence) {
      const statusOf = (id: string): number | undefined => answersTo(evidence, id)[0]?.status;
      const status = statusOf('deletionRequests.list');
      if (status === 200) return 'enabled';
      // A key that is restricted to publications is refused for the whole workspace.
      return status === 403 && statusOf('publicationFields.list') === 200 ? 'not_enabled' : undefined;
    },
    otherwise: 'the key may not read what belongs to the whole workspace',
  },
  publication_list: {
    detect(evidence) {
      const status = answersTo(evidence, 'publications.list')[0]?.status;
      return status === 200 ? 'present' : status === 404 ? 'absent' : undefined;
    },
    otherwise: 'the key may not list publications',
    explains: ({ kind }, { operation }) => kind === 'status' && operation === 'publications.list',
  },
  empty_texts: {
    detect: (evidence) =>
      mostFrequent(
        recordsTo(evidence, 'subscriptions.list').flatMap((record) =>
          texts.map((name) =>
            name in record ? (record[name] === null ? 'null' : record[name] === '' ? 'empty' : undefined) : 'absent',
          ),
        ),
      ),
    otherwise: 'every subscription that was read has all of them',
    explains: ({ kind, field }, { operation }) =>
      (operation?.startsWith('subscriptions.') ?? false) &&
      (kind === 'missing' || kind === 'null') &&
      texts.includes(lastPart(field)),
  },
  bulk_done: {
    detect: (evidence) =>
      mostFrequent(
        recordsTo(evidence, 'bulkSubscriptionUpdates.').map(({ status }) =>
          status === 'complete' || status === 'completed' ? status : undefined,
        ),
      ),
    otherwise: 'the publication has no finished bulk update',
    explains: ({ kind, text }, { operation }) =>
      (operation?.startsWith('bulkSubscriptionUpdates.') ?? false) &&
      kind === 'unknown-value' &&
      text.endsWith(': completed'),
  },
  deletion_times: {
    detect: (evidence) =>
      mostFrequent(
        recordsTo(evidence, 'deletionRequests.').map(({ requested_at: at }) =>
          typeof at === 'number' ? 'seconds' : typeof at === 'string' ? 'text' : undefined,
        ),
      ),
    otherwise: 'there is no data deletion request',
    explains: ({ kind, field }, { operation }) =>
      (operation?.startsWith('deletionRequests.') ?? false) && kind === 'type' && field.endsWith('_at'),
  },
  token_info: {
    detect(evidence) {
      const body = answersTo(evidence, 'oauth.tokenInfo').find(({ status }) => status === 200)?.body;
      if (!isRecord(body)) return undefined;
      if (!('expires_in_seconds' in body)) return 'bare';
      return 'expires_in' in body ? 'both' : 'documented';
    },
    otherwise: 'it is read with a login (newsletter login), not with an API key',
  },
  unknown_path: {
    detect({ answers }) {
      const answer = answers.find(({ operation }) => operation === null);
      if (answer?.status !== 404) return undefined;
      return isRecord(answer.body) ? 'error' : 'html';
    },
    otherwise: 'the service did not answer 404',
  },
  retry_after: {
    detect: ({ rateLimited }) =>
      mostFrequent(
        rateLimited.map(({ headers }) => {
          const value = headers['retry-after'];
          return value === undefined ? 'absent' : /^\d+$/.test(value) ? 'seconds' : 'date';
        }),
      ),
    otherwise: 'the service did not limit the calls',
  },
  pagination_fields: {
    detect: (evidence) =>
      mostFrequent(
        openLists(evidence).map((list) => {
          const isTop = 'limit' in list;
          if (isRecord(list['pagination'])) return isTop ? 'both' : 'nested';
          return isTop ? 'top' : undefined;
        }),
      ),
    otherwise: 'no list has paging fields',
    explains: ({ kind, field }) =>
      (kind === 'unknown-field' && field === 'pagination') || (kind === 'missing' && pagingFields.includes(field)),
  },
  unknown_values: { detect: someOrNone('unknown-value'), otherwise: 'no record was read' },
  extra_fields: { detect: someOrNone('unknown-field'), otherwise: 'no record was read' },
  known_address: { detect: () => undefined, otherwise: writesOnly },
  double_opt_off: { detect: () => undefined, otherwise: writesOnly },
  created_status: { detect: () => undefined, otherwise: writesOnly },
  empty_warnings: { detect: () => undefined, otherwise: writesOnly },
  bulk_import: { detect: () => undefined, otherwise: writesOnly },
  custom_field_deletion: { detect: () => undefined, otherwise: writesOnly },
};

/** Compares an answer with the contract and names the assumption of each difference. */
export function compare(answer: RecordedAnswer): ComparedAnswer {
  const assumptionOf = (difference: Difference): string | undefined =>
    Object.entries(detectors).find(([, { explains }]) => explains?.(difference, answer))?.[0];
  const differences = findDifferences(answer).map((found) => ({ ...found, assumption: assumptionOf(found) }));
  return { ...answer, differences };
}

/** What the answers say about each assumption. */
export function findAssumptions(evidence: Evidence): readonly Finding[] {
  return Object.entries(detectors).map(([assumption, { detect, otherwise }]) => {
    const value = detect(evidence);
    return { assumption, value, reason: value === undefined ? `not seen: ${otherwise}` : 'seen in the answers' };
  });
}
