/**
 * Lookup after a lost response: searches the list for the record that a non-idempotent call may have made.
 *
 * A record from before the call must not be taken for the one the call made. Only the time of creation distinguishes
 * them, and it is coarse: whole seconds, by the service's clock. Records too close to the call leave the result
 * unclear.
 */
import type { OperationId } from '../contract/index.ts';
import { isRecord } from '../is-record.ts';
import { addressKey } from '../signup/address.ts';
import { errorBody, type AttemptFailure } from './answer.ts';
import { momentOf } from '../facts/moment.ts';
import { AbortedError, type CallName } from './errors.ts';
import type { Host, HostAnswer } from './host.ts';
import type { CalledOperation, CallOptions } from './options.ts';
import { clockSkewMs } from './rate-limit.ts';
import type { Page } from './pages.ts';

type FieldValues = Readonly<Record<string, unknown>>;

/** How to find the record of an operation. */
interface Lookup {
  readonly list: Extract<OperationId, `${string}.list`>;
  /** Arguments of the call that the list takes too. */
  readonly listArguments: readonly string[];
  /** Further arguments of the list. */
  readonly query: FieldValues;
  /** Whether a record is about the subject of the call; undefined where it lacks the field. */
  readonly matches: (record: FieldValues, sent: FieldValues) => boolean | undefined;
  /** Field with the time of creation: seconds since the Unix epoch, or a text. */
  readonly created: readonly string[];
  /** What to do where the lookup was inconclusive; a sentence. */
  readonly advice: string;
}

const lookups: Partial<Readonly<Record<CallName, Lookup>>> = {
  'journeys.enroll': {
    list: 'journeys.list',
    listArguments: ['publicationId', 'automationId'],
    query: { limit: 100 },
    matches: (record, sent) =>
      andAlso(
        isSameValue(record['subscription_id'], sent['subscription_id']),
        sameAddress(record['email'], sent['email']),
      ),
    created: ['started_at', 'created'],
    advice: 'List the journeys of the automation (journeys.list) to see whether the subscriber is on one.',
  },
  'deletionRequests.create': {
    list: 'deletionRequests.list',
    listArguments: ['publicationId'],
    query: {},
    matches: (record, sent) => sameAddress(record['email'], sent['email']),
    created: ['requested_at', 'created_at'],
    advice: 'List the deletion requests (deletionRequests.list) to see whether there is one for the subscriber.',
  },
  'customFields.create': {
    list: 'customFields.list',
    listArguments: ['publicationId'],
    query: {},
    // By display text alone: subscriptions refer to fields by it, so it is unique. The service may name the kind by
    // another word.
    matches: (record, sent) => isSameValue(record['display'], sent['display']),
    created: ['created'],
    advice: 'List the custom fields (customFields.list) to see whether it exists.',
  },
};

/** The lookup of an operation; undefined where there is none, as for OAuth grants. */
export function lookUpOf(id: CallName): Lookup | undefined {
  return lookups[id];
}

/** Arguments for the list. */
function listArguments({ listArguments: names, query }: Lookup, sent: FieldValues): FieldValues {
  return { ...query, ...Object.fromEntries(names.map((name) => [name, sent[name]])) };
}

/** Reads the first page of a list. */
type ReadList = (id: Lookup['list'], args: FieldValues, options: CallOptions) => Promise<Page<unknown>>;

/** A call whose response was lost. Moments are by the host's monotonic clock. */
export interface LostCall {
  readonly operation: CalledOperation;
  readonly args: FieldValues;
  readonly options: CallOptions;
  /** When the call must have ended. */
  readonly deadline: number;
  /** When the call was first sent. */
  readonly since: number;
}

/** Looks up the records of calls whose responses were lost. */
export interface LostResponses {
  /** Remembers the `Date` of an answer, because records carry times of the service's clock. */
  noteClock(answer: Pick<HostAnswer, 'headers'>): void;
  /** Reads the whole list; a list that cannot be read is `unclear`. @throws AbortedError */
  lookUp(call: LostCall): Promise<LookupResult>;
}

