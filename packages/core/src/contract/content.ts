/**
 * What surrounds the subscriptions: authors, advertisement opportunities, complimentary access, condition sets. All
 * read-only.
 */
import type { Operation } from './types.ts';

const read = { method: 'GET', base: 'api', body: null, success: 200, retry: 'safe' } as const;
const errors = [400, 401, 404, 429, 500] as const;
const errorsWithForbidden = [400, 401, 403, 404, 429, 500] as const;

export const content = [
  {
    ...read,
    id: 'authors.list',
    path: '/publications/{publicationId}/authors',
    scope: null,
    query: ['limit', 'page', 'name'],
    expand: [],
    errors: errorsWithForbidden,
    pagination: 'offset',
    doc: 'List authors, optionally by full or first name',
  },
  {
    ...read,
    id: 'authors.get',
    path: '/publications/{publicationId}/authors/{authorId}',
    scope: null,
    query: [],
    expand: [],
    errors: errorsWithForbidden,
    pagination: 'none',
    doc: 'Read one author by UUID, full name or first name',
  },
  {
    ...read,
    id: 'advertisementOpportunities.list',
    path: '/publications/{publicationId}/advertisement_opportunities',
    scope: 'posts:read',
    query: [],
    expand: [],
    errors: errorsWithForbidden,
    pagination: 'none',
    doc: 'List accepted advertisement opportunities',
  },
  {
    ...read,
    id: 'complimentaryAccess.list',
    path: '/publications/{publicationId}/complimentary_access',
    scope: 'complimentary_access:read',
    query: ['expand[]', 'limit', 'cursor'],
    expand: ['tier', 'stats'],
    errors,
    pagination: 'cursor',
    doc: 'List complimentary access objects',
  },
  {
    ...read,
    id: 'complimentaryAccess.get',
    path: '/publications/{publicationId}/complimentary_access/{complimentaryAccessId}',
    scope: 'complimentary_access:read',
    query: ['expand[]'],
    expand: ['tier'],
    errors,
    pagination: 'none',
    doc: 'Read one complimentary access object',
  },
  {
    ...read,
    id: 'conditionSets.list',
    path: '/publications/{publicationId}/condition_sets',
    scope: 'condition_sets:read',
    query: ['limit', 'cursor', 'page', 'purpose'],
    expand: [],
    errors,
    pagination: 'cursor-or-offset',
    doc: 'List active condition sets',
  },
  {
    ...read,
    id: 'conditionSets.get',
    path: '/publications/{publicationId}/condition_sets/{conditionSetId}',
    scope: 'condition_sets:read',
    query: ['expand[]'],
    expand: ['stats'],
    errors: [401, 404, 429, 500],
    pagination: 'none',
    doc: 'Read one active condition set, with its subscriber count when expanded',
  },
] as const satisfies readonly Operation[];
