/** Custom fields, data deletion requests, publication fields and publications on the wire. */
import * as z from 'zod';
import * as values from '../contract/values.ts';
import { words } from '../contract/words/index.ts';
import * as shape from './shapes.ts';
import { address } from './subscriptions.ts';
import { accepting, lenient } from './tolerant.ts';

/** A custom field of the publication. Subscriptions refer to it by `display`. */
export const customField = shape.record('CustomField', 'A custom field of a publication.', {
  id: z.string().describe('ID of the custom field, a UUID without a prefix.'),
  kind: z.enum(values.customFieldKinds).describe('Type of the values.'),
  display: z.string().describe('Label of the field. Subscriptions refer to the field by this label.'),
  created: lenient(shape.unixSeconds.describe('When the field was created, in Unix seconds.')),
  options: z.array(z.string()).optional().describe('The choices. Present only where `kind` is `list`.'),
});

const display = z.string().trim().min(1, 'must not be empty');
export const customFieldRequest = shape.request(words['customFields.create'].parameters, {
  kind: z.enum(values.customFieldKinds),
  display,
});
export const customFieldRename = shape.request(words['customFields.update'].parameters, {
  display: display.optional(),
});

/** The times of a deletion request are texts (ISO 8601), unlike every other time of the API. */
const time = (description: string) =>
  lenient(accepting(z.iso.datetime().describe(`${description}, as ISO 8601 text.`), z.union([z.string(), z.number()])));

export const deletionRequest = shape.record(
  'DeletionRequest',
  "A request to delete a subscriber's data from every publication of the organization.",
  {
    id: z.string().describe('ID of the deletion request, without a prefix.'),
    email: lenient(z.string().describe('Address of the subscriber to delete.')),
    status: z.enum(values.deletionRequestStatuses).describe('State of the request.'),
    source: lenient(z.enum(values.deletionRequestSources).describe('Where the request was made.')),
    requested_at: time('When the deletion was requested'),
    scheduled_for_processing_at: time('When processing begins, 14 days after the request'),
    completed_at: lenient(
      accepting(
        z.iso.datetime().nullable().describe('When the deletion was done, as ISO 8601 text; null until then.'),
        z.union([z.string(), z.number()]),
      ),
    ),
    created_at: time('When the record was created'),
  },
);

export const deletionRequestBody = shape.request(words['deletionRequests.create'].parameters, { email: address });

const responseKey = shape.record('PublicationFieldResponseKey', 'A key of a fetched JSON response body.', {
  key: z.string().describe('Name of the key within the JSON response body.'),
  kind: z.enum(values.responseKeyKinds).describe('Type of the value.'),
});

export const publicationField = shape.record(
  'PublicationField',
  'A field of the workspace that holds a value per publication; content refers to it by a merge tag.',
  {
    id: shape.prefixedId('pub_field').describe('Prefixed ID of the field, `pub_field_<uuid>`.'),
    name: z.string().describe('Key of the merge tag, unique within the workspace.'),
    display: z.string().describe('Human readable label.'),
    kind: z.enum(values.publicationFieldKinds).describe('Type of the values.'),
    value_source: z
      .enum(['static', 'fetched'])
      .describe('Whether values are set by hand or fetched from `endpoint_url`.'),
    response_keys: z
      .array(responseKey)
      .describe('Keys declared in the fetched JSON response body; empty unless `kind` is `json`.'),
    status: z.enum(values.publicationFieldStatuses).describe('Whether the field is in use.'),
    created: shape.unixSeconds.describe('When the field was created, in Unix seconds.'),
    updated: shape.unixSeconds.describe('When the field last changed, in Unix seconds.'),
    default_value: z
      .string()
      .nullable()
      .optional()
      .describe('Value for publications that set none; null when none is configured.'),
    endpoint_url: z
      .string()
      .nullable()
      .optional()
      .describe('Address the value is fetched from; may contain merge tags. Null unless `value_source` is `fetched`.'),
  },
);

export const publicationFieldQuery = shape.request(words['publicationFields.list'].parameters, {
  limit: shape.limit,
  cursor: shape.cursor,
  page: shape.page,
  status: z.enum(values.publicationFieldStatusFilters).optional(),
});

export const publication = shape.record('Publication', 'A publication that the API key or the account may use.', {
  id: shape.prefixedId('pub').describe('Prefixed ID of the publication, `pub_<uuid>`.'),
  name: z.string().describe('Name of the publication.'),
  organization_name: lenient(z.string().describe('Name of the organization that the publication belongs to.')),
  referral_program_enabled: lenient(z.boolean().describe('Whether the publication has a referral program.')),
  created: lenient(shape.unixSeconds.describe('When the publication was created, in Unix seconds.')),
});

export const publicationQuery = shape.request(words['publications.list'].parameters, {
  limit: shape.limit,
  page: shape.page,
});