export function createLostResponses(host: Pick<Host, 'now' | 'monotonic'>, readList: ReadList): LostResponses {
  /** The last answer with a `Date`, and when it came; parsed only for a lookup, which is rare. */
  let dated: { readonly headers: HostAnswer['headers']; readonly at: number } | null = null;
  return {
    noteClock({ headers }) {
      if (headers['date'] !== undefined) dated = { headers, at: host.now() };
    },
    async lookUp({ operation, args, options, deadline, since }) {
      const lookUp = lookUpOf(operation.id);
      if (!lookUp) return 'unclear';
      const records: unknown[] = [];
      try {
        const first = await readList(lookUp.list, listArguments(lookUp, args), {
          signal: options.signal,
          timeoutMs: options.timeoutMs,
          retry: options.retry,
          stream: options.stream,
          background: options.background,
          totalTimeoutMs: deadline - host.monotonic(),
        });
        for (let page: Page<unknown> | null = first; page !== null; page = await page.next())
          records.push(...page.items);
      } catch (error) {
        if (error instanceof AbortedError) throw error;
        return 'unclear';
      }
      const skew = dated && clockSkewMs(dated.headers, dated.at);
      const now = host.now() + (skew ?? 0);
      const time = { from: now - (host.monotonic() - since), to: now, known: skew !== null };
      return find(lookUp, records, args, time);
    },
  };
}

/** When the call was made, by the service's clock. */
interface CallTime {
  /** The first sending, and now; milliseconds since the Unix epoch. */
  readonly from: number;
  readonly to: number;
  /** Whether the service's clock is known, from the `Date` of its answers; else it is taken to agree with ours. */
  readonly known: boolean;
}

/** Most difference of clocks that count as equal, plus the second that a time in whole seconds is rounded by. */
const slackMs = 2_000;

/** A record older than the call by this much existed before it, whatever the difference of the clocks. */
const surelyBeforeMs = { known: 5_000, unknown: 300_000 } as const;

/** The record the call made; `absent` where there is none; `unclear` where the records do not show it. */
type LookupResult = { readonly record: FieldValues } | 'absent' | 'unclear';

/** Searches all records of the list. Pure. */
function find(
  { matches, created }: Lookup,
  records: readonly unknown[],
  sent: FieldValues,
  call: CallTime,
): LookupResult {
  const found: FieldValues[] = [];
  for (const record of records) {
    if (!isRecord(record)) return 'unclear';
    const isMatch = matches(record, sent);
    if (isMatch === false) continue;
    const time = timeOf(record, created);
    const surelyBefore = time !== undefined && time < call.from - surelyBeforeMs[call.known ? 'known' : 'unknown'];
    if (surelyBefore) continue;
    if (isMatch === undefined || time === undefined || time < call.from - slackMs || time > call.to + slackMs)
      return 'unclear';
    found.push(record);
  }
  const [record, another] = found;
  if (another) return 'unclear';
  return record ? { record } : 'absent';
}

function timeOf(record: FieldValues, names: readonly string[]): number | undefined {
  for (const name of names) {
    const time = momentOf(record[name]);
    if (time !== undefined) return time;
  }
  return undefined;
}

/** Undefined where the record lacks the value; true where the call named none. */
function isSameValue(stored: unknown, sent: unknown): boolean | undefined {
  if (sent === undefined) return true;
  return stored === undefined || stored === null ? undefined : stored === sent;
}

function sameAddress(stored: unknown, sent: unknown): boolean | undefined {
  if (typeof stored !== 'string' || typeof sent !== 'string') return isSameValue(stored, sent);
  return addressKey(stored) === addressKey(sent);
}

/** False where either is false, undefined where either is undefined, else true. */
function andAlso(a: boolean | undefined, b: boolean | undefined): boolean | undefined {
  if (a === false || b === false) return false;
  return a === undefined || b === undefined ? undefined : true;
}

/** Whether the service may have carried out the call although the attempt failed. */
export function mayHaveSucceeded({ error, answer }: AttemptFailure): boolean {
  return error ? !error.notSent && error.failure !== 'aborted' : answer.status >= 500;
}

/** Whether the service may still be processing the call after a timeout; 524 is a proxy's variant of 504. */
export function mayStillSucceed({ error, answer }: AttemptFailure): boolean {
  return error ? error.failure === 'timeout' : answer.status === 504 || answer.status === 524;
}

/** Whether the answer says that the record exists: after a lost response, this call may have made it. */
export function isConflict({ error, answer }: AttemptFailure): boolean {
  return !error && (answer.status === 400 || answer.status === 409);
}

/** Whether a repeated deletion found nothing because the attempt with the lost response has deleted the record. */
export function isAlreadyDeleted(operation: CalledOperation, failed: AttemptFailure, before: AttemptFailure): boolean {
  if (operation.method !== 'DELETE' || failed.error || !mayHaveSucceeded(before)) return false;
  return failed.answer.status === 404 && errorBody(operation, failed.answer) !== undefined;
}
