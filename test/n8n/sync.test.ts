/** What contact sync in n8n says of what a database or the service refuses; syncFaults.test.ts has whole runs. */
import { expect } from 'vitest';
import { postgresServer } from '../../packages/relay/test/postgres-server.ts';
import { items as rowsOf, start, syncType } from './harness/nodes.ts';
import { publishContactSync, publishSync, readExample } from './harness/syncExample.ts';
import { n8n, test } from './harness/test.ts';

const server = postgresServer();

test.override({ sandboxOptions: { seed: 'demo', profile: 'unlimited' } });

test('reports what PostgreSQL refuses in the same run, in its words', async ({ api, credentials }) => {
  const { address, runOnce } = await publishContactSync({ n8n, server, credentials });
  const refused = 'ada.lovelace@example.com';
  await server.run(`ALTER TABLE contacts ADD CONSTRAINT no_ada CHECK (email <> '${refused}')`, address);
  const kept = (await Array.fromAsync(api.subscriptions.list())).filter(
    ({ email }) => !email?.endsWith('.invalid'),
  ).length;
  const run = await runOnce('', 'error');
  expect(run.output('Check answers', 0)).toEqual([
    // Of PostgreSQL's error, n8n's node passes on the detail.
    expect.objectContaining({ contact: refused, message: expect.stringMatching(/^Failing row/), reason: 'value' }),
  ]);
  expect(run.output('Check answers', 1)).toMatchObject([{ handedOver: kept, written: kept - 1, refused: 1 }]);
  expect(run.error?.message).toBe(run.output('Check answers', 1)[0]?.['summary']);
});

test('reports what a data table refuses in the same run', async ({ credentials }) => {
  const example = await readExample('contact-sync-data-table');
  const name = `Contacts ${crypto.randomUUID()}`;
  const columns = ['email', 'newsletter_status', 'newsletter_sync_token'].map((column) => ({
    name: column,
    type: 'string',
  }));
  const { runOnce } = await publishSync({
    n8n,
    example,
    credentials,
    contactCredentials: {},
    isContactNode: ({ type }) => type.endsWith('.dataTable'),
    // A column of another kind.
    fillIn: ({ dataTableId, ...parameters }) => ({
      ...parameters,
      ...(dataTableId === undefined
        ? { tableName: name, columns: { column: [...columns, { name: 'first_name', type: 'number' }] } }
        : { dataTableId: { __rl: true, mode: 'name', value: name } }),
    }),
  });
  const run = await runOnce('', 'error');
  // With On Error on Continue the node would pass on its input, as if it had written it.
  expect(run.error?.message).toContain('first_name');
});

test('moves an error to the error output, without any contact', async ({ credentials, sandboxOnPort }) => {
  sandboxOnPort.faults.add({ match: 'subscriptions.list', effect: { status: 403 } });
  const workflow = await n8n.createWorkflow([
    start,
    ...rowsOf([{ id: 1, email: 'ada.lovelace@example.com' }]),
    { name: 'Sync', type: syncType, parameters: { mode: 'apply' }, credentials, onError: 'continueErrorOutput' },
  ]);
  const run = await n8n.run(workflow);
  expect([0, 1, 2, 3, 4, 5].flatMap((index) => run.output('Sync', index))).toEqual([]);
  expect(run.output('Sync', 6)).toEqual([expect.objectContaining({ error: expect.any(String) })]);
});
