/** The host with the HTTP helper of n8n 1, which returns a 401 as an answer and drops the cause of an error. */
import { NodeApiError, type IAllExecuteFunctions, type INode, type JsonObject } from 'n8n-workflow';
import { expect, it } from 'vitest';
import { createHost } from '../../../nodes/Newsletter/transport/host.ts';

const node = { id: 'n', name: 'Newsletter', type: 'newsletter', typeVersion: 1, position: [0, 0], parameters: {} };

/** A context whose helper answers with these, one after the other. */
function contextOf(answers: readonly (number | Error)[], refreshOAuth2Token: () => Promise<unknown>) {
  const left = [...answers];
  const context = {
    helpers: {
      refreshOAuth2Token,
      httpRequestWithAuthentication() {
        const answer = left.shift();
        if (typeof answer === 'number') return Promise.resolve({ statusCode: answer, headers: {}, body: '{}' });
        return Promise.reject(answer ?? new Error('One request too many.'));
      },
    },
  };
  return context as unknown as IAllExecuteFunctions;
}

const request = { method: 'GET', url: 'https://api.example.com/v2', headers: {}, timeoutMs: 1_000 } as const;

it('refreshes an OAuth2 token once for concurrent 401 answers, and sends the requests again', async () => {
  let refreshed = 0;
  const context = contextOf([401, 401, 200, 200], () => Promise.resolve((refreshed += 1)));
  const host = createHost(context, 'newsletterOAuth2Api');
  const answers = await Promise.all([host.send(request), host.send(request)]);
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  expect(refreshed).toBe(1);
});

it('returns the 401 answer where the token cannot be refreshed', async () => {
  const refused = contextOf([401], () => Promise.reject(new Error('invalid_grant')));
  expect(await createHost(refused, 'newsletterOAuth2Api').send(request)).toMatchObject({ status: 401 });
  const withKey = contextOf([401], () => Promise.resolve());
  expect(await createHost(withKey, 'newsletterApi').send(request)).toMatchObject({ status: 401 });
});

it('returns a second 401 answer after a refresh, without a third request', async () => {
  let refreshed = 0;
  const context = contextOf([401, 401], () => Promise.resolve((refreshed += 1)));
  expect(await createHost(context, 'newsletterOAuth2Api').send(request)).toMatchObject({ status: 401 });
  expect(refreshed).toBe(1);
});

it('repeats a request refused late with the token that another request refreshed', async () => {
  let refreshed = 0;
  let refuse = (): void => undefined;
  const late = new Promise<void>((resolve) => (refuse = resolve));
  const statuses = [late.then(() => 401), 401, 200, 200];
  const context = {
    helpers: {
      refreshOAuth2Token: () => Promise.resolve((refreshed += 1)),
      httpRequestWithAuthentication: async () => ({ statusCode: await statuses.shift(), headers: {}, body: '{}' }),
    },
  } as unknown as IAllExecuteFunctions;
  const host = createHost(context, 'newsletterOAuth2Api');
  const first = host.send(request);
  expect(await host.send(request)).toMatchObject({ status: 200 });
  refuse();
  expect(await first).toMatchObject({ status: 200 });
  expect(refreshed).toBe(1);
});

it('refreshes again where the refreshed token is refused later', async () => {
  let refreshed = 0;
  const context = contextOf([401, 200, 401, 200], () => Promise.resolve((refreshed += 1)));
  const host = createHost(context, 'newsletterOAuth2Api');
  expect([(await host.send(request)).status, (await host.send(request)).status]).toEqual([200, 200]);
  expect(refreshed).toBe(2);
});

it.each([
  ['ECONNREFUSED', { failure: 'network', code: 'ECONNREFUSED' }],
  ['ETIMEDOUT', { failure: 'timeout', code: 'ETIMEDOUT' }],
  ['ERR_CANCELED', { failure: 'aborted', code: 'ERR_CANCELED' }],
  // The status of a truncated answer.
  ['200', { failure: 'network', code: 'ECONNRESET' }],
])('recognizes a broken connection by its code: %s', async (httpCode, failure) => {
  const error = new NodeApiError(node as unknown as INode, { message: 'It failed.' } as JsonObject, { httpCode });
  await expect(
    createHost(
      contextOf([error], () => Promise.resolve()),
      'newsletterApi',
    ).send(request),
  ).rejects.toMatchObject(failure);
});
