/**
 * Finds one subscription. The API reads subscriptions as a list alone: an address is one request, an ID is looked for
 * page by page. That walk is shared by all items of a run, so that many IDs cost no more than reading the list once.
 */
import type { Arguments, Engine, Item } from '@newsletter-kit/core/engine';
import { addressKey } from '@newsletter-kit/core/signup';
import { largestPage } from '../../parameters/list.ts';
import { noSubscription, type Subscriber } from '../../parameters/subscription.ts';
import { byEngine, workInLines } from '../concurrency.ts';
import type { OperationContext } from '../definition.ts';

type Subscription = Item<'subscriptions.list'>;
type Expand = Arguments<'subscriptions.list'>['expand'];

/** As far as the list was read, and the rest of it. */
interface Walk {
  readonly known: Map<string, Subscription>;
  readonly rest: AsyncIterator<Subscription>;
}

/** By engine, which lives as long as one run of a node, and by what the records are expanded with. */
const walks = new WeakMap<Engine, Map<string, Walk>>();

/** @throws ParameterMismatch where there is none */
export async function findSubscription(
  context: OperationContext,
  named: Subscriber,
  expand?: Expand,
): Promise<Subscription> {
  const found =
    'email' in named ? await findByAddress(context, named.email, expand) : await byId(context, named.id, expand);
  if (found !== undefined) return found;
  throw noSubscription();
}

/** The subscription with this address, whatever the case of its letters; undefined where there is none. */
export async function findByAddress(
  { engine, call }: OperationContext,
  email: string,
  expand?: Expand,
): Promise<Subscription | undefined> {
  const { items } = await engine.list('subscriptions.list', { email, limit: 1, ...(expand && { expand }) }, call);
  return items[0];
}

/** A subscription that has to be found by its address, and the item that names it. */
export interface NamedByAddress {
  readonly context: OperationContext;
  readonly email: string;
}

/** By engine and address key: the ID, or why it could not be looked for; nothing where there is no subscription. */
export type FoundIds = ReadonlyMap<Engine, ReadonlyMap<string, { readonly id: string } | { readonly error: unknown }>>;

/** Fewer addresses than this are looked for one by one, without asking first how long the list is. */
const few = 10;

/**
 * Finds the subscriptions with these addresses in the fewest requests: one for each address, or the whole list where
 * that has fewer pages.
 */
export async function findIds(named: readonly NamedByAddress[]): Promise<FoundIds> {
  const found = new Map<Engine, Map<string, { readonly id: string } | { readonly error: unknown }>>();
  for (const ofOne of byEngine(named, ({ context }) => context.engine)) {
    const context = ofOne[0]?.context;
    if (context === undefined) continue;
    const ids = new Map<string, { readonly id: string } | { readonly error: unknown }>();
    found.set(context.engine, ids);
    const emails = new Map(ofOne.map(({ email }) => [addressKey(email), email]));
    const findEach = (): Promise<void> =>
      workInLines(
        [...emails].map((one) => [one]),
        async ([key, email]) => {
          try {
            const subscription = await findByAddress(context, email);
            if (subscription) ids.set(key, subscription);
          } catch (error) {
            ids.set(key, { error });
          }
          return true;
        },
      );
    try {
      if (emails.size < few || (await pagesOf(context)) >= emails.size) await findEach();
      else await findInList(context, new Set(emails.keys()), ids);
    } catch (error) {
      for (const key of emails.keys()) if (!ids.has(key)) ids.set(key, { error });
    }
  }
  return found;
}

/** How many pages the list of all subscriptions has; only offset pagination tells. */
async function pagesOf({ engine, call }: OperationContext): Promise<number> {
  const { totalResults } = await engine.list('subscriptions.list', { page: 1, limit: 1 }, call);
  return totalResults === null ? Number.POSITIVE_INFINITY : Math.ceil(totalResults / largestPage);
}

async function findInList(
  { engine, call }: OperationContext,
  wanted: Set<string>,
  ids: Map<string, { readonly id: string } | { readonly error: unknown }>,
): Promise<void> {
  for await (const { id, email } of engine.list('subscriptions.list', { limit: largestPage }, call)) {
    const key = addressKey(email);
    if (wanted.delete(key)) ids.set(key, { id });
    if (wanted.size === 0) return;
  }
}

/** The subscription with this ID as it was when it was read, if it is among the newest thousand. */
export function recentById(context: OperationContext, id: string): Promise<Subscription | undefined> {
  return byId(context, id, undefined, 1000);
}

/** @param most - how many subscriptions are read at most */
async function byId(
  context: OperationContext,
  id: string,
  expand: Expand,
  most = Number.POSITIVE_INFINITY,
): Promise<Subscription | undefined> {
  const { known, rest } = walkOf(context, expand);
  while (!known.has(id) && known.size < most) {
    const step: IteratorResult<Subscription, undefined> = await rest.next().catch((error: unknown) => {
      // A walk that failed is over, as if there were no more: the next item begins another.
      walks.get(context.engine)?.clear();
      throw error;
    });
    if (step.done === true) return undefined;
    known.set(step.value.id, step.value);
  }
  return known.get(id);
}

function walkOf({ engine, call }: OperationContext, expand: Expand): Walk {
  const ofEngine = walks.get(engine) ?? new Map<string, Walk>();
  walks.set(engine, ofEngine);
  const key = JSON.stringify(expand ?? []);
  const begun = ofEngine.get(key) ?? startWalk();
  ofEngine.set(key, begun);
  return begun;

  function startWalk(): Walk {
    // The newest first: what a workflow asks for by its ID was most often created a moment ago.
    const query = { direction: 'desc', limit: largestPage, ...(expand && { expand }) } as const;
    const subscriptions = engine.list('subscriptions.list', query, call);
    return { known: new Map<string, Subscription>(), rest: subscriptions[Symbol.asyncIterator]() };
  }
}
