/** Polls a bulk update job until it ends, and matches the lines of its error log with the items of the request. */
import type { Engine } from '../engine/engine.ts';
import type { Signal } from '../engine/host.ts';
import { redact } from '../engine/redact.ts';
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
  /** Items that were not or only partly applied; all others were. */
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
const outcomes: Readonly<Record<string, 'complete' | 'failed'>> = {
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
    if (outcome) return { outcome, update, problems: readErrorLog(update.error_log ?? [], items) };
    const waited = host.monotonic() - startedAt;
    if (waited >= deadlineMs) throw new UpdatePendingError(id, update.status ?? 'unknown', waited);
    await host.sleep(Math.min(delay, deadlineMs - waited), signal);
  }
}

/**
 * Finds the item of each line: by an index such as `subscriptions[3]`, by an id, or by an address. Lines are texts or
 * records.
 */
export function readErrorLog<Item extends UpdateItem>(
  log: readonly unknown[],
  items: readonly Item[],
): UpdateProblem<Item>[] {
  const indexes = new Map<string, number>();
  for (const [index, item] of items.entries()) {
    const { subscription_id, email }: Exclude<UpdateItem, string> =
      typeof item === 'string' ? { subscription_id: item } : item;
    if (subscription_id !== undefined) indexes.set(subscription_id, index);
    if (email !== undefined) indexes.set(addressKey(email), index);
  }
  return log.map((line) => {
    const index = indexOfItem(line, indexes, items.length);
    return { message: redact(messageOf(line)), index, item: index === undefined ? undefined : items[index] };
  });
}

function indexOfItem(line: unknown, indexes: ReadonlyMap<string, number>, size: number): number | undefined {
  const record = typeof line === 'object' && line !== null ? (line as Readonly<Record<string, unknown>>) : {};
  const words = [line, ...Object.values(record)].filter((value) => typeof value === 'string');
  const matches = words
    .flatMap((text) => text.split(/[\s"'(),:;<>[\]{}]+/))
    .map((word) => indexes.get(word) ?? indexes.get(addressKey(word.replace(/\.$/, ''))));
  const byName = matches.find((index) => index !== undefined);
  if (byName !== undefined) return byName;
  const numbers = [
    record['index'],
    ...words.map((text) => /\b(?:subscriptions|subscription_ids|items)\[(\d+)\]/.exec(text)?.[1]),
  ];
  const index = numbers.find((value) => value !== undefined && value !== null);
  return index !== undefined && Number.isInteger(Number(index)) && Number(index) < size ? Number(index) : undefined;
}

function messageOf(line: unknown): string {
  if (typeof line !== 'object' || line === null) return String(line);
  const record = line as Readonly<Record<string, unknown>>;
  const message = record['message'] ?? record['error'] ?? record['reason'];
  return typeof message === 'string' ? message : JSON.stringify(line);
}
