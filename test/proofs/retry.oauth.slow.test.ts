/**
 * The OAuth operations under every fault, in the login flow and in a client with a login. The service revokes all
 * tokens of a grant if a code or refresh token is used twice. Introspection of the tokens, also of those whose answer
 * was lost, shows whether that happened. Time is virtual.
 *
 * `oauth.authorize` sends no request, only returns an address for a browser, so faults do not affect it.
 */
import { createClient, ForeignAnswerError, NetworkError, TimeoutError } from '@newsletter-kit/core';
import { operation } from '@newsletter-kit/core/contract';
import {
  createMemoryTokenStore,
  LoginRequiredError,
  OAuthError,
  scopesFor,
  type Authorization,
  type OAuthLogin,
  type TokenSet,
} from '@newsletter-kit/core/oauth';
import { consent, createSandbox, oauthClients, publicationId, type Sandbox } from '@newsletter-kit/sandbox';
import { beforeAll, describe, expect, test } from 'vitest';
import { createVirtualClock, virtualHost, type VirtualClock } from '../clock/virtual.ts';
import { faultNames, faults, lateBack, lateThere, type FaultName, type Way } from './faults.ts';

/** A complete login, and one whose code was returned but not exchanged yet. */
interface Stage {
  readonly clock: VirtualClock;
  readonly sandbox: Sandbox;
  readonly tokens: TokenSet;
  readonly pending: { readonly callback: URL; readonly login: Authorization };
  /** An app whose requests go through `way`. */
  readonly app: (way?: Way) => OAuthLogin;
}

const appUrl = 'http://127.0.0.1:4010';

/** Time passes while the service answers if there is a `way`, because `way` sleeps on the same clock. */
function hostOf({ clock, sandbox }: Pick<Stage, 'clock' | 'sandbox'>, way?: Way) {
  return virtualHost(clock, way ? way(sandbox.fetch) : sandbox.fetch, { passing: way !== undefined });
}

async function onStage(act: (stage: Stage) => Promise<void>): Promise<void> {
  const clock = createVirtualClock();
  const sandbox = createSandbox({ seed: 'demo', now: clock.now });
  const app: Stage['app'] = (way) =>
    createClient({
      baseUrl: `${appUrl}/v2`,
      appUrl,
      host: hostOf({ clock, sandbox }, way),
      oauth: {
        clientId: oauthClients.public.uid,
        redirectUri: 'http://127.0.0.1:53682/callback',
        scopes: scopesFor(['subscriptions.list']),
      },
    }).oauth;
  const logInAndConsent = async () => {
    const login = await app().startLogin();
    return { login, callback: await consent(sandbox.fetch, login.url) };
  };
  const prepare = async (): Promise<Stage> => {
    const first = await clock.during(logInAndConsent);
    const tokens = await app().finishLogin(first.callback, first.login);
    return { clock, sandbox, app, tokens, pending: await clock.during(logInAndConsent) };
  };
  try {
    await clock.run(prepare().then(act));
  } finally {
    sandbox.close();
  }
}

/** The tokens of the next grant: the sandbox issues the same tokens in the same order in each run. */
let next: TokenSet;
beforeAll(() =>
  onStage(async ({ app, pending: { callback, login } }) => {
    next = await app().finishLogin(callback, login);
  }),
);

/** The validity of the tokens of the login and of the next grant. */
async function goodTokens({ app, tokens }: Pick<Stage, 'app' | 'tokens'>) {
  const good = async (token: string | null) => (await app().introspectToken(token ?? '')).active;
  return {
    access: await good(tokens.accessToken),
    refresh: await good(tokens.refreshToken),
    nextAccess: await good(next.accessToken),
    nextRefresh: await good(next.refreshToken),
  };
}

const applied = ({ sandbox }: Stage, id: string): number =>
  sandbox.requests().filter((entry) => entry.operation === id && entry.status === 200).length;
const failure = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => expect.fail('It succeeded.'),
    (error: unknown) => error,
  );

