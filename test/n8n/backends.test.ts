/**
 * Contact sync in n8n with backends to which nobody has adapted it, by plain HTTP nodes: a real Directus, and a real
 * Parse Server, which leaves out what has no value. Both are installed on the first run.
 */
import type { Client } from '@newsletter-kit/core';
import { expect } from 'vitest';
import { postgresServer } from '../../packages/relay/test/postgres-server.ts';
import { startDirectus, type Backend } from '../proofs/sync/directus-crm.ts';
import { startParse } from '../proofs/sync/parse-crm.ts';
import { syncType } from './harness/nodes.ts';
import { publishExample, type ExampleFile } from './harness/syncExample.ts';
import { n8n, test } from './harness/test.ts';

const server = postgresServer();

test.override({ sandboxOptions: { seed: 'empty', profile: 'unlimited' } });

const node = (name: string, type: string, typeVersion: number, parameters: object, more: object = {}) => ({
  id: crypto.randomUUID(),
  name,
  type,
  typeVersion,
  position: [0, 0],
  parameters: { ...parameters },
  ...more,
});

const asSync = (url: string, headers: object) => ({
  url,
  sendHeaders: true,
  specifyHeaders: 'json',
  jsonHeaders: JSON.stringify(headers),
});

/** An HTTP node that sends a contact; whatever the answer, the run goes on. */
function write(name: string, method: string, url: string, { headers, id }: Backend['http']) {
  return node(
    name,
    'n8n-nodes-base.httpRequest',
    4.2,
    {
      method,
      ...asSync(url, headers),
      sendBody: true,
      specifyBody: 'json',
      jsonBody: `={{ JSON.stringify($json.removeField('${id}')) }}`,
      options: { response: { response: { fullResponse: true, neverError: true } } },
    },
    { onError: 'continueRegularOutput' },
  );
}

/** Six plain nodes around the sync. */
function workflowOf({ http }: Backend, city: string, credentials: object): ExampleFile {
  const { url, all, headers, records, id } = http;
  const nodes = [
    node('Every hour', 'n8n-nodes-base.scheduleTrigger', 1.2, {}),
    node('List', 'n8n-nodes-base.httpRequest', 4.2, { ...asSync(url + all, headers), options: {} }),
    node('Contacts', 'n8n-nodes-base.splitOut', 1, { fieldToSplitOut: records }, { alwaysOutputData: true }),
    node(
      'Sync',
      syncType,
      1,
      {
        mode: 'apply',
        idField: id,
        tokenField: 'sync_token',
        optOutField: 'do_not_mail',
        fields: {
          field: [
            { newsletter: city, contact: 'city', direction: 'both', conflict: 'crm' },
            { newsletter: 'status', contact: 'newsletter_status', direction: 'to_contact' },
          ],
        },
        options: { accept: '={{ $("Every hour").first().json.query.accept === "yes" }}' },
      },
      { credentials },
    ),
    write('Create', 'POST', url, http),
    write('Update', http.update, `=${url}/{{ $json.${id} }}`, http),
    node('All answers', 'n8n-nodes-base.merge', 3.2, {}),
    node('Check answers', syncType, 1, {
      operation: 'checkAnswers',
      handedOver: "={{ $('Sync').all(3).length + $('Sync').all(4).length }}",
      contact: `={{ $('Sync').item.json.email ?? $('Sync').item.json.${id} }}`,
    }),
  ];
  const to = (name: string, index = 0) => [{ node: name, type: 'main', index }];
  const connections = {
    'Every hour': { main: [to('List')] },
    List: { main: [to('Contacts')] },
    Contacts: { main: [to('Sync')] },
    Sync: { main: [[], [], [], to('Create'), to('Update'), []] },
    Create: { main: [to('All answers')] },
    Update: { main: [to('All answers', 1)] },
    'All answers': { main: [to('Check answers')] },
  };
  return { nodes, connections, settings: { executionOrder: 'v1' } };
}

const backends: readonly (readonly [name: string, start: () => Promise<Backend>])[] = [
  ['Directus', startDirectus],
  ['Parse Server', async () => startParse(await server.database())],
];

