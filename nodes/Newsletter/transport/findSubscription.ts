/**
 * Finds one subscription. The API reads subscriptions as a list alone: an address is one request, an ID is looked for
 * page by page. That walk is shared by all items of a run, so that many IDs cost no more than reading the list once.
 */
import type { Arguments, Engine, Item } from '@newsletter-kit/core/engine';
import type { OperationContext } from '../operations/definition.ts';
import { largestPage } from '../parameters/list.ts';
import { ParameterMismatch } from '../parameters/read.ts';
import type { Subscriber } from '../parameters/subscriber.ts';

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
    'email' in named ? await byAddress(context, named.email, expand) : await byId(context, named.id, expand);
  if (found !== undefined) return found;
  throw new ParameterMismatch(
    '"Subscription" names no subscription of this publication; check the address or the ID, and the Publication',
  );
}

async function byAddress(
  { engine, call }: OperationContext,
  email: string,
  expand: Expand,
): Promise<Subscription | undefined> {
  const { items } = await engine.list('subscriptions.list', { email, limit: 1, ...(expand && { expand }) }, call);
  return items[0];
}

async function byId(context: OperationContext, id: string, expand: Expand): Promise<Subscription | undefined> {
  const { known, rest } = walkOf(context, expand);
  while (!known.has(id)) {
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
