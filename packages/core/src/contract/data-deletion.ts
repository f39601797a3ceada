/**
 * Data deletion requests: the whole workspace, after 14 days, irrevocable once processing begins. Keys restricted to
 * publications get 403.
 */
import type { Operation } from './types.ts';

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
    doc: 'Read one deletion request and its status',
  },
] as const satisfies readonly Operation[];
