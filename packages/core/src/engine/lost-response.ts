/**
 * Lookup after a lost response: searches the list for the record that a non-idempotent call may have made.
 *
 * A record from before the call must not be taken for the one the call made. Only the time of creation distinguishes
 * them, and it is coarse: whole seconds, by the service's clock. Records too close to the call leave the result
 * unclear.
 */
import { operations } from '../contract/index.ts';
import type { LookUp } from '../contract/types.ts';
import { isRecord } from '../is-record.ts';
import { addressKey } from '../signup/address.ts';
import { errorBody, type AttemptFailure } from './answer.ts';
import { momentOf } from '../facts/moment.ts';
import { AbortedError } from './errors.ts';
import type { Host, HostAnswer } from './host.ts';
import { isListId, type CalledOperation, type CallOptions, type ListId } from './options.ts';
import { pathParameter } from './prepare.ts';
import { clockSkewMs } from './rate-limit.ts';
import type { Page } from './pages.ts';

type FieldValues = Readonly<Record<string, unknown>>;

/** What a lookup needs of the engine. */
export interface LookUpContext {
  readonly host: Host;
  /** Reads the first page of a list, as large as the service allows. */
  readonly readList: (id: ListId, args: FieldValues, options: CallOptions) => Promise<Page<unknown>>;
  /**
   * The last answer with a `Date`, and when it came: records carry times of the service's clock. Parsed only for a
   * lookup, which is rare.
   */
  dated: { readonly headers: HostAnswer['headers']; readonly at: number } | null;
}

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

/** Reads the whole list; a list that cannot be read is `unclear`. @throws AbortedError */
export async function lookUp(
  context: LookUpContext,
  { operation, args, options, deadline, since }: LostCall,
): Promise<LookupResult> {
  const { host } = context;
  const { lookUp: rule, path } = operation;
  const list = operations.map(({ id }) => id).find((id) => id === rule?.list);
  if (!rule || !list || !isListId(list)) return 'unclear';
  const inPath = [...path.matchAll(pathParameter)].map(([, name = '']) => [name, args[name]] as const);
  const records: unknown[] = [];
  try {
    const first = await context.readList(list, Object.fromEntries(inPath), {
      signal: options.signal,
      timeoutMs: options.timeoutMs,
      retry: options.retry,
      stream: options.stream,
      background: options.background,
      totalTimeoutMs: deadline - host.monotonic(),
    });
    for (let page: Page<unknown> | null = first; page !== null; page = await page.next())
      records.push(...page.items, ...page.leftOut);
  } catch (error) {
    if (error instanceof AbortedError) throw error;
    return 'unclear';
  }
  const { dated } = context;
  const skew = dated && clockSkewMs(dated.headers, dated.at);
  const now = host.now() + (skew ?? 0);
  return find(rule, records, args, { from: now - (host.monotonic() - since), to: now, known: skew !== null });
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
function find(lookUp: LookUp, records: readonly unknown[], sent: FieldValues, call: CallTime): LookupResult {
  const found: FieldValues[] = [];
  for (const record of records) {
    if (!isRecord(record)) return 'unclear';
    const isMatch = isAbout(record, sent, lookUp);
    if (isMatch === false) continue;
    const time = lookUp.created.map((name) => momentOf(record[name])).find((moment) => moment !== undefined);
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

/** Whether a record is about the subject of the call; undefined where it lacks a field that would say so. */
function isAbout(record: FieldValues, sent: FieldValues, { by }: LookUp): boolean | undefined {
  const same = by.map((name) => (name === 'email' ? sameAddress : isSameValue)(record[name], sent[name]));
  if (same.includes(false)) return false;
  return same.includes(undefined) ? undefined : true;
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
