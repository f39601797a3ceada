/** The operations, resource by resource, and by id. */
import { automations } from './automations.ts';
import { content } from './content.ts';
import { oauth } from './oauth.ts';
import { subscriptions } from './subscriptions.ts';
import { customFields, dataDeletion, publicationFields, publications } from './workspace.ts';

/**
 * Every operation of the specification: 32 of the API, 6 of OAuth, in the specification's order of resources. One more
 * of the API is marked `extension`: services have it, but the specification does not show it.
 *
 * @example
 * ```ts
 * import { operations } from '@newsletter-kit/core/contract';
 * const writes = operations.filter((operation) => operation.scope?.endsWith(':write'));
 * ```
 */
export const operations = [
  ...subscriptions,
  ...automations,
  ...content,
  ...customFields,
  ...dataDeletion,
  ...publicationFields,
  ...publications,
  ...oauth,
] as const;

/** `resource.verb` of any operation. */
export type OperationId = (typeof operations)[number]['id'];

/** The resource of an operation, the part of its id before the dot. */
export type ResourceOf<Id extends OperationId> = Id extends `${infer Resource}.${string}` ? Resource : never;

/** The contract's record of one operation. */
export type OperationById<Id extends OperationId> = Extract<(typeof operations)[number], { readonly id: Id }>;

const byId = new Map<string, (typeof operations)[number]>(operations.map((operation) => [operation.id, operation]));

/** The resource of the operation with this id. */
export function resourceOf<Id extends OperationId>(id: Id): ResourceOf<Id> {
  return id.slice(0, id.indexOf('.')) as ResourceOf<Id>;
}

/** The record of the operation with this id. */
export function operation<Id extends OperationId>(id: Id): OperationById<Id> {
  const found = byId.get(id);
  if (!found) throw new RangeError(`There is no operation "${id}" in the contract.`);
  return found as OperationById<Id>;
}
