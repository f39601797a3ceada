/** The list searches of the resource locators, called by the routes of n8n's editor. */
import type { Client } from '@newsletter-kit/core';
import { describe, expect } from 'vitest';
import { crowd, crowdSize, sought } from './crowd.ts';
import { chosen, newsletterType } from './harness/nodes.ts';
import type { DynamicRequest } from './harness/rest.ts';
import { n8n, test } from './harness/test.ts';
import { all, ids } from './operations/execution.ts';

type Credentials = DynamicRequest['credentials'];

const everybody = async (api: Client): Promise<string> =>
  (await all(api.automations.list())).find(({ name }) => name === 'Everybody')?.id ?? '';

interface List {
  /** The method of the node. */
  readonly method: string;
  /** The path of its parameter. */
  readonly path: string;
  /** The resource whose Get has the parameter; the editor sends all parameters of the node. */
  readonly resource: string;
  /** Other parameters that are set when the list is opened. */
  parameters?(api: Client): Promise<Readonly<Record<string, unknown>>>;
  /** All expected results, in the order of the service. */
  items(api: Client): Promise<readonly object[]>;
  /** A search text and its expected result. */
  readonly search?: { readonly typed: string; readonly finds: string };
}

const byName = { typed: '  größe & ', finds: sought };

const lists: readonly List[] = [
  {
    method: 'searchAutomations',
    path: 'automationId',
    resource: 'automation',
    items: (api) => all(api.automations.list()),
    search: byName,
  },
  {
    method: 'searchJourneys',
    path: 'automationJourneyId',
    resource: 'journey',
    parameters: async (api) => ({ automationId: chosen(await everybody(api)) }),
    items: async (api) => all(api.journeys.list({ automationId: await everybody(api) })),
    search: { typed: 'PERSON.249@', finds: 'person.249@example.com' },
  },
  {
    method: 'searchCustomFields',
    path: 'customFieldId',
    resource: 'customField',
    items: (api) => all(api.customFields.list()),
    search: byName,
  },
  {
    method: 'searchAuthors',
    path: 'authorId',
    resource: 'author',
    items: (api) => all(api.authors.list()),
    search: { ...byName, typed: sought },
  },
  {
    method: 'searchComplimentaryAccess',
    path: 'complimentaryAccessId',
    resource: 'complimentaryAccess',
    items: (api) => all(api.complimentaryAccess.list()),
    search: byName,
  },
  {
    method: 'searchConditionSets',
    path: 'conditionSetId',
    resource: 'conditionSet',
    items: (api) => all(api.conditionSets.list()),
    search: byName,
  },
  {
    method: 'searchBulkSubscriptionUpdates',
    path: 'jobId',
    resource: 'bulkUpdateJob',
    async items(api) {
      const { items } = await api.subscriptions.list({ limit: 1 });
      await api.subscriptions.bulkUpdate({
        subscriptions: items.map(({ id }) => ({ subscription_id: id, tier: 'free' as const })),
      });
      return all(api.bulkSubscriptionUpdates.list());
    },
  },
  {
    method: 'searchDeletionRequests',
    path: 'deletionRequestId',
    resource: 'dataDeletion',
    async items(api) {
      for (const index of [1, 2, 3]) await api.deletionRequests.create({ email: `person.${index}@example.com` });
      return all(api.deletionRequests.list());
    },
    search: { typed: 'person.2@', finds: 'person.2@example.com' },
  },
  {
    method: 'searchSubscriptions',
    path: 'subscription',
    resource: 'subscription',
    items: (api) => all(api.subscriptions.list({ direction: 'desc' })),
    search: { typed: 'Person.17@example.com', finds: 'person.17@example.com' },
  },
  {
    method: 'searchPublications',
    path: 'publicationId',
    resource: 'subscription',
    items: (api) => all(api.publications.list()),
  },
];

function request(
  { method, path, resource }: Pick<List, 'method' | 'path' | 'resource'>,
  credentials: Credentials,
  parameters: Readonly<Record<string, unknown>> = {},
): DynamicRequest {
  return {
    path: `parameters.${path}`,
    methodName: method,
    nodeTypeAndVersion: { name: newsletterType, version: 1 },
    currentNodeParameters: {
      authentication: 'apiKey',
      resource,
      operation: 'get',
      publicationId: chosen('', 'id'),
      ...parameters,
    },
    credentials,
  };
}

/** Opens the list and scrolls to its end. */
async function walk(asked: DynamicRequest, filter?: string) {
  const pages: string[][] = [];
  const names: string[] = [];
  let token: string | undefined;
  do {
    const { results, paginationToken } = await n8n.locatorPage({
      ...asked,
      ...(filter && { filter }),
      ...(token && { paginationToken: token }),
    });
    pages.push(results.map(({ value }) => value));
    names.push(...results.map(({ name }) => name));
    token = paginationToken;
  } while (token !== undefined && pages.length < 50);
  return { pages, names };
}

describe('the list searches', () => {
  test.override({ sandboxOptions: { seed: crowd } });

  test('are exactly the methods of the node', async () => {
    const { properties } = await n8n.nodeType(newsletterType);
    const methods = properties.flatMap(({ modes }) =>
      (modes ?? []).flatMap(({ typeOptions }) => typeOptions?.searchListMethod ?? []),
    );
    expect([...new Set(methods)].toSorted()).toEqual(lists.map(({ method }) => method).toSorted());
  });

  test.for(lists)('$method returns every record once, page by page', async (list, { api, credentials }) => {
    const items = await list.items(api);
    const { pages } = await walk(request(list, credentials, await list.parameters?.(api)));
    expect(pages.flat()).toEqual(ids(items));
    // The service returns custom fields, jobs and deletion requests in one answer.
    if (items.length > 100 && list.method !== 'searchCustomFields') expect(pages.length).toBeGreaterThan(2);
  });

  test.for(lists.filter(({ search }) => search))(
    '$method finds a name on any page',
    async (list, { api, credentials }) => {
      await list.items(api);
      const { names } = await walk(request(list, credentials, await list.parameters?.(api)), list.search?.typed);
      expect(names).toEqual([expect.stringContaining(list.search?.finds ?? '')]);
    },
  );

  test('ask for the publication ID where the service does not list publications', async ({
    sandboxOnPort,
    credentials,
  }) => {
    sandboxOnPort.assumptions.set({ publication_list: 'absent' });
    const asked = request(
      { method: 'searchPublications', path: 'publicationId', resource: 'subscription' },
      credentials,
    );
    expect(await n8n.locatorPage(asked).then(String, String)).toContain('Choose \\"By ID\\" in Publication');
  });
});

const mapper = { method: 'getCustomFields', path: 'customFields', resource: 'subscription' };

describe('the resource mapper with many custom fields', () => {
  test.override({ sandboxOptions: { seed: crowd } });

  test('offers every custom field of the publication', async ({ credentials }) => {
    const { fields } = await n8n.mapperFields(request(mapper, credentials, { operation: 'create' }));
    expect(fields).toHaveLength(crowdSize);
  });
});

describe('the resource mapper', () => {
  test('gives each field an input of its kind', async ({ credentials }) => {
    const { fields } = await n8n.mapperFields(request(mapper, credentials, { operation: 'create' }));
    expect(Object.fromEntries(fields.map(({ id, type }) => [id, type]))).toEqual({
      'First Name': 'string',
      'Team size': 'number',
      'Wants print': 'boolean',
      Birthday: 'dateTime',
      'Last visit': 'dateTime',
      Topics: 'string',
      'Berth length': 'number',
    });
  });
});
