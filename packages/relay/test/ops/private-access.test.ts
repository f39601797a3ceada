/** Metrics, details of readiness, operator's page and API: a token opens them, or an address of their own. */
import { expect, it } from 'vitest';
import { StoreUnavailableError } from '../../src/errors.ts';
import { changedStore } from '../changed-store.ts';
import { operatorRequest, operatorToken, type RelayParts, runRelay } from '../running-relay.ts';

const paths = ['/metrics', '/operator', '/operator/api/status', '/readyz'];
const reason = 'The store cannot be written: the disk is full.';

/** The statuses of the private routes, and whether readiness says why it fails. */
async function shown(
  parts: RelayParts,
  door: 'fetch' | 'fetchPrivate' = 'fetch',
  { token, headers, host = 'relay.example' }: { token?: string; headers?: Record<string, string>; host?: string } = {},
): Promise<readonly unknown[]> {
  const { store } = runRelay();
  const probe = () => Promise.reject(new StoreUnavailableError(reason));
  const relay = runRelay({ ...parts, store: changedStore(store, { probe }) });
  const answers = await Promise.all(
    paths.map((path) => {
      const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
      return relay[door](new Request(`http://${host}${path}`, { headers: { ...headers, ...authorization } }));
    }),
  );
  return [...answers.map(({ status }) => status), (await answers[3]?.text())?.includes(reason)];
}

const closed = [404, 404, 404, 503, false];
const refused = [401, 200, 401, 503, false];
const open = [200, 200, 200, 503, true];
const settings = { RELAY_OPERATOR_LISTEN: '127.0.0.1:9464' };
const none = { operatorToken: undefined };

it.each<[string, Parameters<typeof shown>, readonly unknown[]]>([
  ['with the token', [{}, 'fetch', { token: operatorToken }], open],
  ['without the token that is set', [{}], refused],
  ['with another token', [{}, 'fetch', { token: 'wrong' }], refused],
  ['with neither token nor address', [none], closed],
  ['beside the forms, where they have an address of their own', [{ ...none, settings }], closed],
  ['beside the forms with the token, where they have one', [{ settings }, 'fetch', { token: operatorToken }], closed],
  [
    'at their own address, which needs no token',
    [{ ...none, settings }, 'fetchPrivate', { host: '10.1.2.3:9464' }],
    open,
  ],
  ['at it by the name of a machine', [{ ...none, settings }, 'fetchPrivate', { host: 'relay:9464' }], open],
  ['at it without the token that is set', [{ settings }, 'fetchPrivate'], refused],
  ['at it with the token', [{ settings }, 'fetchPrivate', { token: operatorToken }], open],
  [
    'at it by a public name, as after DNS rebinding',
    [{ ...none, settings }, 'fetchPrivate'],
    [404, 200, 404, 503, false],
  ],
  [
    'at it from a page of another site',
    [{ ...none, settings }, 'fetchPrivate', { host: '127.0.0.1:9464', headers: { origin: 'https://evil.example' } }],
    [404, 200, 404, 503, false],
  ],
])('answer %s', async (_case, asked, expected) => {
  expect(await shown(...asked)).toEqual(expected);
});

it('are named with their settings at the start where nothing opens them', () => {
  const relay = runRelay(none);
  relay.start();
  expect(relay.logged.join('')).toMatch(/RELAY_OPERATOR_TOKEN opens them, or RELAY_OPERATOR_LISTEN/);
  const other = runRelay();
  other.start();
  expect(other.logged.join('')).not.toContain('RELAY_OPERATOR_LISTEN');
});

it('have nothing else beside them at their own address', async () => {
  const relay = runRelay({ settings });
  expect((await relay.fetchPrivate(operatorRequest('/signup'))).status).toBe(404);
  expect((await relay.fetchPrivate(operatorRequest('/livez'))).status).toBe(200);
});
