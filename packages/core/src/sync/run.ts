/** Runs a sync on an engine: reads both sides, plans, and writes the changes of the newsletter. */
import { bulkUpdateLimit } from '../contract/values.ts';
import { AbortedError, BadRequestError, isRefusal, NewsletterError } from '../engine/errors.ts';
import type { Arguments, CallOptions, Engine, PagePromise } from '../engine/index.ts';
import { awaitUpdate, type UpdateProblem } from '../import/await-update.ts';
import { listCustomFields } from '../import/custom-fields.ts';
import { redact } from '../engine/redact.ts';
import { createReconciler } from './decide/reconciler.ts';
import type { SyncMapping } from './mapping/mapping.ts';
import { prepareMapping, type ReadyMapping, type SyncSubscription } from './mapping/prepare-mapping.ts';
import type { SyncState } from './mapping/state.ts';
import { withStored } from './mapping/stored-form.ts';
import { finding, type Finding } from './report/findings.ts';
import type {
  ConsentRecord,
  ContactCreate,
  ContactWrite,
  PlannedPair,
  PlannedPart,
  SubscriptionCreate,
  SubscriptionWrite,
  SyncPlan,
} from './report/plan.ts';

/** How far a run is. */
export interface SyncProgress {
  readonly phase: 'contacts' | 'subscriptions' | 'comparing' | 'writing';
  /** Contacts or subscriptions read, contacts compared, or changes written. */
  readonly done: number;
  /** Undefined where it is not known yet. */
  readonly of?: number | undefined;
}

interface Common {
  readonly engine: Pick<Engine, 'call' | 'list' | 'host'>;
  /** The publication; may be left out where the engine has a default. */
  readonly publicationId?: string | undefined;
  readonly onProgress?: ((progress: SyncProgress) => void) | undefined;
  /** For each call. */
  readonly call?: CallOptions | undefined;
}

/** Options of {@link planSync}. */
export interface PlanSyncOptions extends Common {
  readonly mapping: SyncMapping;
  /** Records in which the mapping's paths name the fields. */
  readonly contacts: Iterable<unknown> | AsyncIterable<unknown>;
  /**
   * `everything`: `contacts` are all there are. `incoming`: some, whose subscriptions are looked up by address, one
   * request each. Default `everything`.
   */
  readonly scope?: 'everything' | 'incoming' | undefined;
  readonly state: SyncState;
  /** Seeds the fingerprints: the same in every run. Default: the publication's id, or `newsletter`. */
  readonly key?: string | undefined;
  /** Carries out a plan that would otherwise be held back. Default false. */
  readonly accept?: boolean | undefined;
}

/**
 * Reads both sides and plans. Writes nothing.
 *
 * @throws MappingError, and what the engine throws: of half a list nothing is planned
 */
export async function planSync(options: PlanSyncOptions): Promise<SyncPlan> {
  const { engine, contacts, scope = 'everything', state, accept, onProgress } = options;
  const now = engine.host.now();
  const mapping = await readMapping(options);
  const reconciler = createReconciler({ mapping, state, now, scope, accept });
  let read = 0;
  const addresses: string[] = [];
  for await (const record of contacts) {
    const emails = reconciler.addContact(record);
    if (scope === 'incoming') addresses.push(...emails);
    read += 1;
    if (read % 1000 === 0) onProgress?.({ phase: 'contacts', done: read });
  }
  onProgress?.({ phase: 'contacts', done: read, of: read });

  let seen = 0;
  const of = scope === 'incoming' ? addresses.length : undefined;
  for await (const page of scope === 'incoming' ? pagesOf(new Set(addresses), options) : subscriptionPages(options)) {
    reconciler.addSubscriptions(page.items);
    reconciler.leaveOut(page.leftOut);
    seen += scope === 'incoming' ? 1 : page.items.length;
    onProgress?.({ phase: 'subscriptions', done: seen, ...(of !== undefined && { of }) });
  }
  const parts = reconciler.finishInParts();
  for (;;) {
    const part = parts.next();
    if (part.done) return part.value;
    await engine.host.sleep(0);
  }
}

/** A page of subscriptions. */
export interface SubscriptionPage {
  readonly items: readonly SyncSubscription[];
  /** Records that cannot be used. */
  readonly leftOut: readonly unknown[];
}

/** Lists subscriptions. Those without what the planner needs are left out. */
function listed(
  { engine, publicationId, call }: Pick<Common, 'engine' | 'publicationId' | 'call'>,
  query: Pick<Arguments<'subscriptions.list'>, 'email' | 'order_by' | 'direction'>,
): PagePromise<SyncSubscription> {
  const all = { publicationId, expand: ['custom_fields' as const], limit: 100, ...query };
  return engine.list('subscriptions.list', all, { ...call, reader: 'sync' }) as PagePromise<SyncSubscription>;
}

