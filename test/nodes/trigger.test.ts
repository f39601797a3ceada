/** The trigger against the sandbox: its items, its requests, and its stored state. */
import { createClient, type Client } from '@newsletter-kit/core';
import { createSandbox, publicationId, type Sandbox } from '@newsletter-kit/sandbox';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { buildBundle, type Bundle, type Item } from './bundle.ts';
import { itemlessContext, type Run } from './context.ts';

let bundle: Bundle;
let sandbox: Sandbox;
let api: Client;
let now: number;
let kept: Record<string, unknown>;
beforeAll(async () => {
  bundle = await buildBundle();
});
beforeEach(() => world());
afterAll(async () => {
  sandbox?.close();
  await bundle?.remove();
});

/** A fresh publication, and a trigger without stored state. */
function world(size = 0): void {
  sandbox?.close();
  now = Date.parse('2026-11-20T10:00:00Z');
  kept = {};
  sandbox = createSandbox({ seed: 'demo', ...(size > 0 && { seedSize: size }), profile: 'unlimited', now: () => now });
  api = createClient({ baseUrl: 'http://sandbox.test/v2', token: 'sandbox-key', publicationId, fetch: sandbox.fetch });
}

async function pollItems(event: string, more: Partial<Run> = {}): Promise<readonly Item[] | null> {
  const parameters = { event, ...more.parameters };
  const result = await bundle.trigger.poll.call(itemlessContext({ sandbox, staticData: kept, ...more, parameters }));
  return result && (result[0] ?? []);
}

async function poll(event = 'subscriptionCreated', more: Partial<Run> = {}): Promise<string[] | null> {
  return (await pollItems(event, more))?.map(({ json }) => String(json['email'])) ?? null;
}

async function subscribe(...emails: readonly string[]): Promise<string[]> {
  const ids: string[] = [];
  for (const email of emails) ids.push((await api.subscriptions.create({ email, double_opt_override: 'off' })).data.id);
  return ids;
}

/** Changes one subscription, and completes the job. */
async function change(id: string, changes: Readonly<Record<string, unknown>>): Promise<void> {
  const { data } = await api.subscriptions.bulkUpdate({ subscriptions: [{ subscription_id: id, ...changes }] });
  now += 60_000;
  const job = await api.bulkSubscriptionUpdates.get({ id: data.subscription_update_id });
  expect(job.data.status).toMatch(/^complete/);
}

async function idOf(email: string): Promise<string> {
  const { items } = await api.subscriptions.list({ email });
  return items[0]?.id ?? '';
}

/** The static data of node and workflow as one text. */
const keptText = (): string => JSON.stringify(kept);

const snapshot = (): Record<string, unknown> => JSON.parse(JSON.stringify(kept)) as Record<string, unknown>;

async function requestsOf(work: () => Promise<unknown>): Promise<number> {
  const before = sandbox.requests().length;
  await work();
  return sandbox.requests().length - before;
}

