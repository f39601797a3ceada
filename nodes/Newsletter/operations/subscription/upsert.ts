/**
 * Creates a subscription, or updates the one that has the address.
 *
 * For a known address the service applies only the custom fields of a creation, and does not report the ignored fields.
 * Lists, tier, customer ID and gift are therefore sent as a bulk update, and automations as enrollments. Attribution,
 * premium tiers and other fields of a creation cannot be changed; they are reported as ignored. An inactive
 * subscription is not reactivated, and joins no list and no automation, without `reactivate_existing`;
 * `double_opt_override` activates an unconfirmed subscription only with it. Nobody is reactivated whose status the
 * specification does not have.
 *
 * The address is looked up before writing, to know whether a subscription existed. The answer to the creation does not
 * tell: by the specification a new address and a known one are both answered with 200. Some services answer 201 to a
 * new one, but a lost 201 may be followed by a 200 to the retry. A subscription that was not found is new where it was
 * created after the answer of the lookup, by the clock of the service. Where n8n runs the node again, what the first
 * try found is kept: the second finds what the first has created.
 */
import { messagesIn, type ServiceMessage } from '@newsletter-kit/core/engine';
import { getsMail, hasLeft, isUnconfirmed, isUnknownStatus, momentOf } from '@newsletter-kit/core/facts';
import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { labelsOf } from '../../parameters/properties.ts';
import { toRecord } from '../../records.ts';
import { toNodeFailure } from '../../transport/failure.ts';
import { enrollOne } from '../automation.ts';
import type { Before, OperationContext, Saved } from '../definition.ts';
import { fieldsNotApplied, type SentRequest } from './ignoredFields.ts';
import { type JobChange, updateOne } from './jobs.ts';
import { findByAddress, searchAddress, type Subscription } from './read.ts';

/** Seconds to wait for a bulk update of one subscription. */
const seconds = 300;

/** The result of a request. */
interface Upserted {
  readonly record: Subscription;
  /** Null where the service does not tell whether the subscription is new. */
  readonly outcome: 'created' | 'updated' | 'unchanged' | null;
  /** Fields that the service did not apply. */
  readonly ignored: readonly string[];
  readonly warnings?: readonly ServiceMessage[];
}

/**
 * Creates the subscription, or updates everything that can be updated of the one with this address.
 *
 * @param parameters - of the operation; notices and errors name fields by their labels
 * @param mayUpdate - false where the address was looked up and is new: if somebody else creates the subscription in
 *   between, the service only sets its custom fields
 * @throws NodeApiError or NodeOperationError that names the steps completed before the failure
 */
export async function upsert(
  context: OperationContext,
  requested: SentRequest,
  parameters: readonly INodeProperties[],
  mayUpdate = true,
): Promise<IDataObject> {
  const { found: before } = await findBefore(context, requested.email);
  const request = withoutReactivation(requested, before);
  const saved = await save(context, request);
  const { isNew, warnings } = saved;
  try {
    const applied = mayUpdate && (await applyRemaining(context, request, saved));
    const record = await readBack(context, request, saved);
    const reactivated = hasLeft(before?.status) && !hasLeft(record.status);
    const isSame = before !== null && !applied && hasSameValues(before, record);
    const outcome = isNew === true ? 'created' : isSame ? 'unchanged' : isNew === null ? null : 'updated';
    const unseen = isNew === false ? creationOnlyFields(requested, record, reactivated) : [];
    const ignored = [...new Set([...unseen, ...fieldsNotApplied(requested, record, before)])].toSorted();
    return toItem(context, { record, outcome, ignored, warnings }, parameters);
  } catch (error) {
    const { node, itemIndex } = context;
    const failure = toNodeFailure(node.getNode(), error, { itemIndex, parameters });
    const unconfirmed = mayUpdate && isNew !== true ? unconfirmedFields(request, saved) : [];
    const done =
      isNew === true
        ? 'The subscription was created, but reading it failed'
        : `The subscription existed and its custom fields were set, but ${
            unconfirmed.length > 0 ? `${labelsOf(unconfirmed, parameters)} may not have been` : 'reading it failed'
          }`;
    failure.message = `${done}: ${failure.message}`;
    throw failure;
  }
}

