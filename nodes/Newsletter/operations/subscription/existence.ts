/**
 * Detects whether a subscription existed before the service was asked to create it.
 *
 * The answer does not tell: by the specification a new address and a known one are both answered with 200. Some
 * services answer 201 to a new one, but no service can be relied on to do so, and a lost 201 may be followed by a 200
 * to the retry. So the node reads before it writes.
 *
 * For several items one snapshot serves all: the page of the newest subscriptions. A subscription that is answered
 * afterwards, is not older than that page and is not on it, did not exist at that time. Both times are the service's
 * own, so clock skew does not matter. A snapshot is used for a few seconds, which limits the time in which somebody
 * else may have created a subscription. Where the page cannot tell, and for a single item, the node looks up the
 * address.
 */
import type { Engine, Item } from '@newsletter-kit/core/engine';
import { largestPage } from '../../parameters/list.ts';
import type { OperationContext } from '../definition.ts';
import { findByAddress } from './findSubscription.ts';

export type Subscription = Item<'subscriptions.list'>;

/** Whether a subscription that was answered afterwards existed at the time of the snapshot. */
export type Existed = (answered: Pick<Subscription, 'id' | 'created'>) => boolean;

interface Snapshot {
  /** By the host's monotonic clock. */
  readonly at: number;
  /** Null where the page cannot decide. */
  readonly existed: Promise<Existed | null>;
}

/** Milliseconds for which a snapshot of the newest subscriptions is used. */
const snapshotLifetimeMs = 5_000;
/** Most pages to read until two subscriptions were created in different seconds. */
const maxPages = 20;

/** An engine lives as long as one run of a node. */
const snapshots = new WeakMap<Engine, Snapshot>();
/** IDs that the service answered in this run. */
const answeredIds = new WeakMap<Engine, Set<string>>();

/** The state before a subscription is created or updated. */
export interface Before {
  /** The subscription with the address, if it was looked up and found. */
  readonly found?: Subscription | undefined;
  readonly existed: Existed;
}

/**
 * Checks whether a subscription with this address exists, before it is created or updated.
 *
 * @param byAddress - whether to look up the address itself, because the previous subscription is needed
 */
export async function checkExistence(context: OperationContext, email: string, byAddress: boolean): Promise<Before> {
  const several = !byAddress && context.node.getInputData().length > 1;
  const newest = several ? await newestSnapshot(context) : null;
  const found = newest ? undefined : await findByAddress(context, email, ['custom_fields']);
  const seen = answeredIds.get(context.engine) ?? new Set();
  answeredIds.set(context.engine, seen);
  return {
    found,
    existed(answered) {
      const known = seen.has(answered.id) || (newest ? newest(answered) : found !== undefined);
      seen.add(answered.id);
      return known;
    },
  };
}

/** Items that run at the same time share a snapshot. */
function newestSnapshot(context: OperationContext): Promise<Existed | null> {
  const { engine } = context;
  const last = snapshots.get(engine);
  const now = engine.host.monotonic();
  if (last !== undefined && now - last.at < snapshotLifetimeMs) return last.existed;
  const snapshot = { at: now, existed: readNewest(context) };
  snapshots.set(engine, snapshot);
  // The failure of one item must not fail the others.
  snapshot.existed.catch(() => snapshots.get(engine) === snapshot && snapshots.delete(engine));
  return snapshot.existed;
}

async function readNewest({ engine, call }: OperationContext): Promise<Existed | null> {
  const newest = new Map<string, number>();
  let last = Number.POSITIVE_INFINITY;
  const query = { direction: 'desc', limit: largestPage } as const;
  for await (const { id, created } of engine.list('subscriptions.list', query, call)) {
    // The list is not sorted by time, or has no times.
    if (!(created <= last)) return null;
    last = created;
    newest.set(id, created);
    if (newest.size % largestPage > 0) continue;
    const [first = created] = newest.values();
    // Subscriptions of the same second have no order.
    if (created < first) return (answered) => answered.created <= created || newest.has(answered.id);
    if (newest.size >= maxPages * largestPage) return null;
  }
  return ({ id }) => newest.has(id);
}