describe('New Subscriber', () => {
  it('reports nothing on activation, then each new subscription once, oldest first', async () => {
    await subscribe('before@example.com');
    expect(await poll()).toBeNull();
    now += 5_000;
    await subscribe('ada@example.com');
    now += 1_000;
    await subscribe('grace@example.com');
    expect(await poll()).toEqual(['ada@example.com', 'grace@example.com']);
    expect(await poll()).toBeNull();
  });

  it('reports each of several subscriptions of the same second', async () => {
    await subscribe('before@example.com');
    await poll();
    await subscribe('same-second@example.com');
    expect(await poll()).toEqual(['same-second@example.com']);
    await subscribe('again@example.com');
    expect(await poll()).toEqual(['again@example.com']);
  });

  it('takes one request without new subscriptions, and at most N/100 + 2 with N', async () => {
    world(300);
    await poll();
    expect(await requestsOf(() => poll())).toBe(1);
    for (let index = 0; index < 250; index += 1) {
      now += 1_000;
      await subscribe(`new.${index}@example.com`);
    }
    let reported: string[] | null = null;
    expect(await requestsOf(async () => (reported = await poll()))).toBeLessThanOrEqual(2.5 + 2);
    expect(reported).toHaveLength(250);
  });

  it('reports the rest beyond Requests per Poll in the next polls, each subscription once', async () => {
    await poll();
    const emails = Array.from({ length: 250 }, (_, index) => `new.${index}@example.com`);
    for (const email of emails) {
      now += 1_000;
      await subscribe(email);
    }
    const parameters = { options: { pages: 1 } };
    const log: string[] = [];
    const found: (string[] | null)[] = [];
    for (let times = 0; times < 5; times += 1) {
      kept = snapshot();
      found.push(await poll('subscriptionCreated', { parameters, log }));
    }
    expect(found.map((each) => each?.length ?? 0)).toEqual([100, 100, 50, 0, 0]);
    const more = 'Newsletter Trigger: more is new than one poll may read; the next poll continues from there';
    expect(log).toEqual([more, more]);
    expect(
      found
        .flat()
        .filter((each) => each !== null)
        .toSorted(),
    ).toEqual(emails.toSorted());
  });

  it('reports subscriptions created since the date of Created Since, in the time zone of the workflow', async () => {
    const zone = { timezone: 'Europe/Berlin' };
    const subscribeAt = async (moment: string, email: string) => {
      now = Date.parse(moment);
      await subscribe(email);
    };
    await subscribeAt('2026-11-20T22:59:59Z', 'too-early@example.com');
    await subscribeAt('2026-11-20T23:00:00Z', 'midnight@example.com');
    await subscribeAt('2026-11-21T08:00:00Z', 'morning@example.com');
    const parameters = { options: { since: '2026-11-21T00:00:00' } };
    expect(await poll('subscriptionCreated', { parameters, ...zone })).toEqual([
      'midnight@example.com',
      'morning@example.com',
    ]);
    expect(await poll('subscriptionCreated', { parameters, ...zone })).toBeNull();
    await expect(poll('subscriptionCreated', { parameters: { options: { since: 'yesterday' } } })).rejects.toThrow(
      '"Created Since" must be a date',
    );
  });

  it.each([
    { filters: { utm_source: ['Harbour'] }, expected: ['harbour@example.com'] },
    { filters: { subscription_tier: ['free'], utm_source: ['quay', 'pier'] }, expected: ['pier@example.com'] },
    { filters: { status: ['pending'] }, expected: ['unconfirmed@example.com'] },
    { filters: { utm_channel: ['boost'] }, expected: null },
  ])('reports only subscriptions that match $filters', async ({ filters, expected }) => {
    const parameters = { filters };
    await poll('subscriptionCreated', { parameters });
    await api.subscriptions.create({ email: 'harbour@example.com', utm_source: 'harbour', double_opt_override: 'off' });
    await api.subscriptions.create({ email: 'pier@example.com', utm_source: 'pier', double_opt_override: 'off' });
    await api.subscriptions.create({ email: 'unconfirmed@example.com', double_opt_override: 'on' });
    now += 60_000;
    expect(await poll('subscriptionCreated', { parameters })).toEqual(expected);
  });

  it('returns the record in the form of Output', async () => {
    await poll();
    await subscribe('ada@example.com');
    const again = snapshot();
    const item = async (output: Readonly<Record<string, unknown>>) => {
      kept = structuredClone(again);
      return (await pollItems('subscriptionCreated', { parameters: output }))?.[0]?.json;
    };
    expect(await item({ output: 'simplified' })).toMatchObject({
      created: '2026-11-20T10:00:00.000Z',
      custom_fields: {},
    });
    expect(await item({ output: 'raw' })).toMatchObject({ created: now / 1000, custom_fields: [] });
    expect(await item({ output: 'selected', fields: ['email'] })).toEqual({ email: 'ada@example.com' });
    await expect(item({ output: 'selected', fields: [] })).rejects.toThrow('"Fields" is empty');
  });

  it('includes the custom fields unless Include is set', async () => {
    await poll();
    await subscribe('ada@example.com');
    const again = snapshot();
    const item = async (options: Readonly<Record<string, unknown>>) => {
      kept = structuredClone(again);
      return (await pollItems('subscriptionCreated', { parameters: { output: 'raw', options } }))?.[0]?.json;
    };
    expect(await item({ pages: 5 })).toMatchObject({ custom_fields: [] });
    expect(await item({ expand: ['stats'] })).toMatchObject({ stats: {} });
    for (const expand of [['stats'], []]) expect(await item({ expand })).not.toHaveProperty('custom_fields');
  });
});

