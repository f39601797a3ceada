/**
 * Contact sync with CRMs in n8n: the example workflows with the vendors' own nodes, against stand-ins for their APIs.
 */
import { afterAll, beforeAll, expect } from 'vitest';
import { start } from './harness/nodes.ts';
import { test } from './harness/test.ts';
import { startN8nWithVendors, type N8nWithVendors } from './harness/vendors.ts';

let started: N8nWithVendors;
beforeAll(async () => {
  started = await startN8nWithVendors();
});
afterAll(() => started?.close());

test('reaches the stand-in of a host, and no other host', async () => {
  const { n8n, vendors } = started;
  const remove = await vendors.standIn('api.example.com', async (request) =>
    Response.json({ asked: `${request.method} ${request.url}`, body: await request.json() }),
  );
  const post = (host: string, onError = 'stopWorkflow') => ({
    name: host,
    type: 'n8n-nodes-base.httpRequest',
    typeVersion: 4.2,
    parameters: {
      method: 'POST',
      url: `https://${host}/contacts?page=1`,
      sendBody: true,
      specifyBody: 'json',
      jsonBody: '{ "email": "ada@example.com" }',
    },
    onError,
  });
  const workflow = await n8n.rest.createWorkflow([
    start,
    post('api.example.com'),
    post('api.example.org', 'continueRegularOutput'),
  ]);
  const run = await n8n.rest.run(workflow);
  expect(run.error).toBeUndefined();
  expect(run.output('api.example.com')).toEqual([
    { asked: 'POST https://api.example.com/contacts?page=1', body: { email: 'ada@example.com' } },
  ]);
  expect(run.output('api.example.org')).toEqual([{ error: expect.anything() }]);
  expect(vendors.refused).toContain('api.example.org');

  remove();
  const without = await n8n.rest.run(workflow);
  expect(without.error?.message).toBeTruthy();
});
