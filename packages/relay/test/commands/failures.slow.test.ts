/**
 * Whatever fails around a relay: visitors are answered within seconds, `/livez`, `/readyz` and the metrics tell the
 * truth, retention erases nothing early, and no signup that was answered with 202 is lost. The rows are in
 * `failures.ts`; each prints its longest answer (`--reporter=verbose`).
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { waitUntil } from '../../../../test/support/waits.ts';
import { newSignup } from '../new-signup.ts';
import { onPort, sandboxApi } from '../sandbox-api.ts';
import { failures, type Scene, someone } from './failures.ts';
import { serve, type ServingRelay } from './relay-process.ts';

/** Longer than the five seconds promised by what a busy machine adds, and far shorter than a pool's limits added up. */
const muchTooLongMs = 12_000;
/** Longer than ten seconds for what is in flight and five for the store, and shorter than an erasure may take. */
const tooLongToStopMs = 40_000;
/** Signups sent at the same time. */
const waveSize = 24;
const dayMs = 86_400_000;
const none = 'no answer in time';

/** Nearly as much as a signup may hold, so that a disk fills up; not to be compressed, as databases do. */
const large = (): Record<string, string> =>
  Object.fromEntries(
    ['utm_content', 'utm_term', 'utm_campaign'].map((name) => [
      name,
      Array.from({ length: 500 }, () => String.fromCodePoint(0x4e00 + Math.floor(Math.random() * 20_000))).join(''),
    ]),
  );

/** Asks a relay, and remembers what it acknowledged and how long an answer took at most. */
class Visitors {
  readonly acknowledged: string[] = [];
  longestMs = 0;
  readonly #relay: ServingRelay;
  readonly #fields: Readonly<Record<string, string>>;

  constructor(relay: ServingRelay, { fields = {} }: Scene) {
    this.#relay = relay;
    this.#fields = fields;
  }

  async #timed(answer: Promise<Response>): Promise<Response | null> {
    const startedAt = performance.now();
    const tooLong = new AbortController();
    try {
      return await Promise.race([answer, sleep(muchTooLongMs, null, tooLong)]);
    } finally {
      tooLong.abort();
      this.longestMs = Math.max(this.longestMs, performance.now() - startedAt);
    }
  }

  async post(more: Readonly<Record<string, string>> = {}): Promise<number | string> {
    const email = someone();
    const answer = await this.#timed(this.#relay.signUp(email, { ...this.#fields, ...more }));
    if (answer?.status === 202) this.acknowledged.push(email);
    return answer?.status ?? none;
  }

  async get(path: string): Promise<{ readonly status: number | string; readonly text: string }> {
    const answer = await this.#timed(this.#relay.ask(path));
    return { status: answer?.status ?? none, text: (await answer?.text()) ?? '' };
  }

  /** Many visitors and every probe at the same time. @param more - sent with every signup */
  async wave(more: Readonly<Record<string, string>>): Promise<Record<string, unknown>> {
    const [livez, readyz, metrics, ...posts] = await Promise.all([
      this.get('/livez'),
      this.get('/readyz'),
      this.get('/metrics'),
      ...Array.from({ length: waveSize }, () => this.post(more)),
    ]);
    return {
      post: [...new Set(posts)],
      livez: livez.status,
      readyz: readyz.status,
      metrics: metrics.status,
      storeUp: Number(/^newsletter_relay_store_up (\d)/m.exec(metrics.text)?.[1]),
    };
  }
}

/** Two signups in review: one is older than its retention, the other is not. */
async function fill({ open }: Scene): Promise<{ readonly expired: string; readonly recent: string }> {
  const store = await open();
  const inReview = (days: number): Promise<string> =>
    store.accept(
      newSignup(someone(), { suspected: 'the honeypot was filled in', receivedAt: Date.now() - days * dayMs }),
    );
  const filled = { expired: await inReview(400), recent: await inReview(10) };
  await store.close();
  return filled;
}

for (const { name, possible, fills = false, truth, prepare } of failures) {
  it.skipIf(!possible)(name, async ({ annotate }) => {
    const scene = await prepare();
    const { expired, recent } = await fill(scene);
    const failing = Promise.withResolvers<void>();
    const api = sandboxApi();
    // The first run of retention waits for the clock of the API, and then meets the failure.
    const apiUrl = await onPort(async (request) => {
      if (request.method === 'HEAD') await failing.promise;
      return api.fetch(request);
    });
    const variables = { NEWSLETTER_API_URL: `${apiUrl}/v2`, ...scene.variables };
    const relay = await serve(scene.folder, variables);
    const visitors = new Visitors(relay, scene);
    const ready = async (): Promise<boolean> => (await visitors.get('/readyz')).status === 200;
    if (!fills) expect(await visitors.post()).toBe(202);

    const mend = await scene.fail(relay);
    failing.resolve();
    // A full disk may have room for a smaller signup, or for another one after a page was refused.
    const fields = fills ? large() : {};
    for (let refused = 0; fills && refused < waveSize;)
      refused = (await visitors.post(large())) === 202 ? 0 : refused + 1;
    await waitUntil('it has noticed', async () => (await ready()) === (truth.readyz === 200));
    if (truth.expired === 'erased') await waitUntil('it has erased', () => relay.output().includes('"erased":'));
    visitors.longestMs = 0;
    const { post, readyz, storeUp, says = /(?:)/ } = truth;
    for (const wave of ['one', 'two'])
      expect([wave, await visitors.wave(fields)]).toEqual([
        wave,
        { post: [post], livez: 200, readyz, metrics: 200, storeUp },
      ]);
    await annotate(`longest answer ${Math.round(visitors.longestMs)} ms`);
    expect(relay.output()).toMatch(says);

    await mend();
    if (scene.isMended !== false) {
      await waitUntil('it is ready again', ready);
      expect(await visitors.post()).toBe(202);
    }
    relay.child.kill('SIGTERM');
    expect(await Promise.race([relay.ended, sleep(tooLongToStopMs, none, { ref: false })])).toMatchObject({ code: 0 });
    const store = await scene.open();
    onTestFinished(() => store.close());
    const kept = await store.list({}, { limit: 9999 });
    const emails = new Set(kept.map(({ submission }) => submission?.email));
    expect(visitors.acknowledged.filter((email) => !emails.has(email))).toEqual([]);
    const ids = new Set(kept.map(({ id }) => id));
    expect(ids.has(recent)).toBe(true);
    if (truth.expired) expect(ids.has(expired)).toBe(truth.expired === 'kept');
  });
}