describe('the events found by reading the whole list', () => {
  it('Subscriber Activated: reports confirmed subscribers, and those active from the start', async () => {
    await api.subscriptions.create({ email: 'confirms@example.com', double_opt_override: 'on' });
    now += 60_000;
    expect(await poll('subscriptionBecameActive')).toBeNull();
    await subscribe('at-once@example.com');
    await api.subscriptions.updateStatus({
      subscription_ids: [await idOf('confirms@example.com')],
      new_status: 'active',
    });
    now += 60_000;
    const items = await pollItems('subscriptionBecameActive');
    expect(items?.map(({ json }) => [json['email'], json['previous_status']])).toEqual(
      expect.arrayContaining([
        ['at-once@example.com', null],
        ['confirms@example.com', 'pending'],
      ]),
    );
    expect(items).toHaveLength(2);
    expect(await poll('subscriptionBecameActive')).toBeNull();
  });

  it('Subscriber Unsubscribed: reads only inactive subscriptions', async () => {
    const [id = ''] = await subscribe('leaves@example.com');
    expect(await poll('subscriptionUnsubscribed')).toBeNull();
    await change(id, { unsubscribe: true });
    const items = await pollItems('subscriptionUnsubscribed');
    expect(items?.map(({ json }) => [json['email'], json['status']])).toEqual([['leaves@example.com', 'inactive']]);
    expect(items?.[0]?.json).not.toHaveProperty('previous_status');
    expect(await poll('subscriptionUnsubscribed')).toBeNull();
    const reads = sandbox.requests().filter(({ operation }) => operation === 'subscriptions.list');
    expect(new Set(reads.map(({ query }) => query['status']))).toEqual(new Set(['inactive']));
  });

  it('Subscriber Status Changed: returns the previous status', async () => {
    const [id = ''] = await subscribe('leaves@example.com');
    await poll('subscriptionStatusChanged');
    await change(id, { unsubscribe: true });
    const [item] = (await pollItems('subscriptionStatusChanged')) ?? [];
    expect(item?.json).toMatchObject({ email: 'leaves@example.com', status: 'inactive', previous_status: 'active' });
  });

  it.each([
    {
      parameters: {},
      expected: [
        ['tier@example.com', ['tier']],
        ['field@example.com', ['custom_fields']],
      ],
    },
    { parameters: { changes: ['tier'] }, expected: [['tier@example.com', ['tier']]] },
    { parameters: { changes: ['custom_fields'] }, expected: [['field@example.com', ['custom_fields']]] },
    {
      parameters: { changes: ['custom_fields'], fieldNames: [] },
      expected: [['field@example.com', ['custom_fields']]],
    },
    {
      parameters: { changes: ['custom_fields'], fieldNames: ['First Name'] },
      expected: [['field@example.com', ['custom_fields']]],
    },
    { parameters: { changes: ['custom_fields'], fieldNames: ['Birthday'] }, expected: undefined },
  ])('Subscriber Updated: reports only the changes in $parameters', async ({ parameters, expected }) => {
    const [tier = '', field = ''] = await subscribe('tier@example.com', 'field@example.com');
    await poll('subscriptionUpdated', { parameters });
    await change(tier, { tier: 'premium' });
    await change(field, { custom_fields: [{ name: 'First Name', value: 'Nova' }] });
    const items = await pollItems('subscriptionUpdated', { parameters });
    expect(items?.map(({ json }) => [json['email'], json['changed']]).toSorted()).toEqual(expected?.toSorted());
  });

  it('Subscriber Updated: reports a change together with one that was not asked for', async () => {
    const parameters = { changes: ['custom_fields'] };
    const [id = ''] = await subscribe('both@example.com');
    await poll('subscriptionUpdated', { parameters });
    await change(id, { tier: 'premium', custom_fields: [{ name: 'First Name', value: 'Nova' }] });
    expect(await poll('subscriptionUpdated', { parameters })).toEqual(['both@example.com']);
  });

  describe('with Custom Field Names', () => {
    const watching = (...fieldNames: readonly string[]) => ({
      parameters: { changes: ['custom_fields'], fieldNames },
    });
    const fieldOf = async (name: string): Promise<string> => {
      const { items } = await api.customFields.list();
      return items.find(({ display }) => display === name)?.id ?? '';
    };

    it.each([
      { by: 'an activation', more: {} },
      { by: 'a poll by hand', more: { mode: 'manual' } as const },
    ])('is refused by $by where the publication has no such field', async ({ more }) => {
      await expect(
        poll('subscriptionUpdated', { ...watching('First Name', 'Frist Name'), ...more }),
      ).rejects.toMatchObject({
        message: '"Custom Field Names" names "Frist Name", which is not a custom field of the publication',
        description: expect.stringMatching(/renamed.*"First Name"/),
        failure: { cause: 'configuration-invalid' },
      });
      expect(keptText()).not.toContain('created');
    });

    it('names the remedy after a field was renamed, and reports changes again under the new name', async () => {
      const [id = ''] = await subscribe('field@example.com');
      await change(id, { custom_fields: [{ name: 'First Name', value: 'Nova' }] });
      await poll('subscriptionUpdated', watching('First Name'));
      const before = keptText();
      await api.customFields.update({ id: await fieldOf('First Name'), display: 'Given Name' });
      await expect(poll('subscriptionUpdated', watching('First Name'))).rejects.toMatchObject({
        description: expect.stringContaining('"Given Name"'),
      });
      expect(keptText()).toBe(before);
      expect(await poll('subscriptionUpdated', watching('Given Name'))).toBeNull();
      await change(id, { custom_fields: [{ name: 'Given Name', value: 'Vega' }] });
      expect(await poll('subscriptionUpdated', watching('Given Name'))).toEqual(['field@example.com']);
    });

    it('polls as well where the access does not include custom fields', async () => {
      sandbox.faults.add({ match: 'customFields.list', effect: { status: 403 } });
      const [id = ''] = await subscribe('field@example.com');
      await poll('subscriptionUpdated', watching('First Name'));
      await change(id, { custom_fields: [{ name: 'First Name', value: 'Nova' }] });
      expect(await poll('subscriptionUpdated', watching('First Name'))).toEqual(['field@example.com']);
    });
  });

  it('counts a renamed field as a change of each subscription that has a value in it, as the parameter says', async () => {
    const parameters = { changes: ['custom_fields'] };
    const [id = ''] = await subscribe('field@example.com', 'empty@example.com');
    await change(id, { custom_fields: [{ name: 'Berth length', value: 7.5 }] });
    await poll('subscriptionUpdated', { parameters });
    const { items } = await api.customFields.list();
    const field = items.find(({ display }) => display === 'Berth length');
    await api.customFields.update({ id: field?.id ?? '', display: 'Length' });
    const reported = await poll('subscriptionUpdated', { parameters });
    expect(reported).toContain('field@example.com');
    expect(reported).not.toContain('empty@example.com');
  });

  it('reads the whole list in the first poll, and later Requests per Poll at most', async () => {
    world(1_000);
    expect(
      await requestsOf(() => poll('subscriptionStatusChanged', { parameters: { options: { pages: 3 } } })),
    ).toBeGreaterThanOrEqual(10);
    // Asks for the size of the list before it reads any of it.
    expect(sandbox.requests()[0]).toMatchObject({ operation: 'subscriptions.list', query: { page: '1', limit: '1' } });
    expect(await requestsOf(() => poll('subscriptionStatusChanged', { parameters: { options: { pages: 3 } } }))).toBe(
      3,
    );
  });

  it('makes as many requests in the first poll as the list takes, and 100 in another poll of the first scan', async () => {
    world(10_200);
    expect(await requestsOf(() => poll('subscriptionStatusChanged'))).toBeGreaterThan(102);
    kept = {};
    sandbox.faults.add({ match: 'subscriptions.list', effect: { status: 429, retryAfter: 120 }, nth: 3 });
    await poll('subscriptionStatusChanged');
    sandbox.faults.clear();
    expect(await requestsOf(() => poll('subscriptionStatusChanged'))).toBe(100);
  });

  it('starts no request 50 seconds after the start of the first poll, and 45 seconds after that of another', async () => {
    world(3_000);
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    const slow: Run['sandbox'] = {
      fetch: (...call) => {
        vi.setSystemTime(Date.now() + 4_800);
        return sandbox.fetch(...call);
      },
    };
    const work = () => poll('subscriptionStatusChanged', { sandbox: slow, parameters: { options: { pages: 100 } } });
    // The first request asks for the size of the list.
    expect(await requestsOf(work)).toBe(1 + 11);
    expect(await requestsOf(work)).toBe(10);
  });

  it('reads at least two pages per poll, so that every scan ends', async () => {
    world(500);
    const parameters = { options: { pages: 1 } };
    await poll('subscriptionStatusChanged', { parameters });
    expect(await requestsOf(() => poll('subscriptionStatusChanged', { parameters }))).toBe(2);
  });

  describe('after an interrupted activation', () => {
    const parameters = { options: { pages: 3 } };
    const log: string[] = [];
    beforeEach(async () => {
      world(1_000);
      log.length = 0;
      sandbox.faults.add({ match: 'subscriptions.list', effect: { status: 429, retryAfter: 120 }, nth: 5 });
      expect(await pollItems('subscriptionStatusChanged', { parameters, log })).toBeNull();
      sandbox.faults.clear();
    });

    it('continues the first scan with more requests than Requests per Poll', async () => {
      expect(log).toEqual([
        expect.stringContaining('the poll was interrupted'),
        expect.stringMatching(/the first scan has read \d+ subscriptions; the next poll continues$/),
      ]);
      const work = () => poll('subscriptionStatusChanged', { parameters, log });
      expect(await requestsOf(work)).toBeGreaterThan(3);
      expect(log.at(-1)).toBe('Newsletter Trigger: at 0 % of 1000 subscriptions');
      await work();
      expect(log.at(-1)).toBe('Newsletter Trigger: at 20 % of 1000 subscriptions');
    });

    it('starts an execution without items, so that n8n saves the state', async () => {
      expect(await pollItems('subscriptionStatusChanged', { parameters })).toEqual([]);
    });

    it('starts none with Always Output Data, which would add an item', async () => {
      expect(await pollItems('subscriptionStatusChanged', { parameters, alwaysOutputData: true })).toBeNull();
    });
  });

  it('reports every change after n8n lost the state of polls without an event', async () => {
    world(500);
    const parameters = { options: { pages: 2 } };
    await poll('subscriptionStatusChanged', { parameters });
    const saved = snapshot();
    for (let times = 0; times < 2; times += 1)
      expect(await poll('subscriptionStatusChanged', { parameters })).toBeNull();
    // n8n is restarted: it saved nothing since the activation.
    kept = saved;
    const { items } = await api.subscriptions.list({ status: 'active', direction: 'asc', limit: 1 });
    await change(items[0]?.id ?? '', { unsubscribe: true });
    const found: string[] = [];
    for (let times = 0; times < 4; times += 1)
      found.push(...((await poll('subscriptionStatusChanged', { parameters })) ?? []));
    expect(found).toEqual([items[0]?.email]);
  });
});

