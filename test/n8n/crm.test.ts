/**
 * Contact sync with CRMs in n8n: the example workflows with the vendors' own nodes, against stand-ins for their APIs.
 */
import type { Client } from '@newsletter-kit/core';
import type { SandboxOnPort } from '@newsletter-kit/sandbox/vitest';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { crmFaults } from '../../packages/core/test/sync/crm-faults.ts';
import { crmExamples, type CrmExample } from './harness/crmExamples.ts';
import type { CrmCall } from './harness/crms.ts';
import { type OwnN8n, startOwnN8n } from './harness/own.ts';
import { publishSync, readExample, subscriptionOf } from './harness/syncExample.ts';
import { test as base } from './harness/test.ts';
import { startVendors, type Vendors } from './harness/vendors.ts';

const test = base.extend({ sandboxOptions: { seed: 'demo', profile: 'unlimited' } });

let vendors: Vendors;
let n8n: OwnN8n;
beforeAll(async () => {
  vendors = await startVendors();
  n8n = await startOwnN8n(vendors.env);
});
afterAll(async () => {
  await n8n?.close();
  await vendors?.close();
});

/** Publishes the example for a new CRM, which is closed after the test. */
async function publish(
  { file, create, contactNodes, fillIn }: CrmExample,
  sandbox: SandboxOnPort,
  mode?: 'apply' | 'as-saved',
) {
  const example = await readExample(file);
  const crm = create(example);
  const { type, data } = crm.credential;
  const {
    workflow,
    runOnce,
    start: begin,
  } = await publishSync({
    n8n: n8n.rest,
    example,
    credentials: await n8n.rest.newsletterCredentials(sandbox),
    contactCredentials: { [type]: { id: await n8n.rest.createCredential(type, data), name: 'CRM' } },
    isContactNode: (node) => contactNodes.some((end) => node.type.endsWith(end)),
    ...(fillIn && { fillIn }),
    ...(mode && { mode }),
  });
  const removals = await Promise.all(
    Object.entries(crm.answers).map(([host, answer]) => vendors.standIn(host, answer)),
  );
  /** @returns the report, and the calls to the CRM in between */
  const run = async (query?: string, status?: 'success' | 'error') => {
    const before = crm.calls.length;
    const execution = await runOnce(query, status);
    return { execution, report: execution.output('Sync', 1)[0], calls: crm.calls.slice(before) };
  };
  return {
    crm,
    run,
    /** Starts a second run while the first one reads. @returns how both ended */
    async runTwice(query: string) {
      const ids = [await begin(query), await begin(query)];
      return Promise.all(ids.map(async (id) => (await n8n.rest.ended(id, 300_000)).status));
    },
    /** Repeats the run until one writes nothing. @returns the number of runs that wrote */
    async settle() {
      for (let runs = 0; runs < 4; runs += 1) {
        const { calls, report } = await run();
        if (writesOf(calls).length > 0) continue;
        expect(report).toMatchObject({
          held: null,
          written: { subscriptionUpdates: 0, failed: 0 },
          handedOver: { contactUpdates: 0 },
        });
        return runs;
      }
      throw new Error('The fourth run still wrote.');
    },
    contact: (email: string) => crm.contacts().find((each) => each.email === email),
    async [Symbol.asyncDispose]() {
      await n8n.rest.deactivate(workflow);
      for (const remove of removals) remove();
    },
  };
}

const writesOf = (calls: readonly CrmCall[]): readonly CrmCall[] => calls.filter(({ method }) => method !== 'GET');

/** All subscriptions except those of erased persons, whose addresses end in .invalid: they get no contact. */
async function keptAddresses(api: Client): Promise<string[]> {
  const subscriptions = (await Array.fromAsync(api.subscriptions.list())).map(({ email }) => ({
    email: String(email),
  }));
  return sorted(subscriptions).filter((email) => !email.endsWith('.invalid'));
}

/** Addresses in lower case, as HubSpot stores them. */
const sorted = (records: readonly { readonly email: string }[]): string[] =>
  records.map(({ email }) => email.toLowerCase()).toSorted();

