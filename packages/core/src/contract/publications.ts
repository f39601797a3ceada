/**
 * The list of publications. The specification names the scope `publications:read` but shows no endpoint of that family;
 * this one is taken from the public API reference and SDK of beehiiv, a service that speaks the same API, and never
 * tried live.
 */
import type { Operation } from './types.ts';

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