describe('the parameters', () => {
  it('are rejected with an event that this version does not have', async () => {
    await expect(poll('subscriptionMoved')).rejects.toMatchObject({
      message: 'This version of the node does not know the event "subscriptionMoved"',
      description: expect.stringContaining('Choose an Event'),
    });
  });

  it('are rejected without any of the changes to report', async () => {
    await expect(poll('subscriptionUpdated', { parameters: { changes: [] } })).rejects.toThrow('"Changes" is empty');
  });

  it('ignore an option that is hidden for the event', async () => {
    const parameters = { options: { since: 'yesterday' } };
    expect(await poll('subscriptionBecameActive', { parameters })).toBeNull();
  });

  it('ignore a filter that is hidden for the event', async () => {
    const parameters = { filters: { status: ['active'] } };
    const [id = ''] = await subscribe('leaves@example.com');
    await poll('subscriptionUnsubscribed', { parameters });
    await change(id, { unsubscribe: true });
    expect(await poll('subscriptionUnsubscribed', { parameters })).toEqual(['leaves@example.com']);
  });

  it.each(['', null])('report nothing from before the activation with Created Since %j', async (since) => {
    await subscribe('before@example.com');
    expect(await poll('subscriptionCreated', { parameters: { options: { since } } })).toBeNull();
  });

  it('round Requests per Poll down', async () => {
    const parameters = { options: { pages: 1.9 } };
    await poll('subscriptionCreated', { parameters });
    for (let index = 0; index < 150; index += 1) {
      now += 1_000;
      await subscribe(`new.${index}@example.com`);
    }
    expect(await poll('subscriptionCreated', { parameters })).toHaveLength(100);
  });

  it('choose the publication to watch', async () => {
    const publicationId = 'pub_00000000-0000-4000-8000-00000000dead';
    await expect(poll('subscriptionCreated', { parameters: { publicationId } })).rejects.toMatchObject({
      httpCode: '404',
    });
  });
});

