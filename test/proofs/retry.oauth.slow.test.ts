/**
 * The OAuth operations under every fault, through the login flow and through a client that lives from a login. A code
 * or a refresh token that comes a second time ends everything that was granted with it, so the sandbox's state tells
 * whether one did: tokens are asked for by introspection, those whose answer was lost included. Time is virtual.
 *
 * `oauth.authorize` is no request: it gives an address that a browser visits, so nothing can go wrong on its way.
 */
import { createClient, NetworkError, TimeoutError } from '@newsletter-kit/core';
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

/** A login that has ended well, and one whose code has come back but was not exchanged yet. */
interface Stage {
  readonly clock: VirtualClock;
  readonly sandbox: Sandbox;
  readonly tokens: TokenSet;
  readonly pending: { readonly callback: URL; readonly login: Authorization };
  /** An app whose requests go through `way`. */
  readonly app: (way?: Way) => OAuthLogin;
}

const appUrl = 'http://127.0.0.1:4010';

/** @param passing - whether time passes while the service is at work, because `way` sleeps on the same clock */
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
  const agree = async () => {
    const login = await app().startLogin();
    return { login, callback: await consent(sandbox.fetch, login.url) };
  };
  const prepare = async (): Promise<Stage> => {
    const first = await clock.during(agree);
    const tokens = await app().finishLogin(first.callback, first.login);
    return { clock, sandbox, app, tokens, pending: await clock.during(agree) };
  };
  try {
    await clock.run(prepare().then(act));
  } finally {
    sandbox.close();
  }
}

/** What is granted next, whoever asks for it and however: the sandbox chooses tokens in the same order in each run. */
let next: TokenSet;
beforeAll(() =>
  onStage(async ({ app, pending: { callback, login } }) => {
    next = await app().finishLogin(callback, login);
  }),
);

/** Which tokens are good: of the login that stood, and of the one that was granted next. */
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

/** What becomes of what may be sent once. */
type Fate =
  | 'granted'
  | 'not granted, and nobody says it was'
  | 'granted, and nobody knows'
  | 'ended by the one who doubled it';
const fates: Readonly<Record<FaultName, Fate>> = {
  'reset before it was applied': 'not granted, and nobody says it was',
  'reset twice': 'not granted, and nobody says it was',
  'applied, and the answer lost': 'granted, and nobody knows',
  'applied, and the answer lost twice': 'granted, and nobody knows',
  'applied, and the answer cut off': 'granted, and nobody knows',
  'applied twice by what lies between': 'ended by the one who doubled it',
  slow: 'granted',
  '429': 'granted',
  '429 with Retry-After': 'granted',
  '503': 'granted',
  '503 of a proxy': 'granted',
  '500': 'not granted, and nobody says it was',
  '500 without a body': 'not granted, and nobody says it was',
  '502 of a proxy': 'not granted, and nobody says it was',
};
const rows = faultNames.map((name) => [name, fates[name]] as const);

/** The two grants: what asks for one, and what is good before and after. */
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
      if (fate === 'granted' || fate === 'ended by the one who doubled it')
        expect(times(await made)).toEqual(times(next));
      else expectUnknown(await failure(made));
      sandbox.faults.clear();
      expect(await goodTokens(stage)).toEqual(
        {
          granted: granted,
          'granted, and nobody knows': granted,
          'not granted, and nobody says it was': before,
          'ended by the one who doubled it': ended,
        }[fate],
      );
      if (fate !== 'not granted, and nobody says it was') return expect(applied(stage, id)).toBe(once);
      // Nothing was used up: whoever asks once more is granted it.
      expect(times(await make(app(), stage))).toEqual(times(next));
      expect(await goodTokens(stage)).toEqual(granted);
    });
  });

  test.each([
    ['applied, but the answer takes longer than anyone waits', lateBack],
    ['on its way for longer than anyone waits', lateThere],
  ] as const)('%s: granted, and nobody knows', async (_, late) => {
    await onStage(async (stage) => {
      expect(await failure(make(stage.app(late(stage.clock)), stage))).toBeInstanceOf(TimeoutError);
      await stage.clock.sleep(90_000);
      expect(await goodTokens(stage)).toEqual(granted);
    });
  });
});

