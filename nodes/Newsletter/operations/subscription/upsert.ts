/**
 * Creates a subscription, or updates the one that has the address.
 *
 * To a known address the service applies the custom fields of a creation and nothing else, and does not say so.
 * Everything else it takes for an existing subscription goes through a bulk update of one and, for automations, through
 * an enrollment of their own. Attribution, premium tiers and what only a creation decides cannot be changed any more;
 * those fields are named. A subscriber who has left stays away: without `reactivate_existing` an inactive subscription
 * joins no list and no automation, and only with it does `double_opt_override` make one active that was not confirmed.
 */
import { ApiError, type ServiceMessage } from '@newsletter-kit/core/engine';
import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { toRecord } from '../../records/present.ts';
import { toNodeFailure } from '../../transport/failure.ts';
import type { OperationContext } from '../definition.ts';
import { fieldsNotShown, isOfAnother, type Request } from './applied.ts';
import type { Change } from './changes.ts';
import { type Existed, lookBefore, type Subscription } from './existence.ts';
import { findByAddress } from './findSubscription.ts';
import { updateOne } from './updateJob.ts';

/** Seconds until a bulk update of one subscription must be done. */
const seconds = 300;

/** What became of a request. */
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
 * @throws NodeApiError or NodeOperationError that says what was done before it failed
 */
export async function upsert(
  context: OperationContext,
  asked: Request,
  parameters: readonly INodeProperties[],
): Promise<IDataObject> {
  // Consent must not rise unasked, and who was reactivated has to be known: both depend on the status until now.
  const delicate = asked.reactivate_existing === true || asked.double_opt_override === 'off';
  const { found, existed } = await lookBefore(context, asked.email, delicate);
  const request = withoutConsent(asked, found);
  const saved = await save(context, request, existed);
  const open = saved.created ? [] : unconfirmed(request, saved.answered);
  return finish(context, saved, parameters, open, async () => {
    if (!saved.created) await applyOthers(context, request, saved.answered);
    const record = await readAgain(context, request, saved);
    const reactivated = found?.status === 'inactive' && record.status !== 'inactive';
    return { record, ignored: notApplied(asked, record, saved.created, reactivated) };
  });
}

/**
 * Creates the subscription with an address that was looked for and is new. Where somebody else creates it in between,
 * the service sets its custom fields and nothing else is changed.
 */
export async function createNew(
  context: OperationContext,
  request: Request,
  parameters: readonly INodeProperties[],
): Promise<IDataObject> {
  const saved = await save(context, request, () => false);
  return finish(context, saved, parameters, [], async () => {
    const record = await readAgain(context, request, saved);
    return { record, ignored: notApplied(request, record, saved.created, false) };
  });
}

/** The answer to a creation. */
interface Saved {
  readonly answered: Subscription;
  readonly created: boolean;
  readonly warnings: readonly ServiceMessage[];
}

async function save({ engine, call }: OperationContext, request: Request, existed: Existed): Promise<Saved> {
  const { status, data } = await engine.call('subscriptions.create', request, call).withResponse();
  const answered: Subscription = data.data;
  const known = existed(answered);
  return {
    answered,
    created: status === 201 || (!known && !isOfAnother(request, answered)),
    warnings: data.warnings ?? [],
  };
}

/** Does what comes after the creation. */
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
    throw halfApplied(context, error, created, open, parameters);
  }
}

/** Without what would make an existing subscription active that nobody asked to reactivate. */
function withoutConsent(asked: Request, before: Subscription | undefined): Request {
  if (before === undefined || asked.reactivate_existing === true) return asked;
  const request = { ...asked };
  delete request.double_opt_override;
  return request;
}

/** Fields of a creation that a bulk update takes as well. */
const bulkFields = ['tier', 'payments_customer_id', 'newsletter_list_ids', 'complimentary_gift_id'] as const;

