/**
 * Tells whether the service had a subscription already when it was asked to create it.
 *
 * Its answer does not say so: by the specification a new address and a known one are both answered with 200. Some
 * services answer 201 to a new one, which proves it, but no service can be relied on to do so, and a 201 may be lost
 * on the way and the repetition answered with 200. So the node looks before it sends.
 *
 * For several items one look serves all: the page of the newest subscriptions. What the service answers afterwards and
 * is neither older than that page nor on it, did not exist at that moment. Both times are the service's own, so that no
 * two clocks are compared. A look is used for a few seconds, which bounds how long somebody else may have created a
 * subscription in between. Where a page cannot tell, and for a single item, the look is for the address itself.
 */
import type { Engine, Item } from '@newsletter-kit/core/engine';
import { largestPage } from '../../parameters/list.ts';
import type { OperationContext } from '../definition.ts';
import { findByAddress } from './findSubscription.ts';

export type Subscription = Item<'subscriptions.list'>;

/** Says of a subscription that the service answered afterwards whether it existed at the time of the look. */
export type Existed = (answered: Pick<Subscription, 'id' | 'created'>) => boolean;

interface Look {
  /** By the host's monotonic clock. */
  readonly at: number;
  /** Null where the page cannot tell. */
  readonly existed: Promise<Existed | null>;
}

/** Milliseconds for which a look at the newest subscriptions is used. */
const usedForMs = 5_000;
/** Most pages that are read until two subscriptions were not created in the same second. */
const mostPages = 20;

/** An engine lives as long as one run of a node. */
const looks = new WeakMap<Engine, Look>();
/** IDs that the service answered in this run. */
const answeredIds = new WeakMap<Engine, Set<string>>();

/** What was found before a subscription is created or updated. */
export interface Before {
  /** The subscription with the address, where it was looked for and is there. */
  readonly found?: Subscription | undefined;
  readonly existed: Existed;
}

/**
 * Looks before the subscription with this address is created or updated.
 *
 * @param exactly - whether to look for the address itself, because the subscription as it was is needed
 */
export async function lookBefore(context: OperationContext, email: string, exactly: boolean): Promise<Before> {
  const several = !exactly && context.node.getInputData().length > 1;
  const newest = several ? await lookAtNewest(context) : null;
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

/** Items that are worked on at the same time share a look. */
function lookAtNewest(context: OperationContext): Promise<Existed | null> {
  const { engine } = context;
  const last = looks.get(engine);
  const now = engine.host.monotonic();
  if (last !== undefined && now - last.at < usedForMs) return last.existed;
  const look = { at: now, existed: readNewest(context) };
  looks.set(engine, look);
  // An item that fails must not make every other one fail with it.
  look.existed.catch(() => looks.get(engine) === look && looks.delete(engine));
  return look.existed;
}

async function readNewest({ engine, call }: OperationContext): Promise<Existed | null> {
  const newest = new Map<string, number>();
  let last = Number.POSITIVE_INFINITY;
  const query = { direction: 'desc', limit: largestPage } as const;
  for await (const { id, created } of engine.list('subscriptions.list', query, call)) {
    // Not newest first after all, or without the times that the order is about.
    if (!(created <= last)) return null;
    last = created;
    newest.set(id, created);
    if (newest.size % largestPage > 0) continue;
    const [first = created] = newest.values();
    // Subscriptions of one and the same second do not tell what came after them.
    if (created < first) return (answered) => answered.created <= created || newest.has(answered.id);
    if (newest.size >= mostPages * largestPage) return null;
  }
  return ({ id }) => newest.has(id);
}
