/**
 * Signups at the Worker while workerd is killed and the API is down, limits its rate, breaks connections and loses
 * answers. Every signup answered with 202 is delivered in the end, from the storage that persists.
 *
 * `CHAOS_SIGNUPS=200 CHAOS_KILLS=2 npm test -- test/chaos/worker` runs a tenth of it.
 */
import { describe, expect, it } from 'vitest';
import { bundleInFile, serveWorker } from '../../packages/relay/test/worker/worker-process.ts';
import { scratchFolder } from '../support/scratch-folder.ts';
import { Crowd, judge, seeded, timeLimitOf } from './crowd.ts';
import { stormyApi } from './stormy-api.ts';

const signups = Number(process.env['CHAOS_SIGNUPS'] ?? 2000);
const kills = Number(process.env['CHAOS_KILLS'] ?? 20);

describe('under combined failures no signup answered with 202 is lost', () => {
  it(
    'by a Worker whose workerd is killed again and again',
    async () => {
      const random = seeded();
      const api = await stormyApi(random);
      const folder = scratchFolder();
      const bundle = await bundleInFile(folder);
      const variables = { NEWSLETTER_API_URL: api.url, WORKER_STORAGE: folder };
      const alive = [await serveWorker(bundle, variables)];
      const crowd = new Crowd(() => alive, random, { utm_source: 'storm' }, signups);
      const running = crowd.run();
      let killed = 0;
      while (killed < kills) {
        await crowd.grows((signups / (kills + 1)) * (0.5 + random()));
        await alive[0]?.kill();
        killed += 1;
        alive.splice(0, 1, await serveWorker(bundle, variables));
      }
      await running;
      await judge(api, crowd, killed);
      expect(killed).toBe(kills);
    },
    2 * timeLimitOf(signups),
  );
});
