import * as z from 'zod/mini';
import * as values from '../contract/values.ts';
import { field, lenient, open } from '../schema/marks.ts';
import type { ResourceRecord } from './operation.ts';
import * as shape from './shapes.ts';

/** A custom field of the publication. Subscriptions refer to it by `display`. */
const customField = shape.record('CustomField', 'A custom field of a publication.', {
  id: field(z.string(), 'ID of the custom field, a UUID without a prefix.'),
  kind: field(z.enum(values.customFieldKinds), 'Type of the values.'),
  display: field(z.string(), 'Label of the field. Subscriptions refer to the field by this label.'),
  created: lenient(shape.unixSeconds, 'When the field was created, in Unix seconds.'),
  options: shape.optional(z.array(z.string()), 'The choices. Present only where `kind` is `list`.'),
});

const recordNotShown = 'The record is not shown: id, kind, display, created, options (list fields only).';
const path = { id: 'ID of the custom field, a UUID without a prefix.' };
const display = z.string().check(z.trim(), z.minLength(1, 'must not be empty'));
const answer = shape.enveloped(customField, 'The custom field.');

export const customFields = {
  title: 'Custom fields',
  description: "A publication's own fields, with a value per subscription.",
  section: 'Endpoints, Custom fields',
  scope: 'custom_fields',
  operations: {
    create: {
      request: 'POST /publications/{publicationId}/custom_fields',
      retry: 'once',
      // By display text alone: subscriptions refer to fields by it, so it is unique. The service may name the kind by
      // another word.
      lookUp: {
        by: ['display'],
        created: ['created'],
        advice: 'List the custom fields (customFields.list) to see whether it exists.',
      },
      doc: 'Create a custom field',
      description: 'Creates a custom field on the publication. Subscriptions can then store a value for it.',
      example: "{ kind: 'string', display: 'First Name' }",
      open: [recordNotShown, 'What a second field of the same display does is not shown: 400.'],
      body: z.strictObject({
        kind: field(open(values.customFieldKinds), 'Type of the values. It cannot be changed later.'),
        display: field(
          display,
          'Label of the field, unique within the publication. Subscriptions refer to the field by this label.',
        ),
      }),
      answer,
    },
    list: {
      request: 'GET /publications/{publicationId}/custom_fields',
      doc: 'List custom fields',
      description: 'Lists the custom fields of a publication.',
      returns: 'Custom fields.',
      open: [
        recordNotShown,
        'The answer carries limit, page, total_results and total_pages although no paging parameter is named.',
      ],
      answer: shape.offsetList(customField),
    },
    get: {
      request: 'GET /publications/{publicationId}/custom_fields/{id}',
      doc: 'Read one custom field',
      description: 'Reads one custom field.',
      example: "{ id: '00000000-0000-4000-8000-000000000001' }",
      open: [recordNotShown],
      path,
      answer,
    },
    update: {
      request: 'PATCH /publications/{publicationId}/custom_fields/{id}',
      twin: 'PUT',
      retry: 'upsert',
      doc: 'Rename a custom field',
      description: 'Changes the label of a custom field. Values stored on subscriptions are kept.',
      example: "{ id: '00000000-0000-4000-8000-000000000001', display: 'First name' }",
      open: ['What PATCH and PUT answer is not shown: the custom field.'],
      path,
      body: z.strictObject({
        display: shape.optional(display, 'New label of the field. Subscriptions refer to the field by this label.'),
      }),
      answer,
    },
    delete: {
      request: 'DELETE /publications/{publicationId}/custom_fields/{id}',
      retry: 'upsert',
      success: 204,
      doc: 'Delete a custom field',
      description: 'Deletes a custom field and the values that subscriptions store for it.',
      example: "{ id: '00000000-0000-4000-8000-000000000001' }",
      path,
      answer: shape.empty,
    },
  },
} satisfies ResourceRecord;
