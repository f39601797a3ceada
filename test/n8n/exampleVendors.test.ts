/**
 * The examples for Salesforce and Google Sheets in n8n, with n8n's own nodes, against stand-ins for the vendors' APIs.
 */
import type { Client } from '@newsletter-kit/core';
import type { SandboxOnPort } from '@newsletter-kit/sandbox/vitest';
import { afterAll, beforeAll, expect } from 'vitest';
import { connect, createSalesforce, createSheet, salesforceHost, type Crm } from './harness/standIns.ts';
import { publishSync, readExample, subscriptionOf, type ExampleNode } from './harness/sync-example.ts';
import { test as n8nTest } from './harness/test.ts';
import { startN8nWithVendors, type N8nWithVendors } from './harness/vendors.ts';
import { all } from './operations/execution.ts';

const test = n8nTest.extend({ sandboxOptions: { seed: 'demo', profile: 'unlimited' } });

let started: N8nWithVendors;
beforeAll(async () => {
  started = await startN8nWithVendors();
});
afterAll(() => started?.close());

/** As long as Google's are: n8n finds no shorter one in an address. */
const documentId = '1a2B3c4D5e6F7g8H9i0JkLmNoPqRsTuVwXyZ-_document';

interface Vendor {
  readonly name: string;
  readonly create: () => Crm;
  /** The ends of the types of its nodes. */
  readonly types: readonly string[];
  /** What a person fills in, who signs in with a key. */
  readonly fillIn: (parameters: ExampleNode['parameters']) => ExampleNode['parameters'];
}

const salesforce: Vendor = {
  name: 'contact-sync-salesforce',
  create: createSalesforce,
  types: ['salesforce', 'httpRequest'],
  fillIn: ({ url, ...parameters }) =>
    url === undefined
      ? { ...parameters, authentication: 'jwt' }
      : {
          ...parameters,
          url: String(url).replace('YOUR-DOMAIN.my.salesforce.com', salesforceHost),
          nodeCredentialType: 'salesforceJwtApi',
        },
};
const vendors: readonly Vendor[] = [
  salesforce,
  {
    name: 'contact-sync-google-sheets',
    create: () => createSheet(documentId),
    types: ['googleSheets'],
    fillIn: ({ documentId: named, ...parameters }) => ({
      ...parameters,
      authentication: 'serviceAccount',
      documentId: {
        ...(typeof named === 'object' && named),
        value: `https://docs.google.com/spreadsheets/d/${documentId}/edit`,
      },
    }),
  },
];

/** Publishes the example for a new CRM, which answers until the test ends. */
async function publish({ name, create, types, fillIn }: Vendor, sandbox: SandboxOnPort) {
  const { n8n, vendors: hosts } = started;
  const crm = create();
  const { baseUrl, token, publicationId } = sandbox.clientOptions;
  const newsletter = await n8n.rest.createCredential('newsletterApi', { apiKey: token, baseUrl, publicationId });
  const { type, data } = crm.credential;
  const { workflow, runOnce } = await publishSync({
    n8n: n8n.rest,
    n8nUrl: n8n.url,
    example: await readExample(name),
    credentials: { newsletterApi: { id: newsletter, name: 'Of a test' } },
    contactCredentials: { [type]: { id: await n8n.rest.createCredential(type, data), name: 'CRM' } },
    isContactNode: (node) => types.some((end) => node.type.endsWith(`.${end}`)),
    fillIn,
  });
  const disconnect = await connect(hosts, crm);
  const written = (): string =>
    [crm.writes.length, sandbox.requests().filter(({ method }) => method !== 'GET').length].join();
  return {
    crm,
    runOnce,
    /** Runs until a run writes nothing, on either side. @returns how many runs that took */
    async rest(): Promise<number> {
      for (let runs = 1; runs <= 4; runs += 1) {
        const before = written();
        const run = await runOnce();
        expect(run.output('Sync', 3)[0]).toMatchObject({ held: null });
        if (written() === before) return runs;
      }
      throw new Error('The fourth run still wrote.');
    },
    contact: (email: string) => crm.contacts().find((each) => each.email.toLowerCase() === email.toLowerCase()),
    async [Symbol.asyncDispose]() {
      await n8n.rest.deactivate(workflow);
      disconnect();
    },
  };
}