describe('a poll by hand', () => {
  it.each([
    { event: 'subscriptionCreated', wanted: { status: 'active' } },
    { event: 'subscriptionBecameActive', wanted: { status: 'active', previous_status: null } },
    { event: 'subscriptionUnsubscribed', wanted: { status: 'inactive' } },
    { event: 'subscriptionStatusChanged', wanted: { previous_status: null } },
    { event: 'subscriptionUpdated', wanted: { changed: ['custom_fields', 'tier'] } },
  ])('returns a subscription as an item of $event, and leaves the state unchanged', async ({ event, wanted }) => {
    await subscribe('latest@example.com');
    await poll(event);
    const before = snapshot();
    const items = await pollItems(event, { mode: 'manual', parameters: { options: { expand: [] } } });
    expect(items).toHaveLength(1);
    expect(items?.[0]?.json).toMatchObject({ email: expect.stringContaining('@'), ...wanted });
    expect(snapshot()).toEqual(before);
  });

  it.each([
    { filters: {}, limit: '1' },
    { filters: { utm_source: ['harbour'] }, limit: '100' },
  ])('returns the newest subscription that matches $filters', async ({ filters, limit }) => {
    for (const email of ['older@example.com', 'newest@example.com']) {
      now += 60_000;
      await api.subscriptions.create({ email, utm_source: 'harbour' });
    }
    expect(await poll('subscriptionCreated', { mode: 'manual', parameters: { filters } })).toEqual([
      'newest@example.com',
    ]);
    expect(sandbox.requests().at(-1)?.query).toMatchObject({ order_by: 'created', direction: 'desc', limit });
  });

  it('searches five pages at most', async () => {
    world(1_000);
    const parameters = { filters: { utm_source: ['nobody'] } };
    expect(await requestsOf(() => poll('subscriptionCreated', { mode: 'manual', parameters }))).toBe(5);
  });

  it('includes what Include adds', async () => {
    const parameters = { output: 'raw', options: { expand: ['stats'] } };
    const [item] = (await pollItems('subscriptionCreated', { mode: 'manual', parameters })) ?? [];
    expect(item?.json).toHaveProperty('stats');
    expect(item?.json).not.toHaveProperty('custom_fields');
  });

  it('searches older subscriptions for one that matches the filters', async () => {
    await api.subscriptions.create({ email: 'harbour@example.com', utm_source: 'harbour' });
    now += 60_000;
    await subscribe('latest@example.com');
    const parameters = { filters: { utm_source: ['harbour'] } };
    expect(await poll('subscriptionCreated', { mode: 'manual', parameters })).toEqual(['harbour@example.com']);
    expect(
      await poll('subscriptionCreated', { mode: 'manual', parameters: { filters: { utm_source: ['nobody'] } } }),
    ).toBeNull();
  });
});

