/** What the environment says of a client, and what a client logs. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createClient, type ClientOptions } from '../src/index.ts';

const here = 'http://api.test/v2';

beforeEach(() => {
  for (const name of ['NEWSLETTER_API_URL', 'NEWSLETTER_API_KEY', 'NEWSLETTER_LOG']) vi.stubEnv(name, undefined);
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

/** Where a client sends its request, and with which authorization. */
async function sentBy(options: ClientOptions, status = 200) {
  const sent: (readonly [string, string | undefined])[] = [];
  const client = createClient({
    retry: false,
    ...options,
    async fetch(url, { headers }) {
      sent.push([new URL(url).origin, headers['authorization']]);
      const errors = [{ message: 'ada@example.com is unknown', code: 'X' }];
      return Response.json(status === 200 ? { data: [] } : { status, statusText: 'x', errors }, { status });
    },
  });
  const failed: unknown = await client.subscriptions.list({ publicationId: 'pub_1', email: 'ada@example.com' }).then(
    () => undefined,
    (error: unknown) => error,
  );
  return { sent, failed };
}

describe('address and key', () => {
  it('come from the environment together', async () => {
    vi.stubEnv('NEWSLETTER_API_URL', ` ${here}/ `);
    vi.stubEnv('NEWSLETTER_API_KEY', 'env-key');
    expect((await sentBy({})).sent).toEqual([['http://api.test', 'Bearer env-key']]);
    expect((await sentBy({ baseUrl: here })).sent).toEqual([['http://api.test', 'Bearer env-key']]);
    expect((await sentBy({ baseUrl: 'http://other.test/v2', token: 'own' })).sent).toEqual([
      ['http://other.test', 'Bearer own'],
    ]);
    expect((await sentBy({ token: () => 'made' })).sent).toEqual([['http://api.test', 'Bearer made']]);
  });

  it.each<[string, ClientOptions, string]>([
    [
      'the key of another host',
      { baseUrl: 'http://other.test/v2' },
      'NEWSLETTER_API_KEY belongs to NEWSLETTER_API_URL',
    ],
    ['the key of another path', { baseUrl: 'http://api.test/proxy/v2' }, 'which is not this baseUrl'],
    ['a token of its own to the address of the environment', { token: 'own' }, 'baseUrl must be an http(s) address'],
  ])('are not put together: %s', (_, options, text) => {
    vi.stubEnv('NEWSLETTER_API_URL', here);
    vi.stubEnv('NEWSLETTER_API_KEY', 'env-key');
    expect(() => createClient(options)).toThrow(text);
    expect(() => createClient(options)).not.toThrow(/env-key|own/);
  });

  it.each<[string, ClientOptions, string]>([
    ['nothing', {}, 'baseUrl (NEWSLETTER_API_URL) must be an http(s) address'],
    ['an address alone', { baseUrl: here }, 'token is missing: pass an API key'],
    ['an undefined key', { baseUrl: here, token: undefined }, 'token is missing'],
    ['an empty key', { baseUrl: here, token: '' }, 'token is missing'],
  ])('are asked for at once where there is %s', (_, options, text) => {
    expect(() => createClient(options)).toThrow(TypeError);
    expect(() => createClient(options)).toThrow(text);
  });

  it('are not asked for where a login signs requests', () => {
    const login = { clientId: 'c', redirectUri: 'http://localhost/cb' };
    expect(createClient({ baseUrl: here, appUrl: 'https://app.test', oauth: login }).engine).toBeDefined();
  });
});

describe('a log', () => {
  const client = { baseUrl: here, token: 'secret-key' };
  const lines = () => {
    const written: string[] = [];
    vi.spyOn(console, 'error').mockImplementation((line: string) => void written.push(line));
    return written;
  };

  it('has a line for each attempt, or for each that failed, without secrets and addresses', async () => {
    const written = lines();
    await sentBy(client);
    await sentBy({ ...client, logLevel: 'warn' });
    expect(written).toEqual([]);
    await sentBy({ ...client, logLevel: 'debug' });
    await sentBy({ ...client, logLevel: 'warn' }, 404);
    expect(written).toEqual([
      expect.stringMatching(/^newsletter: subscriptions.list: attempt 1 answered 200 after \d+ ms$/),
      expect.stringMatching(/^newsletter: subscriptions.list: attempt 1 answered 404 after \d+ ms$/),
    ]);
    expect(written.join()).not.toMatch(/secret|ada/);
  });

  it('is asked for by NEWSLETTER_LOG, and the option wins', async () => {
    const written = lines();
    vi.stubEnv('NEWSLETTER_LOG', 'debug');
    await sentBy({ ...client, logLevel: 'off' });
    await sentBy(client);
    expect(written).toHaveLength(1);
    vi.stubEnv('NEWSLETTER_LOG', 'loud');
    expect(() => createClient(client)).toThrow('logLevel (NEWSLETTER_LOG) must be off, warn, debug.');
  });
});
