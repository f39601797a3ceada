/** Plants a seed in an empty world. */
import { grantTypes } from '../../oauth/grant-types.ts';
import { standardRedirectUris } from '../../oauth/redirect.ts';
import { apiKeys, oauthClients, publicationId } from '../fixed.ts';
import type { World } from '../world.ts';
import { growCrowd, type Growth } from './crowd.ts';
import { plantAutomation } from './plant-automations.ts';
import { plantContent, plantPublicationField } from './plant-content.ts';
import { plantSubscriptions } from './plant-subscriptions.ts';
import { SeedError, type ReadSeed } from './seed.ts';
import type { SeedPlan } from './standard.ts';

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
 * Replaces everything in the world by the seed, in one transaction: where it can't be planted, nothing has changed.
 *
 * @param growth - fills the seed's first publication up to a size
 */
export function plant(world: World, plan: SeedPlan, growth?: Growth): void {
  const { workspace } = world.store;
  world.write((note) => {
    world.store.clear();
    world.clock.load();
    const seed = plan({ now: world.clock.seconds(), chance: world.ids.fraction });
    for (const { key, publications } of seed.keys ?? standardKeys) {
      workspace.addKey({ key, publications: publications ? JSON.stringify(publications) : null });
    }
    for (const client of seed.oauth_clients ?? standardClients) {
      workspace.addClient({
        ...client,
        redirect_uris: JSON.stringify(client.redirect_uris),
        grant_types: JSON.stringify(client.grant_types),
      });
    }
    for (const publication of seed.publications) plantPublication(world, publication);
    for (const field of seed.publication_fields) plantPublicationField(world, field);
    const [first] = seed.publications;
    if (first && growth) growCrowd(world, first.id, growth);
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
  for (const tier of publication.tiers) {
    if (store.workspace.tiers(id).some(({ name }) => name === tier.name))
      throw new SeedError(`The seed has the tier "${tier.name}" twice.`);
    const seq = store.next('tier');
    store.workspace.addTier({ ...tier, seq, id: `tier_${ids.uuid('tier', seq)}`, publication_id: id });
  }
  for (const { name, auto_subscribe } of publication.newsletter_lists) {
    const seq = store.next('nl_list');
    store.workspace.addList({
      seq,
      id: `nl_list_${ids.uuid('nl_list', seq)}`,
      publication_id: id,
      name,
      auto_subscribe: auto_subscribe ? 1 : 0,
    });
  }
  for (const { display, kind, options, created } of publication.custom_fields) {
    if (store.customFields.byDisplay(id, display))
      throw new SeedError(`The seed has the custom field "${display}" twice.`);
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
  plantSubscriptions(world, id, publication.subscriptions);
  for (const [index, automation] of publication.automations.entries())
    plantAutomation(world, id, automation, `automations[${index}]`);
  plantContent(world, publication);
}
