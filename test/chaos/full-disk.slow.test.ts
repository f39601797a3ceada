/**
 * Signups while the disk of PostgreSQL fills up again and again. Every signup answered with 202 is delivered in the
 * end.
 */
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { serve } from '../../packages/relay/test/commands/relay-process.ts';
import { waitUntil } from '../support/waits.ts';
import { postgresServer } from '../../packages/relay/test/postgres-server.ts';
import { scratchFolder } from '../support/scratch-folder.ts';
import { Crowd, judge, seeded, timeLimitOf } from './crowd.ts';
import { calm, stormyApi } from './stormy-api.ts';

const signups = Number(process.env['CHAOS_SIGNUPS'] ?? 10_000);
const timeLimit = timeLimitOf(signups);
/** As much as a signup may hold, about. */
const fields = ['utm_content', 'utm_term', 'utm_campaign'];

/** Random ideographs of three bytes each: a database compresses what repeats itself. */
const ideographs = fc
  .array(fc.integer({ min: 0x4e00, max: 0x9ffe }), { minLength: 500, maxLength: 500 })
  .map((codes) => String.fromCodePoint(...codes));
const texts = fc.sample(ideographs, { numRuns: fields.length, unbiased: true });
const incompressible = Object.fromEntries(fields.map((name, index) => [name, texts[index]]));

// Its log is in small files, so that a limit that its tables reach soon leaves the log alone.
const postgres = postgresServer(['--wal-segsize=1']);

describe('under combined failures no signup answered with 202 is lost', () => {
  // Only Linux lets a limit of a running process be changed.
  it.skipIf(process.platform !== 'linux')(
    'with two relays on PostgreSQL whose disk fills up again and again: both stay, and go on by themselves once there is room',
    async () => {
      const random = seeded();
      const api = await stormyApi(random);
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
        await waitUntil('the disk is full', () => crowd.turnedAway > before + 10 || crowd.isDone, timeLimit);
        if (crowd.isDone) break;
        expect(await Promise.all(relays.map(async ({ address }) => (await fetch(`${address}/livez`)).status))).toEqual([
          200, 200,
        ]);
        const kept = crowd.acknowledged.size;
        room += 700 * crowd.size;
        await postgres.confine(room);
        await waitUntil('signups are taken again', () => crowd.acknowledged.size > kept, timeLimit);
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
