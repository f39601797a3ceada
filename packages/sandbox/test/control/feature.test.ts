import { Hono } from 'hono';
import { expect, test } from 'vitest';
import { createAssumptions } from '../../src/control/assumptions.ts';
import { createControl } from '../../src/control/control.ts';
import type { Feature } from '../../src/control/feature.ts';
import { createFeatures, resetFeatures } from '../../src/control/features.ts';
import { openWorld } from '../../src/world/open-world.ts';

test('a feature is one object and one line of the list: it has endpoints, and a reset reaches it', async () => {
  const assumptions = createAssumptions();
  const world = openWorld({ location: ':memory:', now: () => 0, idSeed: 1, assumed: assumptions.value });
  const resets: unknown[] = [];
  const added: Feature = {
    routes: () => new Hono().get('/tides', ({ json }) => json(resets)),
    reset: (seed) => void resets.push(seed),
  };
  const features = { ...createFeatures(world, assumptions, {}), added };
  const control = createControl(features, {
    answer: () => Promise.reject(new Error('No request is sent.')),
    reset: (seed) => resetFeatures(features, seed),
  });
  const ask = async (method: string, path: string, body?: string) => {
    const answer = await control.request(`http://sandbox.test${path}`, { method, ...(body !== undefined && { body }) });
    return { status: answer.status, text: await answer.text() };
  };
  expect(await ask('GET', '/tides')).toEqual({ status: 200, text: '[]' });
  expect((await ask('GET', '/nothing')).text).toContain('/_sandbox/events, /_sandbox/tides');
  expect((await ask('POST', '/reset', '{"seed":"dmeo"}')).status).toBe(400);
  expect((await ask('POST', '/reset', '{"seed":"demo"}')).status).toBe(200);
  expect(await ask('GET', '/tides')).toEqual({ status: 200, text: '["demo"]' });
  world.store.close();
});
