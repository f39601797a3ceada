/**
 * Signups during combined failures: relays are killed, the API is down, limits its rate, breaks connections and loses
 * answers, the disk fills up, the database crashes, a machine is lost. Every signup answered with 202 is delivered in
 * the end.
 *
 * `CHAOS_SIGNUPS=1000 CHAOS_KILLS=5 npm test -- test/chaos/storm` runs a tenth of it.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { serve, type ServingRelay } from '../../packages/relay/test/commands/relay-process.ts';
import { eventually } from '../../packages/relay/test/eventually.ts';
import { postgresServer } from '../../packages/relay/test/postgres-server.ts';
import { scratchFolder } from '../support/scratch-folder.ts';
import { calm, stormyApi, type StormyApi } from './stormy-api.ts';

const signups = Number(process.env['CHAOS_SIGNUPS'] ?? 10_000);
const kills = Number(process.env['CHAOS_KILLS'] ?? 20);
const timeLimit = 240_000 + signups * 60;

/** How many sign up at a time. */
const callers = 24;

/**
 * Who signs up while a relay lives, on the average: as many relays are killed as there should be until everybody has.
 */
const perLife = signups / (kills + 1);

/** Most signups a relay has sent and not yet written down when it is killed. */
const underWay = 5;

/** Nearly as much as a signup may hold, so that disks fill up. */
const long = { utm_content: '🌷'.repeat(500), utm_term: '🌱'.repeat(500), utm_campaign: '🌻'.repeat(500) };

/** The same for a database, which makes short work of what repeats itself: ideographs by chance, three bytes each. */
const ideographs = fc
  .array(fc.integer({ min: 0x4e00, max: 0x9ffe }), { minLength: 500, maxLength: 500 })
  .map((codes) => String.fromCodePoint(...codes));
const texts = fc.sample(ideographs, { numRuns: Object.keys(long).length, unbiased: true });
const incompressible = Object.fromEntries(Object.keys(long).map((name, index) => [name, texts[index]]));

/** Random numbers from 0 to 1, the same for the same seed. */
function seeded(): () => number {
  const chance = fc.nat(2 ** 30 - 1).map((n) => n / 2 ** 30);
  const [stream] = fc.sample(fc.infiniteStream(chance, { noHistory: true }), { numRuns: 1, unbiased: true });
  return () => stream?.next().value ?? 0;
}

/**
 * People who sign up, all at once, wherever a relay answers; each tries again under the same key until there is an
 * answer.
 */
class Crowd {
  readonly acknowledged = new Set<string>();
  /** Number of posts answered with 503. */
  turnedAway = 0;
  /** Number of those answers without Retry-After. */
  withoutAdvice = 0;
  #next = 0;
  readonly #relays: () => readonly ServingRelay[];
  readonly #random: () => number;
  readonly #more: Readonly<Record<string, unknown>>;
  readonly size: number;

  constructor(
    relays: () => readonly ServingRelay[],
    random: () => number,
    more: Readonly<Record<string, unknown>>,
    size = signups,
  ) {
    this.#relays = relays;
    this.#random = random;
    this.#more = more;
    this.size = size;
  }

  get isDone(): boolean {
    return this.#next >= this.size;
  }

  /**
   * Waits for so many more to be acknowledged: what happens to the relays then happens under load, however fast the
   * machine is.
   */
  async grows(more: number): Promise<void> {
    const enough = this.acknowledged.size + more;
    await eventually('more people have signed up', () => this.acknowledged.size >= enough || this.isDone, timeLimit);
  }

