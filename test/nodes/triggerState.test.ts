/** The stored state of the trigger, and polls that fail, against the sandbox. */
import { describe, expect, it } from 'vitest';
import { triggerWorld } from './triggerWorld.ts';

const world = triggerWorld();

describe('the stored state', () => {
  it('reports nothing before the node has a copy, which n8n with durable cursors goes back to if it is ended', async () => {
    await world.poll();
    world.now += 1_000;
    await world.subscribe('ada@example.com');
    delete world.kept['node:Newsletter'];
    expect(await world.poll()).toEqual([]);
    // n8n was ended after it had saved the workflow, and before it saved the cursor.
    const cursor = world.snapshot()['node:Newsletter'];
    expect(await world.poll()).toEqual(['ada@example.com']);
    world.kept['node:Newsletter'] = cursor;
    world.restart();
    expect(await world.poll()).toEqual(['ada@example.com']);
  });

  it('stays unchanged by a poll without a new subscription', async () => {
    await world.poll();
    const before = world.snapshot();
    // n8n saves static data that was written, also with the same value.
    for (const data of Object.values(world.kept)) Object.freeze(data);
    expect(await world.poll()).toBeNull();
    expect(world.snapshot()).toEqual(before);
  });

  const added = ['subscriptionCreated', 'subscriptionUnsubscribed'];
  it.each([
    { what: 'a filter is added', edited: { parameters: { filters: { utm_source: ['pier'] } } } },
    { what: 'an event is added', edited: {}, events: added },
    { what: 'the node is renamed', edited: { node: { name: 'Readers' } } },
    { what: 'the node is replaced by its copy under the same name', edited: { node: { id: '2' } } },
    { what: 'the credential is swapped', edited: { credential: { apiKey: 'sandbox-key' } } },
  ])('loses and repeats nothing where $what', async ({ edited, events = ['subscriptionCreated'] }) => {
    const subscribe = (email: string) =>
      world.api.subscriptions.create({ email, utm_source: 'pier', double_opt_override: 'off' });
    await world.poll();
    world.now += 1_000;
    await subscribe('before@example.com');
    expect(await world.poll()).toEqual(['before@example.com']);
    world.now += 1_000;
    await subscribe('meanwhile@example.com');
    expect(await world.poll(events, edited)).toEqual(['meanwhile@example.com']);
    world.now += 1_000;
    await subscribe('later@example.com');
    expect(await world.poll(events, edited)).toEqual(['later@example.com']);
    expect(await world.poll(events, edited)).toBeNull();
  });

  it.each([
    { what: 'a later version', state: '{"state":{"version":3}}' },
    { what: 'cut in half', state: '{"state":{"version":2,' },
    { what: 'no text', state: { lastPoll: 'yesterday' } },
  ])('is rejected with a remedy where it is $what, and stays unchanged', async ({ state }) => {
    world.kept = { global: { 'newsletter:1': state } };
    await expect(world.poll()).rejects.toMatchObject({
      message: expect.stringContaining('later version'),
      description: expect.stringContaining('under another name'),
      failure: { cause: 'configuration-invalid' },
    });
    expect(world.kept['global']).toEqual({ 'newsletter:1': state });
    // The remedy.
    expect(await world.poll('subscriptionCreated', { node: { id: '2', name: 'Another' } })).toBeNull();
  });

  it('is saved by the first of overlapping polls, each from what n8n has stored: nothing is reported twice', async () => {
    await world.poll();
    world.now += 1_000;
    await world.subscribe('ada@example.com');
    const poll = () => world.poll('subscriptionCreated', { staticData: world.snapshot() });
    const both = await Promise.all([poll(), poll()]);
    // n8n may still be saving the report when the next one begins.
    expect([...both, await poll()].filter((each) => each !== null)).toEqual([['ada@example.com']]);
  });

  it('takes under 1,000 characters for New Subscriber, twice', async () => {
    world.reset(10_000);
    await world.poll();
    expect(world.keptText().length).toBeLessThan(2 * 1_000);
  });
});

