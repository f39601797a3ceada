/** Bodies that are taken or refused for their content type, encoding or size, or for more problems than are named. */
import { expect, test } from 'vitest';
import { apiKeys } from '../../src/index.ts';
import { errorsOf, fresh, send, subscriptionsPath } from '../caller.ts';

test('application/json is accepted with parameters and in any case', async () => {
  for (const type of ['application/json', 'Application/JSON; charset=utf-8', 'application/json ;charset="utf-8"']) {
    const body = { email: 'ada@example.com' };
    expect((await send(fresh(), 'POST', subscriptionsPath, body, { 'Content-Type': type })).status).toBe(200);
  }
});

test('refuses a body without a content type', async () => {
  const answer = await fresh().fetch(`http://sandbox.test/v2${subscriptionsPath}`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${apiKeys.workspace}` },
    body: new TextEncoder().encode('{}'),
  });
  expect(await answer.json()).toMatchObject({
    status: 400,
    errors: [
      { message: 'The Content-Type must be application/json; the request has none.', code: 'INVALID_CONTENT_TYPE' },
    ],
  });
});

test('refuses a body that is not UTF-8', async () => {
  const answer = await fresh().fetch(`http://sandbox.test/v2${subscriptionsPath}`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${apiKeys.workspace}`, 'Content-Type': 'application/json' },
    body: new Uint8Array([0x7b, 0xff, 0x7d]),
  });
  expect(await answer.json()).toMatchObject({
    errors: [{ message: 'The body is not valid UTF-8.', code: 'INVALID_ENCODING' }],
  });
});

test('refuses a body whose Content-Length is more than 8 MiB before it reads the body', async () => {
  const sandbox = fresh();
  const post = (length: number) =>
    send(sandbox, 'POST', subscriptionsPath, { email: 'ada@example.com' }, { 'Content-Length': String(length) });
  expect((await post(8 * 1024 * 1024)).status).toBe(200);
  expect((await post(8 * 1024 * 1024 + 1)).status).toBe(413);
});

test('counts a chunked body while it reads it: more than 8 MiB are refused, exactly that length is taken', async () => {
  const sandbox = fresh();
  let chunks = 0;
  const post = (length: number) => {
    const text = `{"email":"ada@example.com"}`.padEnd(length);
    const size = 1024 * 1024;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        const chunk = text.slice(chunks * size, (chunks + 1) * size);
        if (chunk === '') return controller.close();
        chunks += 1;
        controller.enqueue(new TextEncoder().encode(chunk));
      },
    });
    chunks = 0;
    const headers = {
      Authorization: `Bearer ${apiKeys.workspace}`,
      'Content-Type': 'application/json',
      'Transfer-Encoding': 'chunked',
    };
    const init = { method: 'POST', headers, body, duplex: 'half' } as const;
    return sandbox.fetch(`http://sandbox.test/v2${subscriptionsPath}`, init);
  };
  const limit = 8 * 1024 * 1024;
  const accepted = await post(limit);
  expect([accepted.status, await accepted.json()]).toEqual([
    200,
    expect.objectContaining({ data: expect.objectContaining({ email: 'ada@example.com' }) as object }),
  ]);
  expect((await post(limit + 1)).status).toBe(413);
  expect((await post(2 * limit)).status).toBe(413);
  expect(chunks).toBeLessThan(12);
});

test('refuses a body that announces more than 8 MiB, and takes one of exactly that length', async () => {
  const sandbox = fresh();
  const post = (length: number) =>
    send(sandbox, 'POST', subscriptionsPath, `{"email":"ada@example.com"}`.padEnd(length));
  const limit = 8 * 1024 * 1024;
  expect((await post(limit)).status).toBe(200);
  const answered = await post(limit + 1);
  expect(answered.status).toBe(413);
  expect(errorsOf(answered)).toEqual([
    { message: 'The body is larger than 8 MiB; send fewer items at once.', code: 'PAYLOAD_TOO_LARGE' },
  ]);
});

test('names at most 20 problems of a body', async () => {
  const custom_fields = Array.from({ length: 25 }, () => 'x');
  const answered = await send(fresh(), 'POST', subscriptionsPath, { email: 'ada@example.com', custom_fields });
  expect(errorsOf(answered).map(({ message }) => message)).toEqual(
    Array.from({ length: 20 }, (_, index) => `"custom_fields[${index}]" must be a JSON object.`),
  );
});
