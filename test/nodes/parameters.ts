/** Lists the parameters of the nodes, and fills in those of an operation by their descriptions. */
import type { Bundle, Property } from './bundle.ts';

/** Every parameter, nested ones included. */
export const allParameters = (properties: readonly Property[]): Property[] =>
  properties.flatMap((property) => {
    const below = property.options ?? [];
    if (property.type === 'fixedCollection')
      return [property, ...allParameters(below.flatMap((group) => group.values ?? []))];
    return [property, ...(property.type === 'collection' ? allParameters(below) : [])];
  });

/** An operation as the editor offers it. */
export interface Offered {
  readonly resource: string;
  readonly operation: string;
  readonly action: string;
  /** The parameters it shows. */
  readonly properties: readonly Property[];
}

const shows = ({ displayOptions }: Property, key: string, value: unknown): boolean =>
  (displayOptions?.show?.[key]?.includes(value) ?? true) && !(displayOptions?.hide?.[key]?.includes(value) ?? false);

/** Every operation of the node. */
export function offered({ newsletter }: Pick<Bundle, 'newsletter'>): readonly Offered[] {
  const { properties } = newsletter.description;
  const choices = (property: Property | undefined) => property?.options ?? [];
  return choices(properties.find(({ name }) => name === 'resource')).flatMap(({ value: resource = '' }) =>
    choices(properties.find((property) => property.name === 'operation' && shows(property, 'resource', resource))).map(
      ({ value: operation = '', action = '' }) => ({
        resource,
        operation,
        action,
        properties: properties.filter(
          (property) =>
            !['resource', 'operation'].includes(property.name) &&
            shows(property, 'resource', resource) &&
            shows(property, 'operation', operation),
        ),
      }),
    ),
  );
}

/** Sets of parameters that together choose each value of each choice once, with all else filled in. */
export function fillings({ resource, operation, properties }: Offered): readonly Readonly<Record<string, unknown>>[] {
  const filled = { resource, operation, ...fillAll(properties) };
  const others = properties.flatMap((property) => [
    ...variants(property).map((value) => ({ ...filled, [property.name]: value })),
    ...(property.type === 'collection' ? (property.options ?? []) : []).flatMap((option) =>
      variants(option).map((value) => ({
        ...filled,
        [property.name]: { ...fillAll(property.options ?? []), [option.name]: value },
      })),
    ),
  ]);
  return [filled, ...others];
}

function fillAll(properties: readonly Property[]): Record<string, unknown> {
  return Object.fromEntries(
    properties.flatMap((property) => (property.type === 'notice' ? [] : [[property.name, fill(property)]])),
  );
}

const example = (placeholder = ''): string =>
  placeholder.replace('name@email.com', 'ada.lovelace@example.com').replace(/^e\.g\. /, '');

function fill(property: Property): unknown {
  const { type, name, options = [], placeholder, typeOptions } = property;
  if (name === 'publicationId') return '';
  if (name === 'waitForCompletion' || name === 'onlyPreview') return false;
  if (type === 'collection') return fillAll(options);
  if (type === 'fixedCollection')
    return Object.fromEntries(options.map((group) => [group.name, [fillAll(group.values ?? [])]]));
  if (type === 'multiOptions') return options.map(({ value }) => value);
  if (type === 'options') return property.default;
  if (type === 'boolean') return true;
  if (type === 'number') return 1;
  if (type === 'dateTime') return '2026-01-31';
  if (type === 'json') return { loyalty_level: 'gold' };
  if (type === 'resourceMapper') return { mappingMode: 'defineBelow', value: { Topics: ['boats'] } };
  if (type === 'resourceLocator') return located(property)[0];
  return typeOptions?.['multipleValues'] === true ? [example(placeholder)] : example(placeholder);
}

function variants(property: Property): readonly unknown[] {
  if (property.name === 'publicationId') return [];
  if (property.type === 'options') return (property.options ?? []).map(({ value }) => value);
  return property.type === 'resourceLocator' ? located(property) : [];
}

function located({ modes = [] }: Property): readonly unknown[] {
  return modes.flatMap(({ name, placeholder }) =>
    name === 'list' ? [] : [{ __rl: true, mode: name, value: example(placeholder) }],
  );
}