/** The subscription that had the address before this execution worked on the item. */
export async function findBefore(context: OperationContext, email: string): Promise<Before> {
  const { earlier } = context;
  if (earlier.before?.email === email) return earlier.before;
  earlier.before = { email, ...(await searchAddress(context, email, ['custom_fields'])) };
  return earlier.before;
}

async function save(context: OperationContext, request: SentRequest): Promise<Saved> {
  const { engine, call, earlier, notice } = context;
  if (earlier.saved?.email === request.email) return earlier.saved;
  const before = await findBefore(context, request.email);
  const { status, data } = await engine.call('subscriptions.create', request, call).withResponse();
  const answered: Subscription = data.data;
  const isNew = status === 201 || isNewSince(before, answered);
  if (isNew === null)
    notice(
      'The service does not tell whether a subscription is new, because its answers have no Date or its subscriptions no time of creation: "outcome" is null.',
    );
  earlier.saved = { email: request.email, answered, isNew, warnings: messagesIn(data.warnings) };
  return earlier.saved;
}

/** Most milliseconds by which the clock that dates the answers may be ahead of the one that dates subscriptions. */
const slackMs = 5_000;

/** Whether a subscription was created after the search for its address; null where one of the times is missing. */
function isNewSince({ found, at }: Before, { created }: Subscription): boolean | null {
  if (found !== null) return false;
  const createdAt = momentOf(created);
  return createdAt === undefined || Number.isNaN(at) ? null : createdAt >= at - slackMs;
}

/** Whether a subscription has still all values that it had. */
function hasSameValues(before: Subscription, record: Subscription): boolean {
  const now: Readonly<Record<string, unknown>> = { ...record };
  return Object.entries(before).every(([name, value]) => JSON.stringify(now[name]) === JSON.stringify(value));
}

/** Removes the field that would activate an existing subscription without a request to reactivate it. */
function withoutReactivation(requested: SentRequest, before: Subscription | null): SentRequest {
  const isKnown = before === null || !isUnknownStatus(before.status);
  if (before === null || (requested.reactivate_existing === true && isKnown)) return requested;
  const request = { ...requested, ...(!isKnown && { reactivate_existing: false }) };
  delete request.double_opt_override;
  return request;
}

/** Fields of a creation that a bulk update also takes. */
const bulkFields = ['tier', 'payments_customer_id', 'newsletter_list_ids', 'complimentary_gift_id'] as const;

/**
 * The bulk update that is needed after the creation; null where none is. A new subscription needs one where another
 * client created it after the lookup, so that it lacks what was asked.
 */
function remaining(request: SentRequest, { isNew, answered: { id, status, ...record } }: Saved): JobChange | null {
  const { tier, payments_customer_id, newsletter_list_ids, complimentary_gift_id } = request;
  if (isNew === true && (tier ?? record.subscription_tier) === record.subscription_tier) return null;
  const change: JobChange = {
    subscription_id: id,
    // Premium tiers take precedence over the tier; "free" would remove them.
    ...(tier !== undefined &&
      tier !== record.subscription_tier &&
      !(tier === 'free' && (request.premium_tiers ?? request.premium_tier_ids)) && { tier }),
    ...(payments_customer_id !== undefined && { payments_customer_id }),
    ...(newsletter_list_ids !== undefined && !hasLeft(status) && { newsletter_list_ids }),
    ...(complimentary_gift_id !== undefined && { complimentary_gift_id }),
  };
  return bulkFields.some((name) => name in change) ? change : null;
}

/** Whether something remained to be applied. */
async function applyRemaining(context: OperationContext, request: SentRequest, saved: Saved): Promise<boolean> {
  const change = remaining(request, saved);
  const { answered, isNew } = saved;
  if (change !== null) await updateOne(context, change, seconds, answered.email ?? undefined);
  if (isNew === true || hasLeft(answered.status)) return change !== null;
  const { automation_ids = [] } = request;
  // An existing enrollment is the requested result.
  for (const automationId of automation_ids) await enrollOne(context, { automationId, subscription_id: answered.id });
  return change !== null || automation_ids.length > 0;
}

