import { expect, test } from 'vitest';
import { apiKeys } from '../../src/index.ts';
import { control, errorsOf, fresh, noon, send, subscriptionsPath } from '../caller.ts';

const call = (sandbox: ReturnType<typeof fresh>, headers = {}) =>
  send(sandbox, 'GET', subscriptionsPath, undefined, headers);

test('the rate limit can be changed while the sandbox runs; a reset restores it', async () => {
  const sandbox = fresh();
  expect((await control(sandbox, 'GET', '/profile')).body).toEqual({
    profile: 'spec',
    limit: null,
    windowSeconds: null,
    headers: false,
    retryAfter: false,
  });
  expect((await call(sandbox)).headers.get('ratelimit-limit')).toBeNull();
  expect((await control(sandbox, 'PUT', '/profile', { profile: 'service' })).body).toMatchObject({
    profile: 'service',
    limit: 180,
    windowSeconds: 60,
    headers: true,
  });
  expect((await call(sandbox)).headers.get('ratelimit-remaining')).toBe('179');
  await control(sandbox, 'PUT', '/profile', { profile: 'unlimited' });
  expect((await call(sandbox)).headers.get('ratelimit-limit')).toBeNull();
  await control(sandbox, 'PUT', '/profile', { limit: 1 });
  sandbox.reset();
  expect(sandbox.rateLimit.state.profile).toBe('spec');
});

test('a custom quota counts the requests of all keys, and its window by the sandbox’s clock, with headers and Retry-After as set', async () => {
  const sandbox = fresh();
  const quota = { limit: 2, windowSeconds: 10, retryAfter: true };
  expect((await control(sandbox, 'PUT', '/profile', quota)).body).toEqual({
    profile: 'custom',
    headers: true,
    ...quota,
  });
  await call(sandbox);
  sandbox.clock.advance(4000);
  expect((await call(sandbox, { Authorization: `Bearer ${apiKeys.restricted}` })).status).toBe(200);
  const refused = await call(sandbox);
  expect(refused.status).toBe(429);
  expect(errorsOf(refused)[0]?.message).toBe('More than 2 requests in 10 seconds; try again in 6 s.');
  expect(Object.fromEntries(refused.headers)).toMatchObject({
    'ratelimit-limit': '2',
    'ratelimit-remaining': '0',
    'ratelimit-reset': String(noon / 1000 + 10),
    'retry-after': '6',
  });
  sandbox.clock.advance('PT6S');
  expect((await call(sandbox)).status).toBe(200);

  await control(sandbox, 'PUT', '/profile', { limit: 0, headers: false });
  const silent = await call(sandbox);
  expect([silent.status, silent.headers.get('ratelimit-limit'), silent.headers.get('retry-after')]).toEqual([
    429,
    null,
    null,
  ]);
});

test.each([{}, { profile: 'strict' }, { limit: -1 }, { limit: 1, windowSeconds: 0 }, { limit: 1, window: 5 }, []])(
  '%j is refused and says how',
  async (body) => {
    const sandbox = fresh({ profile: 'service' });
    const answered = await control(sandbox, 'PUT', '/profile', body);
    expect(answered.status).toBe(400);
    expect(errorsOf(answered)[0]?.message.length).toBeGreaterThan(20);
    expect(sandbox.rateLimit.state.profile).toBe('service');
  },
);
