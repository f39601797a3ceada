/** The operations by id. */
import { operations } from './table.ts';

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
