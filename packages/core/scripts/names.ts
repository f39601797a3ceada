/** Names of the generated types: `subscriptions.create` takes `SubscriptionCreateParams`. */

/** Singular of each resource whose name does not merely end with an s. */
const singulars: Readonly<Record<string, string>> = {
  advertisementOpportunities: 'AdvertisementOpportunity',
  complimentaryAccess: 'ComplimentaryAccess',
  oauth: 'OAuth',
};

/** Resource and verb of an operation. */
export function partsOf(id: string): { readonly resource: string; readonly verb: string } {
  const [resource = '', verb = ''] = id.split('.');
  return { resource, verb };
}

/** `subscriptions.create`, `Params` → `SubscriptionCreateParams`. An operation by PUT shares the types of its PATCH. */
export function typeName(id: string, suffix: 'Params' | 'Answer'): string {
  const { resource, verb } = partsOf(id);
  const singular = singulars[resource] ?? capital(resource).replace(/s$/, '');
  return singular + capital(verb.replace(/Put$/, '')) + suffix;
}

/** Interface of a resource: `SubscriptionsResource`. */
export function resourceName(resource: string): string {
  return `${resource === 'oauth' ? 'OAuth' : capital(resource)}Resource`;
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
