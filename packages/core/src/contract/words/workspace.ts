/** Reference documentation of custom fields, deletion requests, publication fields and publications. */
import type { OperationId } from '../operations.ts';
import {
  cursor,
  limit,
  page,
  publicationFieldStatus,
  publicationId,
  type OperationWords,
  type ParameterWords,
  type ParametersWords,
} from './shared.ts';

/** Body of the creation of a custom field. */
export const customFieldWords = {
  kind: { text: 'Type of the values. It cannot be changed later.' },
  display: {
    text: 'Label of the field, unique within the publication. Subscriptions refer to the field by this label.',
  },
} as const satisfies ParametersWords;

/** Body of a deletion request. */
export const deletionRequestWords = {
  email: { text: 'Address of the subscriber to delete.' },
} as const satisfies ParametersWords;

const customFieldId = { text: 'ID of the custom field, a UUID without a prefix.' } as const satisfies ParameterWords;

const renameText = 'Changes the label of a custom field. Values stored on subscriptions are kept.';
const renameExample = "{ id: '00000000-0000-4000-8000-000000000001', display: 'First name' }";
const renameParameters = {
  publicationId,
  id: customFieldId,
  display: { text: 'New label of the field. Subscriptions refer to the field by this label.' },
} as const satisfies ParametersWords;

const noDeletionForbidden =
  'The scope is missing, the organization has no access to data deletion, or the API key is restricted to specific publications.';

/** Documentation of every operation in this file. */
export const workspaceWords = {
  'customFields.create': {
    description: 'Creates a custom field on the publication. Subscriptions can then store a value for it.',
    returns: 'The custom field.',
    section: 'Endpoints, Custom fields',
    parameters: {
      publicationId,
      ...customFieldWords,
    },
    example: "{ kind: 'string', display: 'First Name' }",
  },
  'customFields.list': {
    description: 'Lists the custom fields of a publication.',
    returns: 'Custom fields.',
    section: 'Endpoints, Custom fields',
    parameters: { publicationId },
  },
  'customFields.get': {
    description: 'Reads one custom field.',
    returns: 'The custom field.',
    section: 'Endpoints, Custom fields',
    parameters: { publicationId, id: customFieldId },
    example: "{ id: '00000000-0000-4000-8000-000000000001' }",
  },
  'customFields.update': {
    description: renameText,
    returns: 'The custom field.',
    section: 'Endpoints, Custom fields',
    parameters: renameParameters,
    example: renameExample,
  },
  'customFields.updatePut': {
    description: renameText,
    returns: 'The custom field.',
    section: 'Endpoints, Custom fields',
    parameters: renameParameters,
    example: renameExample,
  },
  'customFields.delete': {
    description: 'Deletes a custom field and the values that subscriptions store for it.',
    returns: 'Nothing: the answer has no body.',
    section: 'Endpoints, Custom fields',
    parameters: { publicationId, id: customFieldId },
    example: "{ id: '00000000-0000-4000-8000-000000000001' }",
  },
  'deletionRequests.create': {
    description:
      "Requests the deletion of a subscriber. After a safety delay of 14 days the subscriber's data is redacted from every publication of the organization; once processing begins this cannot be undone. The feature must be enabled for the organization.",
    returns: 'The deletion request.',
    section: 'Endpoints, Data deletion; Limits',
    parameters: { publicationId, ...deletionRequestWords },
    errors: {
      403: noDeletionForbidden,
      409: 'The request conflicts with an existing one, for example an open request for the same address.',
    },
    example: "{ email: 'ada@example.com' }",
  },
  'deletionRequests.list': {
    description:
      'Lists the deletion requests of the whole organization. The feature must be enabled for the organization.',
    returns: 'Deletion requests, all in one page.',
    section: 'Endpoints, Data deletion',
    parameters: { publicationId },
    errors: { 403: noDeletionForbidden },
  },
  'deletionRequests.get': {
    description:
      'Reads one deletion request with its current status. The feature must be enabled for the organization.',
    returns: 'The deletion request.',
    section: 'Endpoints, Data deletion',
    parameters: { publicationId, id: { text: 'ID of the deletion request, without a prefix.' } },
    errors: { 403: noDeletionForbidden },
    example: "{ id: '00000000-0000-4000-8000-000000000001' }",
  },
  'publicationFields.list': {
    description:
      'Lists the publication fields of the workspace; content refers to their values through merge tags. Archived fields are left out unless `status` asks for them. The operation is in beta and may change.',
    returns: 'Publication fields, page by page.',
    section: 'Endpoints, Workspace; Pagination',
    parameters: {
      limit,
      cursor,
      page,
      status: publicationFieldStatus,
    },
    errors: {
      403: 'The scope is missing, or the API key does not have access to every publication of the workspace.',
    },
  },
  'publications.list': {
    description:
      'Lists the publications that the API key or the account may use; a key restricted to some publications sees those only. An extension: the specification does not show this endpoint, and a service may lack it and answer 404.',
    returns: 'Publications, page by page.',
    section: 'None; the scope `publications:read` stands under Authentication',
    parameters: { limit, page },
  },
} as const satisfies Readonly<Partial<Record<OperationId, OperationWords>>>;

/** What the specification leaves open about these operations, and how it is filled here. */
export const workspaceAssumptions = {
  'customFields.create': [
    'The record is not shown: id, kind, display, created, options (list fields only).',
    'What a second field of the same display does is not shown: 400.',
  ],
  'customFields.list': [
    'The record is not shown: id, kind, display, created, options (list fields only).',
    'The answer carries limit, page, total_results and total_pages although no paging parameter is named.',
  ],
  'customFields.get': ['The record is not shown: id, kind, display, created, options (list fields only).'],
  'customFields.update': ['The patch result is not shown: the custom field.'],
  'customFields.updatePut': ['The record is not shown: id, kind, display, created, options (list fields only).'],
  'deletionRequests.create': [
    'The record is not shown: id, email, status, source, requested_at, scheduled_for_processing_at, completed_at, created_at (all four ISO 8601 strings).',
    'The condition of 409 is not stated: an open request for this address exists.',
  ],
  'deletionRequests.list': [
    'The record is not shown: id, email, status, source, requested_at, scheduled_for_processing_at, completed_at, created_at (all four ISO 8601 strings).',
    'limit, has_more and next_cursor stand beside data although no paging parameter is named.',
  ],
  'deletionRequests.get': [
    'The record is not shown: id, email, status, source, requested_at, scheduled_for_processing_at, completed_at, created_at (all four ISO 8601 strings).',
    'Error statuses are not shown; as in deletionRequests.list.',
  ],
  'publications.list': [
    'The endpoint is not shown. It is taken from the public API reference and SDK of beehiiv, never tried live: id, name, organization_name, referral_program_enabled, created; offset paging at top level. A key restricted to publications lists those.',
  ],
} as const satisfies Readonly<Partial<Record<OperationId, readonly string[]>>>;
