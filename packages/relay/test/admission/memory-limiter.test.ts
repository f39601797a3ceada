/** The rate limiter in memory: its size, and its agreement with the library it replaces. */
import fc from 'fast-check';
import { type RateLimiterAbstract, RateLimiterMemory } from 'rate-limiter-flexible';
import { afterEach, expect, it, vi } from 'vitest';
import { inMemory } from '../../src/index.ts';

afterEach(() => vi.useRealTimers());

it('holds the newest twenty thousand keys, and drops the oldest', async () => {
  const counter = inMemory('flood', { points: 1, seconds: 3600 });
  await counter.consume('first');
  for (let n = 0; n < 60_000; n += 1) await counter.consume(`key-${n}`);
  await expect(counter.consume('key-59999')).rejects.toMatchObject({ consumedPoints: 2 });
  await expect(counter.consume('key-40001')).rejects.toMatchObject({ consumedPoints: 2 });
  expect(await counter.get('key-39999')).toBeNull();
  expect(await counter.get('key-40000')).toMatchObject({ consumedPoints: 1 });
  expect(await counter.get('first')).toBeNull();
});

it('holds each key once, also after it was deleted', async () => {
  const counter = inMemory('taken back', { points: 1, seconds: 3600 });
  for (let n = 0; n < 30_000; n += 1) {
    await counter.consume('again');
    await counter.delete('again');
  }
  await counter.consume('again');
  for (let n = 0; n < 19_999; n += 1) await counter.consume(`key-${n}`);
  expect(await counter.get('again')).toMatchObject({ consumedPoints: 1 });
});

const steps = fc.array(
  fc.record({
    does: fc.constantFrom('consume', 'penalty', 'reward', 'get', 'set', 'block', 'delete'),
    key: fc.constantFrom('ada', 'bob'),
    number: fc.integer({ min: 0, max: 4 }),
    thenMs: fc.constantFrom(0, 0, 1, 999, 1000, 2500),
  } as const),
  { maxLength: 40 },
);

/** Result or rejection of one step. */
async function outcome(
  counter: RateLimiterAbstract,
  {
    does,
    key,
    number,
  }: { does: 'consume' | 'penalty' | 'reward' | 'get' | 'set' | 'block' | 'delete'; key: string; number: number },
): Promise<unknown> {
  const ways = {
    consume: () => counter.consume(key, number),
    penalty: () => counter.penalty(key, number),
    reward: () => counter.reward(key, number),
    get: () => counter.get(key),
    set: () => counter.set(key, number, number),
    block: () => counter.block(key, number),
    delete: () => counter.delete(key),
  };
  const [given, refused] = await ways[does]().then(
    (value) => [value, false],
    (reason: unknown) => [reason, true],
  );
  return { given: JSON.parse(JSON.stringify(given)) as unknown, refused };
}

it('counts, rejects, rewards and deletes as the library does', async () => {
  vi.useFakeTimers();
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 4 }),
      fc.integer({ min: 0, max: 3 }),
      steps,
      async (points, seconds, all) => {
        const ours = inMemory('rule', { points, seconds });
        const theirs = new RateLimiterMemory({ keyPrefix: 'rule', points, duration: seconds });
        for (const step of all) {
          expect({ step, ...((await outcome(ours, step)) as object) }).toEqual({
            step,
            ...((await outcome(theirs, step)) as object),
          });
          vi.advanceTimersByTime(step.thenMs);
        }
      },
    ),
    { numRuns: Number(process.env['PROPERTY_RUNS'] ?? 200) },
  );
});
