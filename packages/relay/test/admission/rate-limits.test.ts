/** Rate limits per mailbox, visitor, domain and relay, and answers that reveal no known address. */
import { describe, expect, it } from 'vitest';
import { StoreUnavailableError } from '../../src/index.ts';
import { RateLimits } from '../../src/admission/rate-limits.ts';
import { MemoryCounters } from '../../src/store/counters.ts';
import type { Counters } from '../../src/store/signup-store.ts';
import { waitUntil } from '../../../../test/support/waits.ts';
import { metricsOf, post, type RunningRelay, runRelay } from '../running-relay.ts';
import { sandboxApi } from '../sandbox-api.ts';

const ip = (n: number): string => `198.18.${n >> 8}.${n & 255}`;

interface Answer {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: string;
}

async function isDone({ store }: RunningRelay): Promise<boolean> {
  const { waiting, sent } = await store.counts();
  return waiting + sent === 0;
}

async function raw(answer: Response): Promise<Answer> {
  return { status: answer.status, headers: Object.fromEntries(answer.headers), body: await answer.text() };
}

describe('one address from many visitors', () => {
  it('gets the configured number of signups through, and every answer is the same', async () => {
    const relay = runRelay({ settings: { RELAY_LIMIT_ADDRESS: '3/1d' } });
    const spellings = ['victim@example.com', 'VICTIM@Example.com', ' Victim@example.COM'];
    const answers: Answer[] = [];
    // Twenty-five at a time: each waits as long as a write takes, which one after the other is long on a busy disk.
    for (let wave = 0; wave < 100; wave += 25) {
      const visitors = Array.from({ length: 25 }, (_, n) => wave + n);
      const sent = visitors.map(async (n) => {
        const body = { email: spellings[n % 3], utm_campaign: `wave ${n}` };
        return raw(await relay.fetch(post(body, { 'idempotency-key': `key-${n}` }), ip(n)));
      });
      answers.push(...(await Promise.all(sent)));
    }
    const stranger = await raw(await relay.fetch(post({ email: 'first-time@example.com' }), ip(2000)));
    expect(new Set(answers.map((answer) => JSON.stringify(answer)))).toEqual(new Set([JSON.stringify(stranger)]));
    expect(stranger.status).toBe(202);
    expect(await relay.store.counts()).toMatchObject({ waiting: 4, review: 97, dead: 0 });
  });

  it('is counted for every repeat of a signup, of which one beyond the limit is kept for review', async () => {
    const api = sandboxApi();
    const relay = runRelay({ api: api.fetch, settings: { RELAY_LIMIT_ADDRESS: '2/1h' } });
    for (let n = 0; n < 10; n += 1)
      await relay.fetch(post({ email: 'ada@example.com' }, { 'idempotency-key': `key ${n >> 1}` }));
    relay.start();
    await waitUntil('all is delivered', () => isDone(relay));
    expect(api.received).toHaveLength(1);
    await relay.store.expire({ delivered: null, review: null, dead: null, unconfirmed: null, consent: null });
    expect(await relay.store.counts()).toMatchObject({ delivered: 1, review: 1 });
  });

  it('stays limited for concurrent repeats', async () => {
    const relay = runRelay({ settings: { RELAY_LIMIT_ADDRESS: '1/1h' } });
    await relay.fetch(post({ email: 'victim@example.com' }));
    await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        relay.fetch(post({ email: 'victim@example.com', utm_term: `${n >> 2}` }, { 'idempotency-key': `${n}` })),
      ),
    );
    expect(await relay.store.counts()).toMatchObject({ waiting: 1, review: 20 });
  });
});

