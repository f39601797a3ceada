/** Rules of data deletion requests. They concern the whole workspace, whichever publication the path names. */
import { addressKey } from '@newsletter-kit/core/signup';
import type { DeletionRequestRow } from '../store/jobs.ts';
import type { World } from '../world/world.ts';
import { requestDeletion } from '../world/deletion.ts';
import { apiError } from '../http/errors.ts';
import { listOf, listRule, oneRecord, orNotFound, rule, type Rule } from './rule.ts';

const onlyIfEnabled = {
  wholeWorkspace: true,
  admit({ assumed }: World): void {
    if (assumed('data_deletion') === 'not_enabled')
      throw apiError(
        403,
        'DATA_DELETION_NOT_ENABLED',
        'Data deletion is not enabled for this organization (assumption data_deletion: not_enabled).',
      );
  },
};

export const deletionRequestRules: readonly Rule[] = [
  rule(
    'deletionRequests.create',
    ({ world }, _query, { email }) => {
      if (world.store.subscriptions.everywhere(addressKey(email)).length === 0) {
        throw apiError(404, 'NOT_FOUND', 'No publication of the workspace has a subscription with this address.');
      }
      return world.write(() => {
        const request = requestDeletion(world, email);
        if (!request) throw apiError(409, 'CONFLICT', 'A deletion request for this address is already open.');
        return oneRecord(deletionRequestRecord(request));
      });
    },
    onlyIfEnabled,
  ),

  listRule(
    'deletionRequests.list',
    ({ world }) =>
      listOf(
        world.store.deletionRequests.all().map((row) => ({ ...row, created: row.requested_at })),
        deletionRequestRecord,
      ),
    onlyIfEnabled,
  ),

  rule(
    'deletionRequests.get',
    ({ world, params }) =>
      oneRecord(
        deletionRequestRecord(
          orNotFound(world.store.deletionRequests.byId(params['id'] ?? ''), 'deletion request with this id'),
        ),
      ),
    onlyIfEnabled,
  ),
];

function deletionRequestRecord(row: DeletionRequestRow) {
  const iso = (time: number): string => new Date(time).toISOString();
  return {
    id: row.id,
    email: row.email,
    status: row.status,
    source: row.source,
    requested_at: iso(row.requested_at),
    scheduled_for_processing_at: iso(row.scheduled_at),
    completed_at: row.completed_at === null ? null : iso(row.completed_at),
    created_at: iso(row.requested_at),
  };
}
