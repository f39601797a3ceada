/** Applies a SubscriptionRequest to the world: creates the subscription or updates the one with this address. */
import type { ServiceMessage as ErrorDetail } from '@newsletter-kit/core/engine';
import type { SubscriptionRequest } from '@newsletter-kit/core/schema';
import { addressKey } from '@newsletter-kit/core/signup';
import type { AutomationRow } from '../store/automations.ts';
import type { ComplimentaryAccessRow } from '../store/content.ts';
import { attributionColumns, type SubscriptionRow } from '../store/subscriptions.ts';
import type { PublicationRow } from '../store/workspace.ts';
import { applyCustomFields, matchCustomFields } from './custom-fields.ts';
import { giveAccess, removeTiers } from './complimentary-access.ts';
import { enroll, takesApiEnrollment } from './journeys.ts';
import { requestWelcome } from './mail.ts';
import { addSubscription } from './new-record.ts';
import { type Emit, Refusal, type World } from './world.ts';
import { type DoubleOptOverride, needsConfirmation, statusAfterValidation, validationTime } from './status.ts';

/** Acquisition channels that a request can come by. */
export type Channel = 'api' | 'import';

/** The result of a SubscriptionRequest. */
export interface Subscribed {
  readonly row: SubscriptionRow;
  /** Whether the address was new. */
  readonly created: boolean;
  readonly warnings: readonly ErrorDetail[];
  /** What was decided, in words for the request log; no addresses. */
  readonly reasons: readonly string[];
}

/**
 * Creates the subscription, or applies the request to the one that has this address (in any case of its letters): then
 * custom fields are set, `double_opt_override` is followed and, where asked, an unsubscribed one is reactivated. The
 * assumption `known_address` decides whether the other fields change it too.
 *
 * @throws {@link Refusal} where a list, tier, gift or automation does not exist on the publication; nothing is written
 *   then
 */
export function subscribe(
  world: World,
  publication: PublicationRow,
  request: SubscriptionRequest,
  emit: Emit,
  channel: Channel = 'api',
): Subscribed {
  const references = resolveReferences(world, publication.id, request);
  const { customFields, subscriptions } = world.store;
  const fields = matchCustomFields(customFields, publication.id, request.custom_fields ?? []);
  const existing = subscriptions.byAddress(publication.id, addressKey(request.email));

  const done = existing
    ? updateExisting(world, publication, existing, request, references, emit)
    : create(world, publication, request, references, channel);
  if (request.send_welcome_email && done.welcome) requestWelcome(world, done.seq);
  const changed = applyCustomFields(customFields, done.seq, fields.values);
  if (done.changed || changed) emit({ type: 'subscription', change: existing ? 'updated' : 'created', seq: done.seq });

  const row = subscriptions.bySeq(done.seq);
  if (!row) throw new Error('The subscription that was just written cannot be found.');
  return { row, created: !existing, warnings: fields.warnings, reasons: done.reasons };
}

/** Finishes the address check of a new subscription. */
export function finishValidation(world: World, seq: number, emit: Emit): void {
  const row = world.store.subscriptions.bySeq(seq);
  if (row?.status !== 'validating') return;
  world.store.subscriptions.setStatus(seq, statusAfterValidation(row.email, row.double_opt_in === 1));
  emit({ type: 'subscription', change: 'updated', seq });
}

/**
 * Applies `double_opt_override` to an existing subscriber. It has an effect only where the subscriber is not active
 * yet.
 */
export function overrideDoubleOpt(
  world: World,
  { seq, status }: SubscriptionRow,
  override: DoubleOptOverride | undefined,
  emit: Emit,
): void {
  const { subscriptions } = world.store;
  // Read at the end of the address check alone.
  if (override === 'on') subscriptions.setDoubleOptIn(seq, 1);
  if (!activates(override, status)) return;
  subscriptions.setStatus(seq, 'active');
  emit({ type: 'subscription', change: 'updated', seq });
}

const activates = (override: DoubleOptOverride | undefined, status: string): boolean =>
  override === 'off' && (status === 'validating' || status === 'pending');

interface Applied {
  readonly seq: number;
  readonly changed: boolean;
  /** Whether a welcome e-mail belongs to it: it is new or reactivated. */
  readonly welcome: boolean;
  readonly reasons: readonly string[];
}