/** The outcome of a request that must not be repeated. */
type Fate = 'granted' | 'rejected, and not granted' | 'rejected, although granted' | 'revoked because of the duplicate';
const fates: Readonly<Record<FaultName, Fate>> = {
  'connection reset before the request was applied': 'rejected, and not granted',
  'connection reset twice': 'rejected, and not granted',
  'applied, and the answer is lost': 'rejected, although granted',
  'applied, and the answer is lost twice': 'rejected, although granted',
  'applied, and the answer is cut off': 'rejected, although granted',
  'sent twice by a proxy': 'revoked because of the duplicate',
  slow: 'granted',
  '429': 'granted',
  '429 with Retry-After': 'granted',
  '503': 'granted',
  '503 of a proxy': 'granted',
  '500': 'rejected, and not granted',
  '500 without a body': 'rejected, and not granted',
  '502 of a proxy': 'rejected, and not granted',
};
const rows = faultNames.map((name) => [name, fates[name]] as const);

/** The two grants: the call, and the valid tokens before and after it. */
const before = { access: true, refresh: true, nextAccess: false, nextRefresh: false };
const grants = {
  'oauth.exchange': {
    make: (app: OAuthLogin, { pending: { callback, login } }: Stage) => app.finishLogin(callback, login),
    granted: { ...before, nextAccess: true, nextRefresh: true },
    ended: before,
  },
  'oauth.refresh': {
    make: (app: OAuthLogin, { tokens }: Stage) => app.refreshTokens(tokens),
    granted: { access: false, refresh: false, nextAccess: true, nextRefresh: true },
    ended: { access: false, refresh: false, nextAccess: false, nextRefresh: false },
  },
} as const;
const times = (tokens: TokenSet) => ({ ...tokens, issuedAt: null, expiresAt: null });

describe.each(Object.entries(grants))('%s', (id, { make, granted, ended }) => {
  test.each(rows)('%s: %s', async (name, fate) => {
    await onStage(async (stage) => {
      const { sandbox, app } = stage;
      const once = applied(stage, id) + 1;
      sandbox.faults.add({ ...faults[name], match: id });
      const made = make(app(), stage);
      if (fate === 'granted' || fate === 'revoked because of the duplicate')
        expect(times(await made)).toEqual(times(next));
      else expectUnknown(await failure(made));
      sandbox.faults.clear();
      expect(await goodTokens(stage)).toEqual(
        {
          granted: granted,
          'rejected, although granted': granted,
          'rejected, and not granted': before,
          'revoked because of the duplicate': ended,
        }[fate],
      );
      if (fate !== 'rejected, and not granted') return expect(applied(stage, id)).toBe(once);
      // Neither code nor refresh token was used: the next request is granted.
      expect(times(await make(app(), stage))).toEqual(times(next));
      expect(await goodTokens(stage)).toEqual(granted);
    });
  });

  test.each([
    ['applied, and the answer arrives after the timeout', lateBack],
    ['applied after the timeout', lateThere],
  ] as const)('%s: rejected, although granted', async (_, late) => {
    await onStage(async (stage) => {
      expect(await failure(make(stage.app(late(stage.clock)), stage))).toBeInstanceOf(TimeoutError);
      await stage.clock.sleep(90_000);
      expect(await goodTokens(stage)).toEqual(granted);
    });
  });
});

/** Expects an error that does not say whether the request was applied, and contains no token. */
function expectUnknown(error: unknown): void {
  if (error instanceof OAuthError || error instanceof ForeignAnswerError)
    expect(error.status).toBeGreaterThanOrEqual(500);
  else expect(error).toMatchObject({ name: NetworkError.name, notSent: false });
  for (const secret of [next.accessToken, next.refreshToken]) expect(String(error)).not.toContain(secret);
}