/** What remains to be done for an existing subscription through a bulk update. */
function remaining(request: Request, { id, status, ...record }: Subscription): Change | null {
  const { tier, payments_customer_id, newsletter_list_ids, complimentary_gift_id } = request;
  const change: Change = {
    subscription_id: id,
    // Premium tiers win over the tier; "free" would take away what they gave.
    ...(tier !== undefined &&
      tier !== record.subscription_tier &&
      !(tier === 'free' && (request.premium_tiers ?? request.premium_tier_ids)) && { tier }),
    ...(payments_customer_id !== undefined && { payments_customer_id }),
    ...(newsletter_list_ids !== undefined && status !== 'inactive' && { newsletter_list_ids }),
    ...(complimentary_gift_id !== undefined && { complimentary_gift_id }),
  };
  return bulkFields.some((name) => name in change) ? change : null;
}

async function applyOthers(context: OperationContext, request: Request, answered: Subscription): Promise<void> {
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
  // On this journey already: that is what was asked for.
  await engine
    .call('journeys.enroll', { automationId, subscription_id }, call)
    .catch((error: unknown) => (isEnrolledAlready(error) ? undefined : Promise.reject(error)));
}

function isEnrolledAlready(error: unknown): boolean {
  return error instanceof ApiError && error.errors.some(({ message }) => /already/i.test(message));
}

/** The subscription as it is now. One that was just created is in the answer, but for what has to be asked for. */
async function readAgain(
  context: OperationContext,
  request: Request,
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

/** Names of the fields that were asked for and not applied. */
function notApplied(asked: Request, record: Subscription, created: boolean, reactivated: boolean): string[] {
  const shown = fieldsNotShown(asked, record);
  return [...new Set(created ? shown : [...ofCreationAlone(asked, record, reactivated), ...shown])].toSorted();
}

/** Fields that the service does not apply to an existing subscription, and that its record does not show. */
function ofCreationAlone(asked: Request, record: Subscription, reactivated: boolean): string[] {
  const { double_opt_override: optIn, automation_ids = [] } = asked;
  const inactive = record.status === 'inactive';
  const wanted = optIn === 'off' ? ['active'] : ['pending', 'validating'];
  const unseen: Partial<Record<keyof Request, boolean>> = {
    automation_ids: inactive && automation_ids.length > 0,
    double_opt_override: optIn !== undefined && optIn !== 'not_set' && !wanted.includes(record.status),
    reactivate_existing: asked.reactivate_existing === true && inactive,
    referral_code: asked.referral_code !== undefined,
    send_welcome_email: asked.send_welcome_email === true && !reactivated,
    skip_newsletter_list_auto_subscribe: asked.skip_newsletter_list_auto_subscribe === true,
  };
  return Object.entries(unseen).flatMap(([name, ignored]) => (ignored ? [name] : []));
}

/** Fields of which nobody knows yet whether they were applied. */
function unconfirmed(request: Request, answered: Subscription): readonly string[] {
  const change = remaining(request, answered);
  const names = bulkFields.filter((name) => change !== null && name in change);
  const enrolls = answered.status !== 'inactive' && (request.automation_ids ?? []).length > 0;
  return [...names, ...(enrolls ? ['automation_ids'] : [])];
}

/** The failure of a later step, with what was done before it. */
function halfApplied(
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

/** The subscription of an outcome as an item; shows notices about what was not applied. */
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

/** Fields of the API by the labels of their parameters. */
export function labelsOf(names: readonly string[], parameters: readonly INodeProperties[]): string {
  const known = new Map(
    parameters.flatMap((parameter) =>
      [parameter, ...(parameter.type === 'collection' ? (parameter.options ?? []) : [])].map(
        ({ name, displayName }: { name: string; displayName?: string }) => [name, displayName] as const,
      ),
    ),
  );
  return names
    .map(
      (name) =>
        `"${name.startsWith('custom_fields.') ? name.slice('custom_fields.'.length) : (known.get(name) ?? name)}"`,
    )
    .join(', ');
}
