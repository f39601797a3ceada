/** Subscribing: what a SubscriptionRequest does to the world, for single and bulk creation alike. */
import type { ErrorDetail, SubscriptionRequest } from '@newsletter-kit/core/schema';
import { addressKey } from '@newsletter-kit/core/signup';
import type { AutomationRow } from '../store/automations.ts';
import type { ComplimentaryAccessRow } from '../store/gifts.ts';
import type { SubscriptionRow } from '../store/subscriptions.ts';
import type { PublicationRow } from '../store/workspace.ts';
import { applyCustomFields, matchCustomFields } from './custom-fields.ts';
import { give } from './gifts.ts';
import { enroll, takesApiEnrollment } from './journeys.ts';
import { orderWelcome } from './mail.ts';
import { Refusal } from './refusal.ts';
import {
  firstStatus,
  needsConfirmation,
  statusAfterReactivation,
  statusAfterValidation,
  validationTime,
  type DoubleOptOverride,
} from './status.ts';
import type { Note, World } from './world.ts';

/** Acquisition channels that a request can come by. */
export type Channel = 'api' | 'import';

/** How a SubscriptionRequest ended. */
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
 * custom fields are set and, where asked, an unsubscribed one is reactivated; everything else stays as it was.
 *
 * @throws {@link Refusal} where a list, tier, gift or automation does not exist on the publication; nothing is written
 *   then
 */
export function subscribe(
  world: World,
  publication: PublicationRow,
  request: SubscriptionRequest,
  note: Note,
  channel: Channel = 'api',
): Subscribed {
  const belongings = findBelongings(world, publication.id, request);
  const fields = matchCustomFields(
    () => world.store.customFields.ofPublication(publication.id),
    request.custom_fields ?? [],
  );
  const existing = world.store.subscriptions.byAddress(publication.id, addressKey(request.email));

  const done = existing
    ? reuse(world, publication, existing, request)
    : create(world, publication, request, belongings, channel);
  if (request.send_welcome_email && done.changed) orderWelcome(world, done.seq);
  const changed = applyCustomFields(world.store.customFields, done.seq, fields.values);
  if (done.changed || changed) note({ type: 'subscription', change: existing ? 'updated' : 'created', seq: done.seq });

  const row = world.store.subscriptions.bySeq(done.seq);
  if (!row) throw new Error('A subscription was written and is not there.');
  return { row, created: !existing, warnings: fields.warnings, reasons: done.reasons };
}

/** The address check of a new subscription is through. */
export function validated(world: World, seq: number, note: Note): void {
  const row = world.store.subscriptions.bySeq(seq);
  if (row?.status !== 'validating') return;
  world.store.subscriptions.setStatus(seq, statusAfterValidation(row.email, row.double_opt_in === 1));
  note({ type: 'subscription', change: 'updated', seq });
}

/**
 * `double_opt_override` where a subscriber exists already: it decides about one that is not active yet, and moves no
 * other.
 */
export function overrideDoubleOpt(
  world: World,
  { seq, status }: SubscriptionRow,
  override: DoubleOptOverride | undefined,
  note: Note,
): void {
  const { subscriptions } = world.store;
  if (override === 'on' && status === 'validating') subscriptions.setDoubleOptIn(seq, 1);
  if (override !== 'off' || (status !== 'validating' && status !== 'pending')) return;
  subscriptions.setStatus(seq, 'active');
  note({ type: 'subscription', change: 'updated', seq });
}

interface Done {
  readonly seq: number;
  readonly changed: boolean;
  readonly reasons: readonly string[];
}

/** What a request can say that changes nothing of a subscription that exists. */
const forNewOnes = [
  'tier',
  'premium_tiers',
  'premium_tier_ids',
  'automation_ids',
  'newsletter_list_ids',
  'complimentary_gift_id',
  'referral_code',
] as const satisfies readonly (keyof SubscriptionRequest)[];

function reuse(
  world: World,
  publication: PublicationRow,
  existing: SubscriptionRow,
  request: SubscriptionRequest,
): Done {
  const { seq } = existing;
  const aside = forNewOnes.filter((name) => request[name] !== undefined);
  const known = `The address is known: the existing subscription was answered, with custom fields applied.${
    aside.length > 0 ? ` Left aside, for they are about new subscriptions: ${aside.join(', ')}.` : ''
  }`;
  if (existing.status !== 'inactive') return { seq, changed: false, reasons: [known] };
  if (!request.reactivate_existing) {
    return { seq, changed: false, reasons: [known, 'It stays inactive: reactivate_existing was not true.'] };
  }
  const status = statusAfterReactivation(
    needsConfirmation(request.double_opt_override, publication.double_opt_in === 1),
  );
  world.store.subscriptions.setStatus(seq, status);
  return { seq, changed: true, reasons: [known, `reactivate_existing was true: inactive became ${status}.`] };
}

