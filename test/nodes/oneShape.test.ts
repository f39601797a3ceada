/** A subscription is the same record after every operation and in every event: one meaning and one type per key. */
import { operation, subscriptionStatuses } from '@newsletter-kit/core/contract';
import { expect, it } from 'vitest';
import { resources } from '../../nodes/Newsletter/operations/resources.ts';
import { subscription } from '../../nodes/Newsletter/records.ts';
import type { Run } from './context.ts';
import { scenarios } from './scenarios.ts';
import { workbench } from './workbench.ts';

const bench = workbench();
const ada = { mode: 'email', value: 'ada.lovelace@example.com' };
type Json = Readonly<Record<string, unknown>>;

/** Every operation of subscriptions, and further runs that return other keys. */
const runs: readonly (readonly [operation: string, parameters: Run['parameters'], items?: Run['items']])[] = [
  ['create', { email: ada.value, ifSubscribed: 'passOver' }],
  ['createOrUpdate', { email: ada.value, additionalFields: { utm_source: 'fair', tier: 'premium' } }],
  ['update', { subscription: ada, updateFields: { tier: 'premium' }, waitForCompletion: false }],
  ['updateStatus', { subscription: ada, waitForCompletion: false }],
  ['bulkUpdate', { subscription: ada, updateFields: { tier: 'free' }, waitForCompletion: false }],
  ['createOrUpdate', { email: ada.value }],
];

async function allRecords(): Promise<readonly (readonly [string, Json])[]> {
  const records: (readonly [string, Json])[] = [];
  const add = async (name: string, parameters: Run['parameters'], items?: Run['items']): Promise<void> => {
    for (const { json } of await bench.run('subscription', name, parameters, items && { items }))
      records.push([name, json]);
  };
  for (const { resource, operation: name, parameters, items } of scenarios)
    if (resource === 'subscription')
      await add(name, { ifSubscribed: 'passOver', ...(await parameters?.(bench)) }, items);
  for (const run of runs) await add(...run);
  return records;
}

it('has one type per key, in snake case, over all operations', async () => {
  const records = await allRecords();
  expect(new Set(records.map(([name]) => name))).toEqual(
    new Set(Object.keys(resources['subscription']?.operations ?? {})),
  );
  const types = new Map<string, Set<string>>();
  for (const [, record] of records)
    for (const [name, value] of Object.entries(record)) {
      const type = Array.isArray(value) ? 'array' : typeof value;
      if (value !== null) types.set(name, (types.get(name) ?? new Set()).add(type));
    }
  expect([...types].filter(([name, of]) => of.size > 1 || !/^[a-z]+(?:_[a-z]+)*$/.test(name))).toEqual([]);
});

it('has one meaning per key: a date of creation, the status of a person, the outcome, the job', async () => {
  const meanings: Readonly<Record<string, (value: unknown) => boolean>> = {
    id: (value) => String(value).startsWith('sub_'),
    created: (value) => /^\d{4}-\d\d-\d\dT/.test(String(value)),
    status: (value) => (subscriptionStatuses as readonly unknown[]).includes(value),
    outcome: (value) => ['created', 'updated', 'unchanged'].includes(String(value)),
    job_status: (value) => ['complete', 'pending'].includes(String(value)),
    import_status: (value) => ['accepted', 'rejected', 'duplicate', 'left', 'unconfirmed'].includes(String(value)),
  };
  const wrong = (await allRecords()).flatMap(([name, record]) =>
    Object.entries(meanings).flatMap(([key, fits]) =>
      key in record && !fits(record[key]) ? [{ name, key, value: record[key] }] : [],
    ),
  );
  expect(wrong).toEqual([]);
});

it('is the whole subscription after every operation that has read it', async () => {
  const added: readonly string[] = [...operation('subscriptions.list').expand, 'newsletter_list_ids'];
  const whole = [...subscription.simple.filter((name) => !added.includes(name)), 'custom_fields'];
  for (const name of ['create', 'createOrUpdate', 'get', 'getMany', 'update', 'updateStatus']) {
    const scenario = scenarios.find((one) => one.resource === 'subscription' && one.operation === name);
    const [item] = await bench.run('subscription', name, (await scenario?.parameters?.(bench)) ?? {});
    expect([name, whole.filter((key) => !(key in (item?.json ?? {})))]).toEqual([name, []]);
  }
});