describe('the stored state', () => {
  it('is in the static data of the workflow after the activation, and of the node after a report', async () => {
    await poll();
    expect(Object.keys(kept['global'] as object)).toEqual(['newsletterTrigger:1']);
    expect(kept['node']).not.toHaveProperty('newsletter');
    now += 1_000;
    await subscribe('ada@example.com');
    await poll();
    expect(kept['global']).toEqual({});
    expect(kept['node']).toEqual({ newsletter: expect.any(String), newsletterSaved: expect.any(String) });
  });

  it('is in the static data of the node alone under the durable scheduler', async () => {
    await poll('subscriptionCreated', { pollBudgetMs: 36_000 });
    expect(kept['global']).toEqual({});
    expect(kept['node']).toEqual({ newsletter: expect.any(String), newsletterSaved: expect.any(String) });
  });

  it('stays unchanged by a poll without a new subscription', async () => {
    await poll();
    const before = snapshot();
    // n8n saves static data that was written, also with the same value.
    for (const data of Object.values(kept)) Object.freeze(data);
    expect(await poll()).toBeNull();
    expect(snapshot()).toEqual(before);
  });

  it('survives JSON, and repeats a report whose state n8n did not save', async () => {
    await poll();
    kept = snapshot();
    const lost = snapshot();
    now += 1_000;
    await subscribe('ada@example.com');
    expect(await poll()).toEqual(['ada@example.com']);
    kept = lost;
    expect(await poll()).toEqual(['ada@example.com']);
  });

  it.each([
    { what: 'filter', event: 'subscriptionCreated', parameters: { filters: { utm_source: ['pier'] } } },
    { what: 'publication', event: 'subscriptionCreated', parameters: {}, credential: { publicationId: 'other' } },
    { what: 'event', event: 'subscriptionBecameActive', parameters: {} },
  ])(
    'starts over without reporting existing subscriptions after a change of the $what',
    async ({ event, parameters, credential }) => {
      await poll();
      now += 1_000;
      await subscribe('meanwhile@example.com');
      if (credential) kept = JSON.parse(keptText().replaceAll(publicationId, 'pub_other')) as typeof kept;
      expect(await poll(event, { parameters })).toBeNull();
      now += 1_000;
      await api.subscriptions.create({ email: 'later@example.com', utm_source: 'pier', double_opt_override: 'off' });
      expect(await poll(event, { parameters })).toEqual(['later@example.com']);
    },
  );

  it('is migrated from the format with a single event', async () => {
    await poll();
    const { global } = kept as { global: Record<string, string> };
    const { created } = JSON.parse(Object.values(global)[0] ?? '') as { created: unknown };
    kept = { node: { newsletter: { publicationId, created } } };
    now += 1_000;
    await subscribe('ada@example.com');
    expect(await poll()).toEqual(['ada@example.com']);
  });

  it.each([
    { what: 'a later version', state: '{"version":3}' },
    { what: 'a damaged text', state: '{"version":2,' },
    { what: 'something else', state: { lastPoll: 'yesterday' } },
  ])('is rejected with a remedy where it is $what, and stays unchanged', async ({ state }) => {
    kept = { node: { newsletter: state } };
    await expect(poll()).rejects.toMatchObject({
      message: expect.stringContaining('later version'),
      description: expect.stringContaining('under another name'),
      failure: { cause: 'configuration-invalid' },
    });
    expect(kept['node']).toEqual({ newsletter: state });
  });

  it('is saved by the first of two overlapping polls: nothing is reported twice', async () => {
    await poll();
    now += 1_000;
    await subscribe('ada@example.com');
    const both = await Promise.all([poll(), poll()]);
    expect(both.filter((each) => each !== null)).toEqual([['ada@example.com']]);
  });

  it('takes about 10 characters per subscription, 15 with custom fields, and under 1,000 in all for New Subscriber', async () => {
    world(10_000);
    await poll('subscriptionStatusChanged');
    expect(keptText().length / 10_000).toBeLessThan(11);
    kept = {};
    await poll('subscriptionUpdated');
    expect(keptText().length / 10_000).toBeLessThan(16);
    kept = {};
    await poll();
    expect(keptText().length).toBeLessThan(1_000);
  });
});

