/** Publication fields: a value per publication that content refers to by a merge tag. Workspace level, in beta. */
import type { Operation } from './types.ts';

export const publicationFields = [
  {
    id: 'publicationFields.list',
    method: 'GET',
    path: '/workspaces/publication_fields',
    base: 'api',
    scope: 'publication_fields:read',
    query: ['limit', 'cursor', 'page', 'status'],
    expand: [],
    body: null,
    success: 200,
    errors: [400, 401, 403, 404, 429, 500],
    pagination: 'cursor-or-offset',
    retry: 'safe',
    doc: 'List publication fields; needs a key with access to every publication',
  },
] as const satisfies readonly Operation[];
