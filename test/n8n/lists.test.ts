/** What n8n's editor asks the action node for; test/nodes/operations.test.ts has each list, and its search. */
import { expect } from 'vitest';
import { editorRequest } from './harness/nodes.ts';
import { n8n, test } from './harness/test.ts';

test('a list returns every record once, page by page, and finds a name on any page', async ({ api, credentials }) => {
  const request = editorRequest('searchSubscriptions', credentials);
  const pages: string[][] = [];
  let token: string | undefined;
  do {
    const { results, paginationToken } = await n8n.locatorPage({
      ...request,
      ...(token && { paginationToken: token }),
    });
    pages.push(results.map(({ value }) => value));
    token = paginationToken;
  } while (token !== undefined && pages.length < 50);
  expect(pages.length).toBeGreaterThan(2);
  const kept = await Array.fromAsync(api.subscriptions.list({ direction: 'desc' }));
  expect(pages.flat()).toEqual(kept.map(({ id }) => id));

  const { results } = await n8n.locatorPage({ ...request, filter: '  ADA.Lovelace@example.com' });
  expect(results.map(({ name }) => name)).toEqual(['ada.lovelace@example.com (active)']);
});

test('a list asks for the publication ID where the service does not list publications', async ({
  sandboxOnPort,
  credentials,
}) => {
  sandboxOnPort.assumptions.set({ publication_list: 'absent' });
  const asked = n8n.locatorPage(editorRequest('searchPublications', credentials));
  expect(await asked.then(String, String)).toContain('Choose \\"By ID\\" in Publication');
});

test('the resource mapper gives each custom field an input of its kind', async ({ credentials }) => {
  const { fields } = await n8n.mapperFields(editorRequest('getCustomFields', credentials));
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
