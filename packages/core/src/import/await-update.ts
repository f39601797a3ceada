/** Polls a bulk update job until it ends, and matches the lines of its error log with the items of the request. */
import { bulkUpdateStatuses } from '../contract/values.ts';
import type { Engine } from '../engine/engine.ts';
import type { Signal } from '../engine/host.ts';
import { redact } from '../engine/redact.ts';
import { isRecord } from '../is-record.ts';
import type { BulkSubscriptionUpdate, BulkUpdateItem } from '../schema/types.ts';
import { addressKey } from '../signup/address.ts';
import { isApplied } from './applied-changes.ts';

/**
 * An item of the request that started the job: a record with `subscription_id` or `email` and the changes, or the id
 * itself.
 */
export type UpdateItem = string | (Partial<BulkUpdateItem> & { readonly email?: string | undefined });

/** Options of {@link awaitUpdate}. */
export interface AwaitUpdateOptions<Item extends UpdateItem> {
  readonly engine: Pick<Engine, 'call' | 'list' | 'host'>;
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

/**
 * The specification shows no values; the service is known to answer `complete`, and sometimes `completed`. Any other
 * word but those of a job at work is judged by what became of its changes.
 */
const outcomes: Readonly<Partial<Record<string, 'complete' | 'failed'>>> = {
  complete: 'complete',
  completed: 'complete',
  failed: 'failed',
};
const atWork: ReadonlySet<unknown> = new Set(bulkUpdateStatuses);

/** Polls in succession after which another word than the first one is taken for the end of the job. */
const steadyPolls = 3;

/**
 * Polls a bulk update job until it ends: first at once, then at growing intervals. Where its status is a word that is
 * not known, the job has ended once the last item with an `email` shows its changes. Where none does, a word that stays
 * for three polls, and with which the job did not begin, ends it as failed.
 *
 * @throws UpdatePendingError when the deadline passes, AbortedError or the host's error when the signal aborts, and
 *   the errors of `bulkSubscriptionUpdates.get`
 */
export async function awaitUpdate<Item extends UpdateItem = UpdateItem>(
  options: AwaitUpdateOptions<Item>,
): Promise<FinishedUpdate<Item>> {
  const { engine, id, publicationId, signal, items = [] } = options;
  const { firstDelayMs = 1000, maxDelayMs = 30_000, deadlineMs = 600_000 } = options;
  const { host } = engine;
  const startedAt = host.monotonic();
  const words: string[] = [];
  for (let delay = Math.min(firstDelayMs, maxDelayMs); ; delay = Math.min(maxDelayMs, delay * 1.5)) {
    const { data: update } = await engine.call('bulkSubscriptionUpdates.get', { id, publicationId }, { signal });
    const word = update.status ?? 'unknown';
    words.push(word);
    const isUnknown = outcomes[word] === undefined && !atWork.has(word);
    const outcome = isUnknown && (await showsChanges(options)) ? 'complete' : outcomes[word];
    const problems = readErrorLog(update.error_log, items);
    if (outcome) return { outcome, update, problems };
    if (isUnknown && word !== words[0] && words.slice(-steadyPolls).every((each) => each === word)) {
      const message = `The job ended with the status "${redact(word)}", and its changes were not seen.`;
      return { outcome: 'failed', update, problems: [...problems, { message, item: undefined, index: undefined }] };
    }
    const waited = host.monotonic() - startedAt;
    if (waited >= deadlineMs) throw new UpdatePendingError(id, word, waited);
    await host.sleep(Math.min(delay, deadlineMs - waited), signal);
  }
}

/** Whether one of the changed people shows the changes. A read that fails leaves it open until the next poll. */
async function showsChanges(options: AwaitUpdateOptions<UpdateItem>): Promise<boolean> {
  const { engine, publicationId, items = [], signal } = options;
  const last = items.findLast((item) => typeof item !== 'string' && item.email !== undefined);
  if (last === undefined || typeof last === 'string') return false;
  const { email, subscription_id } = last;
  const query = { publicationId, email, expand: ['custom_fields', 'newsletter_lists'] as const };
  const page = await engine.list('subscriptions.list', query, { signal }).catch(() => undefined);
  return page?.items.some((found) => found.id === subscription_id && isApplied(last, found)) ?? false;
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
