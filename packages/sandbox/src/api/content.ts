/**
 * Rules of publications, publication fields, authors, advertisement opportunities, complimentary access and condition
 * sets.
 */
import { schemas } from '@newsletter-kit/core/schema';
import type { AuthorRow, ComplimentaryAccessRow, ConditionSetRow, PublicationFieldRow } from '../store/content.ts';
import type { Store } from '../store/store.ts';
import type { PublicationRow } from '../store/workspace.ts';
import { countActive } from '../world/conditions.ts';
import { apiError } from '../http/errors.ts';
import { listOf, listRule, oneRecord, orNotFound, rule, ruleWithSchemas, type Rule } from './rule.ts';

export const contentRules: readonly Rule[] = [
  /** The publications that the key or account may reach. The sandbox has one organization and no referral program. */
  listRule(
    'publications.list',
    ({ world, within }) =>
      listOf(
        world.store.workspace.publications().filter(({ id }) => within === null || within.includes(id)),
        publicationRecord,
      ),
    {
      wholeWorkspace: false,
      admit({ assumed }) {
        if (assumed('publication_list') === 'absent') throw apiError(404, 'NOT_FOUND', 'There is no such path.');
      },
    },
  ),

  listRule('publicationFields.list', ({ world }, query) => {
    const status = query.status === 'all' ? undefined : (query.status ?? 'active');
    return listOf(world.store.content.publicationFields(status), publicationFieldRecord, { total: true });
  }),

  listRule('authors.list', ({ world, publication }, { name }) => {
    const authors = world.store.content.authors(publication.id);
    return listOf(name === undefined ? authors : authorsNamed(authors, name), authorRecord);
  }),

  rule('authors.get', ({ world, publication, params }) => {
    const author = findAuthor(world.store.content.authors(publication.id), params['authorId'] ?? '');
    return oneRecord(
      authorRecord(orNotFound(author, 'author with this id, full name or first name on this publication')),
    );
  }),

  listRule('advertisementOpportunities.list', ({ world, publication }) =>
    listOf(
      world.store.content.opportunities(publication.id),
      ({ seq: _seq, publication_id: _publication, created: _created, ...record }) => record,
    ),
  ),

  listRule('complimentaryAccess.list', ({ world, publication }, { expand }) =>
    listOf(world.store.gifts.list(publication.id), (row) => accessRecord(world.store, row, expand)),
  ),

  rule('complimentaryAccess.get', ({ world, publication, params }, { expand }) => {
    const access = world.store.gifts.byId(publication.id, params['complimentaryAccessId'] ?? '');
    return oneRecord(
      accessRecord(world.store, orNotFound(access, 'complimentary access with this id on this publication'), expand),
    );
  }),

  listRule('conditionSets.list', ({ world, publication }, { purpose }) =>
    listOf(world.store.content.conditionSets(publication.id, purpose), conditionSetRecord),
  ),

  /** The operation documents no 400, so an unknown `expand[]` is ignored. */
  ruleWithSchemas('conditionSets.get', {}, ({ world, publication, params, explain }, query) => {
    const set = orNotFound(
      world.store.content.conditionSet(publication.id, params['conditionSetId'] ?? ''),
      'active condition set with this id on this publication',
    );
    const read = schemas['conditionSets.get'].query.safeParse(query);
    if (!read.success) explain('"expand[]" supports only "stats" here; other values were ignored.');
    const stats = read.data?.expand?.includes('stats')
      ? { stats: { active_subscriber_count: countActive(world.store, set) } }
      : {};
    return oneRecord({ ...conditionSetRecord(set), ...stats });
  }),
];

/** The authors with this full or first name, in any case of its letters. */
function authorsNamed(authors: readonly AuthorRow[], name: string): readonly AuthorRow[] {
  const wanted = normalizedName(name);
  return authors.filter((author) => normalizedName(author.name) === wanted || firstName(author) === wanted);
}

/**
 * Finds an author by id, full name or first name – an id also with the prefix `user_` or `guest_` that the service
 * gives it. Of several the oldest, and a full name before a first name.
 */
function findAuthor(authors: readonly AuthorRow[], wanted: string): AuthorRow | undefined {
  const id = wanted.replace(/^(?:user|guest)_/, '').toLowerCase();
  const name = normalizedName(wanted);
  return (
    authors.find((author) => author.id === id) ??
    authors.find((author) => normalizedName(author.name) === name) ??
    authors.find((author) => firstName(author) === name)
  );
}

const normalizedName = (name: string): string => name.normalize('NFC').trim().replaceAll(/\s+/g, ' ').toLowerCase();

const firstName = (author: AuthorRow): string => normalizedName(author.name).split(' ')[0] ?? '';

function publicationRecord({ id, name, created }: PublicationRow) {
  return { id, name, organization_name: 'Sandbox', referral_program_enabled: false, created };
}

function publicationFieldRecord({ seq: _seq, response_keys, ...record }: PublicationFieldRow) {
  return { ...record, response_keys: JSON.parse(response_keys) as unknown };
}

function authorRecord({ id, type, name, bio, bio_image_url, social_media_links }: AuthorRow) {
  return { id, type, name, bio, bio_image_url, social_media_links: JSON.parse(social_media_links) as unknown };
}

function accessRecord(store: Store, row: ComplimentaryAccessRow, expand: readonly ('tier' | 'stats')[] = []) {
  const { id, duration, time_unit, description } = row;
  const tier = store.workspace.tierBySeq(row.tier);
  const record = { id, duration, time_unit, description, tier_id: tier?.id };
  const counts = store.gifts.counts(row.seq);
  return {
    ...record,
    ...(expand.includes('tier') &&
      tier && { tier: { id: tier.id, name: tier.name, status: tier.status, description: tier.description } }),
    ...(expand.includes('stats') && { stats: { total_granted: counts.total, active_granted: counts.active } }),
  };
}

function conditionSetRecord({ id, name, status, created, updated, purpose }: ConditionSetRow) {
  return { id, name, status, created, updated, purpose };
}
