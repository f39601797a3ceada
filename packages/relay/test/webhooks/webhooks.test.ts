/** Webhooks: what is reported, retries, hold, redirects, secrets, and destinations side by side. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { scratchFolder } from '../../../../test/support/scratch-folder.ts';
import { waitUntil } from '../../../../test/support/waits.ts';
import { post, publicationId, type RelayParts, runRelay, type RunningRelay } from '../running-relay.ts';
import { type SandboxApi, sandboxApi } from '../sandbox-api.ts';
import { type Receiver, secret, startReceiver, webhookSettings } from './receiver.ts';
import { clicked } from '../clicked.ts';

/** Short waits without jitter. */
const webhooks = { backoff: { firstMs: 20, maxMs: 60 } };
const delivery = { backoff: { firstMs: 20, maxMs: 60 } };

const unlimited = (): SandboxApi => sandboxApi({ seed: 'demo', profile: 'unlimited' });

function start(receiver: Pick<Receiver, 'url'>, { api = unlimited().fetch, settings = {}, ...parts }: RelayParts = {}) {
  const relay = runRelay({
    api,
    delivery,
    webhooks,
    settings: { ...webhookSettings(receiver), ...settings },
    ...parts,
  });
  relay.start();
  return relay;
}

const signUp = async (relay: RunningRelay, ...names: readonly string[]): Promise<void> => {
  for (const name of names) {
    const answer = await relay.fetch(post({ email: `${name}@example.com`, utm_source: 'spring' }));
    expect(answer.status).toBe(202);
  }
};
const backlog = async ({ store }: RunningRelay) => (await store.webhooks.overview())[0];
const allSent = (relay: RunningRelay, count: number): Promise<void> =>
  waitUntil('every webhook is accepted', async () => {
    const { delivered } = await relay.store.counts();
    return delivered >= count && (await backlog(relay))?.waiting === 0;
  });

describe('a webhook', () => {
  it('reports a delivered signup, signed', async () => {
    const receiver = await startReceiver();
    const relay = start(receiver);
    await signUp(relay, 'ada');
    await allSent(relay, 1);
    const [signup] = (await relay.store.person('ada@example.com')).signups;
    expect(receiver.received).toEqual([
      {
        id: expect.stringMatching(/^[0-9a-f]{32}$/) as string,
        type: 'signup.delivered',
        timestamp: new Date(signup?.settledAt ?? 0).toISOString(),
        data: {
          signup: signup?.id,
          form: 'default',
          publication_id: publicationId,
          email: 'ada@example.com',
          received_at: new Date(signup?.receivedAt ?? 0).toISOString(),
          status: 'validating',
          utm_source: 'spring',
        },
      },
    ]);
    // The path of a URL often is a secret of the receiver.
    expect(relay.logged.join('')).not.toMatch(/secret-path|ada@|whsec_/);
  });

  it('is kept while the receiver is down, also over a restart, and none is lost', async () => {
    const receiver = await startReceiver();
    receiver.instead = () => Promise.resolve(new Response(null, { status: 503 }));
    const api = unlimited();
    const before = start(receiver, { api: api.fetch });
    const names = Array.from({ length: 20 }, (_, i) => `p${i}`);
    await signUp(before, ...names);
    await waitUntil('all are delivered', async () => (await before.store.counts()).delivered === 20);
    await before.stop(0);
    expect((await backlog(before))?.waiting).toBe(20);
    receiver.instead = null;
    receiver.received.length = 0;
    // A claim of the first process has not expired: the clock of the second one is later.
    const after = start(receiver, { api: api.fetch, store: before.store, now: () => Date.now() + 120_000 });
    await allSent(after, 20);
    // A request of the first process may arrive after its stop; it has the id of the one that repeats it.
    const emails = new Map(receiver.received.map(({ id, data }) => [id, data.email]));
    expect([...emails.values()].sort()).toEqual(names.map((name) => `${name}@example.com`).sort());
  });

  it('reports the confirmation by a person before the delivery, however slow the receiver is', async () => {
    const receiver = await startReceiver();
    const first = Promise.withResolvers<null>();
    receiver.instead = async () => {
      await first.promise;
      return new Response(null, { status: 200 });
    };
    const relay = start(receiver);
    const id = await relay.store.accept({
      form: 'default',
      submission: { email: 'ada@example.com' },
      suspected: null,
      needsConfirmation: true,
      origin: null,
      idempotencyKey: null,
      consent: null,
      receivedAt: Date.now(),
    });
    await clicked(relay.store, id, Date.now());
    // The next signup wakes both loops.
    await signUp(relay, 'bob');
    await waitUntil('both are delivered', async () => (await relay.store.counts()).delivered === 2);
    await waitUntil('the confirmation and the other signup are in flight', () => receiver.received.length === 2);
    first.resolve(null);
    await allSent(relay, 2);
    expect(receiver.received.filter(({ data }) => data.signup === id).map(({ type }) => type)).toEqual([
      'signup.confirmed',
      'signup.delivered',
    ]);
  });
});

describe('several destinations', () => {
  const twoDestinations = (one: Receiver, two: Receiver): Readonly<Record<string, string>> => {
    const file = join(scratchFolder(), 'relay.yaml');
    writeFileSync(
      file,
      `webhooks:
  crm: { url: '${one.url}', secret: '${secret}' }
  sheet: { url: '${two.url}', events: [signup.delivered], secret: ['${otherSecret}', '${secret}'] }
webhook_private_network: true
`,
    );
    return { RELAY_CONFIG: file };
  };
  const otherSecret = `whsec_${Buffer.from('another secret of 33 characters..').toString('base64')}`;

  it('do not wait for one that never answers', async () => {
    const [one, two] = [await startReceiver(), await startReceiver()];
    const hanging = Promise.withResolvers<Response>();
    one.instead = () => hanging.promise;
    const relay = runRelay({ api: unlimited().fetch, delivery, webhooks, settings: twoDestinations(one, two) });
    relay.start();
    const names = Array.from({ length: 12 }, (_, i) => `p${i}`);
    await signUp(relay, ...names);
    await waitUntil('the other one has all', () => two.received.length === 12);
    expect(one.received).toHaveLength(4);
    hanging.resolve(new Response(null, { status: 200 }));
  });

  it('have secrets of their own, of which two are valid at a time', async () => {
    const [one, two] = [await startReceiver(), await startReceiver(otherSecret)];
    const relay = runRelay({ api: unlimited().fetch, delivery, webhooks, settings: twoDestinations(one, two) });
    relay.start();
    await signUp(relay, 'ada');
    await waitUntil('both have it', () => one.received.length + two.received.length === 2);
    expect([one.invalid, two.invalid]).toEqual([0, 0]);
  });
});
