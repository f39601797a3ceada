/**
 * Contact sync in n8n: the example workflow with contacts in a real PostgreSQL, which n8n's own node reads and writes.
 */
import { expect, inject } from 'vitest';
import { postgresServer } from '../../packages/relay/test/postgres-server.ts';
import { chosen, items as rowsOf, start, syncType } from './harness/nodes.ts';
import { publishContactSync, publishSync, readExample, subscriptionOf } from './harness/syncExample.ts';
import { n8n, test } from './harness/test.ts';
import { all } from './operations/execution.ts';

const { n8nUrl } = inject('newsletter');
const server = postgresServer();

test.override({ sandboxOptions: { seed: 'demo', profile: 'unlimited' } });

test('syncs contacts in PostgreSQL: creates, edits of both sides, an opt-out and an unsubscribe', async ({
  api,
  credentials,
  sandboxOnPort,
}) => {
  const { address, workflow, runOnce } = await publishContactSync({ n8n, n8nUrl, server, credentials });
  const contacts = (where = ''): Promise<Record<string, unknown>[]> =>
    server.run(`SELECT * FROM contacts ${where} ORDER BY email`, address);

  await server.run(`INSERT INTO contacts (email, first_name) VALUES ('ADA.Lovelace@example.com', 'Augusta')`, address);
  // Addresses ending in .invalid belong to erased persons: no contact is created for them.
  const kept = (await all(api.subscriptions.list())).filter(({ email }) => !email?.endsWith('.invalid')).length;
  const first = await runOnce();
  const [report] = first.output('Sync', 1);
  expect(report).toMatchObject({ mode: 'apply', held: null, counts: { contacts: 1, subscriptions: 300 } });
  expect(first.output('Sync', 3)).toHaveLength(kept - 1);
  expect(await contacts()).toHaveLength(kept);
  expect(first.output('Report')[0]?.['text']).toContain(`Handed over to the CRM: ${kept - 1} contacts to create`);
  expect(first.output('Check answers', 1)).toEqual([
    expect.objectContaining({ handedOver: kept, written: kept, refused: 0 }),
  ]);
  await expect
    .poll(async () => (await n8n.workflow(workflow)).staticData)
    .toMatchObject({
      'node:Sync': { newsletterSync: expect.stringContaining('"watermark"') },
    });
  expect(JSON.stringify((await n8n.workflow(workflow)).staticData)).not.toContain('example.com');

  // Links the created contacts; then nothing is left to write.
  for (let runs = 0; runs < 2; runs += 1) await runOnce();
  const atRest = await runOnce();
  expect([3, 4].map((index) => atRest.output('Sync', index))).toEqual([[], []]);
  expect(atRest.output('Sync', 1)[0]).toMatchObject({
    counts: { contacts: kept, pairs: kept },
    written: { failed: 0 },
  });

  const ada = await subscriptionOf(api, 'ada.lovelace@example.com');
  expect(ada).toMatchObject({ status: 'active', firstName: 'Augusta' });
  const active = await contacts(
    `WHERE newsletter_status = 'active' AND first_name IS NOT NULL AND email NOT ILIKE 'ada.%'`,
  );
  const [edited = '', optedOut = '', left = '', changed = ''] = active.map(({ email }) => String(email));
  await server.run(`UPDATE contacts SET first_name = 'Joan' WHERE email = '${edited}'`, address);
  await server.run(`UPDATE contacts SET do_not_mail = true WHERE email = '${optedOut}'`, address);
  const { id: leaver } = await subscriptionOf(api, left);
  const { id: renamed } = await subscriptionOf(api, changed);
  await api.subscriptions.bulkUpdate({
    subscriptions: [
      { subscription_id: leaver, unsubscribe: true },
      { subscription_id: renamed, custom_fields: [{ name: 'First Name', value: 'Grace' }] },
    ],
  });
  sandboxOnPort.clock.advance('PT1M');

  const second = await runOnce();
  expect(second.output('Sync', 1)[0]).toMatchObject({
    written: { subscriptionUpdates: 2, failed: 0 },
    consent: expect.arrayContaining([
      expect.objectContaining({ said_by: 'crm', field: 'do_not_mail', first_seen: expect.any(String) }),
      expect.objectContaining({ said_by: 'newsletter', subscription_id: leaver }),
    ]),
  });
  expect(await subscriptionOf(api, edited)).toMatchObject({ status: 'active', firstName: 'Joan' });
  expect(await subscriptionOf(api, optedOut)).toMatchObject({ status: 'inactive' });
  expect(await contacts(`WHERE email = '${left}'`)).toMatchObject([
    { do_not_mail: true, newsletter_status: 'inactive' },
  ]);
  expect(await contacts(`WHERE email = '${changed}'`)).toMatchObject([{ first_name: 'Grace' }]);

  for (let runs = 0; runs < 2; runs += 1) await runOnce();
  const third = await runOnce();
  expect([3, 4].map((index) => third.output('Sync', index))).toEqual([[], []]);
});

test('reports what PostgreSQL refuses in the same run, in its words', async ({ api, credentials }) => {
  const { address, runOnce } = await publishContactSync({ n8n, n8nUrl, server, credentials });
  const refused = 'ada.lovelace@example.com';
  await server.run(`ALTER TABLE contacts ADD CONSTRAINT no_ada CHECK (email <> '${refused}')`, address);
  const kept = (await all(api.subscriptions.list())).filter(({ email }) => !email?.endsWith('.invalid')).length;
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
    n8nUrl,
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

test('offers the custom fields of the publication in the editor', async ({ api, credentials }) => {
  const [field] = await all(api.customFields.list());
  const options = await n8n.options({
    path: 'parameters.fields.field[0].newsletter',
    methodName: 'getSyncFields',
    nodeTypeAndVersion: { name: syncType, version: 1 },
    currentNodeParameters: { authentication: 'apiKey', publicationId: chosen('', 'id') },
    credentials,
  });
  expect(options).toContainEqual({ name: `${field?.display} (${field?.kind})`, value: field?.id });
  expect(options).toContainEqual(expect.objectContaining({ name: 'Subscription: Status', value: 'status' }));
});
