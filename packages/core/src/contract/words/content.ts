/** Reference documentation of authors, advertisement opportunities, complimentary access and condition sets. */
import type { OperationId } from '../operations.ts';
import { authorName, conditionSetPurpose, cursor, limit, page, publicationId, type OperationWords } from './shared.ts';

/** Documentation of every operation in this file. */
export const contentWords = {
  'authors.list': {
    description: 'Lists the authors of a publication.',
    returns: 'Authors, page by page.',
    section: 'Endpoints, Authors; Pagination',
    parameters: {
      publicationId,
      limit,
      page,
      name: authorName,
    },
  },
  'authors.get': {
    description: 'Reads one author. Where several authors share a first name, the oldest is returned.',
    returns: 'The author.',
    section: 'Endpoints, Authors',
    parameters: { publicationId, authorId: { text: 'UUID, full name or first name of the author.' } },
    example: "{ authorId: 'Ada Lovelace' }",
  },
  'advertisementOpportunities.list': {
    description: 'Lists the advertisement opportunities that the publication has accepted.',
    returns: 'Advertisement opportunities, all in one page.',
    section: 'Endpoints, Advertisement opportunities',
    parameters: { publicationId },
  },
  'complimentaryAccess.list': {
    description: 'Lists the complimentary access objects of a publication: gifts of a premium tier.',
    returns: 'Complimentary access objects, page by page.',
    section: 'Endpoints, Complimentary access; Pagination',
    parameters: {
      publicationId,
      expand: {
        text: 'Data to add to each object: `tier` (the full tier), `stats` (counts of granted subscriptions).',
      },
      limit,
      cursor,
    },
  },
  'complimentaryAccess.get': {
    description: 'Reads one complimentary access object.',
    returns: 'The complimentary access object.',
    section: 'Endpoints, Complimentary access',
    parameters: {
      publicationId,
      complimentaryAccessId: { text: 'Prefixed ID of the complimentary access object, `comp_access_<uuid>`.' },
      expand: { text: 'Data to add to the object: `tier` (the full tier).' },
    },
    example: "{ complimentaryAccessId: 'comp_access_00000000-0000-4000-8000-000000000001', expand: ['tier'] }",
  },
  'conditionSets.list': {
    description:
      'Lists the active condition sets (reusable audience segments) of a publication, for all purposes unless `purpose` is given.',
    returns: 'Active condition sets, page by page.',
    section: 'Endpoints, Condition sets; Pagination',
    parameters: {
      publicationId,
      limit,
      cursor,
      page,
      purpose: conditionSetPurpose,
    },
  },
  'conditionSets.get': {
    description:
      "Reads one active condition set. With `expand: ['stats']` the service counts the active subscribers while the call waits.",
    returns: 'The condition set.',
    section: 'Endpoints, Condition sets',
    parameters: {
      publicationId,
      conditionSetId: { text: 'ID of the condition set, a UUID without a prefix.' },
      expand: { text: 'Data to add: `stats` (the active subscriber count).' },
    },
    errors: { 404: 'The publication does not exist, or it has no active condition set with this ID.' },
    example: "{ conditionSetId: '00000000-0000-4000-8000-000000000001', expand: ['stats'] }",
  },
} as const satisfies Readonly<Partial<Record<OperationId, OperationWords>>>;

/** What the specification leaves open about these operations, and how it is filled here. */
export const contentAssumptions = {
  'authors.list': ['The record is not shown: id, type, name, bio, bio_image_url, social_media_links.'],
  'authors.get': [
    'The record is not shown; as in authors.list.',
    'Where several authors share a first name, the oldest is answered.',
  ],
  'advertisementOpportunities.list': [
    'The record is not shown: id, advertiser_name, payout_rate (a formatted string), advertisement_kind, send_by_window_start_at, send_by_window_end_at; total_results beside data.',
  ],
  'complimentaryAccess.list': [
    'The record is not shown: id, duration (null when forever), time_unit, description, tier_id, tier and stats when expanded.',
  ],
  'complimentaryAccess.get': ['The record is not shown; as in complimentaryAccess.list.'],
  'conditionSets.list': [
    'The record is not shown: id, name, status, created, updated, purpose.',
    'Values of purpose are not shown: dynamic_content.',
  ],
  'conditionSets.get': [
    'The record is not shown; as in conditionSets.list, plus stats.active_subscriber_count.',
    'An archived set answers 404.',
  ],
} as const satisfies Readonly<Partial<Record<OperationId, readonly string[]>>>;
