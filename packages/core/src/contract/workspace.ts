/** Custom fields, data deletion requests, publication fields and publications. */
import type { Operation } from './types.ts';

const oneCustomField = {
  path: '/publications/{publicationId}/custom_fields/{id}',
  base: 'api',
  query: [],
  expand: [],
  pagination: 'none',
} as const;
const errors = [400, 401, 404, 429, 500] as const;
const renameBody = { encoding: 'json', fields: ['display'], required: [] } as const;

/** Custom fields of a publication. A subscription refers to one by its `display` text. */
export const customFields = [
  {
    id: 'customFields.create',
    method: 'POST',
    path: '/publications/{publicationId}/custom_fields',
    base: 'api',
    scope: 'custom_fields:write',
    query: [],
    expand: [],
    body: { encoding: 'json', fields: ['kind', 'display'], required: ['kind', 'display'] },
    success: 200,
    errors,
    pagination: 'none',
    retry: 'once',
    doc: 'Create a custom field',
  },
  {
    id: 'customFields.list',
    method: 'GET',
    path: '/publications/{publicationId}/custom_fields',
    base: 'api',
    scope: 'custom_fields:read',
    query: [],
    expand: [],
    body: null,
    success: 200,
    errors,
    pagination: 'offset',
    retry: 'safe',
    doc: 'List custom fields',
  },
  {
    ...oneCustomField,
    id: 'customFields.get',
    method: 'GET',
    scope: 'custom_fields:read',
    body: null,
    success: 200,
    errors,
    retry: 'safe',
    doc: 'Read one custom field',
  },
  {
    ...oneCustomField,
    id: 'customFields.update',
    method: 'PATCH',
    scope: 'custom_fields:write',
    body: renameBody,
    success: 200,
    errors,
    retry: 'upsert',
    doc: 'Rename a custom field',
  },
  {
    ...oneCustomField,
    id: 'customFields.updatePut',
    method: 'PUT',
    scope: 'custom_fields:write',
    body: renameBody,
    success: 200,
    errors,
    retry: 'upsert',
    doc: 'The same as customFields.update, by PUT',
  },
  {
    ...oneCustomField,
    id: 'customFields.delete',
    method: 'DELETE',
    scope: 'custom_fields:write',
    body: null,
    success: 204,
    errors,
    retry: 'upsert',
    doc: 'Delete a custom field',
  },
] as const satisfies readonly Operation[];

const deletion = { base: 'api', query: [], expand: [] } as const;

/**
 * Data deletion requests of the whole workspace: processed after 14 days, irrevocable once processing begins. A key
 * restricted to publications gets 403.
 */
export const dataDeletion = [
  {
    ...deletion,
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
    ...deletion,
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
    ...deletion,
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

/** Publication fields: a value per publication, for merge tags in content. Workspace level, in beta. */
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

/**
 * The list of publications. The specification names the scope `publications:read` but shows no endpoint with it; this
 * one is taken from the public API reference and SDK of beehiiv, a service with the same API, and was never tried live.
 */
export const publications = [
  {
    id: 'publications.list',
    method: 'GET',
    path: '/publications',
    base: 'api',
    scope: 'publications:read',
    query: ['limit', 'page'],
    expand: [],
    body: null,
    success: 200,
    errors: [400, 401, 403, 429, 500],
    pagination: 'offset',
    retry: 'safe',
    extension: true,
    doc: 'List the publications that the key or account may use',
  },
] as const satisfies readonly Operation[];
