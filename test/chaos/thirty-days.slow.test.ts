/** The API is down for thirty days: no signup expires, over repeated restarts. */
import { createClient, type Fetch } from '@newsletter-kit/core';
import { createLog, createRelay, openStore, readConfig, type SignupStore } from '@newsletter-kit/relay';
import { createSandbox } from '@newsletter-kit/sandbox';
import { describe, expect, it, onTestFinished } from 'vitest';
import { waitUntil } from '../support/waits.ts';
import { postgresServer } from '../../packages/relay/test/postgres-server.ts';
import { environment, post } from '../../packages/relay/test/running-relay.ts';
import { scratchFolder } from '../support/scratch-folder.ts';

const dayMs = 86_400_000;
const people = Array.from({ length: 25 }, (_, n) => `person-${n}@example.com`);

const postgres = postgresServer();

/** Addresses of stores, each with one of its own. */
const stores = [
  { name: 'SQLite', create: () => Promise.resolve(`sqlite:${scratchFolder()}/relay.db`) },
  { name: 'PostgreSQL', create: () => postgres.database() },
] as const;

describe.each(stores)('with $name', ({ create }) => {
  it('a signup that waits for thirty days is delivered on the thirty-first', async () => {
    const config = readConfig({
      ...environment,
      RELAY_STORE: await create(),
      RELAY_LIMIT_IP: '0',
      RELAY_SECRET: 'a-secret-for-all-thirty-days-of-it',
    });
    const sandbox = createSandbox({ seed: 'empty' });
    onTestFinished(() => sandbox.close());
    let attempts = 0;
    const down: Fetch = () => {
      attempts += 1;
      return Promise.reject(new TypeError('fetch failed'));
    };
    let today = Date.parse('2026-03-01T08:00:00Z');

    /** A day of the relay: started in the morning, stopped in the evening. */
    async function live(
      api: Fetch,
      day: (relay: {
        fetch: ReturnType<typeof createRelay>['fetch'];
        store: SignupStore;
        waiting: number;
      }) => Promise<void>,
    ): Promise<void> {
      const store = await openStore(config.store);
      const { waiting } = await store.counts();
      const begun = Date.now();
      const relay = createRelay({
        config,
        store,
        platform: { clientOf: (token) => createClient({ baseUrl: config.api.url, token, fetch: api, pacer: false }) },
        log: createLog({ level: 'silent' }),
        timing: { now: () => today + Date.now() - begun },
      });
      relay.start();
      try {
        await day({ fetch: relay.fetch, store, waiting });
      } finally {
        await relay.stop(0);
        await store.close();
      }
    }

    await live(down, async ({ fetch }) => {
      for (const email of people) expect((await fetch(post({ email }))).status).toBe(202);
    });
    for (let day = 0; day < 30; day++) {
      today += dayMs;
      const before = attempts;
      await live(down, () => waitUntil('the relay has tried', () => attempts > before));
    }
    today += dayMs;
    await live(sandbox.fetch, async ({ store, waiting }) => {
      expect(waiting).toBe(people.length);
      await waitUntil('everybody is delivered', async () => (await store.counts()).delivered === people.length, 90_000);
    });
  });
});
