/** How the host copes with what the HTTP helper of n8n 1 does differently. */
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

it('has an OAuth2 token refreshed once where 401s come back as answers, and sends again', async () => {
  let refreshed = 0;
  const context = contextOf([401, 401, 200, 200], () => Promise.resolve((refreshed += 1)));
  const host = createHost(context, 'newsletterOAuth2Api');
  const answers = await Promise.all([host.send(request), host.send(request)]);
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  expect(refreshed).toBe(1);
});

it('gives the 401 where there is no new token', async () => {
  const refused = contextOf([401], () => Promise.reject(new Error('invalid_grant')));
  expect(await createHost(refused, 'newsletterOAuth2Api').send(request)).toMatchObject({ status: 401 });
  const withKey = contextOf([401], () => Promise.resolve());
  expect(await createHost(withKey, 'newsletterApi').send(request)).toMatchObject({ status: 401 });
});

it.each([
  ['ECONNREFUSED', { failure: 'network', code: 'ECONNREFUSED' }],
  ['ETIMEDOUT', { failure: 'timeout', code: 'ETIMEDOUT' }],
  ['ERR_CANCELED', { failure: 'aborted', code: 'ERR_CANCELED' }],
  // The status of an answer that broke off.
  ['200', { failure: 'network', code: 'ECONNRESET' }],
])('knows a broken connection by the code alone: %s', async (httpCode, failure) => {
  const error = new NodeApiError(node as unknown as INode, { message: 'It failed.' } as JsonObject, { httpCode });
  await expect(
    createHost(
      contextOf([error], () => Promise.resolve()),
      'newsletterApi',
    ).send(request),
  ).rejects.toMatchObject(failure);
});
