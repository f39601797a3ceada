/** Polls a bulk update job until it ends, and matches the lines of its error log with the items of the request. */
import type { Engine } from '../engine/engine.ts';
import type { Signal } from '../engine/host.ts';
import { redact } from '../engine/redact.ts';
import { isRecord } from '../is-record.ts';
import type { BulkSubscriptionUpdate } from '../schema/types.ts';
import { addressKey } from '../signup/address.ts';

/** An item of the request that started the job: a record with `subscription_id` or `email`, or the id itself. */
export type UpdateItem =
  | string
  | { readonly subscription_id?: string | undefined; readonly email?: string | undefined };

/** Options of {@link awaitUpdate}. */
export interface AwaitUpdateOptions<Item extends UpdateItem> {
  readonly engine: Pick<Engine, 'call' | 'host'>;
  /** The job: `data.subscription_update_id` of the answer to the bulk update. */
  readonly id: string;
  readonly publicationId?: string | undefined;
  /** The items of the request, in its order; the lines of the error log are matched with them. */
  readonly items?: readonly Item[] | undefined;
  /** Milliseconds before the second poll; each further wait is 1.5 times as long. Default 1,000. */
  readonly firstDelayMs?: number | undefined;
  /** Longest wait between two polls, in milliseconds. Default 30,000. */
  readonly maxDelayMs?: number | undefined;
  /** Milliseconds after which {@link UpdatePendingError} is thrown. Default 600,000. */
  readonly deadlineMs?: number | undefined;
  readonly signal?: Signal | undefined;
}

/** A line of the job's error log. */
export interface UpdateProblem<Item> {
  /** The message of the service, addresses removed. */
  readonly message: string;
  /** The item of the line, and its index in the request; undefined where the line names none. */
  readonly item: Item | undefined;
  readonly index: number | undefined;
}

/** A finished job. */
export interface FinishedUpdate<Item> {
  readonly outcome: 'complete' | 'failed';
  readonly update: BulkSubscriptionUpdate;
  /**
   * Items that were not or only partly applied. All others were, unless a problem names no item: then it is unknown for
   * each that no other problem names.
   */
  readonly problems: readonly UpdateProblem<Item>[];
}

/** The job did not end in time; it continues at the service. */
export class UpdatePendingError extends Error {
  override readonly name = 'UpdatePendingError';
  readonly id: string;

  constructor(id: string, status: string, waitedMs: number) {
    super(
      `The bulk update ${id} is still "${status}" after ${Math.round(waitedMs / 1000)} s. Read it again later, or wait longer with deadlineMs.`,
    );
    this.id = id;
  }
}

/** The specification shows no values; the service is known to answer `complete`, and sometimes `completed`. */
const outcomes: Readonly<Partial<Record<string, 'complete' | 'failed'>>> = {
  complete: 'complete',
  completed: 'complete',
  failed: 'failed',
};

/**
 * Polls a bulk update job until it ends: first at once, then at growing intervals.
 *
 * @throws UpdatePendingError when the deadline passes, AbortedError or the host's error when the signal aborts, and
 *   the errors of `bulkSubscriptionUpdates.get`
 */
export async function awaitUpdate<Item extends UpdateItem = UpdateItem>(
  options: AwaitUpdateOptions<Item>,
): Promise<FinishedUpdate<Item>> {
  const {
    engine,
    id,
    publicationId,
    signal,
    items = [],
    firstDelayMs = 1000,
    maxDelayMs = 30_000,
    deadlineMs = 600_000,
  } = options;
  const { host } = engine;
  const startedAt = host.monotonic();
  for (let delay = Math.min(firstDelayMs, maxDelayMs); ; delay = Math.min(maxDelayMs, delay * 1.5)) {
    const { data: update } = await engine.call('bulkSubscriptionUpdates.get', { id, publicationId }, { signal });
    const outcome = outcomes[update.status ?? ''];
    if (outcome) return { outcome, update, problems: readErrorLog(update.error_log, items) };
    const waited = host.monotonic() - startedAt;
    if (waited >= deadlineMs) throw new UpdatePendingError(id, update.status ?? 'unknown', waited);
    await host.sleep(Math.min(delay, deadlineMs - waited), signal);
  }
}

/**
 * Finds the items of each line: by their ids or addresses, else by an index such as `subscriptions[3]`. Lines are texts
 * or records. A log in another form, such as one text or an object, is read as its lines or entries.
 *
 * @returns a problem for each item that a line names; one without `item` for a line that names none, which may be about
 *   any of them
 */
export function readErrorLog<Item extends UpdateItem>(log: unknown, items: readonly Item[]): UpdateProblem<Item>[] {
  const indexes = new Map<string, number>();
  for (const [index, item] of items.entries()) {
    const { subscription_id, email }: Exclude<UpdateItem, string> =
      typeof item === 'string' ? { subscription_id: item } : item;
    if (subscription_id !== undefined) indexes.set(subscription_id, index);
    if (email !== undefined) indexes.set(addressKey(email), index);
  }
  return linesOf(log).flatMap((line): UpdateProblem<Item>[] => {
    const message = redact(messageOf(line));
    const found = indexesIn(line, indexes, items.length);
    if (found.length === 0) return [{ message, index: undefined, item: undefined }];
    return found.map((index) => ({ message, index, item: items[index] }));
  });
}

function linesOf(log: unknown): readonly unknown[] {
  if (Array.isArray(log)) return log;
  if (typeof log === 'string') return log.split(/\r?\n/).filter((line) => line.trim() !== '');
  if (isRecord(log)) {
    return Object.entries(log).flatMap(([name, value]): unknown[] =>
      Array.isArray(value) ? value : [`${name}: ${messageOf(value)}`],
    );
  }
  return log === undefined || log === null ? [] : [log];
}

function indexesIn(line: unknown, indexes: ReadonlyMap<string, number>, size: number): readonly number[] {
  const record = isRecord(line) ? line : {};
  const text = typeof line === 'string' ? line : JSON.stringify(line);
  const named = text
    .split(/[\s"'(),:;<>[\]{}=/|]+/)
    .map((word) => indexes.get(word) ?? indexes.get(addressKey(word.replace(/\.$/, ''))))
    .filter((index) => index !== undefined);
  if (named.length > 0) return [...new Set(named)];
  const numbers = [...text.matchAll(/\b(?:subscriptions|subscription_ids|items)\[(\d+)\]/g)].map(([, index]) => index);
  const index = record['index'] ?? undefined;
  return (index === undefined ? numbers : [index])
    .map(Number)
    .filter((each) => Number.isInteger(each) && each >= 0 && each < size);
}

function messageOf(line: unknown): string {
  if (!isRecord(line)) return typeof line === 'string' ? line : JSON.stringify(line);
  const message = line['message'] ?? line['error'] ?? line['reason'];
  return typeof message === 'string' ? message : JSON.stringify(line);
}
