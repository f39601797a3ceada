/**
 * Answers the operations on data deletion requests. They concern the whole workspace, whichever publication the path
 * names.
 */
import { schemas } from '@newsletter-kit/core/schema';
import { addressKey } from '@newsletter-kit/core/signup';
import type { DeletionRequestRow } from '../store/jobs.ts';
import type { World } from '../world/world.ts';
import { requestDeletion } from '../world/deletion.ts';
import { apiError } from './errors.ts';
import { handler, nothing, type Handler } from './handler.ts';
import { plainList } from './paging.ts';

const gated = {
  wholeWorkspace: true,
  admit({ assumed }: World): void {
    if (assumed('data_deletion') === 'not_enabled')
      throw apiError(
        403,
        'DATA_DELETION_NOT_ENABLED',
        'Data deletion is not enabled for this organization, as the assumption data_deletion has it.',
      );
  },
};

const create = handler(
  'deletionRequests.create',
  { query: nothing, body: schemas['deletionRequests.create'].body },
  ({ world }, _query, { email }) => {
    if (world.store.subscriptions.everywhere(addressKey(email)).length === 0) {
      throw apiError(404, 'NOT_FOUND', 'No publication of the workspace has a subscription with this address.');
    }
    return world.write(() => {
      const request = requestDeletion(world, email);
      if (!request) throw apiError(409, 'CONFLICT', 'A deletion request for this address is open already.');
      return { body: { data: deletionRequestRecord(request) } };
    });
  },
  gated,
);

const list = handler(
  'deletionRequests.list',
  { query: nothing, body: nothing },
  ({ world }) => plainList(world.store.deletionRequests.all().map(deletionRequestRecord), 'cursor'),
  gated,
);

const get = handler(
  'deletionRequests.get',
  { query: nothing, body: nothing },
  ({ world, params }) => {
    const request = world.store.deletionRequests.byId(params['id'] ?? '');
    if (!request) throw apiError(404, 'NOT_FOUND', 'There is no deletion request with this id.');
    return { body: { data: deletionRequestRecord(request) } };
  },
  gated,
);

function deletionRequestRecord({
  id,
  email,
  status,
  source,
  requested_at,
  scheduled_at,
  completed_at,
}: DeletionRequestRow) {
  const iso = (time: number): string => new Date(time).toISOString();
  return {
    id,
    email,
    status,
    source,
    requested_at: iso(requested_at),
    scheduled_for_processing_at: iso(scheduled_at),
    completed_at: completed_at === null ? null : iso(completed_at),
    created_at: iso(requested_at),
  };
}

export const deletionRequestHandlers: readonly Handler[] = [create, list, get];
