/**
 * Measures whether the time of an answer tells known addresses from new ones: how far the share of rounds in which a
 * new address took longer is from 0.5, at the stores and through the relay.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createLog, createRelay, openStore, readConfig, type NewSignup, type SignupStore } from '@newsletter-kit/relay';
import { publicationId } from '@newsletter-kit/sandbox';
import { newSignup } from '../../../packages/relay/test/new-signup.ts';
import { PostgresServer } from '../../../packages/relay/test/postgres-server.ts';
import { reportFigures, type Figure } from '../figure.ts';
import { compareTimes } from './compare-times.ts';

const folder = mkdtempSync(join(tmpdir(), 'relay-bench-'));
const postgres = new PostgresServer();
await postgres.create();
const addresses = {
  sqlite: () => Promise.resolve(`sqlite:${join(folder, `${(files += 1)}.db`)}`),
  postgres: () => postgres.database(),
};
let files = 0;

/** Shares of rounds in which a new signup took longer than each other kind. */
type Shares = Readonly<Record<string, number>>;

const configured = (address: string) =>
  readConfig({
    NEWSLETTER_API_URL: 'http://127.0.0.1:9/v2',
    NEWSLETTER_API_KEY: 'sandbox-key',
    NEWSLETTER_PUBLICATION_ID: publicationId,
    RELAY_ALLOWED_ORIGINS: 'https://shop.example',
    RELAY_SECRET: 'a-secret-for-the-measurement-alone',
    RELAY_LIMIT_ADDRESS: '1/1d',
    RELAY_STORE: address,
  });

async function withStore(address: string, work: (store: SignupStore) => Promise<Shares>): Promise<Shares> {
  const store = await openStore(configured(address).store);
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

/** At the store, while so many others sign up all the time. */
function atStore(address: string, others: number): Promise<Shares> {
  const receivedAt = Date.now();
  const signup = (email: string, suspected = false): NewSignup =>
    newSignup(email, { submission: { email, utm_source: 'bench' }, suspected, receivedAt });
  const kinds = {
    fresh: (round: number) => signup(`new${round}@example.com`),
    repeated: () => signup('same@example.com'),
    suspected: (round: number) => signup(`robot${round}@example.com`, true),
  };
  return withStore(address, async (store) => {
    let count = 0;
    let ended = false;
    const crowd = Array.from({ length: others }, async () => {
      for (; !ended; await sleep(Math.random() * 8)) await store.accept(signup(`other${(count += 1)}@example.com`));
    });
    const comparing = compareTimes(kinds, 250, async (signedUp) => void (await store.accept(signedUp)));
    const share = await comparing.finally(() => {
      ended = true;
    });
    await Promise.all(crowd);
    return { repeated: share('fresh', 'repeated'), suspected: share('fresh', 'suspected') };
  });
}

/** Through the relay, whose limit for an address is one signup a day. */
function throughRelay(address: string): Promise<Shares> {
  const post = (email: string, term: string): Request =>
    new Request('http://relay.example/signup', {
      method: 'POST',
      headers: { origin: 'https://shop.example', 'content-type': 'application/json' },
      body: JSON.stringify({ email, utm_term: term }),
    });
  const kinds = {
    fresh: (round: number) => post(`new${round}@example.com`, `t${round}`),
    alsoFresh: (round: number) => post(`else${round}@example.com`, `t${round}`),
    repeated: () => post('same@example.com', 't'),
    beyond: (round: number) => post('beyond@example.com', `t${round}`),
  };
  return withStore(address, async (store) => {
    const relay = createRelay({ config: configured(address), store, log: createLog({ level: 'silent' }) });
    const share = await compareTimes(kinds, 400, async (request, kind) => {
      const { status } = await relay.fetch(request);
      if (status !== 202) throw new Error(`A ${kind} signup was answered with ${status}.`);
    });
    await relay.stop(0);
    return {
      'also new': share('fresh', 'alsoFresh'),
      repeated: share('fresh', 'repeated'),
      'beyond its limit': share('fresh', 'beyond'),
    };
  });
}

const figure = (shares: Shares): Figure => ({
  value: Math.max(...Object.values(shares).map((share) => Math.abs(share - 0.5))),
  detail: `a new one took longer than ${Object.entries(shares)
    .map(([kind, share]) => `one ${kind} in ${(share * 100).toFixed(0)} %`)
    .join(', ')} of the rounds`,
});

try {
  const figures: Record<string, Figure> = {};
  for (const [name, address] of Object.entries(addresses)) {
    const [alone, busy] = [await atStore(await address(), 0), await atStore(await address(), 8)];
    const besideOthers = Object.entries(busy).map(([kind, share]) => [`${kind}, beside 8 others,`, share] as const);
    figures[`${name}Store`] = figure({ ...alone, ...Object.fromEntries(besideOthers) });
    figures[`${name}Relay`] = figure(await throughRelay(await address()));
  }
  reportFigures(figures);
} finally {
  await postgres.remove();
  rmSync(folder, { recursive: true, force: true });
}