describe('a poll that fails', () => {
  it('names the remedy for a wrong key, and saves no state', async () => {
    await expect(poll('subscriptionCreated', { credential: { apiKey: 'no-such-key' } })).rejects.toMatchObject({
      httpCode: '401',
      description: expect.stringContaining('Check the API Key'),
      failure: { cause: 'credential-invalid' },
    });
    expect(keptText()).not.toContain('created');
  });

  it.each([
    { what: 'the key was revoked', status: 401, remedy: 'Check the API Key' },
    { what: 'the publication was deleted', status: 404, remedy: 'Check the Publication' },
  ])('names the remedy where $what between two polls; later polls report the changes in between', async (given) => {
    await poll();
    const before = keptText();
    sandbox.faults.add({ match: 'subscriptions.list', effect: { status: given.status } });
    await expect(poll()).rejects.toMatchObject({
      description: expect.stringMatching(new RegExp(`${given.remedy}.*reports what has happened since its last poll`)),
    });
    expect(keptText()).toBe(before);
    now += 1_000;
    sandbox.faults.clear();
    await subscribe('meanwhile@example.com');
    expect(await poll()).toEqual(['meanwhile@example.com']);
  });

  it('passes a long Retry-After on to n8n instead of waiting', async () => {
    await poll();
    sandbox.faults.add({ match: 'subscriptions.list', effect: { status: 429, retryAfter: 120 } });
    await expect(poll()).rejects.toMatchObject({
      description: expect.not.stringContaining('After the correction'),
      httpCode: '429',
      failure: { cause: 'rate-limited', retryAfterMs: 120_000 },
    });
  });

  it('returns the subscriptions read before the failure, and continues after them', async () => {
    world(300);
    await poll();
    for (let index = 0; index < 150; index += 1) {
      now += 1_000;
      await subscribe(`new.${index}@example.com`);
    }
    sandbox.faults.add({ match: 'subscriptions.list', effect: { status: 429, retryAfter: 120 }, nth: 2 });
    const log: string[] = [];
    const first = await poll('subscriptionCreated', { log });
    expect(first).toHaveLength(100);
    sandbox.faults.clear();
    expect(log).toContainEqual(expect.stringContaining('continues from there'));
    expect(await poll()).toHaveLength(50);
  });
});
