/** Custom fields, data deletion requests and publication fields on the wire. */
import * as z from 'zod';
import * as values from '../contract/values.ts';
import * as shape from './shapes.ts';
import { address } from './subscriptions.ts';

/** A custom field of the publication. Subscriptions refer to it by `display`. */
export const customField = z.looseObject({
  id: z.string(),
  kind: shape.openEnum(values.customFieldKinds),
  display: z.string(),
  created: shape.optional(shape.unixSeconds),
  /** Choices; only where `kind` is `list`. */
  options: shape.optional(z.array(z.string())),
});

export const customFieldRequest = z.strictObject({
  kind: z.enum(values.customFieldKinds),
  display: z.string().trim().min(1, 'must not be empty'),
});
export const customFieldRename = z.strictObject({ display: z.string().trim().min(1, 'must not be empty').optional() });

/** The times of a deletion request are texts (ISO 8601), unlike every other time of the API. */
const time = shape.optional(z.union([z.string(), z.int()]));

export const deletionRequest = z.looseObject({
  id: z.string(),
  email: shape.optional(z.string()),
  status: shape.openEnum(values.deletionRequestStatuses),
  source: shape.optional(shape.openEnum(values.deletionRequestSources)),
  requested_at: time,
  scheduled_for_processing_at: time,
  completed_at: time,
  created_at: time,
});

export const deletionRequestBody = z.strictObject({ email: address });

export const publicationField = z.looseObject({
  id: z.string(),
  name: z.string(),
  display: z.string(),
  kind: shape.openEnum(values.publicationFieldKinds),
  value_source: shape.openEnum(['static', 'fetched']),
  response_keys: z.array(z.looseObject({ key: z.string(), kind: shape.openEnum(values.responseKeyKinds) })),
  status: shape.openEnum(values.publicationFieldStatuses),
  created: shape.unixSeconds,
  updated: shape.unixSeconds,
  default_value: shape.optional(z.string()),
  endpoint_url: shape.optional(z.string()),
});

export const publicationFieldQuery = z.strictObject({
  limit: shape.limit,
  cursor: shape.cursor,
  page: shape.page,
  status: z.enum(values.publicationFieldStatusFilters).optional(),
});
