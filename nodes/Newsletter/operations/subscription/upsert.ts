/**
 * Creates a subscription, or updates the one that has the address.
 *
 * For a known address the service applies only the custom fields of a creation, and does not report the ignored fields.
 * Lists, tier, customer ID and gift are therefore sent as a bulk update, and automations as enrollments. Attribution,
 * premium tiers and other fields of a creation cannot be changed; they are reported as ignored. An inactive
 * subscription is not reactivated, and joins no list and no automation, without `reactivate_existing`;
 * `double_opt_override` activates an unconfirmed subscription only with it.
 *
 * Whether the subscription existed before is detected by reading before writing. The answer does not tell: by the
 * specification a new address and a known one are both answered with 200. Some services answer 201 to a new one, but
 * no service can be relied on to do so, and a lost 201 may be followed by a 200 to the retry.
 */
import { pageLimit } from '@newsletter-kit/core/contract';
import { ApiError, type Engine, type ServiceMessage } from '@newsletter-kit/core/engine';
import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { labelsOf } from '../../parameters/properties.ts';
import { toRecord } from '../../records.ts';
import { toNodeFailure } from '../../transport/failure.ts';
import type { OperationContext } from '../definition.ts';
import { fieldsNotApplied, type SentRequest, wasCreatedByAnother } from './ignoredFields.ts';
import { type JobChange, updateOne } from './jobs.ts';
import { findByAddress, type Subscription } from './read.ts';

/** Seconds to wait for a bulk update of one subscription. */
const seconds = 300;

/** The result of a request. */
interface Upserted {
  readonly record: Subscription;
  readonly created: boolean;
  /** Fields that the service did not apply. */
  readonly ignored: readonly string[];
  readonly warnings?: readonly ServiceMessage[];
}

/**
 * Creates the subscription, or updates everything that can be updated of the one with this address.
 *
 * @param parameters - of the operation; notices and errors name fields by their labels
 * @throws NodeApiError or NodeOperationError that names the steps completed before the failure
 */
export async function upsert(
  context: OperationContext,
  requested: SentRequest,
  parameters: readonly INodeProperties[],
): Promise<IDataObject> {
  // Both fields depend on the previous status: an active subscription must not follow without consent.
  const needsStatus = requested.reactivate_existing === true || requested.double_opt_override === 'off';
  const { found, existed } = await checkExistence(context, requested.email, needsStatus);
  const request = withoutReactivation(requested, found);
  const saved = await save(context, request, existed);
  const open = saved.created ? [] : unconfirmed(request, saved.answered);
  return finish(context, saved, parameters, open, async () => {
    if (!saved.created) await applyRemaining(context, request, saved.answered);
    const record = await readBack(context, request, saved);
    const reactivated = found?.status === 'inactive' && record.status !== 'inactive';
    return { record, ignored: notApplied(requested, record, saved.created, reactivated) };
  });
}

/**
 * Creates the subscription for an address that was looked up and is new. If somebody else creates it in between, the
 * service only sets its custom fields.
 */
export async function createNew(
  context: OperationContext,
  request: SentRequest,
  parameters: readonly INodeProperties[],
): Promise<IDataObject> {
  const saved = await save(context, request, () => false);
  return finish(context, saved, parameters, [], async () => {
    const record = await readBack(context, request, saved);
    return { record, ignored: notApplied(request, record, saved.created, false) };
  });
}

/** The answer to a creation. */
interface Saved {
  readonly answered: Subscription;
  readonly created: boolean;
  readonly warnings: readonly ServiceMessage[];
}

async function save({ engine, call }: OperationContext, request: SentRequest, existed: Existed): Promise<Saved> {
  const { status, data } = await engine.call('subscriptions.create', request, call).withResponse();
  const answered: Subscription = data.data;
  const known = existed(answered);
  return {
    answered,
    created: status === 201 || (!known && !wasCreatedByAnother(request, answered)),
    warnings: data.warnings ?? [],
  };
}

/** Runs the steps after the creation. */
async function finish(
  context: OperationContext,
  { created, warnings }: Saved,
  parameters: readonly INodeProperties[],
  open: readonly string[],
  work: () => Promise<Pick<Upserted, 'record' | 'ignored'>>,
): Promise<IDataObject> {
  try {
    return toItem(context, { ...(await work()), created, warnings }, parameters);
  } catch (error) {
    throw partialFailure(context, error, created, open, parameters);
  }
}

