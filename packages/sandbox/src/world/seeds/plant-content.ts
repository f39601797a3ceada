/** Plants what surrounds the subscriptions of a seed. */
import { give } from '../gifts.ts';
import type { World } from '../world.ts';
import { found, planted } from './plant-subscriptions.ts';
import { SeedError, type ReadSeed } from './seed.ts';

type SeedPublication = ReadSeed['publications'][number];

/** @throws {@link SeedError} where something names what the publication does not have */
export function plantContent(world: World, publication: SeedPublication): void {
  const { store, clock, ids } = world;
  const publication_id = publication.id;
  const now = clock.seconds();
  for (const { social_media_links, created = now, ...author } of publication.authors) {
    const seq = store.next('author');
    store.content.insertAuthor({
      ...author,
      seq,
      id: ids.uuid('author', seq),
      publication_id,
      social_media_links: JSON.stringify(social_media_links),
      created,
    });
  }
  for (const opportunity of publication.advertisement_opportunities) {
    const seq = store.next('advertisement_opportunity');
    store.content.insertOpportunity({
      ...opportunity,
      seq,
      id: ids.uuid('advertisement_opportunity', seq),
      publication_id,
      created: now,
    });
  }
  const tiers = new Map(store.workspace.tiers(publication_id).map((tier) => [tier.name, tier.seq]));
  for (const [index, { tier, given_to, created = now, ...rest }] of publication.complimentary_access.entries()) {
    const place = `complimentary_access[${index}]`;
    const seq = store.next('comp_access');
    const access = {
      ...rest,
      seq,
      id: `comp_access_${ids.uuid('comp_access', seq)}`,
      publication_id,
      tier: found(tiers, tier, place, 'tier'),
      created,
    };
    store.gifts.insertAccess(access);
    for (const [n, email] of given_to.entries())
      give(world, planted(world, publication_id, email, `${place}.given_to[${n}]`), access);
  }
  for (const { conditions, created = now, updated = created, ...set } of publication.condition_sets) {
    const seq = store.next('condition_set');
    store.content.insertConditionSet({
      ...set,
      seq,
      id: ids.uuid('condition_set', seq),
      publication_id,
      conditions: JSON.stringify(conditions),
      created,
      updated,
    });
  }
}

/** @throws {@link SeedError} where a field of this name exists already */
export function plantPublicationField(world: World, field: ReadSeed['publication_fields'][number]): void {
  const { store, clock, ids } = world;
  const { response_keys, created = clock.seconds(), updated = created, ...rest } = field;
  if (store.content.publicationFieldNamed(rest.name))
    throw new SeedError(`The seed has the publication field "${rest.name}" twice.`);
  const seq = store.next('pub_field');
  store.content.insertPublicationField({
    ...rest,
    seq,
    id: `pub_field_${ids.uuid('pub_field', seq)}`,
    response_keys: JSON.stringify(response_keys),
    created,
    updated,
  });
}
