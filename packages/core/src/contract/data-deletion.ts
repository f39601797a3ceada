/** Data deletion requests: the whole workspace, after 14 days, irrevocable once processing begins. Keys restricted to publications get 403. */
import type { Operation } from './types.ts';

const record = 'The record is not shown: id, email, status, source, requested_at, scheduled_for_processing_at, completed_at, created_at (all four ISO 8601 strings).';
const base = { base: 'api', query: [], expand: [] } as const;

export const dataDeletion = [
  {
    ...base,
    id: 'deletionRequests.create',
    method: 'POST',
    path: '/publications/{publicationId}/data_privacy/deletion_requests',
    scope: 'data_deletion:write',
    body: { encoding: 'json', fields: ['email'], required: ['email'] },
    success: 201,
    errors: [400, 401, 403, 404, 409, 429, 500],
    pagination: 'none',
    retry: 'once',
    assumed: [record, 'The condition of 409 is not stated: an open request for this address exists.'],
    doc: 'Request the deletion of a subscriber from every publication of the organization',
  },
  {
    ...base,
    id: 'deletionRequests.list',
    method: 'GET',
    path: '/publications/{publicationId}/data_privacy/deletion_requests',
    scope: 'data_deletion:read',
    body: null,
    success: 200,
    errors: [401, 403, 404, 429, 500],
    pagination: 'none',
    retry: 'safe',
    assumed: [record, 'limit, has_more and next_cursor stand beside data although no paging parameter is named.'],
    doc: 'List the deletion requests of the organization',
  },
  {
    ...base,
    id: 'deletionRequests.get',
    method: 'GET',
    path: '/publications/{publicationId}/data_privacy/deletion_requests/{id}',
    scope: 'data_deletion:read',
    body: null,
    success: 200,
    errors: [401, 403, 404, 429, 500],
    pagination: 'none',
    retry: 'safe',
    assumed: [record, 'Error statuses are not shown; as in deletionRequests.list.'],
    doc: 'Read one deletion request and its status',
  },
] as const satisfies readonly Operation[];
