/** Subscriptions, and the jobs that change them. */
import { expect } from 'vitest';
import { chosen } from '../harness/nodes.ts';
import { all, ids, type ResourceExecutions, type World } from './execution.ts';

async function subscriptionOf({ api }: World, email: string) {
  const [found] = await all(api.subscriptions.list({ email, expand: ['custom_fields', 'newsletter_lists'] }));
  if (found === undefined) throw new Error('The sandbox has no such subscription.');
  return found;
}

/** Custom fields as the editor saves them. */
const mapped = (value: Readonly<Record<string, unknown>>) => ({
  mappingMode: 'defineBelow',
  value,
  matchingColumns: [],
  schema: [],
});

const customField = (name: string, value: unknown) =>
  expect.arrayContaining([expect.objectContaining({ name, value })]);

export const subscription: ResourceExecutions = {
  bulkImport: {
    parameters: () => ({
      mapping: 'defineBelow',
      email: '={{ $json.address }}',
      customFields: mapped({ 'Team size': '={{ $json.size }}' }),
      additionalFields: { utm_source: '={{ $json.from }}' },
    }),
    items: async () => [
      { address: 'käthe@bücher.example', size: 3, from: 'Küste 🌊' },
      { address: 'no address', size: 4, from: 'fair' },
      { address: 'ada.lovelace@example.com', size: 5, from: 'fair' },
    ],
    async seen(world, output) {
      expect(output).toMatchObject([
        { import_status: 'accepted', batch: 1 },
        { import_status: 'rejected', reason: expect.stringContaining('e-mail') },
        { import_status: 'accepted', batch: 1 },
      ]);
      world.sandbox.clock.advance(60_000);
      const kept = await subscriptionOf(world, 'käthe@bücher.example');
      expect(kept).toMatchObject({ utm_source: 'Küste 🌊', custom_fields: customField('Team size', 3) });
      expect((await subscriptionOf(world, 'ada.lovelace@example.com')).custom_fields).toEqual(
        customField('Team size', 5),
      );
    },
  },
  bulkUpdate: {
    parameters: () => ({
      subscription: { __rl: true, mode: 'id', value: '={{ $json.id }}' },
      updateFields: { tier: 'premium' },
      customFields: mapped({ 'Team size': '={{ $json.size }}' }),
    }),
    items: async (world) =>
      Promise.all(
        ['ada.lovelace@example.com', 'grace@example.org', 'ken@example.com'].map(async (email, index) => ({
          id: (await subscriptionOf(world, email)).id,
          size: index + 10,
        })),
      ),
    async seen(world, output) {
      expect(output).toHaveLength(3);
      for (const [index, email] of ['ada.lovelace@example.com', 'grace@example.org', 'ken@example.com'].entries()) {
        const { id, custom_fields, subscription_tier } = await subscriptionOf(world, email);
        expect(output[index]).toMatchObject({ id });
        expect(custom_fields).toEqual(customField('Team size', index + 10));
        expect(subscription_tier).toBe('premium');
      }
      expect(await all(world.api.bulkSubscriptionUpdates.list())).toHaveLength(1);
    },
  },
  create: {
    parameters: () => ({
      email: "Anna.O'Connor+news@bücher.example",
      customFields: mapped({
        Topics: ['boats', 'food'],
        Birthday: '1990-12-10T00:00:00',
        'Wants print': true,
        'Berth length': 7.25,
      }),
      additionalFields: {
        utm_source: 'Küste 🌊',
        utm_term: 'sailing',
        tier: 'free',
        send_welcome_email: true,
        double_opt_override: 'off',
      },
    }),
    async seen(world, output) {
      const kept = await subscriptionOf(world, "Anna.O'Connor+news@bücher.example");
      expect(kept).toMatchObject({ id: output[0]?.['id'], utm_source: 'Küste 🌊', utm_term: 'sailing' });
      for (const [name, value] of [
        ['Topics', ['boats', 'food']],
        ['Birthday', '1990-12-10'],
        ['Wants print', true],
        ['Berth length', 7.25],
      ] as const) {
        expect(kept.custom_fields).toEqual(customField(name, value));
      }
    },
  },
  createOrUpdate: {
    parameters: () => ({
      email: 'GRACE@example.org',
      customFields: mapped({ 'First Name': 'Grace Brewster' }),
      additionalFields: { utm_source: 'spring' },
    }),
    async seen(world, output) {
      const kept = await subscriptionOf(world, 'grace@example.org');
      expect(output).toMatchObject([
        {
          id: kept.id,
          outcome: 'updated',
          ignored_fields: ['utm_source'],
          custom_fields: { 'First Name': 'Grace Brewster' },
        },
      ]);
      expect(kept.custom_fields).toEqual(customField('First Name', 'Grace Brewster'));
      expect(kept.custom_fields).toEqual(customField('Topics', ['engineering']));
    },
  },
  get: {
    parameters: () => ({
      subscription: chosen('ada.lovelace@example.com', 'email'),
      options: { expand: ['custom_fields', 'stats'] },
    }),
    async seen(world, output) {
      const { id } = await subscriptionOf(world, 'ada.lovelace@example.com');
      expect(output).toMatchObject([
        {
          id,
          email: 'ada.lovelace@example.com',
          custom_fields: { Topics: ['boats', 'history'] },
          stats: expect.any(Object),
        },
      ]);
    },
  },
  getMany: {
    parameters: () => ({ returnAll: true, filters: { status: 'pending' }, options: { direction: 'asc' } }),
    async seen({ api }, output) {
      const kept = await all(api.subscriptions.list({ status: 'pending', direction: 'asc' }));
      expect(kept.length).toBeGreaterThan(1);
      expect(ids(output)).toEqual(ids(kept));
    },
  },
  reportSources: {
    parameters: () => ({ by: 'medium', options: { includeStats: true, minimum: 5 } }),
    async seen({ api }, output) {
      const { items } = await api.subscriptions.list({ limit: 100 });
      const medium = items.find(({ utm_medium }) => utm_medium)?.utm_medium;
      const shown = output.find(({ name }) => name === medium);
      expect(shown).toMatchObject({ by: 'medium', kind: 'value', opens: expect.any(Number) });
      expect(Number(shown?.['still_there_share'])).toBeCloseTo(
        Number(shown?.['still_there']) / Number(shown?.['signed_up']),
        3,
      );
    },
  },
  update: {
    parameters: () => ({
      subscription: chosen('MARGARET@example.org', 'email'),
      customFields: mapped({ 'Team size': 12 }),
      updateFields: { delete: ['Topics'], tier: 'free' },
    }),
    async seen(world, output) {
      const { id, custom_fields } = await subscriptionOf(world, 'margaret@example.org');
      expect(output).toMatchObject([
        { id, custom_fields: { 'Team size': 12 }, ignored_fields: [], job_status: 'complete' },
      ]);
      expect(custom_fields).toEqual(customField('Team size', 12));
      expect(custom_fields).not.toEqual(customField('Topics', expect.anything()));
    },
  },
  updateStatus: {
    parameters: () => ({ subscription: chosen('={{ $json.id }}', 'id'), new_status: 'inactive' }),
    async items(world) {
      const { id } = await subscriptionOf(world, 'ada.lovelace@example.com');
      return [{ id }, { id: 'grace@example.org' }];
    },
    async seen(world, output) {
      expect(output).toMatchObject([
        { status: 'inactive', job_status: 'complete' },
        { status: 'inactive', job_status: 'complete' },
      ]);
      for (const [index, email] of ['ada.lovelace@example.com', 'grace@example.org'].entries()) {
        const { id, status } = await subscriptionOf(world, email);
        expect({ id, status }).toEqual({ id: output[index]?.['id'], status: 'inactive' });
      }
      expect((await subscriptionOf(world, 'margaret@example.org')).status).toBe('active');
      expect(await all(world.api.bulkSubscriptionUpdates.list())).toHaveLength(1);
    },
  },
};

/** Creates a finished job. @returns its id */
async function job({ api, sandbox }: World, tier: 'free' | 'premium'): Promise<string> {
  const { items } = await api.subscriptions.list({ limit: 1 });
  const { data } = await api.subscriptions.bulkUpdate({
    subscriptions: items.map(({ id }) => ({ subscription_id: id, tier })),
  });
  sandbox.clock.advance('PT1M');
  return String(data.subscription_update_id);
}

export const bulkUpdateJob: ResourceExecutions = {
  get: {
    parameters: async (world) => ({ jobId: chosen(await job(world, 'premium')) }),
    async seen({ api }, output) {
      expect(output).toMatchObject([
        { id: expect.any(String), status: 'complete', completed: expect.stringMatching(/^\d{4}-.*Z$/) },
      ]);
      expect(ids(await all(api.bulkSubscriptionUpdates.list()))).toContain(output[0]?.['id']);
    },
  },
  getMany: {
    async parameters(world) {
      for (const tier of ['free', 'premium'] as const) await job(world, tier);
      return { returnAll: true };
    },
    async seen({ api }, output) {
      expect(ids(output)).toEqual(ids(await all(api.bulkSubscriptionUpdates.list())));
      expect(output).toHaveLength(2);
    },
  },
};