describe.each<CrmExample>(Object.values(crmExamples))('$name', (example) => {
  test('runs a preview with the unchanged example', async ({ api, sandboxOnPort }) => {
    await using sync = await publish(example, sandboxOnPort, 'as-saved');
    const { calls, report } = await sync.run('?accept=yes');
    const contactCreates = (await keptAddresses(api)).length;
    expect(report).toMatchObject({ mode: 'preview', counts: { contacts: 0, contactCreates } });
    expect(calls.length).toBeGreaterThan(0);
    expect(writesOf(calls)).toEqual([]);
  });

  test('is synced: creates, edits of both sides, an opt-out and an unsubscribe', async ({ api, sandboxOnPort }) => {
    const { hasOtherOptOut = false } = example;
    await using sync = await publish(example, sandboxOnPort);
    const { crm, run, contact } = sync;
    const kept = await keptAddresses(api);
    const ada = 'ada.lovelace@example.com';
    crm.save(ada, { firstName: 'Augusta' });

    const first = await run('?accept=yes');
    expect(first.report).toMatchObject({ held: null, counts: { contacts: 1, contactCreates: kept.length - 1 } });
    expect(sorted(crm.contacts())).toEqual(kept);
    expect(await sync.settle()).toBeLessThanOrEqual(2);
    expect(crm.contacts().every(({ token }) => token !== '')).toBe(true);
    expect(await subscriptionOf(api, ada)).toMatchObject({ status: 'active', firstName: 'Augusta' });

    // More than one page of any CRM, and unknown to the newsletter.
    const strangers = Array.from({ length: 600 }, (_, index) => `stranger.${index}@example.net`);
    for (const email of strangers) crm.save(email, {});
    const [edited = '', optedOut = '', left = '', changed = '', emptied = '', otherwise = ''] = crm
      .contacts()
      .filter(({ email, firstName, status }) => status === 'active' && firstName !== '' && email !== ada)
      .map(({ email }) => email);
    // In a sheet this must stay a text.
    const name = '=1+1';
    crm.save(edited, { firstName: name });
    crm.save(optedOut, { optOut: true });
    crm.save(otherwise, { otherOptOut: true });
    const { id: leaver } = await subscriptionOf(api, left);
    const { id: renamed } = await subscriptionOf(api, changed);
    const { id: nameless } = await subscriptionOf(api, emptied);
    const before = { left: contact(left), changed: contact(changed), emptied: contact(emptied) };
    await api.subscriptions.bulkUpdate({
      subscriptions: [
        { subscription_id: leaver, unsubscribe: true },
        { subscription_id: renamed, custom_fields: [{ name: 'First Name', value: 'Grace' }] },
        { subscription_id: nameless, custom_fields: [{ name: 'First Name', delete: true }] },
      ],
    });
    sandboxOnPort.clock.advance('PT1M');

    const second = await run();
    expect(second.report).toMatchObject({
      held: null,
      counts: { contacts: kept.length + strangers.length },
      written: { subscriptionUpdates: hasOtherOptOut ? 3 : 2, failed: 0 },
    });
    expect(await subscriptionOf(api, edited)).toMatchObject({ status: 'active', firstName: name });
    expect(await subscriptionOf(api, optedOut)).toMatchObject({ status: 'inactive' });
    expect(await subscriptionOf(api, otherwise)).toMatchObject({ status: hasOtherOptOut ? 'inactive' : 'active' });
    // Only the token of a contact changes.
    const token = expect.any(String);
    expect(contact(left)).toEqual({ ...before.left, optOut: true, status: 'inactive', token });
    expect(contact(changed)).toEqual({ ...before.changed, firstName: 'Grace', token });
    expect(contact(emptied)).toEqual({ ...before.emptied, firstName: '', token });
    expect(await sync.settle()).toBeLessThanOrEqual(2);
    expect(contact(optedOut)).toMatchObject({ optOut: true, status: 'inactive' });
    expect(strangers.filter((email) => contact(email)?.token !== '')).toEqual([]);
  });

  test('plans refused writes again, and writes nothing after a partial list', async ({ api, sandboxOnPort }) => {
    await using sync = await publish(example, sandboxOnPort);
    const { crm, run, contact } = sync;
    const kept = await keptAddresses(api);
    const ada = 'ada.lovelace@example.com';
    crm.save(ada, { firstName: 'Augusta' });

    crm.failing = ({ method }) => method !== 'GET';
    const refused = await run('?accept=yes', 'error');
    expect(refused.execution.output('Check answers', 1)).toEqual([
      expect.objectContaining({ handedOver: kept.length, written: 0, refused: kept.length }),
    ]);
    expect(crm.contacts()).toHaveLength(1);
    crm.failing = undefined;
    await run('?accept=yes');
    await sync.settle();
    expect(sorted(crm.contacts())).toEqual(kept);

    const { id } = await subscriptionOf(api, ada);
    await api.subscriptions.bulkUpdate({
      subscriptions: [{ subscription_id: id, custom_fields: [{ name: 'First Name', value: 'Grace' }] }],
    });
    sandboxOnPort.clock.advance('PT1M');
    crm.failing = ({ method }) => method !== 'GET';
    const unwritten = contact(ada);
    await run('', 'error');
    expect(contact(ada)).toEqual(unwritten);
    crm.failing = undefined;
    // The list of the next run might be one of before the write.
    await run();
    await sync.settle();
    expect(contact(ada)).toMatchObject({ firstName: 'Grace' });

    // With half a list of contacts, the others would look deleted.
    let reads = 0;
    crm.failing = ({ method }) => method === 'GET' && (reads += 1) % 2 === 0;
    const { calls, report } = await run('?accept=yes', 'error');
    expect(report).toBeUndefined();
    expect(writesOf(calls)).toEqual([]);
  });

  test('reports each refusal in its own run, in the words of the CRM', async ({ api, sandboxOnPort }) => {
    await using sync = await publish(example, sandboxOnPort);
    const { crm, run } = sync;
    await run('?accept=yes');
    await sync.settle();
    const usesHttp = example.contactNodes.includes('.httpRequest');
    for (const [index, row] of crmFaults.filter(({ vendor }) => vendor === example.name).entries()) {
      await api.subscriptions.create({ email: `fault.${index}@example.com`, double_opt_override: 'off' });
      sandboxOnPort.clock.advance('PT2M');
      crm.failing = ({ method }) => method !== 'GET' && row;
      const { execution } = await run('', 'error');
      const [refused] = execution.output('Check answers', 0);
      const [summary] = execution.output('Check answers', 1);
      expect(refused, row.fault).toMatchObject({ reason: row.reason });
      // The vendors' own nodes keep the status, and drop the headers and a page.
      if (usesHttp) expect(refused, row.fault).toMatchObject({ status: row.status });
      if (usesHttp) expect(refused?.['message'], row.fault).toContain(row.words);
      expect(execution.error?.message, row.fault).toBe(summary?.['summary']);
      expect(summary?.['summary'], row.fault).toMatch(
        /^The CRM took \d+ of \d+ changes?, and refused \d+: (\d+ times )?“/,
      );
    }
    crm.failing = undefined;
    await run();
  });

  test.skipIf(example.twin === 'created')(
    'creates no contact twice in two runs at once',
    async ({ api, sandboxOnPort }) => {
      await using sync = await publish(example, sandboxOnPort);
      const kept = await keptAddresses(api);
      const ended = await sync.runTwice('?accept=yes');
      if (example.twin === 'written') expect(ended).toEqual(['success', 'success']);
      expect(sorted(sync.crm.contacts())).toEqual(kept);
      expect(await sync.settle()).toBeLessThanOrEqual(2);
    },
  );
});