  async run(): Promise<void> {
    await Promise.all(Array.from({ length: callers }, () => this.#call()));
  }

  async #call(): Promise<void> {
    while (!this.isDone) {
      const email = `person-${this.#next++}@example.com`;
      const key = randomUUID();
      for (const end = Date.now() + timeLimit; Date.now() < end;) {
        const status = await this.#post(email, key);
        if (status === 202) {
          this.acknowledged.add(email);
          break;
        }
        if (status === 503) this.turnedAway += 1;
        await sleep(100 * this.#random());
      }
    }
  }

  /** @returns the status, or null where no answer came */
  async #post(email: string, key: string): Promise<number | null> {
    const relays = this.#relays();
    const relay = relays[Math.floor(this.#random() * relays.length)];
    if (!relay) return null;
    try {
      const answer = await relay.signUp(email, this.#more, { 'idempotency-key': key });
      await answer.arrayBuffer();
      if (answer.status === 503 && !Number(answer.headers.get('retry-after'))) this.withoutAdvice += 1;
      return answer.status;
    } catch {
      return null;
    }
  }
}

/** Waits until everybody who had a 202 is subscribed, and judges. */
async function judge(api: StormyApi, crowd: Crowd, killed: number): Promise<void> {
  api.weather = calm;
  const missing = async (): Promise<string[]> => {
    const subscribed = new Set(await api.subscribed());
    return [...crowd.acknowledged].filter((email) => !subscribed.has(email));
  };
  await eventually(
    'everybody who had a 202 is subscribed',
    async () => (await missing()).length === 0 || sleep(500, false),
    timeLimit,
  );
  const subscribed = await api.subscribed();
  expect(new Set(subscribed).size).toBe(subscribed.length);
  // Only signups with a lost answer are sent again, and those whose outcome a killed relay could not store.
  const unexplained = [...api.created.values()].reduce(
    (sum, { times, unheard }) => sum + Math.max(0, times - 1 - unheard),
    0,
  );
  expect(unexplained).toBeLessThanOrEqual(killed * underWay);
  expect(crowd.acknowledged.size).toBe(crowd.size);
}

// Its log is in small files, so that a limit that its tables reach soon leaves the log alone.
const postgres = postgresServer(['--wal-segsize=1']);

describe('under combined failures no signup answered with 202 is lost', () => {
  it(
    'with one relay on a file, killed again and again, and with a disk that fills up',
    async () => {
      const random = seeded();
      const api = await stormyApi(random);
      onTestFinished(() => api.close());
      const folder = scratchFolder();
      const alive: ServingRelay[] = [];
      const crowd = new Crowd(() => alive, random, long);
      const running = crowd.run();
      let killed = 0;
      for (let life = 0; killed < kills || !crowd.isDone; life++) {
        // Every third life the disk takes nothing beyond the first megabyte of a file: the log fills up, and cannot be
        // folded into the store.
        const isCramped = life % 3 === 1;
        const relay = await serve(
          folder,
          { NEWSLETTER_API_URL: api.url },
          isCramped ? 'ulimit -f 2000; exec "$@"' : undefined,
        );
        alive.splice(0, 1, relay);
        const full = crowd.turnedAway + callers;
        if (isCramped) await eventually('the disk is full', () => crowd.turnedAway >= full || crowd.isDone, timeLimit);
        else await crowd.grows(perLife * (0.5 + random()));
        relay.child.kill('SIGKILL');
        await relay.ended;
        killed += 1;
        if (life > kills * 6) break;
      }
      alive.splice(0, 1, await serve(folder, { NEWSLETTER_API_URL: api.url }));
      await running;
      await judge(api, crowd, killed);
      expect(crowd.turnedAway).toBeGreaterThan(0);
    },
    2 * timeLimit,
  );

  it(
    'with three relays on PostgreSQL: one gone for good, the others killed in turn, and the database crashing',
    async () => {
      const random = seeded();
      const api = await stormyApi(random);
      onTestFinished(() => api.close());
      const folder = scratchFolder();
      const variables = {
        NEWSLETTER_API_URL: api.url,
        RELAY_STORE: await postgres.database(),
        RELAY_SECRET: 'a-secret-that-all-three-relays-share',
      };
      const alive = await Promise.all([1, 2, 3].map(() => serve(folder, variables)));
      const crowd = new Crowd(() => alive, random, { utm_source: 'storm' });
      const running = crowd.run();
      let killed = 0;
      while (killed < kills || !crowd.isDone) {
        await crowd.grows(perLife * (0.5 + random()));
        const [relay] = alive.splice(0, 1);
        relay?.child.kill('SIGKILL');
        await relay?.ended;
        killed += 1;
        if (killed === Math.ceil(kills / 2)) {
          const before = crowd.turnedAway;
          await postgres.crash();
          await eventually('people are turned away', () => crowd.turnedAway > before || crowd.isDone, timeLimit);
          await postgres.start();
        }
        // The first one stays away.
        if (killed > 1) alive.push(await serve(folder, variables));
        if (killed > kills * 6) break;
      }
      await running;
      await judge(api, crowd, killed);
    },
    2 * timeLimit,
  );

  // Only Linux lets a limit of a running process be changed.
  it.skipIf(process.platform !== 'linux')(
    'with two relays on PostgreSQL whose disk fills up again and again: both stay, and go on by themselves once there is room',
    async () => {
      const random = seeded();
      const api = await stormyApi(random);
      onTestFinished(() => api.close());
      const folder = scratchFolder();
      const variables = {
        NEWSLETTER_API_URL: api.url,
        RELAY_STORE: await postgres.database(),
        RELAY_SECRET: 'a-secret-that-both-relays-share',
        RELAY_BULK_ABOVE: 'never',
      };
      // The disk is storm enough; the API takes whatever it gets, so that there is always something to write down.
      api.weather = calm;
      const relays = await Promise.all([1, 2].map(() => serve(folder, variables)));
      const crowd = new Crowd(() => relays, random, incompressible, Math.ceil(signups / 3));

      let room = 1_500_000;
      onTestFinished(() => postgres.confine(null));
      await postgres.confine(room);
      const running = crowd.run();
      let full = 0;
      for (; ; full++) {
        const before = crowd.turnedAway;
        await eventually('the disk is full', () => crowd.turnedAway > before + 10 || crowd.isDone, timeLimit);
        if (crowd.isDone) break;
        expect(await Promise.all(relays.map(async ({ address }) => (await fetch(`${address}/livez`)).status))).toEqual([
          200, 200,
        ]);
        const kept = crowd.acknowledged.size;
        room += 700 * crowd.size;
        await postgres.confine(room);
        await eventually('signups are taken again', () => crowd.acknowledged.size > kept, timeLimit);
      }
      await postgres.confine(null);
      await running;
      // What was delivered while that could not be written down may be delivered again.
      await judge(api, crowd, full * relays.length);
      expect(full).toBeGreaterThan(0);
      expect(crowd.withoutAdvice).toBe(0);
      expect(relays.map(({ child }) => child.exitCode)).toEqual([null, null]);
    },
    2 * timeLimit,
  );
});
