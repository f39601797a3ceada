import * as z from 'zod/mini';
import * as values from '../contract/values.ts';
import { field, open } from '../schema/marks.ts';
import type { ResourceRecord } from './operation.ts';
import * as shape from './shapes.ts';

const conditionSet = shape.record('ConditionSet', 'A reusable audience segment.', {
  id: field(z.string(), 'ID of the condition set, a UUID without a prefix.'),
  name: field(z.string(), 'Name of the condition set.'),
  status: field(z.enum(values.conditionSetStatuses), 'Whether the condition set is in use.'),
  created: field(shape.unixSeconds, 'When the condition set was created, in Unix seconds.'),
  updated: field(shape.unixSeconds, 'When the condition set last changed, in Unix seconds.'),
  purpose: field(z.enum(values.conditionSetPurposes), 'What the condition set is used for.'),
  stats: shape.optional(
    shape.record('ConditionSetStats', 'Number of subscribers that match a condition set.', {
      active_subscriber_count: field(shape.count, 'Number of active subscribers that match.'),
    }),
    "The subscriber count. Present on a single condition set with `expand: ['stats']`.",
  ),
});

export const conditionSets = {
  title: 'Condition sets',
  description: 'Reusable audience segments.',
  section: 'Endpoints, Condition sets',
  scope: 'condition_sets',
  operations: {
    list: {
      request: 'GET /publications/{publicationId}/condition_sets',
      doc: 'List active condition sets',
      description:
        'Lists the active condition sets (reusable audience segments) of a publication, for all purposes unless `purpose` is given.',
      returns: 'Active condition sets, page by page.',
      open: [
        'The record is not shown: id, name, status, created, updated, purpose.',
        'Values of purpose are not shown: dynamic_content.',
      ],
      query: z.strictObject({
        limit: shape.limit,
        cursor: shape.cursor,
        page: shape.page,
        purpose: shape.optional(
          open(values.conditionSetPurposes),
          'Only condition sets for this purpose. All purposes when left out.',
        ),
      }),
      answer: shape.cursorOrOffsetList(conditionSet),
    },
    get: {
      request: 'GET /publications/{publicationId}/condition_sets/{conditionSetId}',
      errors: [401, 404, 429, 500],
      doc: 'Read one active condition set, with its subscriber count when expanded',
      description:
        "Reads one active condition set. With `expand: ['stats']` the service counts the active subscribers while the call waits.",
      errorTexts: { 404: 'The publication does not exist, or it has no active condition set with this ID.' },
      example: "{ conditionSetId: '00000000-0000-4000-8000-000000000001', expand: ['stats'] }",
      open: [
        'The record is not shown; as in conditionSets.list, plus stats.active_subscriber_count.',
        'An archived set answers 404.',
      ],
      path: { conditionSetId: 'ID of the condition set, a UUID without a prefix.' },
      query: z.strictObject({ expand: shape.expand(['stats'], 'Data to add: `stats` (the active subscriber count).') }),
      answer: shape.enveloped(conditionSet, 'The condition set.'),
    },
  },
} satisfies ResourceRecord;