/** Fields that only an assumption lets change a subscription that exists. */
const assumedFields = [
  ...attributionColumns,
  'payments_customer_id',
  'tier',
  'premium_tiers',
  'premium_tier_ids',
  'automation_ids',
  'newsletter_list_ids',
  'complimentary_gift_id',
] as const satisfies readonly (keyof SubscriptionRequest)[];
/** Fields that apply to new subscriptions only, under every assumption. */
const newOnlyFields = [
  'referral_code',
  'skip_newsletter_list_auto_subscribe',
] as const satisfies readonly (keyof SubscriptionRequest)[];

function updateExisting(
  world: World,
  publication: PublicationRow,
  existing: SubscriptionRow,
  request: SubscriptionRequest,
  references: References,
  emit: Emit,
): Applied {
  const { seq } = existing;
  const all = world.assumed('known_address') === 'all_fields';
  const present = (names: readonly (keyof SubscriptionRequest)[]) =>
    names.filter((name) => request[name] !== undefined);
  const reactivated = existing.status === 'inactive' && request.reactivate_existing === true;
  const late: readonly string[] = [
    ...present(newOnlyFields),
    ...(request.send_welcome_email && !reactivated ? ['send_welcome_email'] : []),
  ];
  const assumed = present(assumedFields);
  const reasons = [
    `A subscription with this address exists: it was returned, with ${all ? 'all fields' : 'custom fields'} applied.`,
  ];
  if (!all && assumed.length + late.length > 0)
    reasons.push(
      `Ignored for an existing subscription (assumption known_address): ${[...assumed, ...late].join(', ')}.`,
    );
  if (all && late.length > 0) reasons.push(`Ignored because they apply to new subscriptions only: ${late.join(', ')}.`);
  if (all) reasons.push(...applyAllFields(world, existing, request, references));
  const changed = all && assumed.length > 0;

  if (existing.status !== 'inactive') {
    overrideDoubleOpt(world, existing, request.double_opt_override, emit);
    if (activates(request.double_opt_override, existing.status))
      reasons.push(`double_opt_override was off: ${existing.status} became active.`);
    return { seq, changed, welcome: false, reasons };
  }
  if (!reactivated) {
    reasons.push('The subscription stays inactive: reactivate_existing was not true.');
    return { seq, changed, welcome: false, reasons };
  }
  // Its address is known; only consent may be missing.
  const mustConfirm = needsConfirmation(request.double_opt_override, publication.double_opt_in === 1);
  const status = mustConfirm ? 'pending' : 'active';
  world.store.subscriptions.setStatus(seq, status);
  reasons.push(`reactivate_existing was true: inactive became ${status}.`);
  return { seq, changed: true, welcome: true, reasons };
}

/** Applies every field of the request to an existing subscription; returns a sentence for each that was skipped. */
function applyAllFields(
  world: World,
  { seq }: SubscriptionRow,
  request: SubscriptionRequest,
  references: References,
): readonly string[] {
  const { subscriptions } = world.store;
  for (const column of attributionColumns) {
    const text = request[column];
    if (text !== undefined) subscriptions.setAttribution(seq, column, text);
  }
  if (request.payments_customer_id !== undefined) subscriptions.setCustomer(seq, request.payments_customer_id);
  if (references.tiers.length > 0 || request.tier === 'premium') subscriptions.setTier(seq, 'premium');
  else if (request.tier === 'free') removeTiers(world, seq);
  for (const tier of references.tiers) subscriptions.addTier(seq, tier);
  for (const list of references.named) subscriptions.addToList(seq, list);
  if (references.gift) giveAccess(world, seq, references.gift);
  return enrollInto(world, references.automations, seq);
}

/** Enrolls into each automation that accepts API enrollment; returns a sentence for each that does not. */
function enrollInto(world: World, automations: readonly AutomationRow[], seq: number): readonly string[] {
  return automations.flatMap((automation) => {
    if (!takesApiEnrollment(automation))
      return [`Not enrolled in ${automation.id}: it has no active Add by API trigger.`];
    enroll(world, automation, seq);
    return [];
  });
}

