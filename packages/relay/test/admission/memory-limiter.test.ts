/** A counter under a flood of keys: it stays small, and still counts. */
import { expect, it } from 'vitest';
import { inMemory } from '../../src/index.ts';

it('remembers the last twenty thousand keys of however many, and forgets the oldest', async () => {
  const counter = inMemory('flood', { points: 1, seconds: 3600 });
  await counter.consume('first');
  for (let n = 0; n < 60_000; n += 1) await counter.consume(`key-${n}`);
  await expect(counter.consume('key-59999')).rejects.toMatchObject({ consumedPoints: 2 });
  await expect(counter.consume('key-40001')).rejects.toMatchObject({ consumedPoints: 2 });
  expect(await counter.get('key-39000')).toBeNull();
  expect(await counter.get('first')).toBeNull();
});
