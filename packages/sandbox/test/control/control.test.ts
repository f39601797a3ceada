import { expect, test } from 'vitest';
import { publicationId, type SandboxEvent } from '../../src/index.ts';
import { control, create, errorsOf, fresh, list, send, subscriptionsPath } from '../caller.ts';

test('reset loads the initial seed or the given one, and empties the log', async () => {
  const sandbox = fresh({ seed: 'demo' });
  await create(sandbox, { email: 'ada@example.com' });
  expect(await control(sandbox, 'POST', '/reset')).toMatchObject({ status: 200, body: { subscriptions: 300 } });
  expect(sandbox.requests()).toEqual([]);
  expect(await control(sandbox, 'POST', '/reset', '{"seed":"empty"}')).toMatchObject({
    status: 200,
    body: { subscriptions: 0 },
  });
  expect((await list(sandbox)).data).toEqual([]);
  expect(await control(sandbox, 'POST', '/reset', '{}')).toMatchObject({ body: { subscriptions: 300 } });
});

test.each([
  ['{"seed":"dmeo"}', 'There is no seed "dmeo"'],
  ['{"seed":5}', 'The seed is not valid'],
  ['{"seed":{"publications":[{"id":"x","name":"P"}]}}', 'publications.0.id'],
  [
    '{"seed":{"publications":[{"id":"pub_1","name":"P","subscriptions":[{"email":"a@b.example"},{"email":"A@B.example"}]}]}}',
    'subscriptions[1] repeats',
  ],
  [
    '{"seed":{"publications":[{"id":"pub_1","name":"P","subscriptions":[{"email":"a@b.example","custom_fields":[{"name":"X","value":1}]}]}]}}',
    '"X" does not exist',
  ],
  ['[]', 'JSON object'],
  ['{', 'not valid JSON'],
])('a reset with %s is refused and changes nothing', async (body, says) => {
  const sandbox = fresh({ seed: 'demo' });
  sandbox.faults.add({ match: 'authors.list', effect: 'reset' });
  const answered = await control(sandbox, 'POST', '/reset', body);
  expect(answered.status).toBe(400);
  expect(sandbox.faults.list()).toHaveLength(1);
  expect(errorsOf(answered)[0]?.message).toContain(says);
  expect(await control(sandbox, 'GET', '/subscriptions')).toMatchObject({ body: { total: 300 } });
});

test('the log keeps method, path, operation, status and reasons of the last thousand requests', async () => {
  const sandbox = fresh();
  await send(sandbox, 'GET', `${subscriptionsPath}?limit=500&email=ada%40example.com`);
  const { body } = await control(sandbox, 'GET', '/requests');
  expect(body).toEqual({
    data: [
      {
        n: 1,
        time: '2026-11-04T12:00:00.000Z',
        method: 'GET',
        path: `/v2${subscriptionsPath}`,
        query: { limit: '500', email: '…' },
        operation: 'subscriptions.list',
        status: 400,
        milliseconds: expect.any(Number),
        reasons: ['"limit" must be at most 100.'],
        rule: 'MORE_THAN_MAXIMUM',
        faults: [],
        nearest: {
          request: 'GET /v2/publications/{publicationId}/subscriptions',
          change: [{ field: 'limit', to: 100 }],
        },
        repeats: null,
      },
    ],
  });
  for (let i = 0; i < 2100; i += 1) await sandbox.fetch('http://sandbox.test/v2/publications');
  expect(sandbox.requests()).toHaveLength(1000);
  expect(sandbox.requests().at(-1)?.n).toBe(2101);
  expect(await control(sandbox, 'GET', '/requests?after=2100')).toMatchObject({ body: { data: [{ n: 2101 }] } });
});

test('the event stream sends every request and change, in order, until it is closed', async () => {
  const sandbox = fresh();
  const response = await sandbox.fetch('http://sandbox.test/_sandbox/events');
  expect(response.headers.get('content-type')).toBe('text/event-stream');
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  const until = async (part: string): Promise<void> => {
    while (!text.includes(part)) {
      const { value, done } = await reader.read();
      if (done) throw new Error('The stream ended.');
      text += value;
    }
  };
  await create(sandbox, { email: 'ada@example.com' });
  sandbox.clock.advance(1000);
  sandbox.settle();
  await send(sandbox, 'GET', '/nowhere');
  sandbox.reset();
  await until('event: reset');
  const events = [...text.matchAll(/^data: (.*)$/gm)].map(([, json]) => JSON.parse(json ?? '') as SandboxEvent);
  expect(events.map((event) => event.type)).toEqual(['subscription', 'request', 'subscription', 'request', 'reset']);
  expect(events[0]).toMatchObject({
    change: 'created',
    subscription: { email: 'ada@example.com', status: 'validating', custom_fields: [] },
  });
  expect(events[2]).toMatchObject({ change: 'updated', subscription: { email: 'ada@example.com', status: 'active' } });
  expect(events[3]).toMatchObject({ request: { status: 404 } });
  await reader.cancel();
  await create(sandbox, { email: 'grace@example.com' });
});

test('an unknown control endpoint is a 404 that lists the endpoints', async () => {
  const answered = await control(fresh(), 'GET', '/nothing');
  expect(answered.status).toBe(404);
  expect(errorsOf(answered)[0]?.message).toContain('/_sandbox/reset');
});

test('keys and publications of another seed or snapshot replace the old ones, except where it is refused', async () => {
  const sandbox = fresh();
  const asks = async (key: string, id = publicationId) =>
    (await send(sandbox, 'GET', `/publications/${id}/subscriptions`, undefined, { Authorization: `Bearer ${key}` }))
      .status;
  expect([await asks('sandbox-key'), await asks('other-key')]).toEqual([200, 401]);
  const { id } = sandbox.snapshots.take();
  sandbox.reset({ keys: [{ key: 'other-key' }], publications: [{ id: 'pub_2', name: 'Two' }] });
  expect([await asks('sandbox-key'), await asks('other-key'), await asks('other-key', 'pub_2')]).toEqual([
    401, 404, 200,
  ]);
  expect(() =>
    sandbox.reset({
      publications: [
        { id: publicationId, name: 'P' },
        { id: publicationId, name: 'P' },
      ],
    }),
  ).toThrow('twice');
  expect([await asks('sandbox-key'), await asks('other-key'), await asks('other-key', 'pub_2')]).toEqual([
    401, 404, 200,
  ]);
  sandbox.snapshots.restore(id);
  expect([await asks('sandbox-key'), await asks('other-key')]).toEqual([200, 401]);
});
