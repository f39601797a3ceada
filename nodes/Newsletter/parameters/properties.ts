/** Builds the descriptions of parameters, and finds the labels of parameters by the names of the API's fields. */
import type { ParameterWords } from '@newsletter-kit/core/contract';
import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

/**
 * The parameter with these options.
 * @param preferred - the default, if it is among the options; else the first
 */
export function choice(
  parameter: INodeProperties,
  options: INodePropertyOptions[],
  preferred?: string,
): INodeProperties {
  const begins = options.find(({ value }) => value === preferred) ?? options[0];
  return { ...parameter, default: begins?.value ?? '', options };
}

/** Sorted by name, as n8n requires. */
export function byName(options: INodePropertyOptions[]): INodePropertyOptions[] {
  return options.toSorted((a, b) => a.name.localeCompare(b.name, 'en'));
}

/** A collection of optional parameters, sorted by their labels, as n8n requires; none without options. */
export function collection(
  name: string,
  displayName: string,
  placeholder: string,
  options: readonly INodeProperties[],
): INodeProperties[] {
  if (options.length === 0) return [];
  const sorted = options.toSorted((a, b) => a.displayName.localeCompare(b.displayName, 'en'));
  return [{ displayName, name, type: 'collection', placeholder, default: {}, options: sorted }];
}

/** @param options - the values that the operation takes, in words */
export const include = (...options: INodePropertyOptions[]): INodeProperties =>
  several({
    displayName: 'Include',
    name: 'expand',
    description: 'Fields to add to each record. Selected Fields are returned without it.',
    options,
  });

type Described = Pick<INodeProperties, 'displayName' | 'name' | 'placeholder' | 'description'>;

type Labelled = Described & Partial<INodeProperties>;

export const text = (described: Labelled): INodeProperties => ({ type: 'string', default: '', ...described });

/** A switch that is off by default. */
export const toggle = (described: Labelled): INodeProperties => ({ type: 'boolean', default: false, ...described });

/** A choice among its options. */
export const select = (described: Labelled): INodeProperties => ({ type: 'options', default: '', ...described });

/** A choice of several of its options. */
export const several = (described: Labelled): INodeProperties => ({ type: 'multiOptions', default: [], ...described });

/** A day or a time. */
export const moment = (described: Labelled): INodeProperties => ({ type: 'dateTime', default: '', ...described });

export const number = (described: Labelled): INodeProperties => ({ type: 'number', default: 0, ...described });

/** A text between the parameters. */
export const notice = (described: Labelled): INodeProperties => ({ type: 'notice', default: '', ...described });

/** @param add - label of the button that adds an entry */
export function texts(add: string, described: Described): INodeProperties {
  return {
    ...described,
    type: 'string',
    typeOptions: { multipleValues: true, multipleValueButtonText: add },
    default: [],
  };
}

/** Custom fields of the publication, chosen by their names from its list. */
export const customFieldNames = (described: Labelled): INodeProperties =>
  several({
    ...described,
    typeOptions: { loadOptionsMethod: 'getCustomFieldNames', loadOptionsDependsOn: ['publicationId.value'] },
    description:
      'Choose from the list, or specify IDs using an <a href="https://docs.n8n.io/code/expressions/">expression</a>',
  });

const listId = 'e.g. nl_list_00000000-0000-4000-8000-000000000001';

/** IDs of newsletter lists, which the API cannot list. */
export function newsletterLists(described: Described): INodeProperties {
  return texts('Add ID', { ...described, placeholder: listId });
}

/** Premium tiers by their IDs and by their names. @param what - what the two parameters do with them */
export function premiumTiers(what: {
  readonly byId: string;
  readonly byName: string;
}): readonly [INodeProperties, INodeProperties] {
  return [
    texts('Add ID', {
      displayName: 'Premium Tier IDs',
      name: 'premium_tier_ids',
      placeholder: 'e.g. tier_00000000-0000-4000-8000-000000000001',
      description: what.byId,
    }),
    texts('Add Name', {
      displayName: 'Premium Tier Names',
      name: 'premium_tiers',
      placeholder: 'e.g. Gold',
      description: what.byName,
    }),
  ];
}

