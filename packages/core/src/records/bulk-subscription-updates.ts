import * as z from 'zod/mini';
import * as values from '../contract/values.ts';
import { accepting, field, lenient } from '../schema/marks.ts';
import type { ResourceRecord } from './operation.ts';
import * as shape from './shapes.ts';

const job = shape.record('BulkSubscriptionUpdate', 'A job that updates many subscriptions, and its outcome.', {
  id: field(z.string(), 'ID of the job, without a prefix.'),
  type: lenient(
    z.enum(['status', 'bulk']),
    '`status`: started by `subscriptions.updateStatus`. `bulk`: started by `subscriptions.bulkUpdate`.',
  ),
  params: lenient(z.string(), 'The parameters of the update, serialised. Do not parse it.'),
  status: lenient(z.enum(values.bulkUpdateStatuses), 'State of the job. `complete` and `failed` are final.'),
  publication_id: lenient(shape.prefixedId('pub'), 'Prefixed ID of the publication, `pub_<uuid>`.'),
  failure_reason: lenient(z.nullable(z.string()), 'Why the whole job failed; null unless it did.'),
  completed: lenient(z.nullable(shape.unixSeconds), 'When the job ended, in Unix seconds; null until then.'),
  created: lenient(shape.unixSeconds, 'When the job was created, in Unix seconds.'),
  updated: lenient(shape.unixSeconds, 'When the job last changed, in Unix seconds.'),
  error_log: lenient(accepting(z.array(z.string()), z.array(z.unknown())), 'One entry per item that failed.'),
});

export const bulkSubscriptionUpdates = {
  title: 'Bulk subscription updates',
  description: 'The jobs started by bulk updates: their status and their error logs.',
  section: 'Endpoints, Subscriptions',
  scope: 'subscriptions',
  operations: {
    list: {
      request: 'GET /publications/{publicationId}/bulk_subscription_updates',
      doc: 'List the bulk update jobs of the publication',
      description:
        'Lists the jobs started by bulk updates and status updates. Imports by `subscriptions.bulkCreate` are not among them.',
      returns: 'The update jobs, all in one page.',
      open: [
        'The record is not shown: id, type, params (a string), status, publication_id, failure_reason, completed, created, updated, error_log.',
      ],
      answer: shape.wholeList(job),
    },
    get: {
      request: 'GET /publications/{publicationId}/bulk_subscription_updates/{id}',
      doc: 'Read one bulk update job, its state and its error log',
      description: 'Reads the status of a bulk update job, and the error log of the items that failed.',
      example: "{ id: '00000000-0000-4000-8000-000000000001' }",
      open: ['The record is not shown; as in bulkSubscriptionUpdates.list.'],
      path: { id: 'ID of the update job, without a prefix.' },
      answer: shape.enveloped(job, 'The update job.'),
    },
  },
} satisfies ResourceRecord;