function create(
  world: World,
  publication: PublicationRow,
  request: SubscriptionRequest,
  references: References,
  channel: Channel,
): Applied {
  const { store, clock } = world;
  // `off` marks it active immediately, or as the assumption has it; every other waits for its address check.
  const status = request.double_opt_override === 'off' ? world.assumed('double_opt_off') : 'validating';
  const referrer = request.referral_code
    ? store.subscriptions.byReferralCode(publication.id, request.referral_code)
    : undefined;
  const attribution = attributionColumns.map((column) => [column, request[column] ?? ''] as const);
  const seq = addSubscription(world, {
    ...Object.fromEntries(attribution),
    publication_id: publication.id,
    email: request.email,
    status,
    created: clock.seconds(),
    tier: references.tiers.length > 0 ? 'premium' : (request.tier ?? 'free'),
    utm_channel: channel,
    referred_by: referrer?.seq ?? null,
    payments_customer_id: request.payments_customer_id ?? '',
    double_opt_in: needsConfirmation(request.double_opt_override, publication.double_opt_in === 1) ? 1 : 0,
  });
  for (const tier of references.tiers) store.subscriptions.addTier(seq, tier);
  for (const list of references.lists) store.subscriptions.addToList(seq, list);
  if (references.gift) giveAccess(world, seq, references.gift);
  if (status === 'validating') store.due.schedule(clock.now() + validationTime, 'subscription.validated', seq);

  const reasons = [`Created a subscription with status ${status}.`, ...enrollInto(world, references.automations, seq)];
  if (request.referral_code && !referrer)
    reasons.push('referral_code belongs to no subscription of this publication: no referral was credited.');
  return { seq, changed: true, welcome: true, reasons };
}

/** The records of the publication that a request refers to; tiers and lists by their `seq`. */
interface References {
  readonly tiers: readonly number[];
  /** The lists it names, and those that a new subscription joins. */
  readonly named: readonly number[];
  readonly lists: readonly number[];
  readonly automations: readonly AutomationRow[];
  readonly gift: ComplimentaryAccessRow | undefined;
}

function resolveReferences({ store }: World, publicationId: string, request: SubscriptionRequest): References {
  const asksForTiers = (request.premium_tiers ?? request.premium_tier_ids) !== undefined;
  const tiers = asksForTiers ? store.workspace.tiers(publicationId) : [];
  const lists = store.workspace.lists(publicationId);
  const missing: ErrorDetail[] = [];
  const find = <Row>(
    field: string,
    what: string,
    wanted: readonly string[] | undefined,
    find: (name: string) => Row | undefined,
  ): Row[] =>
    (wanted ?? []).flatMap((name, index) => {
      const row = find(name);
      if (row === undefined)
        missing.push({
          message: `"${field}[${index}]" is not ${what} of this publication.`,
          code: 'NOT_FOUND_ON_PUBLICATION',
        });
      return row ?? [];
    });

  const byName = find('premium_tiers', 'a premium tier', request.premium_tiers, (name) =>
    tiers.find((tier) => tier.name === name),
  );
  const byId = find('premium_tier_ids', 'a premium tier', request.premium_tier_ids, (id) =>
    tiers.find((tier) => tier.id === id),
  );
  const named = find('newsletter_list_ids', 'a newsletter list', request.newsletter_list_ids, (id) =>
    lists.find((list) => list.id === id),
  );
  const automations = find('automation_ids', 'an automation', [...new Set(request.automation_ids)], (id) =>
    store.automations.byId(publicationId, id),
  );
  const giftId = request.complimentary_gift_id;
  const gift = giftId === undefined ? undefined : store.gifts.byId(publicationId, giftId);
  if (giftId !== undefined && !gift) {
    missing.push({
      message: '"complimentary_gift_id" is not a complimentary access of this publication.',
      code: 'NOT_FOUND_ON_PUBLICATION',
    });
  }
  if (missing.length > 0) throw new Refusal(...missing);

  const automatic = request.skip_newsletter_list_auto_subscribe
    ? []
    : lists.filter((list) => list.auto_subscribe === 1);
  const numbers = (rows: readonly { readonly seq: number }[]): number[] => [...new Set(rows.map((row) => row.seq))];
  return {
    tiers: numbers([...byName, ...byId]),
    named: numbers(named),
    lists: numbers([...named, ...automatic]),
    automations,
    gift,
  };
}
