/**
 * Data deletion requests of the whole workspace: processed after 14 days, irrevocable once processing begins. A key
 * restricted to publications gets 403.
 */
import * as z from 'zod/mini';
import { accepting, field, lenient } from '../schema/marks.ts';
import type { ResourceRecord } from './operation.ts';
import * as shape from './shapes.ts';

/** The times of a deletion request are texts (ISO 8601), unlike every other time of the API. */
const time = (description: string) =>
  lenient(accepting(z.iso.datetime(), z.union([z.string(), z.number()])), `${description}, as ISO 8601 text.`);

const deletionRequest = shape.record(
  'DeletionRequest',
  "A request to delete a subscriber's data from every publication of the organization.",
  {
    id: field(z.string(), 'ID of the deletion request, without a prefix.'),
    email: lenient(z.string(), 'Address of the subscriber to delete.'),
    status: field(z.enum(['pending', 'processing', 'completed', 'failed', 'canceled']), 'State of the request.'),
    source: lenient(
      z.enum(['zendesk', 'retool', 'website', 'app', 'public_api', 'other']),
      'Where the request was made.',
    ),
    requested_at: time('When the deletion was requested'),
    scheduled_for_processing_at: time('When processing begins, 14 days after the request'),
    completed_at: lenient(
      accepting(z.nullable(z.iso.datetime()), z.union([z.string(), z.number()])),
      'When the deletion was done, as ISO 8601 text; null until then.',
    ),
    created_at: time('When the record was created'),
  },
);

const recordNotShown =
  'The record is not shown: id, email, status, source, requested_at, scheduled_for_processing_at, completed_at, created_at (all four ISO 8601 strings).';
const answer = shape.enveloped(deletionRequest, 'The deletion request.');
const errorTexts = {
  403: 'The scope is missing, the organization has no access to data deletion, or the API key is restricted to specific publications.',
};

export const deletionRequests = {
  title: 'Deletion requests',
  description: "Redaction of a subscriber's data from every publication, 14 days after the request.",
  section: 'Endpoints, Data deletion',
  scope: 'data_deletion',
  errors: [401, 403, 404, 429, 500],
  operations: {
    create: {
      request: 'POST /publications/{publicationId}/data_privacy/deletion_requests',
      retry: 'once',
      lookUp: {
        by: ['email'],
        created: ['requested_at', 'created_at'],
        advice: 'List the deletion requests (deletionRequests.list) to see whether there is one for the subscriber.',
      },
      success: 201,
      errors: [400, 401, 403, 404, 409, 429, 500],
      remedies: { 409: 'A deletion request for this subscriber exists already.' },
      doc: 'Request the deletion of a subscriber from every publication of the organization',
      description:
        "Requests the deletion of a subscriber. After a safety delay of 14 days the subscriber's data is redacted from every publication of the organization; once processing begins this cannot be undone. The feature must be enabled for the organization.",
      section: 'Limits',
      errorTexts: {
        ...errorTexts,
        409: 'The request conflicts with an existing one, for example an open request for the same address.',
      },
      example: "{ email: 'ada@example.com' }",
      open: [recordNotShown, 'The condition of 409 is not stated: an open request for this address exists.'],
      body: z.strictObject({ email: field(shape.address, 'Address of the subscriber to delete.') }),
      answer,
    },
    list: {
      request: 'GET /publications/{publicationId}/data_privacy/deletion_requests',
      doc: 'List the deletion requests of the organization',
      description:
        'Lists the deletion requests of the whole organization. The feature must be enabled for the organization.',
      errorTexts,
      open: [
        recordNotShown,
        'limit, has_more and next_cursor stand beside data although no paging parameter is named.',
      ],
      answer: shape.cursorList(deletionRequest),
      pagination: 'none',
    },
    get: {
      request: 'GET /publications/{publicationId}/data_privacy/deletion_requests/{id}',
      doc: 'Read one deletion request and its status',
      description:
        'Reads one deletion request with its current status. The feature must be enabled for the organization.',
      errorTexts,
      example: "{ id: '00000000-0000-4000-8000-000000000001' }",
      open: [recordNotShown, 'Error statuses are not shown; as in deletionRequests.list.'],
      path: { id: 'ID of the deletion request, without a prefix.' },
      answer,
    },
  },
} satisfies ResourceRecord;