/** The current subscription. A created one is read again only for fields that `expand` adds, or that were changed. */
async function readBack(context: OperationContext, request: SentRequest, saved: Saved): Promise<Subscription> {
  const { answered, isNew } = saved;
  const { custom_fields, newsletter_list_ids, premium_tier_ids } = request;
  const isWhole = !custom_fields && !newsletter_list_ids && !premium_tier_ids && remaining(request, saved) === null;
  if (isNew === true && isWhole) return { ...answered, custom_fields: answered.custom_fields ?? [] };
  const found = await findByAddress(context, answered.email ?? request.email, [
    'custom_fields',
    ...(newsletter_list_ids ? (['newsletter_lists'] as const) : []),
    ...(premium_tier_ids ? (['subscription_premium_tiers'] as const) : []),
  ]);
  return found?.id === answered.id ? found : answered;
}

/** Ignored fields of an existing subscription that its record does not show. */
function creationOnlyFields(requested: SentRequest, record: Subscription, reactivated: boolean): string[] {
  const { double_opt_override: optIn, automation_ids = [] } = requested;
  const inactive = hasLeft(record.status);
  const hasOptIn = optIn === 'off' ? getsMail : isUnconfirmed;
  const unseen: Partial<Record<keyof SentRequest, boolean>> = {
    automation_ids: inactive && automation_ids.length > 0,
    double_opt_override: optIn !== undefined && optIn !== 'not_set' && !hasOptIn(record.status),
    reactivate_existing: requested.reactivate_existing === true && inactive,
    referral_code: requested.referral_code !== undefined,
    send_welcome_email: requested.send_welcome_email === true && !reactivated,
    skip_newsletter_list_auto_subscribe: requested.skip_newsletter_list_auto_subscribe === true,
  };
  return Object.entries(unseen).flatMap(([name, ignored]) => (ignored ? [name] : []));
}

/** Fields that may not have been applied when a later step fails. */
function unconfirmedFields(request: SentRequest, saved: Saved): readonly string[] {
  const change = remaining(request, saved);
  const names = bulkFields.filter((name) => change !== null && name in change);
  const enrolls = !hasLeft(saved.answered.status) && (request.automation_ids ?? []).length > 0;
  return [...names, ...(enrolls ? ['automation_ids'] : [])];
}

/** Converts the result to an item, and shows notices about ignored fields. */
export function toItem(
  { notice }: Pick<OperationContext, 'notice'>,
  { record, outcome, ignored, warnings = [] }: Upserted,
  parameters: readonly INodeProperties[],
): IDataObject {
  for (const { message } of warnings)
    notice(
      `The subscription was saved, with a warning of the service: ${message} Choose the custom fields anew where one was renamed or deleted.`,
    );
  // A custom field that a warning names has its notice already.
  const untold = ignored.filter(
    (name) => !warnings.some(({ message }) => message.includes(`"${name.replace(/^custom_fields\./, '')}"`)),
  );
  if (untold.length > 0)
    notice(
      `The service did not apply ${labelsOf(untold, parameters)}${outcome === 'created' ? '' : ' to a subscription that existed already'}. "ignored_fields" names them in each item.`,
    );
  const staysInactive = outcome !== 'created' && hasLeft(record.status);
  if (isUnknownStatus(record.status))
    notice(
      `A subscription has the status "${record.status}", which the specification does not have: this node reactivates nobody who has it.`,
    );
  else if (staysInactive)
    notice(
      'A subscription that existed already stays inactive: the subscriber has left. Use "Reactivate Someone Who Unsubscribed" of Create or Update only where the subscriber knowingly subscribes again.',
    );
  return toRecord({
    ...record,
    outcome,
    ignored_fields: [...ignored],
    ...(staysInactive && { stays_inactive: true }),
    ...(warnings.length > 0 && { warnings: [...warnings] }),
  });
}