test.for(backends)(
  'keeps %s in step, and subscribes nobody again',
  { timeout: 1_800_000 },
  async ([, startBackend], { api, credentials, sandboxOnPort }) => {
    const backend = await startBackend();
    try {
      const { data: city } = await api.customFields.create({ kind: 'string', display: 'City' });
      const names = ['ada', 'bob', 'cy', 'dee'] as const;
      for (const name of names)
        await api.subscriptions.create({
          email: `${name}@example.com`,
          double_opt_override: 'off',
          custom_fields: [{ name: 'City', value: 'Bonn' }],
        });
      await backend.create({ email: 'ADA@example.com', city: '' });
      await backend.create({ email: 'stranger@example.com', city: 'Rome' });
      sandboxOnPort.clock.advance('PT1H');

      const example = workflowOf(backend, city.id, credentials);
      const { runOnce } = await publishExample({ n8n, example }, (each) => each);
      const run = async (query: string) => {
        const execution = await runOnce(query);
        sandboxOnPort.clock.advance('PT1H');
        const handedOver = [3, 4].flatMap((index) => execution.output('Sync', index)).length;
        if (handedOver > 0)
          expect(execution.output('Check answers', 1)).toMatchObject([{ handedOver, written: handedOver, refused: 0 }]);
        expect(execution.output('Sync', 1)[0]).toMatchObject({ held: null });
        return handedOver;
      };
      /** Repeats the run until one writes nothing. @returns the number of runs that wrote */
      const settle = async () => {
        for (let runs = 0; runs < 4; runs += 1) if ((await run('')) === 0) return runs;
        throw new Error('The fourth run still wrote.');
      };
      const contactOf = async (name: string) =>
        (await backend.contacts()).find(({ email }) => email.toLowerCase() === `${name}@example.com`);
      /** What both sides show of a person: status, city, opt-out. */
      const shown = async (name: string) => {
        const [{ status, city: here }, contact] = [await personOf(api, name), await contactOf(name)];
        return [status, contact?.newsletter_status, here, contact?.city, contact?.do_not_mail];
      };
      const inStep = (value: string) => ['active', 'active', value, value, false];

      // A box that nobody ever ticked, and that is left out, holds the first plan: a person looks at it once.
      expect(await run('?accept=yes')).toBe(names.length);
      expect(await settle()).toBeLessThanOrEqual(2);
      for (const name of names) expect(await shown(name)).toEqual(inStep('Bonn'));
      expect(await personOf(api, 'stranger')).toEqual({});

      // Both ways.
      const [{ id: ada = '' }, { id: dee = '' }] = [await personOf(api, 'ada'), await personOf(api, 'dee')];
      await api.subscriptions.bulkUpdate({
        subscriptions: [
          { subscription_id: ada, custom_fields: [{ name: 'City', value: 'Ulm' }] },
          { subscription_id: dee, unsubscribe: true },
        ],
      });
      await backend.edit((await contactOf('bob'))?.id ?? '', { city: 'Jena' });
      await backend.edit((await contactOf('cy'))?.id ?? '', { do_not_mail: true });
      sandboxOnPort.clock.advance('PT1M');
      await run('');
      expect(await shown('ada')).toEqual(inStep('Ulm'));
      expect(await shown('bob')).toEqual(inStep('Jena'));
      expect(await settle()).toBeLessThanOrEqual(2);
      const gone = ['inactive', 'inactive', 'Bonn', 'Bonn', true];
      expect([await shown('cy'), await shown('dee')]).toEqual([gone, gone]);

      // Whoever left stays away: also where the CRM takes its opt-out and the mirror of the status back.
      for (const name of ['cy', 'dee'])
        await backend.edit((await contactOf(name))?.id ?? '', { do_not_mail: false, newsletter_status: 'active' });
      await run('');
      expect(await settle()).toBeLessThanOrEqual(2);
      for (const name of ['cy', 'dee']) expect((await personOf(api, name)).status).toBe('inactive');
      expect(await personOf(api, 'stranger')).toEqual({});
    } finally {
      await backend.stop();
    }
  },
);

/** What the newsletter shows of a person; nothing where it does not know them. */
async function personOf(api: Client, name: string) {
  const { items } = await api.subscriptions.list({ email: `${name}@example.com`, expand: ['custom_fields'] });
  return items[0] ? { id: items[0].id, status: items[0].status, city: items[0].custom_fields?.[0]?.value } : {};
}
