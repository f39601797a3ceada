/** Plants a seed in an empty world. */
import { addressKey } from '@newsletter-kit/core/signup';
import { grantTypes } from '../../oauth/grant-types.ts';
import { standardRedirectUris } from '../../oauth/redirect.ts';
import { applyCustomFields, matchCustomFields } from '../custom-fields.ts';
import { apiKeys, oauthClients, publicationId } from '../fixed.ts';
import type { World } from '../world.ts';
import { SeedError, type ReadSeed, type SeedSubscription } from './seed.ts';

type SeedPublication = ReadSeed['publications'][number];

const standardKeys: NonNullable<ReadSeed['keys']> = [
  { key: apiKeys.workspace },
  { key: apiKeys.restricted, publications: [publicationId] },
];
const oauthDefaults = { redirect_uris: [...standardRedirectUris], grant_types: [...grantTypes] };
const standardClients: NonNullable<ReadSeed['oauth_clients']> = [
  { ...oauthClients.confidential, name: 'Sandbox app', ...oauthDefaults },
  { ...oauthClients.public, name: 'Sandbox app without a secret', ...oauthDefaults },
];

/** Replaces everything in the world by the seed, in one transaction: where it can't be planted, nothing has changed. */
export function plant(world: World, seed: ReadSeed): void {
  const { workspace } = world.store;
  world.write((note) => {
    world.store.clear();
    world.clock.load();
    for (const { key, publications } of seed.keys ?? standardKeys) {
      workspace.addKey({ key, publications: publications ? JSON.stringify(publications) : null });
    }
    for (const client of seed.oauth_clients ?? standardClients) {
      workspace.addClient({ ...client, redirect_uris: JSON.stringify(client.redirect_uris), grant_types: JSON.stringify(client.grant_types) });
    }
    for (const publication of seed.publications) plantPublication(world, publication);
    note({ type: 'reset' });
  });
}

function plantPublication(world: World, publication: SeedPublication): void {
  const { store, clock, ids } = world;
  const { id } = publication;
  if (store.workspace.publication(id)) throw new SeedError(`The seed has publication ${id} twice.`);
  store.workspace.addPublication({
    seq: store.next('pub'),
    id,
    name: publication.name,
    double_opt_in: publication.double_opt_in ? 1 : 0,
    created: publication.created ?? clock.seconds(),
  });
  for (const { name, status } of publication.tiers) {
    if (store.workspace.tiers(id).some((tier) => tier.name === name)) throw new SeedError(`The seed has the tier "${name}" twice.`);
    const seq = store.next('tier');
    store.workspace.addTier({ seq, id: `tier_${ids.uuid('tier', seq)}`, publication_id: id, name, description: '', status });
  }
  for (const { name, auto_subscribe } of publication.newsletter_lists) {
    const seq = store.next('nl_list');
    store.workspace.addList({ seq, id: `nl_list_${ids.uuid('nl_list', seq)}`, publication_id: id, name, auto_subscribe: auto_subscribe ? 1 : 0 });
  }
  for (const { display, kind, options, created } of publication.custom_fields) {
    if (store.customFields.byDisplay(id, display)) throw new SeedError(`The seed has the custom field "${display}" twice.`);
    const seq = store.next('custom_field');
    store.customFields.insert({
      seq,
      id: ids.uuid('custom_field', seq),
      publication_id: id,
      kind,
      display,
      options: JSON.stringify(options),
      created: created ?? clock.seconds(),
    });
  }
  const fields = store.customFields.ofPublication(id);
  const tiers = new Map(store.workspace.tiers(id).map((tier) => [tier.name, tier.seq]));
  const lists = new Map(store.workspace.lists(id).map((list) => [list.name, list.seq]));
  for (const [index, subscription] of publication.subscriptions.entries()) {
    const place = `subscriptions[${index}]`;
    const seq = plantSubscription(world, id, subscription, place);
    const { values, warnings } = matchCustomFields(() => fields, subscription.custom_fields);
    if (warnings[0]) throw new SeedError(`The seed is not usable: ${place}: ${warnings[0].message}`);
    applyCustomFields(store.customFields, seq, values);
    for (const name of subscription.premium_tiers) store.subscriptions.addTier(seq, found(tiers, name, place, 'tier'));
    for (const name of subscription.newsletter_lists) store.subscriptions.addToList(seq, found(lists, name, place, 'newsletter list'));
  }
}

function plantSubscription(world: World, publication_id: string, subscription: SeedSubscription, place: string): number {
  const { store, clock, ids } = world;
  const email_key = addressKey(subscription.email);
  if (store.subscriptions.byAddress(publication_id, email_key)) {
    throw new SeedError(`The seed is not usable: ${place} repeats the address of an earlier subscription.`);
  }
  const { referred_by, premium_tiers, newsletter_lists: _lists, custom_fields: _fields, tags, created, tier, ...rest } = subscription;
  const referrer = referred_by === undefined ? undefined : store.subscriptions.byAddress(publication_id, addressKey(referred_by));
  if (referred_by !== undefined && !referrer) {
    throw new SeedError(`The seed is not usable: ${place}.referred_by is not the address of an earlier subscription.`);
  }
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
    referred_by: referrer?.seq ?? null,
    payments_customer_id: '',
    double_opt_in: 0,
    tags: JSON.stringify(tags),
  });
  return seq;
}

function found(rows: ReadonlyMap<string, number>, name: string, place: string, what: string): number {
  const seq = rows.get(name);
  if (seq === undefined) throw new SeedError(`The seed is not usable: ${place} names the ${what} "${name}", which its publication does not have.`);
  return seq;
}
