/**
 * A store that cannot be written: posts are answered 503 within seconds, metrics and status report it, no acknowledged
 * signup is lost, and the relay recovers without intervention.
 */
import { execFileSync } from 'node:child_process';
import { claimMs } from '@newsletter-kit/relay';
import { describe, expect, it, onTestFinished } from 'vitest';
import { run, serve, type ServingRelay } from '../../packages/relay/test/commands/relay-process.ts';
import { waitUntil } from '../support/waits.ts';
import { postgresServer } from '../../packages/relay/test/postgres-server.ts';
import { environment } from '../../packages/relay/test/running-relay.ts';
import { scratchFolder } from '../support/scratch-folder.ts';
import { calm, stormyApi, type StormyApi } from './stormy-api.ts';

const postgres = postgresServer(['--wal-segsize=1']);

/** Nearly as much as a signup may hold, so that the disk fills up; by chance, since a database compresses. */
const large = (): Record<string, string> =>
  Object.fromEntries(
    ['utm_content', 'utm_term', 'utm_campaign'].map((name) => [
      name,
      Array.from({ length: 500 }, () => String.fromCodePoint(0x4e00 + Math.floor(Math.random() * 20_000))).join(''),
    ]),
  );

/** A browser gives up later. */
const answerMs = 10_000;

async function calmApi(): Promise<StormyApi> {
  const api = await stormyApi(() => 0);
  api.weather = calm;
  return api;
}

/** Posts a signup. @returns the status; fails where no answer comes within seconds */
async function post(relay: ServingRelay, email: string, more = {}): Promise<number> {
  const answer = await Promise.race([
    relay.signUp(email, more),
    new Promise<never>((_, refuse) => setTimeout(() => refuse(new Error('no answer came')), answerMs).unref()),
  ]);
  if (answer.status === 503) expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
  return answer.status;
}

/** The sum of a metric over all its series that have these labels. */
async function metric(relay: ServingRelay, name: string, labels = ''): Promise<number> {
  const text = await (await relay.ask('/metrics')).text();
  return text
    .split('\n')
    .filter((line) => line.startsWith(name) && /[ {]/.test(line.charAt(name.length)) && line.includes(labels))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
}

const ready = async ({ address }: ServingRelay): Promise<number> => (await fetch(`${address}/readyz`)).status;

/** What a relay's metrics and health say while its store fails. */
async function expectTrouble(relay: ServingRelay): Promise<void> {
  await waitUntil(
    'the metrics say that the store fails',
    async () => (await metric(relay, 'newsletter_relay_store_up')) === 0,
  );
  expect(await metric(relay, 'newsletter_relay_refusals_total', 'status="503"')).toBeGreaterThan(0);
  expect(await ready(relay)).toBe(503);
  expect(relay.output()).toContain('the store fails');
}

async function expectRecovery(relay: ServingRelay, api: StormyApi, acknowledged: readonly string[]): Promise<void> {
  await waitUntil(
    'the metrics say that the store works',
    async () => (await metric(relay, 'newsletter_relay_store_up')) === 1,
  );
  expect(await post(relay, 'after@example.com')).toBe(202);
  // What was claimed at the moment the store froze is taken out again once its claim has run out.
  const withinMs = claimMs + 120_000;
  await waitUntil(
    'everybody acknowledged is subscribed',
    async () => {
      const subscribed = new Set(await api.subscribed());
      return [...acknowledged, 'after@example.com'].every((email) => subscribed.has(email));
    },
    withinMs,
  );
  expect(await ready(relay)).toBe(200);
  expect(relay.child.exitCode).toBeNull();
}

/** Signs people up until they are turned away. @returns who was acknowledged */
async function fillUp(relay: ServingRelay): Promise<string[]> {
  const acknowledged: string[] = [];
  for (let n = 0; ; n += 1) {
    const email = `person-${n}@example.com`;
    const status = await post(relay, email, large());
    if (status === 503) return acknowledged;
    expect(status).toBe(202);
    acknowledged.push(email);
  }
}

describe.skipIf(process.platform !== 'linux')('a relay', () => {
  it('on SQLite reports a full disk, and recovers with free space', async () => {
    const api = await calmApi();
    const folder = scratchFolder();
    const variables = { NEWSLETTER_API_URL: api.url, RELAY_STORE: `sqlite:${folder}/relay.db` };
    // No file grows beyond a megabyte. The soft limit alone, so that it can be taken back.
    const relay = await serve(folder, variables, 'ulimit -S -f 2000; exec "$@"');
    expect(await metric(relay, 'newsletter_relay_store_up')).toBe(1);
    const acknowledged = await fillUp(relay);
    expect(acknowledged.length).toBeGreaterThan(5);
    await expectTrouble(relay);
    const status = await run(['status'], { ...environment, ...variables, RELAY_PORT: new URL(relay.address).port });
    expect(status.stdout + status.stderr).toContain('The store cannot be written');
    execFileSync('prlimit', ['--pid', String(relay.child.pid), '--fsize=unlimited:']);
    await expectRecovery(relay, api, acknowledged);
  });

  it('on PostgreSQL reports a full disk, and recovers with free space', async () => {
    const api = await calmApi();
    const folder = scratchFolder();
    const relay = await serve(folder, { NEWSLETTER_API_URL: api.url, RELAY_STORE: await postgres.database() });
    onTestFinished(() => postgres.confine(null));
    await postgres.confine(1_500_000);
    const acknowledged = await fillUp(relay);
    await expectTrouble(relay);
    await postgres.confine(null);
    await expectRecovery(relay, api, acknowledged);
  });

  it('on a frozen PostgreSQL answers 503 within seconds, and recovers afterwards', async () => {
    const api = await calmApi();
    const folder = scratchFolder();
    const relay = await serve(folder, { NEWSLETTER_API_URL: api.url, RELAY_STORE: await postgres.database() });
    const acknowledged = Array.from({ length: 20 }, (_, n) => `before-${n}@example.com`);
    for (const email of acknowledged) expect(await post(relay, email)).toBe(202);
    onTestFinished(() => postgres.thaw());
    postgres.freeze();
    const statuses = await Promise.all(Array.from({ length: 30 }, (_, n) => post(relay, `meanwhile-${n}@example.com`)));
    expect(statuses).toEqual(statuses.map(() => 503));
    await expectTrouble(relay);
    postgres.thaw();
    await expectRecovery(relay, api, acknowledged);
  }, 600_000);
});
