/** Names of the generated types: `subscriptions.create` takes `SubscriptionCreateParams`. */

/** Resource and verb of an operation. */
export function partsOf(id: string): { readonly resource: string; readonly verb: string } {
  const [resource = '', verb = ''] = id.split('.');
  return { resource, verb };
}

/** `subscriptions.create`, `Params` → `SubscriptionCreateParams`. An operation by PUT shares the types of its PATCH. */
export function typeName(id: string, suffix: 'Params' | 'Answer'): string {
  const { resource, verb } = partsOf(id);
  return singular(resource) + capital(verb.replace(/Put$/, '')) + suffix;
}

/** Interface of a resource: `SubscriptionsResource`. */
export function resourceName(resource: string): string {
  return `${capital(resource)}Resource`;
}

/** `advertisementOpportunities` → `AdvertisementOpportunity`, `complimentaryAccess` → `ComplimentaryAccess`. */
const singular = (resource: string): string =>
  capital(resource)
    .replace(/ies$/, 'y')
    .replace(/(?<!s)s$/, '');

const capital = (text: string): string => (text === 'oauth' ? 'OAuth' : text.charAt(0).toUpperCase() + text.slice(1));
