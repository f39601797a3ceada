/** Methods that n8n's editor calls: searches of the resource locators, and the fields of the resource mapper. */
import { operation, type Operation, pageLimit } from '@newsletter-kit/core/contract';
import { continuationAt, type Engine, type Item, type ListId, type Page } from '@newsletter-kit/core/engine';
import { secondsOf } from '@newsletter-kit/core/facts';
import type {
  ILoadOptionsFunctions,
  INodeListSearchItems,
  INodeListSearchResult,
  ResourceMapperFields,
} from 'n8n-workflow';
import { publicationIn } from './parameters/connection.ts';
import { mapperFields, readKinds } from './parameters/customFields.ts';
import { searchOf } from './parameters/locators.ts';
import { byName } from './parameters/properties.ts';
import { readResources } from './records.ts';
import { openEngine } from './transport/engine.ts';
import { toNodeFailure } from './transport/failure.ts';

/** A method for n8n's editor that reads the publication of the node; its errors have remedies. */
export function forEditor<Result>(
  read: (engine: Engine, editor: ILoadOptionsFunctions, filter?: string, token?: string) => Promise<Result>,
  ofWorkspace = false,
): (this: ILoadOptionsFunctions, filter?: string, token?: string) => Promise<Result> {
  return async function (...asked) {
    try {
      const { engine } = await openEngine(this, ofWorkspace ? '' : publicationIn(this));
      return await read(engine, this, ...asked);
    } catch (error) {
      throw toNodeFailure(this.getNode(), error);
    }
  };
}

type ListSearch = (
  this: ILoadOptionsFunctions,
  filter?: string,
  paginationToken?: string,
) => Promise<INodeListSearchResult>;

interface Search<Id extends ListId> {
  /** The list that is read. */
  readonly id: Id;
  /**
   * Arguments of the list besides its paging.
   *
   * @param typed - the text in the search field; empty where there is none
   */
  query?(typed: string, editor: ILoadOptionsFunctions): object;
  toItem(record: Item<Id>): INodeListSearchItems;
  /** True where the service searches by `query`; otherwise the names on each page are compared. */
  readonly searches?: true;
}

/** Pages to read in search of a name before the editor shows its results and asks for more. */
const pagesPerSearch = 10;

function search<Id extends ListId>({ id, query, toItem, searches }: Search<Id>): ListSearch {
  const { query: names, path }: Operation = operation(id);
  const limit = names.includes('limit') ? { limit: pageLimit.max } : {};
  return forEditor(async (engine, editor, filter = '', paginationToken = '') => {
    const typed = filter.trim();
    const word = searches ? '' : typed.toLowerCase();
    const results: INodeListSearchItems[] = [];
    let place: string | null = paginationToken;
    for (let pages = 0; place !== null && results.length === 0 && pages < pagesPerSearch; pages++) {
      const args = { ...limit, ...query?.(typed, editor), ...(place !== '' && continuationAt(place)) };
      const page: Page<Item<Id>> = await engine.list(id, args);
      results.push(
        ...page.items.map(toItem).filter(({ name, value }) => name.toLowerCase().includes(word) || value === typed),
      );
      place = await page.place();
    }
    return { results, ...(place !== null && { paginationToken: place }) };
  }, !path.includes('{publicationId}'));
}

/** The first text that names a record, with a detail in parentheses. */
function named(names: readonly unknown[], detail?: unknown): string {
  const name = names.map(String).find((_, index) => typeof names[index] === 'string' && names[index] !== '') ?? '';
  return typeof detail === 'string' && detail !== '' ? `${name} (${detail})` : name;
}

function day(created: unknown): string | undefined {
  const time = secondsOf(created);
  return time === undefined ? undefined : new Date(time * 1000).toISOString().slice(0, 10);
}

/** The publications, for the locator that every node has. */
export const publicationSearch = {
  searchPublications: search({
    id: 'publications.list',
    toItem: ({ id, name, organization_name }) => ({ name: named([name, id], organization_name), value: id }),
  }),
};

/** Searches whose names or filters are not those of every list. */
const special = {
  ...publicationSearch,
  searchAutomations: search({
    id: 'automations.list',
    toItem: ({ id, name, status, trigger_events }) => ({
      name: named(
        [name, id],
        [status, JSON.stringify(trigger_events)?.includes('"api"') && 'Add by API'].filter(Boolean).join(', '),
      ),
      value: id,
    }),
  }),
  searchJourneys: search({
    id: 'journeys.list',
    query: (_typed, editor) => ({
      automationId: String(editor.getNodeParameter('automationId', '', { extractValue: true }) ?? ''),
    }),
    toItem: ({ id, email, status, subscription_id }) => ({
      name: named([email, subscription_id, id], status),
      value: id,
    }),
  }),
  searchAuthors: search({
    id: 'authors.list',
    query: (name) => (name === '' ? {} : { name }),
    toItem: ({ id, name, type }) => ({ name: named([name, id], type), value: id }),
    searches: true,
  }),
  searchComplimentaryAccess: search({
    id: 'complimentaryAccess.list',
    query: () => ({ expand: ['tier'] }),
    toItem: ({ id, description, tier }) => ({ name: named([description, id], tier?.name), value: id }),
  }),
  searchConditionSets: search({
    id: 'conditionSets.list',
    toItem: ({ id, name }) => ({ name: named([name, id]), value: id }),
  }),
  searchBulkSubscriptionUpdates: search({
    id: 'bulkSubscriptionUpdates.list',
    toItem: ({ id, type, status, created }) => ({
      name: named([[type, day(created)].filter(Boolean).join(' '), id], status),
      value: id,
    }),
  }),
  searchSubscriptions: search({
    id: 'subscriptions.list',
    query: (email) => ({ direction: 'desc', ...(email !== '' && { email }) }),
    toItem: ({ id, email, status }) => ({ name: named([email, id], status), value: id }),
    searches: true,
  }),
};

/** Searches of the lists whose records can be read one by one, by the first field that names a record. */
const derived = Object.fromEntries(
  readResources.flatMap((resource) => {
    const name = searchOf(resource);
    return name in special ? [] : [[name, search({ id: `${resource}.list` as ListId, toItem: itemOf })]];
  }),
);

function itemOf(record: object): INodeListSearchItems {
  const fields: Readonly<Record<string, unknown>> = { ...record };
  const labels = ['name', 'title', 'display', 'subject', 'email', 'description', 'id'].map((name) => fields[name]);
  return { name: named(labels, fields['status'] ?? fields['kind']), value: String(fields['id']) };
}

/** By the names that the resource locators give. */
export const listSearch = { ...derived, ...special };

/** The names of the publication's custom fields, for parameters that choose some. */
export const getCustomFieldNames = forEditor(async (engine) =>
  byName([...(await readKinds(engine))].map(([name, kind]) => ({ name: `${name} (${kind})`, value: name }))),
);

/** The custom fields of the publication, for the resource mapper. */
export const getCustomFields = forEditor(async (engine): Promise<ResourceMapperFields> => {
  const fields = await mapperFields(engine);
  // n8n shows this text wherever it draws no field, so also with automatic mapping.
  return { fields, ...(fields.length === 0 && { emptyFieldsNotice: 'This publication has no custom fields yet.' }) };
});
