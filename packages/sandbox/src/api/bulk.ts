/** Answers the operations on many subscriptions at once: each starts a job. */
import { schemas } from '@newsletter-kit/core/schema';
import type { JobRow } from '../store/jobs.ts';
import { acceptJob } from '../world/jobs.ts';
import { apiError } from './errors.ts';
import { handler, nothing, type Handler } from './handler.ts';
import { plainList } from './paging.ts';
import { bulkActions, bulkCreation } from './requests.ts';

const create = handler(
  'subscriptions.bulkCreate',
  { query: nothing, body: bulkCreation },
  ({ world, publication }, _query, body) => {
    const job = world.write(() => acceptJob(world, publication, 'import', body));
    return { body: { message: 'The import of the subscriptions has been accepted.', import_id: job.id } };
  },
);

/** PUT and PATCH do the same. */
const update = (['subscriptions.bulkUpdate', 'subscriptions.bulkUpdatePut'] as const).map((id) =>
  handler(id, { query: nothing, body: bulkActions }, ({ world, publication }, _query, body) => {
    const job = world.write(() => acceptJob(world, publication, 'bulk', body));
    return { body: { data: { subscription_update_id: job.id } } };
  }),
);

/** Answers nothing: the job is found in the list of updates. */
const updateStatus = (['subscriptions.updateStatus', 'subscriptions.updateStatusPut'] as const).map((id) =>
  handler(id, { query: nothing, body: schemas[id].body }, ({ world, publication, explain }, _query, body) => {
    const job = world.write(() => acceptJob(world, publication, 'status', body));
    explain(`The job is ${job.id}.`);
    return {};
  }),
);

const listUpdates = handler(
  'bulkSubscriptionUpdates.list',
  { query: nothing, body: nothing },
  ({ world, publication }) => plainList(world.store.jobs.updates(publication.id).map(jobRecord), 'nothing'),
);

const getUpdate = handler(
  'bulkSubscriptionUpdates.get',
  { query: nothing, body: nothing },
  ({ world, publication, params }) => {
    const job = world.store.jobs.update(publication.id, params['id'] ?? '');
    if (!job) throw apiError(404, 'NOT_FOUND', 'There is no bulk update with this id on this publication.');
    return { body: { data: jobRecord(job) } };
  },
);

function jobRecord({
  id,
  type,
  params,
  status,
  publication_id,
  failure_reason,
  completed,
  created,
  updated,
  error_log,
}: JobRow) {
  return {
    id,
    type,
    params,
    status,
    publication_id,
    failure_reason,
    completed,
    created,
    updated,
    error_log: JSON.parse(error_log) as unknown,
  };
}

export const bulkHandlers: readonly Handler[] = [create, ...update, ...updateStatus, listUpdates, getUpdate];