/** Removes the field that would activate an existing subscription without a request to reactivate it. */
function withoutReactivation(requested: SentRequest, before: Subscription | undefined): SentRequest {
  if (before === undefined || requested.reactivate_existing === true) return requested;
  const request = { ...requested };
  delete request.double_opt_override;
  return request;
}

/** Fields of a creation that a bulk update also takes. */
const bulkFields = ['tier', 'payments_customer_id', 'newsletter_list_ids', 'complimentary_gift_id'] as const;

/** The bulk update that an existing subscription needs after the creation; null where it needs none. */
function remaining(request: SentRequest, { id, status, ...record }: Subscription): JobChange | null {
  const { tier, payments_customer_id, newsletter_list_ids, complimentary_gift_id } = request;
  const change: JobChange = {
    subscription_id: id,
    // Premium tiers take precedence over the tier; "free" would remove them.
    ...(tier !== undefined &&
      tier !== record.subscription_tier &&
      !(tier === 'free' && (request.premium_tiers ?? request.premium_tier_ids)) && { tier }),
    ...(payments_customer_id !== undefined && { payments_customer_id }),
    ...(newsletter_list_ids !== undefined && status !== 'inactive' && { newsletter_list_ids }),
    ...(complimentary_gift_id !== undefined && { complimentary_gift_id }),
  };
  return bulkFields.some((name) => name in change) ? change : null;
}

async function applyRemaining(context: OperationContext, request: SentRequest, answered: Subscription): Promise<void> {
  const change = remaining(request, answered);
  if (change !== null) await updateOne(context, change, seconds);
  if (answered.status === 'inactive') return;
  for (const automationId of request.automation_ids ?? []) await enroll(context, automationId, answered.id);
}

async function enroll(
  { engine, call }: OperationContext,
  automationId: string,
  subscription_id: string,
): Promise<void> {
  // An existing enrollment is the requested result.
  await engine
    .call('journeys.enroll', { automationId, subscription_id }, call)
    .catch((error: unknown) => (isEnrolledAlready(error) ? undefined : Promise.reject(error)));
}

function isEnrolledAlready(error: unknown): boolean {
  return error instanceof ApiError && error.errors.some(({ message }) => /already/i.test(message));
}

/** The current subscription. A created one is read again only for fields that `expand` adds. */
async function readBack(
  context: OperationContext,
  request: SentRequest,
  { answered, created }: Saved,
): Promise<Subscription> {
  const { custom_fields, newsletter_list_ids, premium_tier_ids } = request;
  if (created && !custom_fields && !newsletter_list_ids && !premium_tier_ids)
    return { ...answered, custom_fields: answered.custom_fields ?? [] };
  const found = await findByAddress(context, answered.email, [
    'custom_fields',
    ...(newsletter_list_ids ? (['newsletter_lists'] as const) : []),
    ...(premium_tier_ids ? (['subscription_premium_tiers'] as const) : []),
  ]);
  return found?.id === answered.id ? found : answered;
}

/** Names of the requested fields that were not applied. */
function notApplied(requested: SentRequest, record: Subscription, created: boolean, reactivated: boolean): string[] {
  const shown = fieldsNotApplied(requested, record);
  return [...new Set(created ? shown : [...creationOnlyFields(requested, record, reactivated), ...shown])].toSorted();
}

/** Ignored fields of an existing subscription that its record does not show. */
function creationOnlyFields(requested: SentRequest, record: Subscription, reactivated: boolean): string[] {
  const { double_opt_override: optIn, automation_ids = [] } = requested;
  const inactive = record.status === 'inactive';
  const wanted = optIn === 'off' ? ['active'] : ['pending', 'validating'];
  const unseen: Partial<Record<keyof SentRequest, boolean>> = {
    automation_ids: inactive && automation_ids.length > 0,
    double_opt_override: optIn !== undefined && optIn !== 'not_set' && !wanted.includes(record.status),
    reactivate_existing: requested.reactivate_existing === true && inactive,
    referral_code: requested.referral_code !== undefined,
    send_welcome_email: requested.send_welcome_email === true && !reactivated,
    skip_newsletter_list_auto_subscribe: requested.skip_newsletter_list_auto_subscribe === true,
  };
  return Object.entries(unseen).flatMap(([name, ignored]) => (ignored ? [name] : []));
}