test('reports contacts that Salesforce refuses, writes the others 200 per call, and retries in the next run', async ({
  api,
  sandboxOnPort,
}) => {
  await using sync = await publish(crmExamples.salesforce, sandboxOnPort);
  const { crm, run, contact } = sync;
  const kept = await keptAddresses(api);
  const refused = 'ada.lovelace@example.com';
  crm.refusedAddress = refused;
  const { execution, calls } = await run('?accept=yes', 'error');
  expect(execution.output('Check answers', 0)).toEqual([
    expect.objectContaining({
      contact: refused,
      message: 'The address is malformed – INVALID_EMAIL_ADDRESS – Email',
      reason: 'value',
    }),
  ]);
  expect(crm.contacts()).toHaveLength(kept.length - 1);
  expect(writesOf(calls)).toHaveLength(Math.ceil(kept.length / 200));

  crm.refusedAddress = undefined;
  await run();
  expect(sorted(crm.contacts())).toEqual(kept);
  expect(contact(refused)).toMatchObject({ status: 'active' });
});

test('waits out the lock of Airtable, and then makes the locked calls again', async ({ api, sandboxOnPort }) => {
  await using sync = await publish(crmExamples.airtable, sandboxOnPort);
  const { crm, run } = sync;
  const kept = await keptAddresses(api);
  const locked = crmFaults.find(({ vendor, status }) => vendor === 'Airtable' && status === 429);
  let until = Number.POSITIVE_INFINITY;
  crm.failing = ({ method }) => {
    if (method === 'GET') return false;
    until = Math.min(until, Date.now() + 30_000);
    return (Date.now() < until && locked) || false;
  };
  const { calls } = await run('?accept=yes');
  expect(sorted(crm.contacts())).toEqual(kept);
  const batches = Math.ceil(kept.length / 10);
  expect(Object.groupBy(writesOf(calls), ({ status }) => String(status))).toMatchObject({
    200: { length: batches },
    429: { length: batches },
  });
});

