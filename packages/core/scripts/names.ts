/** Names of the generated types: `subscriptions.create` takes `SubscriptionCreateParams`. */

import { resourceOf, type OperationId, type ResourceOf } from '../src/contract/index.ts';

/** Singular of each resource whose name does not merely end with an s. */
const singulars: Readonly<Partial<Record<ResourceOf<OperationId>, string>>> = {
  advertisementOpportunities: 'AdvertisementOpportunity',
  complimentaryAccess: 'ComplimentaryAccess',
  oauth: 'OAuth',
};

/** Resource and verb of an operation. */
export function partsOf(id: OperationId): { readonly resource: ResourceOf<OperationId>; readonly verb: string } {
  const resource = resourceOf(id);
  return { resource, verb: id.slice(resource.length + 1) };
}

/** `subscriptions.create`, `Params` → `SubscriptionCreateParams`. An operation by PUT shares the types of its PATCH. */
export function typeName(id: OperationId, suffix: 'Params' | 'Answer'): string {
  const { resource, verb } = partsOf(id);
  const singular = singulars[resource] ?? capital(resource).replace(/s$/, '');
  return singular + capital(verb.replace(/Put$/, '')) + suffix;
}

/** Interface of a resource: `SubscriptionsResource`. */
export function resourceName(resource: string): string {
  return `${resource === 'oauth' ? 'OAuth' : capital(resource)}Resource`;
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
