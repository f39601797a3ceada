/** The stored state of the trigger, and polls that fail, against the sandbox. */
import { publicationId } from '@newsletter-kit/sandbox';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openTriggerWorld, type TriggerWorld } from './triggerWorld.ts';

let world: TriggerWorld;
beforeAll(async () => {
  world = await openTriggerWorld();
});
beforeEach(() => world.reset());
afterAll(() => world.close());

describe('the stored state', () => {
  it('is in the static data of the workflow after the activation, and of the node alone after two reports', async () => {
    await world.poll();
    expect(Object.keys(world.kept['global'] as object)).toEqual(['newsletterTrigger:1']);
    expect(world.kept['node']).not.toHaveProperty('newsletter');
    world.now += 1_000;
    await world.subscribe('ada@example.com');
    await world.poll();
    expect(world.kept['node']).toEqual({ newsletter: expect.any(String), newsletterSaved: expect.any(Number) });
    world.now += 1_000;
    await world.subscribe('bob@example.com');
    await world.poll();
    expect(world.kept['global']).toEqual({});
  });

  it('is saved by an execution without items where n8n may poll a changed node without an activation', async () => {
    expect(await world.poll('subscriptionCreated', { activation: 'update' })).toEqual([]);
  });

  it('stays unchanged by a poll without a new subscription', async () => {
    await world.poll();
    const before = world.snapshot();
    // n8n saves static data that was written, also with the same value.
    for (const data of Object.values(world.kept)) Object.freeze(data);
    expect(await world.poll()).toBeNull();
    expect(world.snapshot()).toEqual(before);
  });

  it('survives JSON, and repeats a report whose state n8n did not save', async () => {
    await world.poll();
    world.kept = world.snapshot();
    const lost = world.snapshot();
    world.now += 1_000;
    await world.subscribe('ada@example.com');
    expect(await world.poll()).toEqual(['ada@example.com']);
    world.kept = lost;
    expect(await world.poll()).toEqual(['ada@example.com']);
  });

  it.each([
    { what: 'filter', event: 'subscriptionCreated', parameters: { filters: { utm_source: ['pier'] } } },
    { what: 'publication', event: 'subscriptionCreated', parameters: {}, credential: { publicationId: 'other' } },
    { what: 'event', event: 'subscriptionBecameActive', parameters: {} },
  ])(
    'starts over without reporting existing subscriptions after a change of the $what',
    async ({ event, parameters, credential }) => {
      await world.poll();
      world.now += 1_000;
      await world.subscribe('meanwhile@example.com');
      if (credential)
        world.kept = JSON.parse(world.keptText().replaceAll(publicationId, 'pub_other')) as typeof world.kept;
      expect(await world.poll(event, { parameters })).toBeNull();
      world.now += 1_000;
      await world.api.subscriptions.create({
        email: 'later@example.com',
        utm_source: 'pier',
        double_opt_override: 'off',
      });
      expect(await world.poll(event, { parameters })).toEqual(['later@example.com']);
    },
  );

  it.each([
    { what: 'a later version', state: '{"version":3}' },
    { what: 'a damaged text', state: '{"version":2,' },
    { what: 'something else', state: { lastPoll: 'yesterday' } },
  ])('is rejected with a remedy where it is $what, and stays unchanged', async ({ state }) => {
    world.kept = { node: { newsletter: state } };
    await expect(world.poll()).rejects.toMatchObject({
      message: expect.stringContaining('later version'),
      description: expect.stringContaining('under another name'),
      failure: { cause: 'configuration-invalid' },
    });
    expect(world.kept['node']).toEqual({ newsletter: state });
  });

  it('is saved by the first of two overlapping polls: nothing is reported twice', async () => {
    await world.poll();
    world.now += 1_000;
    await world.subscribe('ada@example.com');
    const both = await Promise.all([world.poll(), world.poll()]);
    expect(both.filter((each) => each !== null)).toEqual([['ada@example.com']]);
  });

  it('takes about 10 characters per subscription, 15 with custom fields, and under 1,000 in all for New Subscriber', async () => {
    world.reset(10_000);
    await world.poll('subscriptionStatusChanged');
    expect(world.keptText().length / 10_000).toBeLessThan(11);
    world.kept = {};
    await world.poll('subscriptionUpdated');
    expect(world.keptText().length / 10_000).toBeLessThan(16);
    world.kept = {};
    await world.poll();
    expect(world.keptText().length).toBeLessThan(1_000);
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

  it('passes a long Retry-After on to n8n instead of waiting', async () => {
    await world.poll();
    world.sandbox.faults.add({ match: 'subscriptions.list', effect: { status: 429, retryAfter: 120 } });
    await expect(world.poll()).rejects.toMatchObject({
      description: expect.not.stringContaining('After the correction'),
      httpCode: '429',
      failure: { cause: 'rate-limited', retryAfterMs: 120_000 },
    });
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
    expect(log).toContainEqual(expect.stringContaining('continues from there'));
    expect(await world.poll()).toHaveLength(50);
  });
});
