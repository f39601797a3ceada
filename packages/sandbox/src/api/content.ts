/**
 * Answers the operations on what surrounds the subscriptions: authors, advertisement opportunities, complimentary
 * access, condition sets.
 */
import { schemas } from '@newsletter-kit/core/schema';
import { byName, findAuthor } from '../world/authors.ts';
import { countActive } from '../world/conditions.ts';
import type { AuthorRow, ComplimentaryAccessRow, ConditionSetRow } from '../store/content.ts';
import { atHand } from '../store/rows.ts';
import type { Store } from '../store/store.ts';
import { apiError } from './errors.ts';
import { handler, type Handler, nothing } from './handler.ts';
import { cursorList, cursorOrOffsetList, offsetList, plainList } from './paging.ts';

const listAuthors = handler(
  'authors.list',
  { query: schemas['authors.list'].query, body: nothing },
  ({ world, publication }, query) => {
    const authors = world.store.content.authors(publication.id);
    return offsetList(query, {
      list: 'authors',
      rows: atHand(query.name === undefined ? authors : byName(authors, query.name)),
      record: authorRecord,
    });
  },
);

const getAuthor = handler('authors.get', { query: nothing, body: nothing }, ({ world, publication, params }) => {
  const author = findAuthor(world.store.content.authors(publication.id), params['authorId'] ?? '');
  if (!author)
    throw apiError(404, 'NOT_FOUND', 'There is no author with this id, full name or first name on this publication.');
  return { body: { data: authorRecord(author) } };
});

const listOpportunities = handler(
  'advertisementOpportunities.list',
  { query: nothing, body: nothing },
  ({ world, publication }) =>
    plainList(
      world.store.content
        .opportunities(publication.id)
        .map(({ seq: _seq, publication_id: _publication, created: _created, ...record }) => record),
      'total',
    ),
);

const listAccess = handler(
  'complimentaryAccess.list',
  { query: schemas['complimentaryAccess.list'].query, body: nothing },
  ({ world, publication }, query) =>
    cursorList(query, {
      list: 'complimentary_access',
      rows: world.store.gifts.list(publication.id),
      record: (row) => accessRecord(world.store, row, query.expand),
    }),
);

const getAccess = handler(
  'complimentaryAccess.get',
  { query: schemas['complimentaryAccess.get'].query, body: nothing },
  (call, query) => {
    const { world, publication, params } = call;
    const access = world.store.gifts.byId(publication.id, params['complimentaryAccessId'] ?? '');
    if (!access) throw apiError(404, 'NOT_FOUND', 'There is no complimentary access with this id on this publication.');
    return { body: { data: accessRecord(world.store, access, query.expand) } };
  },
);

const listConditionSets = handler(
  'conditionSets.list',
  { query: schemas['conditionSets.list'].query, body: nothing },
  ({ world, publication }, query) =>
    cursorOrOffsetList(query, {
      list: 'condition_sets',
      rows: world.store.content.conditionSets(publication.id, query.purpose),
      record: conditionSetRecord,
    }),
);

const expandStats = schemas['conditionSets.get'].query;

/** No 400 is documented here, so an unknown `expand[]` is ignored. */
const getConditionSet = handler(
  'conditionSets.get',
  { query: nothing, body: nothing },
  ({ world, publication, params, explain }, query) => {
    const set = world.store.content.conditionSet(publication.id, params['conditionSetId'] ?? '');
    if (!set) throw apiError(404, 'NOT_FOUND', 'There is no active condition set with this id on this publication.');
    const read = expandStats.safeParse(query);
    if (!read.success) explain('"expand[]" takes stats here; what was asked for was ignored.');
    const stats = read.data?.expand?.includes('stats')
      ? { stats: { active_subscriber_count: countActive(world.store, set) } }
      : {};
    return { body: { data: { ...conditionSetRecord(set), ...stats } } };
  },
);

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

export const contentHandlers: readonly Handler[] = [
  listAuthors,
  getAuthor,
  listOpportunities,
  listAccess,
  getAccess,
  listConditionSets,
  getConditionSet,
];