function create(
  world: World,
  publication: PublicationRow,
  request: SubscriptionRequest,
  belongings: Belongings,
  channel: Channel,
): Done {
  const { store, clock, ids } = world;
  const seq = store.next('sub');
  const status = firstStatus(request.double_opt_override);
  const referrer = request.referral_code
    ? store.subscriptions.byReferralCode(publication.id, request.referral_code)
    : undefined;
  store.subscriptions.insert({
    seq,
    id: `sub_${ids.uuid('sub', seq)}`,
    publication_id: publication.id,
    email: request.email,
    email_key: addressKey(request.email),
    status,
    created: clock.seconds(),
    tier: belongings.tiers.length > 0 ? 'premium' : (request.tier ?? 'free'),
    utm_source: request.utm_source ?? '',
    utm_medium: request.utm_medium ?? '',
    utm_channel: channel,
    utm_campaign: request.utm_campaign ?? '',
    utm_term: request.utm_term ?? '',
    utm_content: request.utm_content ?? '',
    referring_site: request.referring_site ?? '',
    referral_code: ids.code('sub', seq),
    referred_by: referrer?.seq ?? null,
    payments_customer_id: request.payments_customer_id ?? '',
    double_opt_in: needsConfirmation(request.double_opt_override, publication.double_opt_in === 1) ? 1 : 0,
    tags: '[]',
    emails_received: 0,
    open_rate: 0,
    click_through_rate: 0,
  });
  for (const tier of belongings.tiers) store.subscriptions.addTier(seq, tier);
  for (const list of belongings.lists) store.subscriptions.addToList(seq, list);
  if (belongings.gift) give(world, seq, belongings.gift);
  if (status === 'validating') store.due.schedule(clock.now() + validationTime, 'subscription.validated', seq);

  const reasons = [`A new subscription, ${status}.`];
  for (const automation of belongings.automations) {
    if (takesApiEnrollment(automation)) enroll(world, automation, seq);
    else reasons.push(`${automation.id} was left out of automation_ids: it has no active Add by API trigger.`);
  }
  if (request.referral_code && !referrer)
    reasons.push('referral_code belongs to nobody on this publication: no credit was given.');
  return { seq, changed: true, reasons };
}

/** What a request names of the publication; tiers and lists by their `seq`. */
interface Belongings {
  readonly tiers: readonly number[];
  readonly lists: readonly number[];
  readonly automations: readonly AutomationRow[];
  readonly gift: ComplimentaryAccessRow | undefined;
}

function findBelongings({ store }: World, publicationId: string, request: SubscriptionRequest): Belongings {
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
          message: `"${field}[${index}]" names no ${what} of this publication.`,
          code: 'NOT_FOUND_ON_PUBLICATION',
        });
      return row ?? [];
    });

  const byName = find('premium_tiers', 'premium tier', request.premium_tiers, (name) =>
    tiers.find((tier) => tier.name === name),
  );
  const byId = find('premium_tier_ids', 'premium tier', request.premium_tier_ids, (id) =>
    tiers.find((tier) => tier.id === id),
  );
  const named = find('newsletter_list_ids', 'newsletter list', request.newsletter_list_ids, (id) =>
    lists.find((list) => list.id === id),
  );
  const automations = find('automation_ids', 'automation', [...new Set(request.automation_ids)], (id) =>
    store.automations.byId(publicationId, id),
  );
  const giftId = request.complimentary_gift_id;
  const gift = giftId === undefined ? undefined : store.gifts.byId(publicationId, giftId);
  if (giftId !== undefined && !gift) {
    missing.push({
      message: '"complimentary_gift_id" names no complimentary access of this publication.',
      code: 'NOT_FOUND_ON_PUBLICATION',
    });
  }
  if (missing.length > 0) throw new Refusal(...missing);

  const automatic = request.skip_newsletter_list_auto_subscribe
    ? []
    : lists.filter((list) => list.auto_subscribe === 1);
  const numbers = (rows: readonly { readonly seq: number }[]): number[] => [...new Set(rows.map((row) => row.seq))];
  return { tiers: numbers([...byName, ...byId]), lists: numbers([...named, ...automatic]), automations, gift };
}
