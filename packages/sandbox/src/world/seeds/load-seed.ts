/**
 * Loads a seed into the world: replaces everything by the publications, subscriptions, automations and content that
 * the seed lists.
 */
import { addressKey } from '@newsletter-kit/core/signup';
import { grantTypes, standardRedirectUris } from '../client-registration.ts';
import { apiKeys, oauthClients, publicationId } from '../ids.ts';
import { addSubscription, identify } from '../new-record.ts';
import type { World } from '../world.ts';
import { fillPublication, type Growth } from './generated-subscribers.ts';
import { type ReadSeed, type SeedAutomation, SeedError, type SeedSubscription } from './seed.ts';
import type { SeedPlan } from './standard.ts';
import { applyCustomFields, matchCustomFields } from '../custom-fields.ts';
import { addDuration } from '../clock.ts';
import { scheduleStep } from '../journeys.ts';
import { giveAccess } from '../complimentary-access.ts';

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

/**
 * Replaces everything in the world by the seed, in one transaction: where it cannot be loaded, nothing has changed.
 *
 * @param growth - fills the seed's first publication up to a size
 */
export function loadSeed(world: World, plan: SeedPlan, growth?: Growth): void {
  const { store } = world;
  world.write((emit) => {
    store.clear();
    world.clock.load();
    const seed = plan({ now: world.clock.seconds(), chance: world.ids.fraction });
    for (const { key, publications } of seed.keys ?? standardKeys) {
      store.insert('api_keys', { key, publications: publications ? JSON.stringify(publications) : null });
    }
    for (const client of seed.oauth_clients ?? standardClients) {
      store.insert('oauth_clients', {
        ...client,
        redirect_uris: JSON.stringify(client.redirect_uris),
        grant_types: JSON.stringify(client.grant_types),
      });
    }
    for (const publication of seed.publications) loadPublication(world, publication);
    for (const field of seed.publication_fields) loadPublicationField(world, field);
    const [first] = seed.publications;
    if (first && growth) fillPublication(world, first.id, growth);
    emit({ type: 'reset' });
  });
}

function loadPublication(world: World, publication: SeedPublication): void {
  const { store, clock } = world;
  const { id } = publication;
  if (store.workspace.publication(id)) throw new SeedError(`The seed has publication ${id} twice.`);
  store.insert('publications', {
    seq: store.next('pub'),
    id,
    name: publication.name,
    double_opt_in: publication.double_opt_in ? 1 : 0,
    created: publication.created ?? clock.seconds(),
  });
  for (const tier of publication.tiers) {
    if (store.workspace.tiers(id).some(({ name }) => name === tier.name))
      throw new SeedError(`The seed has the tier "${tier.name}" twice.`);
    store.insert('tiers', { ...tier, ...identify(world, 'tier'), publication_id: id });
  }
  for (const { name, auto_subscribe } of publication.newsletter_lists) {
    const identity = identify(world, 'nl_list');
    store.insert('newsletter_lists', { ...identity, publication_id: id, name, auto_subscribe: auto_subscribe ? 1 : 0 });
  }
  for (const { display, kind, options, created } of publication.custom_fields) {
    if (store.customFields.byDisplay(id, display))
      throw new SeedError(`The seed has the custom field "${display}" twice.`);
    store.insert('custom_fields', {
      ...identify(world, 'custom_field'),
      publication_id: id,
      kind,
      display,
      options: JSON.stringify(options),
      created: created ?? clock.seconds(),
    });
  }
  loadSubscriptions(world, id, publication.subscriptions);
  for (const [index, automation] of publication.automations.entries())
    loadAutomation(world, id, automation, `automations[${index}]`);
  loadContent(world, publication);
}

/** @throws {@link SeedError} that names the subscription and what it refers to that does not exist */
function loadSubscriptions(world: World, publicationId: string, subscriptions: readonly SeedSubscription[]): void {
  const { store, clock } = world;
  const tiers = new Map(store.workspace.tiers(publicationId).map((tier) => [tier.name, tier.seq]));
  const lists = new Map(store.workspace.lists(publicationId).map((list) => [list.name, list.seq]));
  for (const [index, subscription] of subscriptions.entries()) {
    const place = `subscriptions[${index}]`;
    const { referred_by, premium_tiers, newsletter_lists, custom_fields, tags, created, tier, ...rest } = subscription;
    if (store.subscriptions.byAddress(publicationId, addressKey(rest.email)))
      throw new SeedError(`The seed is not valid: ${place} repeats the address of an earlier subscription.`);
    const seq = addSubscription(world, {
      ...rest,
      publication_id: publicationId,
      created: created ?? clock.seconds(),
      tier: premium_tiers.length > 0 ? 'premium' : (tier ?? 'free'),
      referred_by:
        referred_by === undefined
          ? null
          : subscriptionNumber(world, publicationId, referred_by, `${place}.referred_by`),
      tags: JSON.stringify(tags),
    });
    const { values, warnings } = matchCustomFields(store.customFields, publicationId, custom_fields);
    if (warnings[0]) throw new SeedError(`The seed is not valid: ${place}: ${warnings[0].message}`);
    applyCustomFields(store.customFields, seq, values);
    for (const name of premium_tiers) store.subscriptions.addTier(seq, numberOf(tiers, name, place, 'tier'));
    for (const name of newsletter_lists)
      store.subscriptions.addToList(seq, numberOf(lists, name, place, 'newsletter list'));
  }
}

