/** Publication fields: a value per publication, for merge tags in content. Workspace level, in beta. */
import * as z from 'zod/mini';
import * as values from '../contract/values.ts';
import { field } from '../schema/marks.ts';
import type { ResourceRecord } from './operation.ts';
import * as shape from './shapes.ts';

const responseKey = shape.record('PublicationFieldResponseKey', 'A key of a fetched JSON response body.', {
  key: field(z.string(), 'Name of the key within the JSON response body.'),
  kind: field(z.enum(values.responseKeyKinds), 'Type of the value.'),
});

const publicationField = shape.record(
  'PublicationField',
  'A field of the workspace that holds a value per publication; content refers to it by a merge tag.',
  {
    id: field(shape.prefixedId('pub_field'), 'Prefixed ID of the field, `pub_field_<uuid>`.'),
    name: field(z.string(), 'Key of the merge tag, unique within the workspace.'),
    display: field(z.string(), 'Human readable label.'),
    kind: field(z.enum(values.publicationFieldKinds), 'Type of the values.'),
    value_source: field(
      z.enum(['static', 'fetched']),
      'Whether values are set by hand or fetched from `endpoint_url`.',
    ),
    response_keys: field(
      z.array(responseKey),
      'Keys declared in the fetched JSON response body; empty unless `kind` is `json`.',
    ),
    status: field(z.enum(values.publicationFieldStatuses), 'Whether the field is in use.'),
    created: field(shape.unixSeconds, 'When the field was created, in Unix seconds.'),
    updated: field(shape.unixSeconds, 'When the field last changed, in Unix seconds.'),
    default_value: shape.optional(
      z.nullable(z.string()),
      'Value for publications that set none; null when none is configured.',
    ),
    endpoint_url: shape.optional(
      z.nullable(z.string()),
      'Address the value is fetched from; may contain merge tags. Null unless `value_source` is `fetched`.',
    ),
  },
);

export const publicationFields = {
  title: 'Publication fields',
  description: 'Fields of the workspace with a value per publication, for use in content through merge tags.',
  section: 'Endpoints, Workspace',
  scope: 'publication_fields',
  errors: [400, 401, 403, 404, 429, 500],
  operations: {
    list: {
      request: 'GET /workspaces/publication_fields',
      doc: 'List publication fields; needs a key with access to every publication',
      description:
        'Lists the publication fields of the workspace; content refers to their values through merge tags. Archived fields are left out unless `status` asks for them. The operation is in beta and may change.',
      errorTexts: {
        403: 'The scope is missing, or the API key does not have access to every publication of the workspace.',
      },
      query: z.strictObject({
        limit: shape.limit,
        cursor: shape.cursor,
        page: shape.page,
        status: shape.optional(
          z.enum(values.publicationFieldStatusFilters),
          'Only fields of this status; `all` includes archived ones.',
          'active',
        ),
      }),
      answer: shape.cursorOrOffsetList(publicationField, { total: true }),
    },
  },
} satisfies ResourceRecord;
