/** What the Worker itself decides: the platform's rate limiting of posts, and where its objects are. */
import { describe, expect, it } from 'vitest';
import type { PlatformRateLimit, RelayObjects, WorkerEnvironment } from '../../src/worker/index.ts';
import worker from '../../src/worker/index.ts';
import { environment, post, publicationId, runRelay } from '../running-relay.ts';

/** A Worker whose object accepts everything, and the e-mail addresses that reached it. */
function workerWith(visitors?: PlatformRateLimit['limit'], settings: Readonly<Record<string, string>> = {}) {
  const reached: string[] = [];
  const accepting = {
    async fetch(request: Request): Promise<Response> {
      if (request.method === 'GET') return new Response(null, { status: 204 });
      const { email } = (await request.json()) as { readonly email: string };
      reached.push(email);
      return Response.json({ status: 'accepted' }, { status: 202 });
    },
  };
  const objects: object[] = [];
  const objectsIn = (jurisdiction?: string): RelayObjects => ({
    idFromName: (name) => ({ jurisdiction, name }),
    get: (id, options) => (objects.push({ ...(id as object), ...options }), accepting),
    jurisdiction: objectsIn,
  });
  const bindings: WorkerEnvironment = {
    ...environment,
    ...settings,
    RELAY_LOG_LEVEL: 'silent',
    RELAY_OBJECTS: objectsIn(),
    ...(visitors && { RELAY_VISITORS: { limit: visitors } }),
  };
  const signUp = (email: string, visitor?: string) =>
    worker.fetch(post({ email }, visitor === undefined ? {} : { 'cf-connecting-ip': visitor }), bindings);
  return { reached, objects, bindings, signUp };
}

/** Lets each key pass so many times. */
function limitOf(points: number): PlatformRateLimit['limit'] {
  const counts = new Map<string, number>();
  return ({ key }) => {
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    return Promise.resolve({ success: count <= points });
  };
}

describe('the rate limiting of the platform', () => {
  it('refuses a visitor beyond it as the limits of the relay do, without a request to the object', async () => {
    const { reached, signUp } = workerWith(limitOf(2));
    const statuses: number[] = [];
    for (let n = 0; n < 4; n += 1) statuses.push((await signUp(`p${n}@example.com`, '192.0.2.1')).status);
    expect(statuses).toEqual([202, 202, 429, 429]);
    expect(reached).toEqual(['p0@example.com', 'p1@example.com']);

    const machine = runRelay({ settings: { RELAY_LIMIT_IP: '1/1m' } });
    await machine.fetch(post({ email: 'p0@example.com' }), '192.0.2.1');
    const expected = await machine.fetch(post({ email: 'p1@example.com' }), '192.0.2.1');
    const answer = await signUp('p4@example.com', '192.0.2.1');
    expect(await answer.text()).toBe(await expected.text());
    const names = (each: Response): readonly string[] => [...each.headers.keys()];
    expect(names(answer)).toEqual(names(expected));
    expect(answer.headers.get('retry-after')).toBe('60');
  });

  it('counts by the network of an IPv6 visitor, and not a post that is refused anyway', async () => {
    const { reached, signUp } = workerWith(limitOf(1));
    expect((await signUp('no address', '2001:db8::1')).status).toBe(400);
    expect((await signUp('p1@example.com', '2001:db8::1')).status).toBe(202);
    expect((await signUp('p2@example.com', '2001:db8::2')).status).toBe(429);
    expect((await signUp('p3@example.com', '2001:db8:0:1::2')).status).toBe(202);
    expect(reached).toEqual(['p1@example.com', 'p3@example.com']);
  });

  it.each([
    ['is not configured', undefined, '192.0.2.1'],
    ['fails', () => Promise.reject(new Error('unavailable')), '192.0.2.1'],
    ['knows no visitor', limitOf(0), undefined],
  ] as const)('leaves the post to the limits of the object where it %s', async (_case, limit, visitor) => {
    const { reached, signUp } = workerWith(limit);
    expect((await signUp('ada@example.com', visitor)).status).toBe(202);
    expect(reached).toEqual(['ada@example.com']);
  });
});

it.each([
  ['near the first request', {}, {}],
  ['in a jurisdiction', { RELAY_JURISDICTION: 'eu' }, { jurisdiction: 'eu' }],
  ['in a region', { RELAY_LOCATION: 'weur' }, { locationHint: 'weur' }],
  [
    'in a region of a jurisdiction',
    { RELAY_JURISDICTION: 'us', RELAY_LOCATION: 'enam' },
    { jurisdiction: 'us', locationHint: 'enam' },
  ],
])('has its objects %s, for posts and for its cron trigger', async (_, settings, where) => {
  const { objects, bindings, signUp } = workerWith(undefined, settings);
  expect((await signUp('ada@example.com')).status).toBe(202);
  await worker.scheduled(null, bindings);
  expect(objects).toEqual([
    { name: publicationId, ...where },
    { name: publicationId, ...where },
  ]);
});