/** The `seq` of the subscription with this address. @throws {@link SeedError} where there is none */
function subscriptionNumber(world: World, publicationId: string, email: string, place: string): number {
  const row = world.store.subscriptions.byAddress(publicationId, addressKey(email));
  if (!row) throw new SeedError(`The seed is not valid: ${place} is not the address of an earlier subscription.`);
  return row.seq;
}

/** The `seq` of what has this name. @throws {@link SeedError} */
function numberOf(rows: ReadonlyMap<string, number>, name: string, place: string, what: string): number {
  const seq = rows.get(name);
  if (seq === undefined)
    throw new SeedError(
      `The seed is not valid: ${place} refers to the ${what} "${name}", which its publication does not have.`,
    );
  return seq;
}

function loadAutomation(world: World, publication_id: string, details: SeedAutomation, place: string): void {
  const { store, clock, ids } = world;
  const { emails, journeys, trigger_events, created = clock.seconds(), ...rest } = details;
  const identity = identify(world, 'aut');
  const automation = identity.seq;
  store.insert('automations', {
    ...rest,
    ...identity,
    publication_id,
    trigger_events: JSON.stringify(trigger_events),
    created,
  });
  for (const { wait, links, first_sent_at, last_sent_at, ...email } of emails) {
    const { seq, id } = identify(world, 'automation_email');
    store.insert('automation_emails', {
      ...email,
      seq,
      id,
      step_id: ids.uuid('automation_step', seq),
      automation,
      wait: Math.round(addDuration(0, wait) / 1000),
      created: email.created ?? created,
      first_sent_at: first_sent_at ?? null,
      last_sent_at: last_sent_at ?? null,
      links: JSON.stringify(links),
    });
  }
  for (const [index, { email, status, started, completed, step }] of journeys.entries()) {
    const journey = {
      ...identify(world, 'aj'),
      automation,
      subscription: subscriptionNumber(world, publication_id, email, `${place}.journeys[${index}].email`),
      status,
      step,
      waited: 0,
      created: started ?? clock.seconds(),
      completed: completed ?? null,
    };
    store.insert('journeys', journey);
    if (status === 'in_progress') scheduleStep(world, journey);
  }
}

/** @throws {@link SeedError} where something names what the publication does not have */
function loadContent(world: World, publication: SeedPublication): void {
  const { store, clock } = world;
  const publication_id = publication.id;
  const now = clock.seconds();
  for (const { social_media_links, created = now, ...author } of publication.authors) {
    store.insert('authors', {
      ...author,
      ...identify(world, 'author'),
      publication_id,
      social_media_links: JSON.stringify(social_media_links),
      created,
    });
  }
  for (const opportunity of publication.advertisement_opportunities) {
    store.insert('advertisement_opportunities', {
      ...opportunity,
      ...identify(world, 'advertisement_opportunity'),
      publication_id,
      created: now,
    });
  }
  const tiers = new Map(store.workspace.tiers(publication_id).map((tier) => [tier.name, tier.seq]));
  for (const [index, { tier, given_to, created = now, ...rest }] of publication.complimentary_access.entries()) {
    const place = `complimentary_access[${index}]`;
    const access = {
      ...rest,
      ...identify(world, 'comp_access'),
      publication_id,
      tier: numberOf(tiers, tier, place, 'tier'),
      created,
    };
    store.insert('complimentary_access', access);
    for (const [n, email] of given_to.entries())
      giveAccess(world, subscriptionNumber(world, publication_id, email, `${place}.given_to[${n}]`), access);
  }
  for (const { conditions, created = now, updated = created, ...set } of publication.condition_sets) {
    store.insert('condition_sets', {
      ...set,
      ...identify(world, 'condition_set'),
      publication_id,
      conditions: JSON.stringify(conditions),
      created,
      updated,
    });
  }
}

/** @throws {@link SeedError} where a field of this name exists already */
function loadPublicationField(world: World, field: ReadSeed['publication_fields'][number]): void {
  const { store, clock } = world;
  const { response_keys, created = clock.seconds(), updated = created, ...rest } = field;
  if (store.content.publicationFieldNamed(rest.name))
    throw new SeedError(`The seed has the publication field "${rest.name}" twice.`);
  store.insert('publication_fields', {
    ...rest,
    ...identify(world, 'pub_field'),
    response_keys: JSON.stringify(response_keys),
    created,
    updated,
  });
}
