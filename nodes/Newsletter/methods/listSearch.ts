/**
 * What the editor asks for to fill the lists of the resource locators: a page at a time, by the server's own paging.
 */
import type { Engine, Page, PagePromise } from '@newsletter-kit/core/engine';
import type { ILoadOptionsFunctions, INodeListSearchItems, INodeListSearchResult } from 'n8n-workflow';
import { largestPage } from '../parameters/list.ts';
import { openEngine } from '../transport/engine.ts';
import { toNodeFailure } from '../transport/failure.ts';

type ListSearch = (
  this: ILoadOptionsFunctions,
  filter?: string,
  paginationToken?: string,
) => Promise<INodeListSearchResult>;

/** Where a list goes on: what the server said, kept as text by the editor. */
type Place =
  | { readonly cursor?: string; readonly page?: undefined }
  | { readonly cursor?: undefined; readonly page?: number };

interface Search<T> {
  /** @param typed - what the person typed, for servers that search; empty where nothing was */
  read(engine: Engine, place: Place, typed: string, editor: ILoadOptionsFunctions): PagePromise<T>;
  toItem(record: T): INodeListSearchItems;
  /** True where `read` has the server search; otherwise the names on each page are compared. */
  readonly searches?: true;
  /** True where the list is not one of a publication. */
  readonly workspace?: true;
}

/** Pages that are read in search of a name before the editor gets what was found so far, and asks on. */
const pagesAtOnce = 10;

function search<T>({ read, toItem, searches, workspace }: Search<T>): ListSearch {
  return async function (filter = '', paginationToken = '') {
    try {
      const publicationId = workspace
        ? ''
        : String(this.getNodeParameter('publicationId', '', { extractValue: true }) ?? '');
      const { engine } = await openEngine(this, publicationId);
      const typed = filter.trim();
      const word = searches ? '' : typed.toLowerCase();
      const results: INodeListSearchItems[] = [];
      let place = toPlace(paginationToken);
      for (let pages = 0; place !== null && results.length === 0 && pages < pagesAtOnce; pages++) {
        const page = await read(engine, place, typed, this);
        results.push(
          ...page.items.map(toItem).filter(({ name, value }) => name.toLowerCase().includes(word) || value === typed),
        );
        place = following(page);
      }
      return { results, ...(place !== null && { paginationToken: JSON.stringify(place) }) };
    } catch (error) {
      throw toNodeFailure(this.getNode(), error);
    }
  };
}

function toPlace(token: string): Place | null {
  return token === '' ? {} : (JSON.parse(token) as Place);
}

function following({ hasMore, nextCursor, page }: Page<unknown>): Place | null {
  if (!hasMore) return null;
  if (nextCursor !== null) return { cursor: nextCursor };
  return page === null ? null : { page: page + 1 };
}

/** A word about a record beside its name. */
const named = (name: string, detail: string | null | undefined): string => (detail ? `${name} (${detail})` : name);

const day = (seconds: number | null | undefined): string | undefined =>
  typeof seconds === 'number' ? new Date(seconds * 1000).toISOString().slice(0, 10) : undefined;

/** The publications, for the locator that every node has. */
export const publicationSearch = {
  searchPublications: search({
    read: (engine, { page }) =>
      engine.list('publications.list', { limit: largestPage, ...(page !== undefined && { page }) }),
    toItem: ({ id, name, organization_name }) => ({ name: named(name, organization_name), value: id }),
    workspace: true,
  }),
};

/** By the names that the resource locators give. */
export const listSearch = {
  ...publicationSearch,
  searchAutomations: search({
    read: (engine, { page }) =>
      engine.list('automations.list', { limit: largestPage, ...(page !== undefined && { page }) }),
    toItem: ({ id, name, status, trigger_events }) => ({
      name: named(name, [status, trigger_events?.includes('api') && 'Add by API'].filter(Boolean).join(', ')),
      value: id,
    }),
  }),
  searchJourneys: search({
    read: (engine, { page }, _typed, editor) =>
      engine.list('journeys.list', {
        automationId: String(editor.getNodeParameter('automationId', '', { extractValue: true }) ?? ''),
        limit: largestPage,
        ...(page !== undefined && { page }),
      }),
    toItem: ({ id, email, status, subscription_id }) => ({
      name: named(email ?? subscription_id ?? id, status),
      value: id,
    }),
  }),
  searchCustomFields: search({
    read: (engine) => engine.list('customFields.list', {}),
    toItem: ({ id, display, kind }) => ({ name: named(display, kind), value: id }),
  }),
  searchAuthors: search({
    read: (engine, { page }, name) =>
      engine.list('authors.list', {
        limit: largestPage,
        ...(name !== '' && { name }),
        ...(page !== undefined && { page }),
      }),
    toItem: ({ id, name, type }) => ({ name: named(name, type), value: id }),
    searches: true,
  }),
  searchComplimentaryAccess: search({
    read: (engine, { cursor }) =>
      engine.list('complimentaryAccess.list', {
        limit: largestPage,
        expand: ['tier'],
        ...(cursor !== undefined && { cursor }),
      }),
    toItem: ({ id, description, tier }) => ({ name: named(description, tier?.name), value: id }),
  }),
  searchConditionSets: search({
    read: (engine, place) => engine.list('conditionSets.list', { limit: largestPage, ...place }),
    toItem: ({ id, name }) => ({ name, value: id }),
  }),
  searchBulkUpdateJobs: search({
    read: (engine) => engine.list('bulkSubscriptionUpdates.list', {}),
    toItem: ({ id, type, status, created }) => ({
      name: named([type, day(created)].filter(Boolean).join(' ') || id, status),
      value: id,
    }),
  }),
  searchDeletionRequests: search({
    read: (engine) => engine.list('deletionRequests.list', {}),
    toItem: ({ id, email, status }) => ({ name: named(email ?? id, status), value: id }),
  }),
  searchSubscriptions: search({
    read: (engine, place, email) =>
      engine.list('subscriptions.list', {
        limit: largestPage,
        direction: 'desc',
        ...(email !== '' && { email }),
        ...place,
      }),
    toItem: ({ id, email, status }) => ({ name: named(email, status), value: id }),
    searches: true,
  }),
};
