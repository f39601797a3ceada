/** The trigger against the sandbox: what it reports, and what it keeps. */
import { createSandbox, publicationId, type Sandbox } from '@newsletter-kit/sandbox';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { buildBundle, type Bundle } from './bundle.ts';
import { executeContext, itemlessContext, type Run } from './context.ts';

let bundle: Bundle;
let sandbox: Sandbox;
let now: number;
let kept: Record<string, unknown>;
beforeAll(async () => {
  bundle = await buildBundle();
});
beforeEach(() => {
  sandbox?.close();
  now = Date.parse('2026-11-20T10:00:00Z');
  kept = {};
  sandbox = createSandbox({ seed: 'demo', now: () => now });
});
afterAll(async () => {
  sandbox?.close();
  await bundle?.remove();
});

async function poll(more: Partial<Run> = {}): Promise<string[] | null> {
  const parameters = { event: 'subscriptionCreated', expand: ['custom_fields'], ...more.parameters };
  const result = await bundle.trigger.poll.call(itemlessContext({ sandbox, staticData: kept, ...more, parameters }));
  return result && (result[0] ?? []).map(({ json }) => String(json['email']));
}

async function subscribe(...emails: readonly string[]): Promise<void> {
  const parameters = { resource: 'subscription', operation: 'create', email: (index: number) => emails[index], customFields: {}, additionalFields: {} };
  await bundle.newsletter.execute.call(executeContext({ sandbox, parameters, items: emails.map(() => ({})) }));
}

const snapshot = (): unknown => JSON.parse(JSON.stringify(kept));

describe('Subscription Created', () => {
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

  it('tells subscriptions of one second apart', async () => {
    await subscribe('before@example.com');
    await poll();
    await subscribe('same-second@example.com');
    expect(await poll()).toEqual(['same-second@example.com']);
    await subscribe('again@example.com');
    expect(await poll()).toEqual(['again@example.com']);
  });

  it('keeps its state untouched by a poll that finds nothing, and by a run by hand', async () => {
    await poll();
    now += 1_000;
    await subscribe('ada@example.com', 'grace@example.com');
    const before = snapshot();
    expect(await poll({ mode: 'manual' })).toHaveLength(1);
    expect(snapshot()).toEqual(before);
    await poll();
    const after = snapshot();
    expect(after).not.toEqual(before);
    await poll();
    expect(snapshot()).toEqual(after);
  });

  it('goes on from a state that went through JSON, as n8n keeps it', async () => {
    await poll();
    kept = snapshot() as Record<string, unknown>;
    now += 1_000;
    await subscribe('ada@example.com');
    expect(await poll()).toEqual(['ada@example.com']);
  });

  it('reports the same again when n8n could not keep the state', async () => {
    await poll();
    const lost = snapshot() as Record<string, unknown>;
    now += 1_000;
    await subscribe('ada@example.com');
    expect(await poll()).toEqual(['ada@example.com']);
    kept = lost;
    expect(await poll()).toEqual(['ada@example.com']);
  });

  it.each([
    { what: 'another publication', state: { publicationId: 'pub_other', created: { version: 1, seen: { created: 1, ids: [] }, walk: null } } },
    { what: 'a foreign shape', state: { publicationId, created: { lastPoll: 'yesterday' } } },
    { what: 'a later version', state: { publicationId, created: { version: 2, seen: null, walk: null } } },
    { what: 'a broken place', state: { publicationId, created: { version: 1, seen: { created: 1, ids: [] }, walk: { head: 5 } } } },
  ])('starts over, without a flood, from the state of $what', async ({ state }) => {
    await subscribe('ada@example.com');
    kept = { newsletter: state };
    expect(await poll()).toBeNull();
    now += 1_000;
    await subscribe('grace@example.com');
    expect(await poll()).toEqual(['grace@example.com']);
  });

  it('costs one request when nothing is new', async () => {
    await subscribe(...Array.from({ length: 150 }, (_, index) => `reader${index}@example.com`));
    now += 1_000;
    await subscribe('last@example.com');
    await poll();
    const before = sandbox.requests().length;
    await poll();
    expect(sandbox.requests().length - before).toBe(1);
  });

  it('fails with a remedy where the key is wrong, and keeps nothing', async () => {
    await expect(poll({ credential: { apiKey: 'no-such-key' } })).rejects.toMatchObject({
      httpCode: '401',
      description: expect.stringContaining('Check the API Key'),
      failure: { cause: 'credential-invalid' },
    });
    expect(kept).toEqual({});
  });
});
