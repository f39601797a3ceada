/** Plants the subscriptions of a seed. */
import { addressKey } from '@newsletter-kit/core/signup';
import { applyCustomFields, matchCustomFields } from '../custom-fields.ts';
import type { World } from '../world.ts';
import { SeedError } from './seed.ts';
import type { SeedSubscription } from './subscription-seed.ts';

/** @throws {@link SeedError} that names the subscription and what it refers to in vain */
export function plantSubscriptions(
  world: World,
  publicationId: string,
  subscriptions: readonly SeedSubscription[],
): void {
  const { store } = world;
  const fields = store.customFields.ofPublication(publicationId);
  const tiers = new Map(store.workspace.tiers(publicationId).map((tier) => [tier.name, tier.seq]));
  const lists = new Map(store.workspace.lists(publicationId).map((list) => [list.name, list.seq]));
  for (const [index, subscription] of subscriptions.entries()) {
    const place = `subscriptions[${index}]`;
    const seq = plantSubscription(world, publicationId, subscription, place);
    const { values, warnings } = matchCustomFields(() => fields, subscription.custom_fields);
    if (warnings[0]) throw new SeedError(`The seed is not usable: ${place}: ${warnings[0].message}`);
    applyCustomFields(store.customFields, seq, values);
    for (const name of subscription.premium_tiers) store.subscriptions.addTier(seq, found(tiers, name, place, 'tier'));
    for (const name of subscription.newsletter_lists)
      store.subscriptions.addToList(seq, found(lists, name, place, 'newsletter list'));
  }
}

/** The `seq` of the subscription with this address. @throws {@link SeedError} where there is none */
export function planted(world: World, publicationId: string, email: string, place: string): number {
  const row = world.store.subscriptions.byAddress(publicationId, addressKey(email));
  if (!row) throw new SeedError(`The seed is not usable: ${place} is not the address of a subscription before it.`);
  return row.seq;
}

/** The `seq` of what has this name. @throws {@link SeedError} */
export function found(rows: ReadonlyMap<string, number>, name: string, place: string, what: string): number {
  const seq = rows.get(name);
  if (seq === undefined)
    throw new SeedError(
      `The seed is not usable: ${place} names the ${what} "${name}", which its publication does not have.`,
    );
  return seq;
}

function plantSubscription(
  world: World,
  publication_id: string,
  subscription: SeedSubscription,
  place: string,
): number {
  const { store, clock, ids } = world;
  const email_key = addressKey(subscription.email);
  if (store.subscriptions.byAddress(publication_id, email_key)) {
    throw new SeedError(`The seed is not usable: ${place} repeats the address of an earlier subscription.`);
  }
  const {
    referred_by,
    premium_tiers,
    newsletter_lists: _lists,
    custom_fields: _fields,
    tags,
    created,
    tier,
    ...rest
  } = subscription;
  const seq = store.next('sub');
  store.subscriptions.insert({
    ...rest,
    seq,
    id: `sub_${ids.uuid('sub', seq)}`,
    publication_id,
    email_key,
    created: created ?? clock.seconds(),
    tier: premium_tiers.length > 0 ? 'premium' : (tier ?? 'free'),
    referral_code: ids.code('sub', seq),
    referred_by: referred_by === undefined ? null : planted(world, publication_id, referred_by, `${place}.referred_by`),
    payments_customer_id: '',
    double_opt_in: 0,
    tags: JSON.stringify(tags),
  });
  return seq;
}
