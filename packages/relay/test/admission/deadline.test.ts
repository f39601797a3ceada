/** A visitor is answered within five seconds, whatever hangs, and nothing that was answered with 202 is lost. */
import { expect, it, onTestFinished, vi } from 'vitest';
import type { RelayEvent } from '../../src/events.ts';
import type { Check, MailResolver } from '../../src/index.ts';
import { changedStore } from '../changed-store.ts';
import { post, type RelayParts, runRelay, site } from '../running-relay.ts';
import { onPort } from '../sandbox-api.ts';
import { asked } from './ask.ts';

const never = <T>(): Promise<T> => new Promise<T>(() => undefined);
const silentNames: MailResolver = { resolveMx: never, resolve4: never, resolve6: never };

/** Time passes for timers alone, when the test says so. */
function stopTimers(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
}

/** The answer, after five seconds at most; undefined if there is none by then. */
async function answerInTime(answer: Promise<Response>): Promise<Response | undefined> {
  let answered: Response | undefined;
  void answer.then((response) => (answered = response));
  for (let waitedMs = 0; waitedMs < 5000 && !answered; waitedMs += 100) {
    // Work that needs no timer, such as a commit, ends meanwhile.
    for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    await vi.advanceTimersByTimeAsync(100);
  }
  return answered;
}

const hanging: readonly (readonly [
  what: string,
  parts: () => RelayParts | Promise<RelayParts>,
  status: number,
  /** Why it is answered with 503, in the log. */
  reasons: readonly string[],
])[] = [
  [
    'the store',
    () => ({ store: changedStore(runRelay().store, { accept: () => never() }) }),
    503,
    ['The store does not answer within 4.5 seconds.'],
  ],
  [
    'a check of the embedding program',
    () => ({ checks: [() => never()] }),
    503,
    ['It took longer than 4.5 seconds: something it asked, such as the store, does not answer.'],
  ],
  [
    'a name server, where that is checked',
    () => ({ mail: silentNames, settings: { RELAY_MX_CHECK: 'refuse' } }),
    202,
    [],
  ],
];

it.each(hanging)('answers while %s hangs', async (_what, parts, status, reasons) => {
  stopTimers();
  const relay = runRelay(await parts());
  const answer = await answerInTime(relay.fetch(post({ email: 'ada@example.com' })));
  expect(answer?.status).toBe(status);
  if (status === 503) expect(answer?.headers.get('retry-after')).toBe('5');
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
    mail: silentNames,
    settings: {
      RELAY_MX_CHECK: 'review',
      RELAY_PROOF: 'always',
      RELAY_TURNSTILE_SITE_KEY: 'site-key',
      RELAY_TURNSTILE_SECRET: 'the-secret',
      RELAY_TURNSTILE_URL: silent,
    },
  });
  const answer = relay.fetch(post({ email: 'ada@example.com', proof: 'a response of its widget' }));
  await asked.promise;
  expect((await answer).status).toBe(202);
  expect((await relay.store.counts()).review).toBe(1);
});

it('says so, counts the store as failing, and keeps what was stored later: posted again it is the same signup', async () => {
  stopTimers();
  const real = runRelay().store;
  const works = Promise.withResolvers<void>();
  const store = changedStore(real, { accept: async (signup) => works.promise.then(() => real.accept(signup)) });
  const events: RelayEvent['type'][] = [];
  const relay = runRelay({ store, onEvent: ({ type }) => void events.push(type) });
  const again = () => post({ email: 'ada@example.com' }, { 'idempotency-key': 'the-same-key' });
  expect((await answerInTime(relay.fetch(again())))?.status).toBe(503);
  expect(relay.logged.join('')).toContain('does not answer within 4.5 seconds');
  expect(events).toContain('storeFailed');
  works.resolve();
  expect((await answerInTime(relay.fetch(again())))?.status).toBe(202);
  await vi.waitFor(() => expect(events).toContain('storeRecovered'));
  expect((await real.claim({ forms: ['default'], limit: 9, now: Date.now() })).length).toBe(1);
  expect((await real.counts()).waiting).toBe(0);
});

it('stores nothing of a post whose checks ended too late, and uses up neither its token nor a limit', async () => {
  stopTimers();
  const late = Promise.withResolvers<null>();
  const checks: Check[] = [() => late.promise];
  let now = Date.UTC(2026, 10, 27);
  const settings = { RELAY_FORM_TOKEN: 'true', RELAY_LIMIT_IP: '1/1h' };
  const relay = runRelay({ checks, settings, now: () => now });
  const signUp = (token?: string) => relay.fetch(post({ email: 'ada@example.com', token }), '203.0.113.9');
  const held = checks.splice(0);
  const { token } = await asked(await signUp(), 'TOKEN_REQUIRED');
  now += 3000;
  checks.push(...held);
  expect((await answerInTime(signUp(token)))?.status).toBe(503);
  late.resolve(null);
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  expect((await relay.store.counts()).waiting).toBe(0);
  expect((await signUp(token)).status).toBe(202);
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
  let send: (text: string) => void = () => undefined;
  const body = new ReadableStream({
    start(stream) {
      send = (text) => {
        stream.enqueue(new TextEncoder().encode(text));
        stream.close();
      };
    },
  });
  const answer = relay.fetch(
    new Request('http://relay.example/signup', {
      method: 'POST',
      headers: { origin: site, 'content-type': 'application/json' },
      body,
      duplex: 'half',
    } as RequestInit),
  );
  expect(await answerInTime(answer)).toBeUndefined();
  send('{"email":"ada@example.com"}');
  expect((await answer).status).toBe(202);
});
