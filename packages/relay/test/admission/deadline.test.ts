/** A visitor is answered within five seconds, whatever hangs, and nothing that was answered with 202 is lost. */
import { expect, it, onTestFinished, vi } from 'vitest';
import { waitFor, waitUntil } from '../../../../test/support/waits.ts';
import type { RelayEvent } from '../../src/events.ts';
import type { Check, MailResolver } from '../../src/index.ts';
import { changedStore } from '../changed-store.ts';
import { post, type RelayParts, runRelay, site } from '../running-relay.ts';
import { onPort } from '../sandbox-api.ts';
import { asked as tokenIn } from './ask.ts';

const never = <T>(): Promise<T> => new Promise<T>(() => undefined);
const silentNames = (ask = never): MailResolver => ({ resolveMx: ask, resolve4: ask, resolve6: ask });

/** Time passes for timers alone, when the test says so. */
function stopTimers(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
}

/** What a post needs, and that never answers. */
function hanging() {
  const asked = Promise.withResolvers<void>();
  const ask = <T>(): Promise<T> => {
    asked.resolve();
    return never();
  };
  return { asked: asked.promise, ask };
}

/** The answer to a post, once it has waited for so long. */
async function answerAfter(ms: number, asked: Promise<void>, answer: Promise<Response>): Promise<Response> {
  await waitFor('the post waits for what hangs', asked);
  await vi.advanceTimersByTimeAsync(ms);
  return waitFor(`the answer after ${ms} milliseconds`, answer);
}

const cases: readonly (readonly [
  what: string,
  parts: (ask: typeof never) => RelayParts,
  status: number,
  afterMs: number,
  /** Why it is answered with 503, in the log. */
  reasons: readonly string[],
])[] = [
  [
    'the store',
    (accept) => ({ store: changedStore(runRelay().store, { accept }) }),
    503,
    4500,
    ['The store does not answer within 4.5 seconds.'],
  ],
  [
    'a check of the embedding program',
    (ask) => ({ checks: [() => ask()] }),
    503,
    4500,
    ['It took longer than 4.5 seconds: something it asked, such as the store, does not answer.'],
  ],
  [
    'a name server, where that is checked',
    (ask) => ({ mail: silentNames(ask), settings: { RELAY_MX_CHECK: 'refuse' } }),
    202,
    1500,
    [],
  ],
];

it.each(cases)('answers while %s hangs', async (_what, parts, status, afterMs, reasons) => {
  stopTimers();
  const { asked, ask } = hanging();
  const relay = runRelay(parts(ask));
  const answer = await answerAfter(afterMs, asked, relay.fetch(post({ email: 'ada@example.com' })));
  expect(answer.status).toBe(status);
  if (status === 503) expect(answer.headers.get('retry-after')).toBe('5');
  expect((await relay.store.counts()).waiting).toBe(status === 202 ? 1 : 0);
  const lines = relay.logged.map((line) => JSON.parse(line) as { msg: string; reason?: string });
  expect(lines.filter(({ msg }) => msg.endsWith('answered with 503')).map(({ reason }) => reason)).toEqual(reasons);
});

it('keeps the signup for review while Turnstile and the name servers hang', async () => {
  const asked = Promise.withResolvers<void>();
  const silent = await onPort(() => {
    asked.resolve();
    return never();
  });
  const relay = runRelay({
    mail: silentNames(),
    settings: {
      RELAY_MX_CHECK: 'review',
      RELAY_PROOF: 'always',
      RELAY_TURNSTILE_SITE_KEY: 'site-key',
      RELAY_TURNSTILE_SECRET: 'the-secret',
    },
    proof: { turnstileUrl: silent },
  });
  const answer = relay.fetch(post({ email: 'ada@example.com', proof: 'a response of its widget' }));
  await waitFor('Turnstile is asked', asked.promise);
  expect((await answer).status).toBe(202);
  expect((await relay.store.counts()).review).toBe(1);
});

it('says so, counts the store as failing, and keeps what was stored later: posted again it is the same signup', async () => {
  stopTimers();
  const real = runRelay().store;
  const asked = Promise.withResolvers<void>();
  const works = Promise.withResolvers<void>();
  const store = changedStore(real, {
    async accept(signup) {
      asked.resolve();
      await works.promise;
      return real.accept(signup);
    },
  });
  const events: RelayEvent['type'][] = [];
  const relay = runRelay({ store, onEvent: ({ type }) => void events.push(type) });
  const again = () => post({ email: 'ada@example.com' }, { 'idempotency-key': 'the-same-key' });
  expect((await answerAfter(4500, asked.promise, relay.fetch(again()))).status).toBe(503);
  expect(relay.logged.join('')).toContain('does not answer within 4.5 seconds');
  expect(events).toContain('failing');
  works.resolve();
  expect((await relay.fetch(again())).status).toBe(202);
  await waitUntil('the store has recovered', () => events.includes('works'));
  expect((await real.claim({ forms: ['default'], limit: 9, now: Date.now() })).length).toBe(1);
  expect((await real.counts()).waiting).toBe(0);
});

it('stores nothing of a post whose checks ended too late, and uses up neither its token nor a limit', async () => {
  stopTimers();
  const asked = Promise.withResolvers<void>();
  const late = Promise.withResolvers<null>();
  let check: Check = () => null;
  let now = Date.UTC(2026, 10, 27);
  const settings = { RELAY_FORM_TOKEN: 'true', RELAY_LIMIT_IP: '1/1h' };
  const relay = runRelay({ checks: [(...post) => check(...post)], settings, now: () => now });
  const signUp = (email: string, token?: string) => relay.fetch(post({ email, token }), '203.0.113.9');
  const { token } = await tokenIn(await signUp('late@example.com'), 'TOKEN_REQUIRED');
  now += 3000;
  check = () => {
    asked.resolve();
    return late.promise;
  };
  expect((await answerAfter(4500, asked.promise, signUp('late@example.com', token))).status).toBe(503);
  late.resolve(null);
  const again = async () => (await signUp('ada@example.com', token)).status;
  await waitUntil('the token and the limit are free again', async () => (await again()) === 202);
  expect((await relay.store.counts()).waiting).toBe(1);
});

it.each([
  [{ email: 'ada@example.com' }, 202],
  [{ email: 'nobody' }, 400],
])('leaves no timer behind after %j', async (body, status) => {
  stopTimers();
  expect((await runRelay().fetch(post(body))).status).toBe(status);
  expect(vi.getTimerCount()).toBe(0);
});

it('gives a visitor with a slow connection the time to send', async () => {
  stopTimers();
  const relay = runRelay();
  const reading = Promise.withResolvers<void>();
  const sent = Promise.withResolvers<string>();
  const body = new ReadableStream(
    {
      async pull(stream) {
        reading.resolve();
        stream.enqueue(new TextEncoder().encode(await sent.promise));
        stream.close();
      },
    },
    { highWaterMark: 0 },
  );
  const answer = relay.fetch(
    new Request('http://relay.example/signup', {
      method: 'POST',
      headers: { origin: site, 'content-type': 'application/json' },
      body,
      duplex: 'half',
    } as RequestInit),
  );
  await waitFor('the relay reads the body', reading.promise);
  await vi.advanceTimersByTimeAsync(5000);
  sent.resolve('{"email":"ada@example.com"}');
  expect((await answer).status).toBe(202);
});
