/** Waits for a bulk update job, and tells which items of the request its error log is about. */
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
  /** The items of the request, in its order; the error log is told by them. */
  readonly items?: readonly Item[] | undefined;
  /** Milliseconds before the second look; each further wait is half as long again. Default 1,000. */
  readonly firstDelayMs?: number | undefined;
  /** Longest wait between two looks, in milliseconds. Default 30,000. */
  readonly maxDelayMs?: number | undefined;
  /** Milliseconds after which it is given up. Default 600,000. */
  readonly deadlineMs?: number | undefined;
  readonly signal?: Signal | undefined;
}

/** A line of the job's error log. */
export interface UpdateProblem<Item> {
  /** What the service says, addresses removed. */
  readonly message: string;
  /** The item it is about, and its place in the request; undefined where the line does not tell. */
  readonly item: Item | undefined;
  readonly index: number | undefined;
}

/** A finished job. */
export interface FinishedUpdate<Item> {
  readonly outcome: 'complete' | 'failed';
  readonly update: BulkSubscriptionUpdate;
  /** Items that were not applied, or not wholly; the other items were. */
  readonly problems: readonly UpdateProblem<Item>[];
}

/** The job was not done in time; it goes on without us. */
export class UpdatePendingError extends Error {
  override readonly name = 'UpdatePendingError';
  readonly id: string;

  constructor(id: string, status: string, waitedMs: number) {
    super(
      `The bulk update ${id} is still "${status}" after ${Math.round(waitedMs / 1000)} s. Nothing is lost: look again later, or wait longer with deadlineMs.`,
    );
    this.id = id;
  }
}

/** The specification shows no words; the service is known to say `complete`, and has been seen to say `completed`. */
const outcomes: Readonly<Record<string, 'complete' | 'failed'>> = {
  complete: 'complete',
  completed: 'complete',
  failed: 'failed',
};

/**
 * Looks at a bulk update job until it is done, first at once, then at growing intervals.
 *
 * @throws UpdatePendingError when the deadline passes, AbortedError or the host's error when the signal aborts, and
 *   what `bulkSubscriptionUpdates.get` throws
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
  const begun = host.monotonic();
  for (let delay = Math.min(firstDelayMs, maxDelayMs); ; delay = Math.min(maxDelayMs, delay * 1.5)) {
    const { data: update } = await engine.call('bulkSubscriptionUpdates.get', { id, publicationId }, { signal });
    const outcome = outcomes[update.status ?? ''];
    if (outcome) return { outcome, update, problems: readErrorLog(update.error_log ?? [], items) };
    const waited = host.monotonic() - begun;
    if (waited >= deadlineMs) throw new UpdatePendingError(id, update.status ?? 'unknown', waited);
    await host.sleep(Math.min(delay, deadlineMs - waited), signal);
  }
}

/**
 * Tells what each line is about: by a place such as `subscriptions[3]`, by an id, or by an address. Lines are texts or
 * records.
 */
export function readErrorLog<Item extends UpdateItem>(
  log: readonly unknown[],
  items: readonly Item[],
): UpdateProblem<Item>[] {
  const places = new Map<string, number>();
  for (const [index, item] of items.entries()) {
    const { subscription_id, email }: Exclude<UpdateItem, string> =
      typeof item === 'string' ? { subscription_id: item } : item;
    if (subscription_id !== undefined) places.set(subscription_id, index);
    if (email !== undefined) places.set(addressKey(email), index);
  }
  return log.map((line) => {
    const index = placeOf(line, places, items.length);
    return { message: redact(messageOf(line)), index, item: index === undefined ? undefined : items[index] };
  });
}

function placeOf(line: unknown, places: ReadonlyMap<string, number>, size: number): number | undefined {
  const record = typeof line === 'object' && line !== null ? (line as Readonly<Record<string, unknown>>) : {};
  const words = [line, ...Object.values(record)].filter((value) => typeof value === 'string');
  const said = words
    .flatMap((text) => text.split(/[\s"'(),:;<>[\]{}]+/))
    .map((word) => places.get(word) ?? places.get(addressKey(word.replace(/\.$/, ''))));
  const byName = said.find((place) => place !== undefined);
  if (byName !== undefined) return byName;
  const numbers = [
    record['index'],
    ...words.map((text) => /\b(?:subscriptions|subscription_ids|items)\[(\d+)\]/.exec(text)?.[1]),
  ];
  const index = numbers.find((value) => value !== undefined && value !== null);
  return index !== undefined && Number.isInteger(Number(index)) && Number(index) < size ? Number(index) : undefined;
}

function messageOf(line: unknown): string {
  if (typeof line === 'string') return line;
  if (typeof line !== 'object' || line === null) return String(line);
  const record = line as Readonly<Record<string, unknown>>;
  const message = record['message'] ?? record['error'] ?? record['reason'];
  return typeof message === 'string' ? message : JSON.stringify(line);
}