/** Fields that a description may name, as the editor names them. */
const labels: Readonly<Partial<Record<string, string>>> = {
  newsletter_list_ids: 'Join Newsletter List IDs',
  premium_tier_ids: 'Premium Tier IDs',
  premium_tiers: 'Premium Tier Names',
  tier: 'Tier',
  unsubscribe: 'Unsubscribe',
};

/**
 * Converts a description of the contract to the editor's style: labels for names, no forms of IDs, which the
 * placeholder shows, "email" in n8n's spelling, and no period after a single sentence.
 */
export function describe({ text }: ParameterWords): string {
  const worded = text
    .replaceAll(/, `\w+_<uuid>`/g, '')
    .replace(/^Prefixed IDs? of (?:the |an? )?(\w)/, (_, first: string) => first.toUpperCase())
    .replaceAll(/`(\w+)`/g, (_, name: string) => labels[name] ?? name.replaceAll('_', ' '))
    .replaceAll('`', '')
    .replaceAll('e-mail', 'email')
    .replaceAll('E-mail', 'Email');
  return worded.slice(0, -1).includes('. ') ? worded : worded.replace(/\.$/, '');
}

const titleWords = new Map([
  ['api', 'API'],
  ['id', 'ID'],
  ['ids', 'IDs'],
  ['url', 'URL'],
  ['utm', 'UTM'],
  ['by', 'by'],
  ['for', 'for'],
  ['at', 'at'],
]);

/** A name of the API as a label of the editor: `utm_source` as "UTM Source". */
export function titleOf(name: string): string {
  return name
    .split('_')
    .map((word) => titleWords.get(word) ?? word.charAt(0).toUpperCase() + word.slice(1))
    .join(' ');
}

/** Labels of the parameters, nested ones included, whose name is a word of the message. */
export function labelsIn(message: string, parameters: readonly INodeProperties[]): readonly string[] {
  const words = new Set(message.match(/\w+/g));
  return [...new Set(flatten(parameters).flatMap(({ name, displayName }) => (words.has(name) ? [displayName] : [])))];
}

/**
 * Puts the labels of parameters in the place of the API's names of fields: of quoted ones, and of words with an
 * underscore. Of parameters with one name, the first counts.
 */
export function withLabels(message: string, parameters: readonly INodeProperties[]): string {
  const labels = new Map<string, string>();
  for (const { name, displayName } of flatten(parameters)) {
    const field = name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    if (!labels.has(field)) labels.set(field, displayName);
  }
  const names = /"(\w+)([[.][^"]*)?"|(?<![\w".])[a-z]+_\w+(?![\w"[]|\.\w)/g;
  return message.replaceAll(names, (found, name: string = found, path: string = '') => {
    const label = labels.get(name);
    return label === undefined ? found : `"${label}${path}"`;
  });
}

/** Quoted labels of fields, for a sentence; a custom field by its own name. */
export function labelsOf(fields: readonly string[], parameters: readonly INodeProperties[]): string {
  const labels = new Map(flatten(parameters).map(({ name, displayName }) => [name, displayName]));
  return fields.map((name) => `"${/^custom_fields\.(.*)$/s.exec(name)?.[1] ?? labels.get(name) ?? name}"`).join(', ');
}

const mostQuoted = 10;

/** The first names as a list in a sentence. */
export function quoted(names: Iterable<string>, last: 'and' | 'or'): string {
  const all = [...names].map((name) => `"${name}"`);
  const some = all.length > mostQuoted ? [...all.slice(0, mostQuoted), `${all.length - mostQuoted} more`] : all;
  return some.length > 1 ? `${some.slice(0, -1).join(', ')} ${last} ${some.at(-1)}` : some.join('');
}

/** The parameters and those inside of collections. */
function flatten(parameters: readonly INodeProperties[]): readonly INodeProperties[] {
  return parameters.flatMap((parameter) => [
    parameter,
    ...(parameter.type === 'collection' ? flatten((parameter.options ?? []).filter(isParameter)) : []),
  ]);
}

function isParameter(option: NonNullable<INodeProperties['options']>[number]): option is INodeProperties {
  return 'type' in option && 'default' in option;
}