describe('a poll that fails', () => {
  it('names the remedy for a wrong key, and saves no state', async () => {
    await expect(world.poll('subscriptionCreated', { credential: { apiKey: 'no-such-key' } })).rejects.toMatchObject({
      httpCode: '401',
      description: expect.stringContaining('Check the API Key'),
      failure: { cause: 'credential-invalid' },
    });
    expect(world.keptText()).not.toContain('created');
  });

  it.each([
    { what: 'the key was revoked', status: 401, remedy: 'Check the API Key' },
    { what: 'the publication was deleted', status: 404, remedy: 'Check the Publication' },
  ])('names the remedy where $what between two polls; later polls report the changes in between', async (given) => {
    await world.poll();
    const before = world.keptText();
    world.sandbox.faults.add({ match: 'subscriptions.list', effect: { status: given.status } });
    await expect(world.poll()).rejects.toMatchObject({
      description: expect.stringMatching(new RegExp(`${given.remedy}.*reports what has happened since its last poll`)),
    });
    expect(world.keptText()).toBe(before);
    world.now += 1_000;
    world.sandbox.faults.clear();
    await world.subscribe('meanwhile@example.com');
    expect(await world.poll()).toEqual(['meanwhile@example.com']);
  });

  it('returns the subscriptions read before the failure, and continues after them', async () => {
    world.reset(300);
    await world.poll();
    for (let index = 0; index < 150; index += 1) {
      world.now += 1_000;
      await world.subscribe(`new.${index}@example.com`);
    }
    world.sandbox.faults.add({ match: 'subscriptions.list', effect: { status: 429, retryAfter: 120 }, nth: 2 });
    const log: string[] = [];
    const first = await world.poll('subscriptionCreated', { log });
    expect(first).toHaveLength(100);
    world.sandbox.faults.clear();
    expect(log).toContainEqual(expect.stringContaining('The next poll tries again'));
    world.restart();
    expect(await world.poll()).toHaveLength(50);
  });
});

describe('an older export that is imported while n8n runs', () => {
  /** Five reports, of which the export knows the first, and a poll that finds nothing. */
  async function lifeOf(more: object = {}): Promise<Record<string, unknown>> {
    await world.poll('subscriptionCreated', more);
    let exported = {};
    for (let report = 0; report < 5; report += 1) {
      world.now += 60_000;
      await world.subscribe(`reader.${report}@example.com`);
      expect(await world.poll('subscriptionCreated', more)).toEqual([`reader.${report}@example.com`]);
      if (report === 0) exported = world.snapshot();
    }
    expect(await world.poll('subscriptionCreated', more)).toBeNull();
    return exported;
  }

  it.each(['five reports old', 'without state'])('repeats and loses nothing in n8n 2: %s', async (what) => {
    const more = { pollBudgetMs: 300_000 };
    const exported = await lifeOf(more);
    world.kept = what === 'without state' ? {} : exported;
    world.now += 60_000;
    await world.subscribe('meanwhile@example.com');
    // Without a copy in the node, the second poll reports what the first has found.
    const poll = () => world.poll('subscriptionCreated', more);
    expect([await poll(), await poll(), await poll()].flatMap((emails) => emails ?? [])).toEqual([
      'meanwhile@example.com',
    ]);
  });

  it('makes n8n save the later state, so that a restart repeats nothing either', async () => {
    world.kept = await lifeOf();
    expect(await world.pollItems('subscriptionCreated')).toEqual([]);
    world.restart();
    expect(await world.poll()).toBeNull();
  });

  it('counts where Created Since is another, or n8n has started since', async () => {
    const exported = await lifeOf();
    world.kept = structuredClone(exported);
    const parameters = { options: { since: new Date(world.now - 90_000).toISOString() } };
    expect(await world.poll('subscriptionCreated', { parameters })).toEqual([
      'reader.3@example.com',
      'reader.4@example.com',
    ]);
    world.kept = exported;
    world.restart();
    expect(await world.poll()).toHaveLength(4);
  });

  it('of another publication counts for that publication alone', async () => {
    const exported = await lifeOf();
    const parameters = { publicationId: { mode: 'id', value: 'pub_00000000-0000-4000-8000-000000000002' } };
    world.kept = exported;
    await world.poll('subscriptionCreated', { parameters }).catch(() => null);
    expect(await world.poll()).not.toContain('reader.0@example.com');
  });

  it('is left to n8n under its durable scheduler, which may take back a poll', async () => {
    const exported = await lifeOf({ pollBudgetMs: 60_000 });
    world.kept = exported;
    expect(await world.poll('subscriptionCreated', { pollBudgetMs: 60_000 })).toHaveLength(4);
  });
});

it('says that n8n does not let it keep its state, and reports nothing that it would repeat', async () => {
  await world.poll();
  world.now += 60_000;
  await world.subscribe('ada@example.com');
  for (const data of Object.values(world.kept)) Object.freeze(data);
  await expect(world.poll()).rejects.toMatchObject({
    message: 'n8n does not let this trigger keep its state',
    description: expect.stringContaining('every poll would report the same again'),
  });
});
