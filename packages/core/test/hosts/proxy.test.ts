/** Requests through a proxy on real sockets: https in a tunnel, http without one. */
import { inspect } from 'node:util';
import { EnvHttpProxyAgent, getGlobalDispatcher, setGlobalDispatcher } from 'undici';
import { expect, it, onTestFinished, vi } from 'vitest';
import { missingProxy, proxiedHost, startProxy, type Proxy } from '../../../../test/support/proxy.ts';
import { createClient } from '../../src/index.ts';

/** Sends all requests of `fetch` through a proxy, as Node does with `NODE_USE_ENV_PROXY=1`. */
function useProxy(url: string, { certificate: ca }: Partial<Proxy> = {}): void {
  for (const name of ['https_proxy', 'http_proxy', 'no_proxy']) vi.stubEnv(name, undefined);
  vi.stubEnv('HTTPS_PROXY', url);
  vi.stubEnv('HTTP_PROXY', url);
  vi.stubEnv('NO_PROXY', 'localhost, .0.0.1');
  const before = getGlobalDispatcher();
  const agent = new EnvHttpProxyAgent({ proxyTunnel: false, requestTls: { ca } });
  setGlobalDispatcher(agent);
  onTestFinished(async () => {
    setGlobalDispatcher(before);
    vi.unstubAllEnvs();
    await agent.destroy();
  });
}

const attempts: number[] = [];
function enroll(scheme: 'http' | 'https', retries = 0, timeoutMs = 5000): Promise<unknown> {
  attempts.length = 0;
  return createClient({
    baseUrl: `${scheme}://${proxiedHost}/v2`,
    token: 'sandbox-key',
    publicationId: 'pub_1',
    timeoutMs,
    validate: false,
    retry: { retries, minDelayMs: 1 },
    onAttempt: ({ attempt }) => attempts.push(attempt),
  })
    .journeys.enroll({ automationId: 'aut_1', subscription_id: 'sub_1' })
    .catch((error: unknown) => error);
}

const uncertain = /may have been carried out|Whether it has happened is unknown/;
const hostOf = (url: string): string => new URL(url).host;

it.each(['http', 'https'] as const)('reaches the service through the proxy, by %s', async (scheme) => {
  const proxy = await startProxy('leads', (request, response) => {
    expect(request.headers['proxy-authorization'] === undefined).toBe(scheme === 'https');
    response.end('{"data":{"id":"aj_1"}}');
  });
  useProxy(proxy.url, proxy);
  expect(await enroll(scheme)).toMatchObject({ data: { id: 'aj_1' } });
  const path = '/v2/publications/pub_1/automations/aut_1/journeys';
  expect(proxy.seen).toEqual([
    scheme === 'https' ? `CONNECT ${proxiedHost}:443 ada:s3cret` : `POST http://${proxiedHost}${path} ada:s3cret`,
  ]);
});

it.each([403, 407])('names the proxy that refuses a tunnel with %i, after one attempt', async (status) => {
  const proxy = await startProxy(status, () => expect.fail('It reached the service.'));
  useProxy(proxy.url);
  const error = await enroll('https', 3);
  expect(error).toMatchObject({ name: 'ConfigurationError', code: `ERR_PROXY_${status}`, cause: { notSent: true } });
  expect(String(error)).toContain(`Check the proxy ${hostOf(proxy.url)} too.`);
  expect(String(error)).not.toMatch(uncertain);
  expect(inspect(error, { depth: 9 })).not.toContain('s3cret');
  expect(attempts).toEqual([1]);
});

it.each([502, 503])('repeats a call whose tunnel was refused with %i: it was not sent', async (status) => {
  const proxy = await startProxy(status, () => expect.fail('It reached the service.'));
  useProxy(proxy.url);
  const error = await enroll('https', 2);
  expect(error).toMatchObject({ name: 'NetworkError', code: `ERR_PROXY_${status}`, notSent: true });
  expect(String(error)).toContain(`Check the proxy ${hostOf(proxy.url)} too.`);
  expect(String(error)).not.toMatch(uncertain);
  expect(attempts).toEqual([1, 2, 3]);
});

it('repeats a call whose tunnel broke off before TLS was established: it was not sent', async () => {
  const proxy = await startProxy('closes', () => expect.fail('It reached the service.'));
  useProxy(proxy.url);
  const error = await enroll('https', 2);
  expect(error).toMatchObject({ name: 'NetworkError', code: 'ECONNRESET', notSent: true });
  expect(String(error)).toContain(`Check the proxy ${hostOf(proxy.url)} too.`);
  expect(String(error)).not.toMatch(uncertain);
  expect(attempts).toEqual([1, 2, 3]);
});

it('names the proxy that asks for a password, by http', async () => {
  const proxy = await startProxy(407, () => {});
  useProxy(proxy.url);
  const error = await enroll('http', 3);
  expect(String(error)).toMatch(/HTTPS_PROXY or HTTP_PROXY/);
  expect(String(error)).not.toMatch(uncertain);
  expect(attempts).toEqual([1]);
});

it.each(['http', 'https'] as const)('names the proxy where nobody listens, by %s', async (scheme) => {
  const url = await missingProxy();
  useProxy(url);
  const error = await enroll(scheme);
  expect(error).toMatchObject({ name: 'NetworkError', code: 'ECONNREFUSED', notSent: true });
  expect(String(error)).toContain(`Check the proxy ${hostOf(url)} too.`);
  expect(inspect(error, { depth: 9 })).not.toContain('s3cret');
});

it.each(['http', 'https'] as const)('names the proxy that does not answer in time, by %s', async (scheme) => {
  const { url } = await startProxy('silent', () => {});
  useProxy(url);
  const error = await enroll(scheme, 0, 200);
  expect(error).toMatchObject({ name: 'TimeoutError' });
  expect(String(error)).toContain(`Check the proxy ${hostOf(url)} too.`);
});

it.each(['localhost', '127.0.0.1'])('names no proxy for the host %s, which NO_PROXY lists', async (host) => {
  const url = await missingProxy();
  useProxy(url);
  const baseUrl = `http://${host}:${new URL(url).port}/v2`;
  const client = createClient({ baseUrl, token: 'k', publicationId: 'pub_1', retry: false });
  const error: unknown = await client.customFields.list().catch((reason: unknown) => reason);
  expect(error).toMatchObject({ name: 'NetworkError', notSent: true });
  expect(String(error)).not.toContain('proxy');
});
