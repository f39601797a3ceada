import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test, vi } from 'vitest';
import { settle } from '../../src/api/api.ts';
import { ApiError, toApiError } from '../../src/http/errors.ts';
import { apiKeys, createSandbox, publicationId } from '../../src/index.ts';
import { create, errorsOf, fresh, send, subscriptionsPath } from '../caller.ts';

test('the scheme Bearer is accepted in any case', async () => {
  expect(
    (await send(fresh(), 'GET', subscriptionsPath, undefined, { Authorization: `bearer ${apiKeys.workspace}` })).status,
  ).toBe(200);
});

test('an unknown publication, and one that the key gives no access to, are both not found', async () => {
  const other = 'pub_00000000-0000-4000-8000-000000000002';
  const sandbox = fresh({
    seed: {
      publications: [
        { id: publicationId, name: 'A' },
        { id: other, name: 'B' },
      ],
    },
  });
  const restricted = { Authorization: `Bearer ${apiKeys.restricted}` };
  const unknown = await send(sandbox, 'GET', '/publications/pub_none/subscriptions');
  const unreachable = await send(sandbox, 'GET', `/publications/${other}/subscriptions`, undefined, restricted);
  expect([unknown.status, unreachable.status]).toEqual([404, 404]);
  expect(errorsOf(unreachable)).toEqual(errorsOf(unknown));
  expect((await send(sandbox, 'GET', `/publications/${other}/subscriptions`)).status).toBe(200);
  expect((await send(sandbox, 'GET', subscriptionsPath, undefined, restricted)).status).toBe(200);
});

const path = subscriptionsPath;
test('explains in the log which parameters and keys were ignored', async () => {
  const sandbox = fresh();
  await send(sandbox, 'GET', `${subscriptionsPath}?colour=blue&limit=1`);
  await send(sandbox, 'POST', subscriptionsPath, { email: 'ada@example.com', colour: 1, custom_fields: [{ hue: 2 }] });
  await send(sandbox, 'GET', `/publications/${publicationId}/condition_sets/x?expand[]=stats`);
  expect(sandbox.requests().map(({ reasons }) => reasons)).toEqual([
    ['The query parameter "colour" is not known here and was ignored.'],
    expect.arrayContaining([
      '"colour" is not known here and was ignored.',
      '"custom_fields[0].hue" is not known here and was ignored.',
      'Created a subscription with status validating.',
      '"custom_fields[0]" has no name; its value was dropped.',
    ]),
    ['There is no active condition set with this id on this publication.'],
  ]);
});

test('a HEAD is answered like a GET, without a body', async () => {
  const answer = await fresh().fetch(`http://sandbox.test/v2${path}`, {
    method: 'HEAD',
    headers: { Authorization: `Bearer ${apiKeys.workspace}` },
  });
  expect([answer.status, await answer.text()]).toEqual([200, '']);
});

/** The error that SQLite throws when its disk is full. */
function diskFull(): unknown {
  const database = new DatabaseSync(':memory:');
  onTestFinished(() => database.close());
  database.exec('CREATE TABLE t (x); PRAGMA max_page_count = 2');
  try {
    database.prepare('INSERT INTO t VALUES (?)').run('x'.repeat(100_000));
  } catch (error) {
    return error;
  }
  throw new Error('Two pages hold no 100,000 characters.');
}

test('a full disk is answered with 503, any other error with 500 and a report on the terminal', () => {
  const printed = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  onTestFinished(() => printed.mockRestore());
  expect(toApiError(diskFull())).toMatchObject({
    status: 503,
    details: [
      {
        code: 'STORAGE_UNAVAILABLE',
        message:
          'The sandbox could not write to its database, so it stored nothing of this request. Free some disk space, then send the request again.',
      },
    ],
  });
  expect(printed).not.toHaveBeenCalled();
  expect(toApiError(new Error('a bug'))).toMatchObject({
    status: 500,
    details: [
      {
        code: 'INTERNAL_ERROR',
        message: 'The sandbox failed because of a bug. Its terminal shows the error. Please report it.',
      },
    ],
  });
  expect(printed.mock.calls.join()).toMatch(/Error: a bug\n {4}at .*\n/);
});

test('on a full disk, scheduled events stay due, and a request that only reads is answered', () => {
  const failing = (error: unknown) => ({
    settle(): never {
      throw error;
    },
  });
  expect(() => settle(failing(diskFull()))).not.toThrow();
  expect(() => settle(failing(new Error('a bug')))).toThrow('a bug');
});

test('an error of the API names its reasons in its message', () => {
  const details = [
    { message: 'One.', code: 'A' },
    { message: 'Two.', code: 'B' },
  ];
  expect(new ApiError(400, details)).toMatchObject({ name: 'ApiError', message: 'One. Two.' });
});

test('what becomes due while a body is read precedes the request', async () => {
  const sandbox = fresh();
  await create(sandbox, { email: 'ada@example.com' });
  const init = {
    method: 'POST',
    headers: { Authorization: `Bearer ${apiKeys.workspace}`, 'Content-Type': 'application/json' },
    body: new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          sandbox.clock.advance('PT1M');
          controller.enqueue(new TextEncoder().encode('{"email":"ada@example.com"}'));
          controller.close();
        },
      },
      { highWaterMark: 0 },
    ),
    duplex: 'half',
  } as const;
  const answer = await sandbox.fetch(`http://sandbox.test/v2${path}`, init);
  expect(await answer.json()).toMatchObject({ data: { status: 'active' } });
});

test('a 405 lists the supported methods in Allow', async () => {
  expect((await send(fresh(), 'DELETE', path)).headers.get('allow')?.split(', ').toSorted()).toEqual([
    'GET',
    'PATCH',
    'POST',
    'PUT',
  ]);
});

test('errors and the log contain no address and no token', async () => {
  const sandbox = fresh();
  const answers = [
    await send(sandbox, 'POST', path, '{"email":"secret.person@example.com"'),
    await send(sandbox, 'POST', path, { email: 'secret.person@example.com', utm_source: 1 }),
    await send(sandbox, 'POST', path, { email: 'secret.person' }),
    await send(sandbox, 'GET', `${path}?email=secret.person%40example.com&token=hush`),
    await send(sandbox, 'GET', `/publications/${publicationId}/subscriptions/by_email/secret.person%40example.com`),
    await send(sandbox, 'GET', path, undefined, { Authorization: 'Bearer hush' }),
  ];
  expect(JSON.stringify([answers.map((answer) => answer.body), sandbox.requests()])).not.toMatch(
    /secret\.person|hush|sandbox-key/,
  );
  expect(sandbox.requests()).toHaveLength(6);
});

test('a closed sandbox answers 503', async () => {
  const sandbox = createSandbox();
  await create(sandbox, { email: 'ada@example.com' });
  sandbox.close();
  sandbox.close();
  expect((await send(sandbox, 'GET', path)).status).toBe(503);
});