describe('many addresses from one visitor', () => {
  it.each([
    ['an IPv4 address', () => '203.0.113.9'],
    ['the addresses of one IPv6 network', (n: number) => `2001:db8:1:2::${n.toString(16)}`],
    ['the IPv4-in-IPv6 spelling of one address', (n: number) => (n % 2 ? '203.0.113.9' : '::ffff:203.0.113.9')],
  ])('from %s are limited, with Retry-After', async (_case, peer) => {
    const relay = runRelay({ settings: { RELAY_LIMIT_IP: '25/1m,600/1h' } });
    const statuses: number[] = [];
    for (let n = 0; n < 100; n += 1) {
      const answer = await relay.fetch(post({ email: `p${n}@example.com` }), peer(n));
      statuses.push(answer.status);
      if (answer.status === 429) {
        const seconds = Number(answer.headers.get('retry-after'));
        expect(seconds >= 1 && seconds <= 60).toBe(true);
      }
    }
    expect(statuses.filter((status) => status === 202)).toHaveLength(25);
    expect(statuses.filter((status) => status === 429)).toHaveLength(75);
    expect((await relay.fetch(post({ email: 'other@example.com' }), '203.0.113.10')).status).toBe(202);
    expect((await relay.store.counts()).waiting).toBe(26);
  });

  it('behind a proxy are counted by X-Forwarded-For, named in RELAY_TRUSTED_PROXIES or not', async () => {
    const settings = { RELAY_LIMIT_IP: '2/1m' };
    const statuses = async (relay: ReturnType<typeof runRelay>): Promise<number[]> => {
      const all: number[] = [];
      for (let n = 0; n < 6; n += 1) {
        const forged = { 'x-forwarded-for': `${ip(n)}, 203.0.113.9` };
        all.push((await relay.fetch(post({ email: `p${n}@example.com` }, forged), '10.0.0.2')).status);
      }
      return all;
    };
    expect(await statuses(runRelay({ settings: { ...settings, RELAY_TRUSTED_PROXIES: '10.0.0.0/8' } }))).toEqual([
      202, 202, 429, 429, 429, 429,
    ]);
    const unnamed = runRelay({ settings });
    expect(await statuses(unnamed)).toEqual([202, 202, 429, 429, 429, 429]);
    expect(unnamed.logged.filter((line) => line.includes('RELAY_TRUSTED_PROXIES'))).toHaveLength(1);
  });
});

describe('a rate limit', () => {
  const peer = '203.0.113.9';

  it('does not count posts refused for another reason', async () => {
    const relay = runRelay({ settings: { RELAY_LIMIT_IP: '1/1h' } });
    await relay.fetch(post({ email: 'adaexample.com' }), peer);
    await relay.fetch(post('{'), peer);
    await relay.fetch(post({ email: 'ada@example.com' }, { origin: 'https://evil.example' }), peer);
    await relay.fetch(post({ email: 'ada@example.com' }, { 'content-type': 'text/plain' }), peer);
    expect((await relay.fetch(post({ email: 'ada@example.com' }), peer)).status).toBe(202);
    expect((await relay.fetch(post({ email: 'bob@example.com' }), peer)).status).toBe(429);
  });

  it('reports the reached limit to the operator, not to the visitor', async () => {
    const limit = 'ip';
    const relay = runRelay({ settings: { RELAY_LIMIT_IP: '1/1h' } });
    await relay.fetch(post({ email: 'ada@example.com' }), peer);
    const answer = await raw(await relay.fetch(post({ email: 'bob@example.com' }), peer));
    expect([answer.status, JSON.parse(answer.body)]).toMatchObject([
      429,
      {
        errors: [
          {
            code: 'TOO_MANY_SIGNUPS',
            message: 'There are too many signups just now. Please try again a little later.',
          },
        ],
      },
    ]);
    expect(JSON.stringify(answer)).not.toContain(`"${limit}"`);
    const metrics = await metricsOf(relay);
    expect(metrics).toContain(
      `newsletter_relay_refusals_total{form="default",status="429",code="TOO_MANY_SIGNUPS",limit="${limit}"} 1`,
    );
    expect(relay.logged.map((line) => JSON.parse(line) as Record<string, unknown>)).toContainEqual(
      expect.objectContaining({ msg: 'refused', limit }),
    );
  });
});

