/** Custom fields of a publication. A subscription refers to one by its `display` text. */
import type { Operation } from './types.ts';

const one = {
  path: '/publications/{publicationId}/custom_fields/{id}',
  base: 'api',
  query: [],
  expand: [],
  pagination: 'none',
} as const;
const errors = [400, 401, 404, 429, 500] as const;
const renameBody = { encoding: 'json', fields: ['display'], required: [] } as const;

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
  { ...one, id: 'customFields.get', method: 'GET', scope: 'custom_fields:read', body: null, success: 200, errors, retry: 'safe', doc: 'Read one custom field' },
  { ...one, id: 'customFields.update', method: 'PATCH', scope: 'custom_fields:write', body: renameBody, success: 200, errors, retry: 'upsert', doc: 'Rename a custom field' },
  { ...one, id: 'customFields.updatePut', method: 'PUT', scope: 'custom_fields:write', body: renameBody, success: 200, errors, retry: 'upsert', doc: 'The same as customFields.update, by PUT' },
  { ...one, id: 'customFields.delete', method: 'DELETE', scope: 'custom_fields:write', body: null, success: 204, errors, retry: 'upsert', doc: 'Delete a custom field' },
] as const satisfies readonly Operation[];
