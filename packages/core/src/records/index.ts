/**
 * The records: a file per resource says all there is to say of its operations, their schemas in zod included. What has
 * no zod, and all documentation, is generated from here; `npm run generate` writes it.
 */
import type * as z from 'zod/mini';
import type { OperationId } from '../contract/index.ts';
import { advertisementOpportunities } from './advertisement-opportunities.ts';
import { authors } from './authors.ts';
import { automations } from './automations.ts';
import { bulkSubscriptionUpdates } from './bulk-subscription-updates.ts';
import { complimentaryAccess } from './complimentary-access.ts';
import { conditionSets } from './condition-sets.ts';
import { customFields } from './custom-fields.ts';
import { deletionRequests } from './deletion-requests.ts';
import { journeys } from './journeys.ts';
import { oauth } from './oauth.ts';
import type { OperationRecord, ResourceRecord } from './operation.ts';
import { publicationFields } from './publication-fields.ts';
import { publications } from './publications.ts';
import { subscriptions } from './subscriptions.ts';

export { fieldOf, fieldPath } from '../field-path.ts';
export { fieldsIn, type DeclaredField } from '../schema/fields.ts';
export type * from '../schema/types.ts';
export { oauthError } from './oauth.ts';
export { address, errorBody } from './shapes.ts';
export { bulkUpdateItem, customFieldValue, subscription, subscriptionRequest } from './subscription-bodies.ts';

/** The resources, in the specification's order. */
export const records = {
  subscriptions,
  bulkSubscriptionUpdates,
  automations,
  journeys,
  authors,
  advertisementOpportunities,
  complimentaryAccess,
  conditionSets,
  customFields,
  deletionRequests,
  publicationFields,
  publications,
  oauth,
} satisfies Readonly<Record<string, ResourceRecord>>;

/** An operation's record, and that of its resource. An operation by PUT shares that of its PATCH. */
export interface OperationEntry {
  readonly id: `${string}.${string}`;
  /** The id of the operation by PATCH, for the one by PUT. */
  readonly twinOf: string | undefined;
  readonly record: OperationRecord;
  readonly resource: ResourceRecord;
}

/** Every operation, resource by resource. */
export const operationRecords: readonly OperationEntry[] = Object.entries<ResourceRecord>(records).flatMap(
  ([name, resource]) =>
    Object.entries(resource.operations).flatMap(([verb, record]) => {
      const entry = { id: `${name}.${verb}`, twinOf: undefined, record, resource } as const;
      return record.twin ? [entry, { ...entry, id: `${name}.${verb}Put`, twinOf: entry.id } as const] : [entry];
    }),
);

/** What one operation takes in its query (repeatable names without `[]`) and body, and what it answers. */
export interface OperationSchemas {
  readonly query?: z.ZodMiniObject;
  readonly body?: z.ZodMiniObject;
  /** The strict reading. */
  readonly answer: z.ZodMiniType;
}

type Operations<Name extends keyof typeof records> = (typeof records)[Name]['operations'];

/** The record of an operation, or that of its PATCH. */
type RecordOf<Id> = Id extends `${infer Name extends keyof typeof records}.${infer Verb}`
  ? Verb extends keyof Operations<Name>
    ? Operations<Name>[Verb]
    : Verb extends `${infer Patch extends keyof Operations<Name> & string}Put`
      ? Operations<Name>[Patch]
      : never
  : never;

type SchemasOf<Record> = Pick<Record, keyof OperationSchemas & keyof Record>;

/** Schemas of every operation, by its id in the contract. */
export const schemas = Object.fromEntries(
  operationRecords.map(({ id, record: { query, body, answer } }) => [
    id,
    { ...(query && { query }), ...(body && { body }), answer },
  ]),
) as { readonly [Id in OperationId]: SchemasOf<RecordOf<Id>> };
