/**
 * Signups during combined failures: relays are killed, the API is down, limits its rate, breaks connections and loses
 * answers, the disk below a file fills up, the database crashes, a machine is lost. Every signup answered with 202 is
 * delivered in the end.
 *
 * `CHAOS_SIGNUPS=1000 CHAOS_KILLS=5 npm test -- test/chaos/storm` runs a tenth of it.
 */
import { describe, expect, it } from 'vitest';
import { serve, type ServingRelay } from '../../packages/relay/test/commands/relay-process.ts';
import { waitUntil } from '../support/waits.ts';
import { postgresServer } from '../../packages/relay/test/postgres-server.ts';
import { scratchFolder } from '../support/scratch-folder.ts';
import { callers, Crowd, judge, seeded, timeLimitOf } from './crowd.ts';
import { stormyApi } from './stormy-api.ts';

const signups = Number(process.env['CHAOS_SIGNUPS'] ?? 10_000);
const kills = Number(process.env['CHAOS_KILLS'] ?? 20);
const timeLimit = timeLimitOf(signups);

/**
 * Who signs up while a relay lives, on the average: as many relays are killed as there should be until everybody has.
 */
const perLife = signups / (kills + 1);

/** Nearly as much as a signup may hold, so that disks fill up. */
const long = { utm_content: '🌷'.repeat(500), utm_term: '🌱'.repeat(500), utm_campaign: '🌻'.repeat(500) };

const postgres = postgresServer();

describe('under combined failures no signup answered with 202 is lost', () => {
  it(
    'with one relay on a file, killed again and again, and with a disk that fills up',
    async () => {
      const random = seeded();
      const api = await stormyApi(random);
      const folder = scratchFolder();
      const alive: ServingRelay[] = [];
      const crowd = new Crowd(() => alive, random, long, signups);
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
        if (isCramped) await waitUntil('the disk is full', () => crowd.turnedAway >= full || crowd.isDone, timeLimit);
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
      const folder = scratchFolder();
      const variables = {
        NEWSLETTER_API_URL: api.url,
        RELAY_STORE: await postgres.database(),
        RELAY_SECRET: 'a-secret-that-all-three-relays-share',
      };
      const alive = await Promise.all([1, 2, 3].map(() => serve(folder, variables)));
      const crowd = new Crowd(() => alive, random, { utm_source: 'storm' }, signups);
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
          await waitUntil('people are turned away', () => crowd.turnedAway > before || crowd.isDone, timeLimit);
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
});