describe('the counters of the rate limits', () => {
  const hour = { points: 1, seconds: 3600 };
  const none = { ip: [], address: [] };
  const visitor = '203.0.113.9';
  const limits = (
    rules: Partial<ConstructorParameters<typeof RateLimits>[0]>,
    counters: Counters = new MemoryCounters(),
    tell: (isInMemory: boolean) => void = () => {},
  ) => new RateLimits({ ...none, ...rules }, counters, 'a-secret-of-enough-characters', tell);
  const ofAda = { email: 'ada@example.com', suspected: false, client: null };

  it('name the seconds until the window ends, at least one', async () => {
    const counters = limits({ ip: [hour] });
    expect(await counters.countPost(visitor, 0)).toMatchObject({ within: true });
    for (const [now, retryAfterSeconds] of [
      [0, 3600],
      [3_598_500, 2],
      [3_599_900, 1],
    ] as const)
      expect(await counters.countPost(visitor, now)).toEqual({
        within: false,
        kind: 'ip',
        retryAfterSeconds,
      });
  });

  it('name the limit that is reached for longest', async () => {
    const counters = limits({ ip: [{ points: 1, seconds: 60 }, hour] });
    await counters.countPost(visitor, 0);
    expect(await counters.countPost(visitor, 0)).toMatchObject({ kind: 'ip', retryAfterSeconds: 3600 });
  });

  it('count nothing for the visitor where their network has reached its limit', async () => {
    const counters = limits({ ip: [{ points: 2, seconds: 3600 }] });
    const of = (n: number) => counters.countPost(`2001:db8:0:${n}::1`, 0);
    for (let n = 0; n < 20; n += 1) await of(n);
    for (let n = 0; n < 5; n += 1) expect(await of(99)).toMatchObject({ within: false, kind: 'ipv6_48' });
  });

  it('are stored under short hashes, without an address', async () => {
    const keys: string[] = [];
    const memory = new MemoryCounters();
    const watched: Counters = {
      count(counters, now) {
        keys.push(...counters.map(({ key }) => key));
        return memory.count(counters, now);
      },
      release: (counters) => memory.release(counters),
      expire: (now) => memory.expire(now),
    };
    const counters = limits({ ip: [hour], address: [hour] }, watched);
    await counters.countPost('2001:db8::1', 0);
    await counters.countMailbox(ofAda, 0);
    expect(keys).toHaveLength(3);
    expect(new Set(keys).size).toBe(3);
    for (const key of keys) expect(key).toMatch(/^[\w-]{22}(-\d+-3600)?$/);
  });

  const failing = (reason: Error): Counters => ({
    count: () => Promise.reject(reason),
    release: () => Promise.reject(reason),
    expire: () => Promise.reject(reason),
  });

  it('count in memory while the store fails, and take back what they have counted there', async () => {
    const counters = limits({ ip: [hour] }, failing(new StoreUnavailableError('full')));
    const first = await counters.countPost(visitor, 0);
    expect(await counters.countPost(visitor, 0)).toMatchObject({ within: false });
    if (first.within) await first.release();
    expect(await counters.countPost(visitor, 0)).toMatchObject({ within: true });
    expect(await counters.use('token', 'x', 0)).not.toBeNull();
    expect(await counters.use('token', 'x', 0)).toBeNull();
  });

  it('tell once that they are counted in memory, and once that they no longer are', async () => {
    const stored = new MemoryCounters();
    let error: Error | null = null;
    const counters: Counters = {
      count: (...each) => (error ? Promise.reject(error) : stored.count(...each)),
      release: (...each) => stored.release(...each),
      expire: (now) => stored.expire(now),
    };
    const told: boolean[] = [];
    const limited = limits({ ip: [hour] }, counters, (isInMemory) => told.push(isInMemory));
    for (error of [null, new StoreUnavailableError('slow'), new StoreUnavailableError('slow'), null, null])
      await limited.countPost(visitor, 0);
    expect(told).toEqual([true, false]);
  });

  it('fail with any other error', async () => {
    const counters = limits({ ip: [hour] }, failing(new TypeError('a mistake')));
    await expect(counters.countPost(visitor, 0)).rejects.toThrow('a mistake');
  });
});
