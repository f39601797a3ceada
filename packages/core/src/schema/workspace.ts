/** Custom fields, data deletion requests, publication fields and publications on the wire. */
import * as z from 'zod/mini';
import * as values from '../contract/values.ts';
import { words } from '../contract/words/index.ts';
import * as shape from './shapes.ts';
import { address } from './subscriptions.ts';
import { accepting, field, lenient } from './tolerant.ts';

/** A custom field of the publication. Subscriptions refer to it by `display`. */
export const customField = shape.record('CustomField', 'A custom field of a publication.', {
  id: field(z.string(), 'ID of the custom field, a UUID without a prefix.'),
  kind: field(z.enum(values.customFieldKinds), 'Type of the values.'),
  display: field(z.string(), 'Label of the field. Subscriptions refer to the field by this label.'),
  created: lenient(shape.unixSeconds, 'When the field was created, in Unix seconds.'),
  options: field(z.optional(z.array(z.string())), 'The choices. Present only where `kind` is `list`.'),
});

const display = z.string().check(z.trim(), z.minLength(1, 'must not be empty'));
export const customFieldRequest = shape.request(words['customFields.create'].parameters, {
  kind: z.enum(values.customFieldKinds),
  display,
});
export const customFieldRename = shape.request(words['customFields.update'].parameters, {
  display: z.optional(display),
});

/** The times of a deletion request are texts (ISO 8601), unlike every other time of the API. */
const time = (description: string) =>
  lenient(accepting(z.iso.datetime(), z.union([z.string(), z.number()])), `${description}, as ISO 8601 text.`);

export const deletionRequest = shape.record(
  'DeletionRequest',
  "A request to delete a subscriber's data from every publication of the organization.",
  {
    id: field(z.string(), 'ID of the deletion request, without a prefix.'),
    email: lenient(z.string(), 'Address of the subscriber to delete.'),
    status: field(z.enum(values.deletionRequestStatuses), 'State of the request.'),
    source: lenient(z.enum(values.deletionRequestSources), 'Where the request was made.'),
    requested_at: time('When the deletion was requested'),
    scheduled_for_processing_at: time('When processing begins, 14 days after the request'),
    completed_at: lenient(
      accepting(z.nullable(z.iso.datetime()), z.union([z.string(), z.number()])),
      'When the deletion was done, as ISO 8601 text; null until then.',
    ),
    created_at: time('When the record was created'),
  },
);

export const deletionRequestBody = shape.request(words['deletionRequests.create'].parameters, { email: address });

const responseKey = shape.record('PublicationFieldResponseKey', 'A key of a fetched JSON response body.', {
  key: field(z.string(), 'Name of the key within the JSON response body.'),
  kind: field(z.enum(values.responseKeyKinds), 'Type of the value.'),
});

export const publicationField = shape.record(
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
    default_value: field(
      z.optional(z.nullable(z.string())),
      'Value for publications that set none; null when none is configured.',
    ),
    endpoint_url: field(
      z.optional(z.nullable(z.string())),
      'Address the value is fetched from; may contain merge tags. Null unless `value_source` is `fetched`.',
    ),
  },
);

export const publicationFieldQuery = shape.request(words['publicationFields.list'].parameters, {
  limit: shape.limit,
  cursor: shape.cursor,
  page: shape.page,
  status: z.optional(z.enum(values.publicationFieldStatusFilters)),
});

export const publication = shape.record('Publication', 'A publication that the API key or the account may use.', {
  id: field(shape.prefixedId('pub'), 'Prefixed ID of the publication, `pub_<uuid>`.'),
  name: field(z.string(), 'Name of the publication.'),
  organization_name: lenient(z.string(), 'Name of the organization that the publication belongs to.'),
  referral_program_enabled: lenient(z.boolean(), 'Whether the publication has a referral program.'),
  created: lenient(shape.unixSeconds, 'When the publication was created, in Unix seconds.'),
});

export const publicationQuery = shape.request(words['publications.list'].parameters, {
  limit: shape.limit,
  page: shape.page,
});
