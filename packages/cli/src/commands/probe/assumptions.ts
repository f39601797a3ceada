/**
 * Detects what the answers of a service show about gaps of the specification that shapes can't carry: what stands where
 * a list ends, which text stands for none, the words of a job, an answer outside of the contract. Names and values are
 * those of the sandbox's assumptions, so that a sandbox can be started that answers as the service does.
 */
import { isRecord } from '@newsletter-kit/core/engine';
import { utmFields } from '@newsletter-kit/core/contract';
import type { ComparedAnswer } from './differences.ts';
import { recordsOf, type Json, type Readings } from './read-everything.ts';

/** One assumption, and the value that the answers show. */
export interface Finding {
  readonly assumption: string;
  /** Undefined where no answer shows it. */
  readonly value: string | undefined;
  /** The evidence, or why there is none. */
  readonly reason: string;
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
}

const texts: readonly string[] = [...utmFields, 'referring_site'];
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

/** The most frequent value. */
function mostFrequent(values: readonly (string | undefined)[]): string | undefined {
  const counted = Map.groupBy(
    values.filter((value) => value !== undefined),
    (value) => value,
  );
  return [...counted.entries()].toSorted(([, a], [, b]) => b.length - a.length)[0]?.[0];
}

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
  },
  bulk_done: {
    detect: (evidence) =>
      mostFrequent(
        recordsTo(evidence, 'bulkSubscriptionUpdates.').map(({ status }) =>
          status === 'complete' || status === 'completed' ? status : undefined,
        ),
      ),
    otherwise: 'the publication has no finished bulk update',
  },
  deletion_times: {
    detect: (evidence) =>
      mostFrequent(
        recordsTo(evidence, 'deletionRequests.').map(({ requested_at: at }) =>
          typeof at === 'number' ? 'seconds' : typeof at === 'string' ? 'text' : undefined,
        ),
      ),
    otherwise: 'there is no data deletion request',
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
  unknown_values: {
    detect({ answers }) {
      // No enumeration of the specification has the statuses of bulk updates, so a new word there is none of these.
      const others = answers.filter(({ operation }) => !operation?.startsWith('bulkSubscriptionUpdates.'));
      if (others.some(({ differences }) => differences.some(({ kind }) => kind === 'unknown-value'))) return 'some';
      return others.some((answer) => recordsOf(answer).length > 0) ? 'none' : undefined;
    },
    otherwise: 'no record was read',
  },
};

/** What the answers say about each assumption. */
export function findAssumptions(evidence: Evidence): readonly Finding[] {
  return Object.entries(detectors).map(([assumption, { detect, otherwise }]) => {
    const value = detect(evidence);
    return { assumption, value, reason: value === undefined ? `not seen: ${otherwise}` : 'seen in the answers' };
  });
}
