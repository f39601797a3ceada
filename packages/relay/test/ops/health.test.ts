/** Whether the relay lives, and whether it could keep a signup. */
import { expect, it } from 'vitest';
import { readiness } from '../../src/ops/health.ts';
import { StoreUnavailableError } from '../../src/index.ts';
import { runRelay } from '../running-relay.ts';

const get = (path: string): Request => new Request(`http://relay.example${path}`);

it('is alive and ready', async () => {
  const relay = runRelay();
  for (const path of ['/livez', '/readyz']) expect((await relay.fetch(get(path))).status).toBe(200);
});

it('is not ready while it shuts down, but alive', async () => {
  const relay = runRelay();
  await relay.stop();
  expect((await relay.fetch(get('/readyz'))).status).toBe(503);
  expect((await relay.fetch(get('/livez'))).status).toBe(200);
});

it('writes when it is asked, once a second at most, and again at once after a failure', async () => {
  let now = 0;
  let full = false;
  const probes: number[] = [];
  const { store } = runRelay();
  const probe = async (at: number): Promise<void> => {
    probes.push(at);
    if (full) throw new StoreUnavailableError('The store cannot be written: the disk is full; make room on it.');
    await store.probe(at);
  };
  const readyz = readiness(
    { probe },
    () => false,
    () => now,
  );
  for (now of [5000, 5100, 5999, 6000]) expect((await readyz()).status).toBe(200);
  expect(probes).toEqual([5000, 6000]);
  full = true;
  now = 7000;
  const unready = await readyz();
  expect([unready.status, await unready.json()]).toEqual([
    503,
    { status: 'unready', reason: 'The store cannot be written: the disk is full; make room on it.' },
  ]);
  full = false;
  expect((await readyz()).status).toBe(200);
});