/** The operations that may be repeated. */
const repeated = {
  'oauth.revoke': {
    make: (app: OAuthLogin, { tokens }: Stage): Promise<unknown> => app.revokeTokens(tokens),
    left: { ...before, access: false, refresh: false },
  },
  'oauth.introspect': {
    make: (app: OAuthLogin, { tokens }: Stage): Promise<unknown> => app.introspectToken(tokens.accessToken),
    left: before,
  },
  'oauth.tokenInfo': {
    make: async (app: OAuthLogin, { tokens }: Stage): Promise<unknown> => {
      const info = await app.readTokenInfo(tokens.accessToken);
      // The expiry is computed from the time of the call: a retry makes it earlier, and rounding later by a second.
      expect(info.expiresAt).toBeLessThanOrEqual((tokens.expiresAt ?? 0) + 1_000);
      return { ...info, expiresAt: null };
    },
    left: before,
  },
} as const;

describe.each(Object.entries(repeated))('%s', (id, { make, left }) => {
  let withoutFault: unknown;
  beforeAll(() =>
    onStage(async (stage) => {
      withoutFault = await make(stage.app(), stage);
    }),
  );

  test.each(faultNames)('%s: is applied and answered', async (name) => {
    await onStage(async (stage) => {
      stage.sandbox.faults.add({ ...faults[name], match: id });
      expect(await make(stage.app(), stage)).toEqual(withoutFault);
      stage.sandbox.faults.clear();
      expect(await goodTokens(stage)).toEqual(left);
    });
  });

  test.each([
    ['applied, and the answer arrives after the timeout', lateBack],
    ['applied after the timeout', lateThere],
  ] as const)('%s: is applied and answered', async (_, late) => {
    await onStage(async (stage) => {
      expect(await make(stage.app(late(stage.clock)), stage)).toEqual(withoutFault);
      await stage.clock.sleep(90_000);
      expect(await goodTokens(stage)).toEqual(left);
    });
  });
});

describe('a client with a login', () => {
  test.each(rows)('refreshes it, %s: %s', async (name, fate) => {
    await onStage(async (stage) => {
      const { clock, sandbox, app, tokens } = stage;
      const store = createMemoryTokenStore(tokens);
      const token = app().tokenSource(store);
      const client = createClient({ baseUrl: `${appUrl}/v2`, publicationId, host: hostOf(stage), token });
      const read = async (): Promise<number> => (await client.subscriptions.list()).items.length;
      await clock.sleep(2 * 3_600_000);
      sandbox.faults.add({ ...faults[name], match: 'oauth.refresh' });
      // Concurrent calls have the same outcome.
      const [first, another] = await Promise.allSettled([read(), read()]);
      expect(another.status).toBe(first.status);
      sandbox.faults.clear();
      switch (fate) {
        case 'granted':
          expect(first).toMatchObject({ value: 10 });
          expect(times((await store.load()) ?? tokens)).toEqual(times(next));
          break;
        case 'rejected, and not granted':
          expect(first.status).toBe('rejected');
          expect(await read()).toBe(10);
          break;
        // The granted tokens are lost and the old ones revoked: a new login is required.
        case 'rejected, although granted':
          expect(first.status).toBe('rejected');
          expect(await failure(read())).toBeInstanceOf(LoginRequiredError);
          break;
        case 'revoked because of the duplicate':
          expect(first).toMatchObject({ reason: { name: LoginRequiredError.name } });
          break;
      }
      expect(applied(stage, 'oauth.refresh')).toBe(1);
    });
  });
});

test('oauth.authorize sends no request', async () => {
  await onStage(async ({ sandbox, app, clock }) => {
    const sent = sandbox.requests().length;
    for (const name of faultNames) {
      sandbox.faults.add({ ...faults[name], match: '*' });
      const { url, state } = await clock.during(() => app().startLogin());
      expect(new URL(url).pathname).toBe(operation('oauth.authorize').path);
      expect(new URL(url).searchParams.get('state')).toBe(state);
    }
    expect(sandbox.requests()).toHaveLength(sent);
    expect(sandbox.faults.list().every(({ seen }) => seen === 0)).toBe(true);
  });
});