/** An error that leaves open whether it has happened, and holds no token. */
function expectUnknown(error: unknown): void {
  if (error instanceof OAuthError) expect(error.status).toBeGreaterThanOrEqual(500);
  else expect(error).toMatchObject({ name: NetworkError.name, notSent: false });
  for (const secret of [next.accessToken, next.refreshToken]) expect(String(error)).not.toContain(secret);
}

/** What may be sent again. */
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
      const told = await app.readTokenInfo(tokens.accessToken);
      // Counted from when the call was made: with waiting in between it is early by that, and never late by more than
      // rounding.
      expect(told.expiresAt).toBeLessThanOrEqual((tokens.expiresAt ?? 0) + 1_000);
      return { ...told, expiresAt: null };
    },
    left: before,
  },
} as const;

describe.each(Object.entries(repeated))('%s', (id, { make, left }) => {
  let unharmed: unknown;
  beforeAll(() =>
    onStage(async (stage) => {
      unharmed = await make(stage.app(), stage);
    }),
  );

  test.each(faultNames)('%s: happens, and is answered', async (name) => {
    await onStage(async (stage) => {
      stage.sandbox.faults.add({ ...faults[name], match: id });
      expect(await make(stage.app(), stage)).toEqual(unharmed);
      stage.sandbox.faults.clear();
      expect(await goodTokens(stage)).toEqual(left);
    });
  });

  test.each([
    ['applied, but the answer takes longer than anyone waits', lateBack],
    ['on its way for longer than anyone waits', lateThere],
  ] as const)('%s: happens, and is answered', async (_, late) => {
    await onStage(async (stage) => {
      expect(await make(stage.app(late(stage.clock)), stage)).toEqual(unharmed);
      await stage.clock.sleep(90_000);
      expect(await goodTokens(stage)).toEqual(left);
    });
  });
});

describe('a client that lives from a login', () => {
  test.each(rows)('refreshes it, %s: %s', async (name, fate) => {
    await onStage(async (stage) => {
      const { clock, sandbox, app, tokens } = stage;
      const store = createMemoryTokenStore(tokens);
      const token = app().tokenSource(store);
      const client = createClient({ baseUrl: `${appUrl}/v2`, publicationId, host: hostOf(stage), token });
      const read = async (): Promise<number> => (await client.subscriptions.list()).items.length;
      await clock.sleep(2 * 3_600_000);
      sandbox.faults.add({ ...faults[name], match: 'oauth.refresh' });
      // Calls that need it at the same time are of one mind.
      const [first, another] = await Promise.allSettled([read(), read()]);
      expect(another.status).toBe(first.status);
      sandbox.faults.clear();
      switch (fate) {
        case 'granted':
          expect(first).toMatchObject({ value: 10 });
          expect(times((await store.load()) ?? tokens)).toEqual(times(next));
          break;
        case 'not granted, and nobody says it was':
          expect(first.status).toBe('rejected');
          expect(await read()).toBe(10);
          break;
        // What was granted can't be had any more, nor what it replaced: a new login it is, and the client says so.
        case 'granted, and nobody knows':
          expect(first.status).toBe('rejected');
          expect(await failure(read())).toBeInstanceOf(LoginRequiredError);
          break;
        case 'ended by the one who doubled it':
          expect(first).toMatchObject({ reason: { name: LoginRequiredError.name } });
          break;
      }
      expect(applied(stage, 'oauth.refresh')).toBe(1);
    });
  });
});

test('oauth.authorize sends nothing, so that every fault passes it by', async () => {
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