/** Everybody but erased persons, whose addresses end in .invalid: no contact is created for them. */
async function countKept(api: Client): Promise<number> {
  return (await all(api.subscriptions.list())).filter(({ email }) => !email.endsWith('.invalid')).length;
}

test.for(vendors)(
  '$name: creates, edits of both sides, an opt-out and a leave arrive, then it rests',
  async (vendor, { api, sandboxOnPort }) => {
    await using published = await publish(vendor, sandboxOnPort);
    const { crm, runOnce, rest, contact } = published;
    const ada = 'ADA.Lovelace@example.com';
    crm.save(ada, { firstName: 'Augusta' });
    const kept = await countKept(api);
    await runOnce();
    expect(crm.writes).toEqual([]);
    const first = await runOnce('?accept=yes');
    expect(first.output('Sync', 3)[0]).toMatchObject({ held: null, counts: { contactCreates: kept - 1 } });
    expect(crm.contacts()).toHaveLength(kept);
    await rest();
    expect(crm.contacts().filter((each) => each.token === '')).toEqual([]);
    expect(await subscriptionOf(api, ada)).toMatchObject({ status: 'active', firstName: 'Augusta' });

    const active = crm.contacts().filter((each) => each.status === 'active' && each.firstName && each.email !== ada);
    const [edited = '', optedOut = '', left = '', changed = '', emptied = ''] = active.map(({ email }) => email);
    // In a sheet this must stay a text.
    const name = '=1+1';
    crm.save(edited, { firstName: name });
    crm.save(optedOut, { optOut: true });
    const [{ id: leaver }, { id: renamed }, { id: nameless }] = await Promise.all([
      subscriptionOf(api, left),
      subscriptionOf(api, changed),
      subscriptionOf(api, emptied),
    ]);
    await api.subscriptions.bulkUpdate({
      subscriptions: [
        { subscription_id: leaver, unsubscribe: true },
        { subscription_id: renamed, custom_fields: [{ name: 'First Name', value: name }] },
        { subscription_id: nameless, custom_fields: [{ name: 'First Name', delete: true }] },
      ],
    });
    sandboxOnPort.clock.advance('PT1M');
    const second = await runOnce();
    expect(second.output('Sync', 3)[0]).toMatchObject({ applied: { subscriptionUpdates: 2, failed: 0 } });
    expect(await subscriptionOf(api, edited)).toMatchObject({ status: 'active', firstName: name });
    expect(await subscriptionOf(api, optedOut)).toMatchObject({ status: 'inactive' });
    expect(contact(left)).toMatchObject({ optOut: true, status: 'inactive' });
    expect(contact(changed)).toMatchObject({ optOut: false, firstName: name });
    expect(contact(emptied)).toMatchObject({ optOut: false, firstName: '' });

    expect(await rest()).toBeLessThanOrEqual(3);
    expect(contact(optedOut)).toMatchObject({ optOut: true, status: 'inactive' });
    expect(crm.contacts()).toHaveLength(kept);
  },
);

test('lists what Salesforce refuses, writes the others 200 a call, and tries again the next night', async ({
  api,
  sandboxOnPort,
}) => {
  await using published = await publish(salesforce, sandboxOnPort);
  const { crm, runOnce, contact } = published;
  const kept = await countKept(api);
  const refused = 'ada.lovelace@example.com';
  crm.refusedAddress = refused;
  const first = await runOnce('?accept=yes');
  expect(first.output('Refused by Salesforce')).toEqual([
    { success: false, errors: [expect.objectContaining({ statusCode: 'INVALID_EMAIL_ADDRESS' })] },
  ]);
  expect(crm.contacts()).toHaveLength(kept - 1);
  expect(crm.writes).toHaveLength(Math.ceil(kept / 200));

  crm.refusedAddress = undefined;
  await runOnce();
  expect(crm.contacts()).toHaveLength(kept);
  expect(contact(refused)).toMatchObject({ status: 'active' });
});
