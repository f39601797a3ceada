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
import { publicationOf } from './parameters/connection.ts';
import { mapperFields, readKinds } from './parameters/customFields.ts';
import { searchOf } from './parameters/locators.ts';
import { byName } from './parameters/properties.ts';
import { withoutItems } from './parameters/read.ts';
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
      const { engine } = await openEngine(this, ofWorkspace ? '' : publicationOf(withoutItems(this)));
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

/** Where a search differs from that of every list. */
interface Differences<Id extends ListId> {
  /**
   * Arguments of the list besides its paging.
   *
   * @param typed - the text in the search field; empty where there is none
   */
  query?(typed: string, editor: ILoadOptionsFunctions): object;
  /** The name of a record; by default its first field that names one. */
  label?(record: Item<Id>): unknown;
  /** What stands in parentheses behind the name; by default the status or the kind. */
  detail?(record: Item<Id>): unknown;
  /** True where the service searches by `query`; otherwise the names on each page are compared. */
  readonly searches?: true;
}

/** Pages to read in search of a name before the editor shows its results and asks for more. */
const pagesPerSearch = 10;

function search<Id extends ListId>(id: Id, differences: Differences<Id> = {}): ListSearch {
  const { query: names, path }: Operation = operation(id);
  const limit = names.includes('limit') ? { limit: pageLimit.max } : {};
  return forEditor(async (engine, editor, filter = '', paginationToken = '') => {
    const typed = filter.trim();
    const word = differences.searches ? '' : typed.toLowerCase();
    const results: INodeListSearchItems[] = [];
    let place: string | null = paginationToken;
    for (let pages = 0; place !== null && results.length === 0 && pages < pagesPerSearch; pages++) {
      const args = { ...limit, ...differences.query?.(typed, editor), ...(place !== '' && continuationAt(place)) };
      const page: Page<Item<Id>> = await engine.list(id, args);
      results.push(
        ...page.items
          .map((record) => itemOf(record, differences))
          .filter(({ name, value }) => name.toLowerCase().includes(word) || value === typed),
      );
      place = await page.place();
    }
    return { results, ...(place !== null && { paginationToken: place }) };
  }, !path.includes('{publicationId}'));
}

/** Fields that name a record, the first that it has. */
const labels = ['name', 'title', 'display', 'subject', 'email', 'description', 'subscription_id', 'id'];

function itemOf<Id extends ListId>(record: Item<Id>, differences: Differences<Id>): INodeListSearchItems {
  const fields: Readonly<Record<string, unknown>> = { ...record };
  const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
  const named = [differences.label?.(record), ...labels.map((name) => fields[name])].find(isText) ?? '';
  const detail = differences.detail ? differences.detail(record) : (fields['status'] ?? fields['kind']);
  return { name: isText(detail) ? `${named} (${detail})` : named, value: String(fields['id']) };
}

function day(created: unknown): string | undefined {
  const time = secondsOf(created);
  return time === undefined ? undefined : new Date(time * 1000).toISOString().slice(0, 10);
}

/** The publications, for the locator that every node has. */
export const publicationSearch = {
  searchPublications: search('publications.list', { detail: ({ organization_name }) => organization_name }),
};

const special = {
  ...publicationSearch,
  searchAutomations: search('automations.list', {
    detail: ({ status, trigger_events }) =>
      [status, JSON.stringify(trigger_events)?.includes('"api"') && 'Add by API'].filter(Boolean).join(', '),
  }),
  searchJourneys: search('journeys.list', {
    query: (_typed, editor) => ({
      automationId: String(editor.getNodeParameter('automationId', '', { extractValue: true }) ?? ''),
    }),
  }),
  searchAuthors: search('authors.list', {
    query: (name) => (name === '' ? {} : { name }),
    detail: ({ type }) => type,
    searches: true,
  }),
  searchComplimentaryAccess: search('complimentaryAccess.list', {
    query: () => ({ expand: ['tier'] }),
    detail: ({ tier }) => tier?.name,
  }),
  searchBulkSubscriptionUpdates: search('bulkSubscriptionUpdates.list', {
    label: ({ type, created }) => [type, day(created)].filter(Boolean).join(' '),
  }),
  searchSubscriptions: search('subscriptions.list', {
    query: (email) => ({ direction: 'desc', ...(email !== '' && { email }) }),
    searches: true,
  }),
};

/** Searches of the other lists whose records can be read one by one. */
const derived = Object.fromEntries(
  readResources.flatMap((resource) => {
    const name = searchOf(resource);
    return name in special ? [] : [[name, search(`${resource}.list` as ListId)]];
  }),
);

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
