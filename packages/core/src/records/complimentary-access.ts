import * as z from 'zod/mini';
import * as values from '../contract/values.ts';
import { field, lenient } from '../schema/marks.ts';
import type { ResourceRecord } from './operation.ts';
import * as shape from './shapes.ts';

const tier = shape.record('Tier', 'A premium tier of a publication.', {
  id: field(shape.prefixedId('tier'), 'Prefixed ID of the tier, `tier_<uuid>`.'),
  name: field(z.string(), 'Name of the tier.'),
  status: field(z.enum(values.tierStatuses), 'Whether the tier has any active prices.'),
  description: shape.optional(z.nullable(z.string()), 'Description of the tier.'),
});

const access = shape.record('ComplimentaryAccess', 'A gift of a premium tier.', {
  id: field(shape.prefixedId('comp_access'), 'Prefixed ID of the complimentary access object, `comp_access_<uuid>`.'),
  duration: lenient(z.nullable(z.int()), 'How long the access lasts, in `time_unit`; null when forever.'),
  time_unit: field(z.enum(values.timeUnits), 'Unit of `duration`.'),
  description: field(z.string(), 'Description, for example `3 Months Gift`.'),
  tier_id: lenient(shape.prefixedId('tier'), 'Prefixed ID of the tier that is given, `tier_<uuid>`.'),
  tier: shape.optional(tier, "The tier that is given. Present with `expand: ['tier']`."),
  stats: shape.optional(
    shape.record('ComplimentaryAccessStats', 'Numbers of subscriptions that were given complimentary access.', {
      total_granted: field(shape.count, 'Number of subscriptions that were ever given the access.'),
      active_granted: field(shape.count, 'Number of subscriptions that have the access now.'),
    }),
    "Counts of granted subscriptions. Present in lists with `expand: ['stats']`.",
  ),
});

export const complimentaryAccess = {
  title: 'Complimentary access',
  description: 'Gifts of a premium tier.',
  section: 'Endpoints, Complimentary access',
  scope: 'complimentary_access',
  operations: {
    list: {
      request: 'GET /publications/{publicationId}/complimentary_access',
      doc: 'List complimentary access objects',
      description: 'Lists the complimentary access objects of a publication: gifts of a premium tier.',
      returns: 'Complimentary access objects, page by page.',
      open: [
        'The record is not shown: id, duration (null when forever), time_unit, description, tier_id, tier and stats when expanded.',
      ],
      query: z.strictObject({
        expand: shape.expand(
          ['tier', 'stats'],
          'Data to add to each object: `tier` (the full tier), `stats` (counts of granted subscriptions).',
        ),
        limit: shape.limit,
        cursor: shape.cursor,
      }),
      answer: shape.cursorList(access),
    },
    get: {
      request: 'GET /publications/{publicationId}/complimentary_access/{complimentaryAccessId}',
      doc: 'Read one complimentary access object',
      description: 'Reads one complimentary access object.',
      example: "{ complimentaryAccessId: 'comp_access_00000000-0000-4000-8000-000000000001', expand: ['tier'] }",
      open: ['The record is not shown; as in complimentaryAccess.list.'],
      path: { complimentaryAccessId: 'Prefixed ID of the complimentary access object, `comp_access_<uuid>`.' },
      query: z.strictObject({ expand: shape.expand(['tier'], 'Data to add to the object: `tier` (the full tier).') }),
      answer: shape.enveloped(access, 'The complimentary access object.'),
    },
  },
} satisfies ResourceRecord;