/** All subscriptions as the planner needs them, the oldest first. */
export async function* subscriptionPages(
  options: Pick<Common, 'engine' | 'publicationId' | 'call'>,
): AsyncGenerator<SubscriptionPage> {
  yield* listed(options, { order_by: 'created', direction: 'asc' }).pages();
}

/** A page for each address. */
async function* pagesOf(addresses: ReadonlySet<string>, options: Common): AsyncGenerator<SubscriptionPage> {
  for (const email of addresses) yield await listed(options, { email });
}

/** The mapping with the present names and kinds of the publication's custom fields. */
export async function readMapping({
  engine,
  publicationId,
  mapping,
  key,
  call,
}: Pick<PlanSyncOptions, 'engine' | 'publicationId' | 'mapping' | 'key' | 'call'>): Promise<ReadyMapping> {
  const customFields = await listCustomFields(engine, { publicationId, call });
  return prepareMapping(mapping, customFields, key ?? publicationId ?? 'newsletter');
}

/** Options of {@link applySync}. */
export interface ApplySyncOptions extends Common {
  /** The plan, or a part of it. */
  readonly plan: PlannedPart & Pick<SyncPlan, 'mapping'>;
}

/** The changes left for the contacts after the newsletter's were written, and the failures. */
export interface AppliedSync {
  /** Of pairs whose changes the newsletter has taken, and of those that had none there. */
  readonly contactUpdates: readonly ContactWrite[];
  readonly contactCreates: readonly ContactCreate[];
  /** The plan's findings, and one for each change that the newsletter did not take. */
  readonly findings: readonly Finding[];
  /** Audit records of the opt-outs and unsubscribes that were read or copied. */
  readonly consent: readonly ConsentRecord[];
  /** Subscriptions changed, and asked to subscribe. */
  readonly updated: number;
  readonly created: number;
  /** Changes the newsletter did not take. */
  readonly failed: number;
  /** What {@link stateAfter} forgets: creations that the newsletter refused, and writes that were not handed over. */
  readonly refused: readonly Pick<SubscriptionCreate | ContactWrite, 'key'>[];
}

/** The state to store once a plan was carried out, without what the newsletter has refused: the next run tries it. */
export function stateAfter(state: SyncState, { refused }: Pick<AppliedSync, 'refused'>): SyncState {
  const keys = new Set(refused.map(({ key }) => key));
  if (keys.size === 0) return state;
  const updates = Object.entries(state.updates).filter(([key]) => !keys.has(key));
  return { ...state, asked: state.asked.filter((key) => !keys.has(key)), updates: Object.fromEntries(updates) };
}

/**
 * Writes the newsletter's changes of a plan: unsubscribes first, each by itself, in bulk updates of up to 1000, each
 * awaited. A contact whose subscription's change failed keeps its old token, so the next run plans it again; so it is
 * after a crash at any point. A subscription whose creation may have arrived is never created again.
 *
 * @throws what the engine throws; the next run plans again what was not done
 */
export async function applySync(options: ApplySyncOptions): Promise<AppliedSync> {
  const { plan, onProgress } = options;
  const failures = new Map<PlannedPair, string>();
  const updates = plan.pairs.flatMap((pair) => pair.subscriptionWrites.map((write) => ({ pair, write })));
  const inOrder = (['unsubscribe', 'custom_fields'] as const).flatMap((part) =>
    updates.flatMap(({ pair, write: { subscription_id, ...write } }) =>
      write[part] ? [{ pair, write: { subscription_id, [part]: write[part] } }] : [],
    ),
  );
  const total = updates.length + plan.subscriptionCreates.length;
  let done = 0;
  const report = (written: number): void =>
    onProgress?.({ phase: 'writing', done: (done = Math.min(total, done + written)), of: total });
  for (const batch of inBatches(inOrder)) {
    for (const { index, message: detail } of await updateSubscriptions(options, batch))
      // A line that names no item may be about any of them.
      for (const { pair } of index === undefined ? batch : batch.slice(index, index + 1)) failures.set(pair, detail);
    report(batch.length);
  }
  const { refused, findings } = await createSubscriptions(options, plan.subscriptionCreates);
  report(plan.subscriptionCreates.length);
  const taken = plan.pairs.filter((pair) => !failures.has(pair));
  const stored = await readBack(options, taken);
  return {
    contactUpdates: taken.flatMap(({ contactWrites, subscriptionId }) => {
      const subscription = stored.get(subscriptionId);
      if (!subscription) return contactWrites;
      return contactWrites.map((write) => ({
        ...write,
        token: withStored(write.token, { subscription }, plan.mapping),
      }));
    }),
    contactCreates: plan.contactCreates,
    findings: [...plan.findings, ...[...failures].map(([pair, detail]) => failed(pair, detail)), ...findings],
    consent: [...taken, ...plan.contactCreates].flatMap(({ consent }) => consent),
    updated: updates.filter(({ pair }) => !failures.has(pair)).length,
    created: plan.subscriptionCreates.length - refused.length,
    failed: failures.size + refused.length,
    refused: [...refused, ...[...failures.keys()].flatMap(({ contactWrites }) => contactWrites)],
  };
}