test('writes 100 contacts per call to HubSpot, also when one address is refused', async ({ api, sandboxOnPort }) => {
  await using sync = await publish(crmExamples.hubspot, sandboxOnPort);
  const { crm, run } = sync;
  const kept = await keptAddresses(api);
  const batches = (count: number): number => Math.ceil(count / 100);
  const callsOf = (calls: readonly CrmCall[]): Record<string, number> =>
    Object.fromEntries(
      [...Map.groupBy(calls, ({ method, path }) => `${method} ${path}`)].map(([call, { length }]) => [call, length]),
    );
  const path = '/crm/v3/objects/contacts';

  crm.refusedAddress = 'ada.lovelace@example.com';
  const first = await run('?accept=yes', 'error');
  expect(first.execution.output('Check answers', 0)).toEqual([
    expect.objectContaining({ contact: crm.refusedAddress, message: 'The address is malformed', status: 207 }),
  ]);
  expect(crm.contacts()).toHaveLength(kept.length - 1);
  expect(callsOf(first.calls)).toEqual({
    [`GET ${path}`]: 1,
    [`POST ${path}/batch/upsert`]: batches(kept.length),
  });

  crm.refusedAddress = undefined;
  const second = await run();
  expect(crm.contacts()).toHaveLength(kept.length);
  // The created contacts get their ids into their tokens.
  expect(callsOf(second.calls)).toEqual({
    [`GET ${path}`]: batches(kept.length - 1),
    [`POST ${path}/batch/update`]: batches(kept.length - 1),
    [`POST ${path}/batch/upsert`]: 1,
  });

  const renamed = await Array.fromAsync(api.subscriptions.list({ status: 'active' }));
  await api.subscriptions.bulkUpdate({
    subscriptions: renamed.map(({ id }) => ({
      subscription_id: id,
      custom_fields: [{ name: 'First Name', value: 'Joan' }],
    })),
  });
  sandboxOnPort.clock.advance('PT1M');
  // More values than pass without a person who accepts them.
  const held = await run('', 'error');
  expect(held.execution.output('Sync', 5)).toEqual([expect.objectContaining({ held: expect.anything() })]);
  expect(writesOf(held.calls)).toEqual([]);
  const third = await run('?accept=yes');
  expect(crm.contacts().filter(({ firstName }) => firstName === 'Joan')).toHaveLength(renamed.length);
  expect(callsOf(third.calls)).toEqual({
    [`GET ${path}`]: batches(kept.length),
    [`POST ${path}/batch/update`]: batches(renamed.length),
  });
  await sync.settle();
  const atRest = await run();
  expect(callsOf(atRest.calls)).toEqual({ [`GET ${path}`]: batches(kept.length) });
});

for (const example of [crmExamples.hubspot, crmExamples.salesforce])
  test(`unsubscribes each address of a contact that ${example.name} has merged`, async ({ api, sandboxOnPort }) => {
    await using sync = await publish(example, sandboxOnPort);
    const { crm, run } = sync;
    await run('?accept=yes');
    await sync.settle();
    const [kept = '', merged = '', alsoMerged = '', ...others] = crm
      .contacts()
      .filter(({ status }) => status === 'active')
      .map(({ email }) => email);
    for (const loser of [merged, alsoMerged]) crm.merge?.(kept, loser);
    const { report } = await run();
    expect(report).toMatchObject({ held: null, counts: { contactCreates: 0 }, written: { subscriptionUpdates: 0 } });
    crm.save(kept, { optOut: true });
    await run();
    for (const email of [kept, merged, alsoMerged])
      expect(await subscriptionOf(api, email)).toMatchObject({ status: 'inactive' });
    for (const email of others) expect(await subscriptionOf(api, email)).toMatchObject({ status: 'active' });
    expect(await sync.settle()).toBeLessThanOrEqual(2);
  });

test('writes the contacts of a batch singly that HubSpot refuses whole', async ({ api, sandboxOnPort }) => {
  await using sync = await publish(crmExamples.hubspot, sandboxOnPort);
  const { crm, run } = sync;
  const kept = await keptAddresses(api);
  const whole = crmFaults.find(({ vendor, status }) => vendor === 'HubSpot' && status === 400);
  let writes = 0;
  crm.failing = ({ method }) => (method !== 'GET' && (writes += 1) === 1 && whole) || false;
  const { execution } = await run('?accept=yes');
  expect(execution.output('Check answers', 1)).toEqual([expect.objectContaining({ written: kept.length, refused: 0 })]);
  expect(sorted(crm.contacts())).toEqual(kept);
  expect(writes).toBe(Math.ceil(kept.length / 100) + 100);
});