/** Fields that may not have been applied when a later step fails. */
function unconfirmed(request: SentRequest, answered: Subscription): readonly string[] {
  const change = remaining(request, answered);
  const names = bulkFields.filter((name) => change !== null && name in change);
  const enrolls = answered.status !== 'inactive' && (request.automation_ids ?? []).length > 0;
  return [...names, ...(enrolls ? ['automation_ids'] : [])];
}

/** The failure of a later step; its message names the completed steps. */
function partialFailure(
  { node, itemIndex }: OperationContext,
  error: unknown,
  created: boolean,
  open: readonly string[],
  parameters: readonly INodeProperties[],
): Error {
  const failure = toNodeFailure(node.getNode(), error, { itemIndex, parameters });
  const done = created
    ? 'The subscription was created, but reading it failed'
    : `The subscription existed and its custom fields were set, but ${
        open.length > 0 ? `${labelsOf(open, parameters)} may not have been` : 'reading it failed'
      }`;
  failure.message = `${done}: ${failure.message}`;
  return failure;
}

/** Converts the result to an item, and shows notices about ignored fields. */
export function toItem(
  { notice }: Pick<OperationContext, 'notice'>,
  { record: { created: created_at, ...record }, created, ignored, warnings = [] }: Upserted,
  parameters: readonly INodeProperties[],
): IDataObject {
  for (const { message } of warnings)
    notice(
      `The subscription was saved, with a warning of the service: ${message} Choose the custom fields anew where one was renamed or deleted.`,
    );
  if (ignored.length > 0)
    notice(
      `The service did not apply ${labelsOf(ignored, parameters)}${created ? '' : ' to a subscription that existed already'}. "ignored_fields" names them in each item.`,
    );
  const staysInactive = !created && record.status === 'inactive';
  if (staysInactive)
    notice(
      'A subscription that existed already stays inactive: the subscriber has left. Use "Reactivate Existing" of Create or Update only where the subscriber knowingly resubscribes.',
    );
  return toRecord({
    ...record,
    created,
    created_at,
    ignored_fields: [...ignored],
    ...(staysInactive && { stays_inactive: true }),
    ...(warnings.length > 0 && { warnings: [...warnings] }),
  });
}

/** Whether a subscription that was answered afterwards existed at the time of the snapshot. */
type Existed = (answered: Pick<Subscription, 'id' | 'created'>) => boolean;

/**
 * One snapshot serves several items: the page of the newest subscriptions. A subscription that is answered afterwards,
 * is not older than that page and is not on it, did not exist at that time. Both times are the service's own, so clock
 * skew does not matter. A snapshot is used for a few seconds, which limits the time in which somebody else may have
 * created a subscription. Where the page cannot decide, and for a single item, the node looks up the address.
 */
interface SubscriptionSnapshot {
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
const snapshots = new WeakMap<Engine, SubscriptionSnapshot>();
/** IDs that the service answered in this run. */
const answeredIds = new WeakMap<Engine, Set<string>>();

/** The state before a subscription is created or updated. */
interface Before {
  /** The subscription with the address, if it was looked up and found. */
  readonly found?: Subscription | undefined;
  readonly existed: Existed;
}

/**
 * Checks whether a subscription with this address exists, before it is created or updated.
 *
 * @param byAddress - whether to look up the address itself, because the previous subscription is needed
 */
async function checkExistence(context: OperationContext, email: string, byAddress: boolean): Promise<Before> {
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
  const query = { direction: 'desc', limit: pageLimit.max } as const;
  for await (const { id, created } of engine.list('subscriptions.list', query, call)) {
    // The list is not sorted by time, or has no times.
    if (!(created <= last)) return null;
    last = created;
    newest.set(id, created);
    if (newest.size % pageLimit.max > 0) continue;
    const [first = created] = newest.values();
    // Subscriptions of the same second have no order.
    if (created < first) return (answered) => answered.created <= created || newest.has(answered.id);
    if (newest.size >= maxPages * pageLimit.max) return null;
  }
  return ({ id }) => newest.has(id);
}