/** Most subscriptions that are read back, one request each: what a newsletter makes of more shows the next run. */
const mostReadBack = 100;

/** The subscriptions whose values a run has changed, as the newsletter has stored them. */
async function readBack(options: Common, pairs: readonly PlannedPair[]): Promise<Map<string, SyncSubscription>> {
  const changed = pairs.filter(({ subscriptionWrites }) => subscriptionWrites.some((write) => write.custom_fields));
  const stored = new Map<string, SyncSubscription>();
  for (const { email, subscriptionId } of changed.slice(0, mostReadBack)) {
    const { items } = await listed(options, { email });
    const found = items.find(({ id }) => id === subscriptionId);
    if (found) stored.set(subscriptionId, found);
  }
  return stored;
}

/** Makes a bulk update and waits for its end. @returns the changes that the newsletter did not take */
async function updateSubscriptions(
  { engine, publicationId, call }: Common,
  batch: readonly { readonly pair: Pick<PlannedPair, 'email'>; readonly write: SubscriptionWrite }[],
): Promise<readonly Pick<UpdateProblem<unknown>, 'index' | 'message'>[]> {
  const subscriptions = batch.map(({ write }) => write);
  const { data } = await engine.call('subscriptions.bulkUpdate', { publicationId, subscriptions }, call);
  const id = data.subscription_update_id;
  // The next run plans the changes again where the service did not take them.
  if (typeof id !== 'string')
    return [{ index: undefined, message: 'The newsletter did not say under which id it works on the changes.' }];
  const signal = call?.signal;
  const items = batch.map(({ pair: { email }, write }) => ({ ...write, email }));
  const { outcome, problems, update } = await awaitUpdate({ engine, id, publicationId, items, signal });
  if (outcome === 'failed' && problems.length === 0)
    return [{ index: undefined, message: redact(update.failure_reason ?? 'The bulk update failed.') }];
  return problems;
}

/** Asks for subscriptions, each once: a request whose answer is lost may have mailed somebody. */
async function createSubscriptions(
  options: Common,
  creates: readonly SubscriptionCreate[],
): Promise<Pick<AppliedSync, 'findings'> & { readonly refused: readonly SubscriptionCreate[] }> {
  const refused: SubscriptionCreate[] = [];
  const findings: Finding[] = [];
  const queue = [...inBatches(creates)];
  for (let batch = queue.shift(); batch; batch = queue.shift()) {
    const error = await createBatch(options, batch);
    if (error === null) continue;
    const isBad = error instanceof BadRequestError;
    // One row that the service does not take refuses all: halves find it.
    if (isBad && batch.length > 1) {
      const middle = Math.ceil(batch.length / 2);
      queue.unshift(batch.slice(0, middle), batch.slice(middle));
      continue;
    }
    const isRefused = isRefusal(error);
    const all = isRefused && !isBad ? [...batch, ...queue.splice(0).flat()] : batch;
    if (isRefused) refused.push(...all);
    const code = isRefused ? 'write_failed' : 'subscription_creation_failed';
    const detail = redact(error.message);
    findings.push(...all.map(({ contactId }) => finding(code, true, { contactId, side: 'newsletter', detail })));
  }
  return { refused, findings };
}

/** @returns why the service did not answer that it has taken them; null where it did */
async function createBatch(
  { engine, publicationId, call }: Common,
  batch: readonly SubscriptionCreate[],
): Promise<NewsletterError | null> {
  const subscriptions = batch.map(({ request }) => ({ custom_fields: [], ...request }));
  try {
    await engine.call('subscriptions.bulkCreate', { publicationId, subscriptions }, { ...call, retry: false });
    return null;
  } catch (error) {
    if (!(error instanceof NewsletterError) || error instanceof AbortedError) throw error;
    return error;
  }
}

function failed({ contactWrites: [contact], subscriptionWrites: [write] }: PlannedPair, detail: string): Finding {
  return finding('write_failed', true, {
    ...(contact && { contactId: contact.id }),
    ...(write && { subscriptionId: write.subscription_id }),
    side: 'newsletter',
    detail,
  });
}

function* inBatches<Entry>(entries: readonly Entry[]): Generator<readonly Entry[]> {
  for (let start = 0; start < entries.length; start += bulkUpdateLimit)
    yield entries.slice(start, start + bulkUpdateLimit);
}
