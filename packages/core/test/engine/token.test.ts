import { describe, expect, it } from 'vitest';
import {
  ConfigurationError,
  UnauthorizedError,
  type Host,
  type Token,
  type TokenSource,
} from '../../src/engine/index.ts';
import { createMemoryTokenStore, type TokenSet } from '../../src/oauth/index.ts';
import { createTokenSource } from '../../src/oauth/tokens.ts';
import { json, scriptedHost, type Scripted } from './scripted-host.ts';
import { engineOn } from './calling.ts';

function calling(token: Token, ...script: readonly Scripted[]) {
  const { host, engine } = engineOn(script, { token });
  return { host, engine, sentTokens: () => host.sent.map(({ headers }) => headers['authorization']) };
}

function renewing(): TokenSource & { readonly rejected: string[] } {
  const rejected: string[] = [];
  return {
    rejected,
    get: () => 'stale',
    async refresh(token) {
      rejected.push(token);
      return 'fresh';
    },
  };
}

const refused = { status: 401, body: '{"status":401,"errors":[{"message":"The token fresh expired","code":"X"}]}' };

describe('the token of a call', () => {
  it.each([
    ['a key', 'k'],
    ['a function', () => 'k'],
    ['a function that takes its time', async () => 'k'],
    ['a source', { get: () => 'k' }],
  ])('is read from %s', async (_, token) => {
    const { engine, sentTokens } = calling(token, json({ data: {} }));
    await engine.call('automations.get', { automationId: 'aut_1' });
    expect(sentTokens()).toEqual(['Bearer k']);
  });

  it('is refreshed when the service refuses it, and the call repeated, also a non-idempotent one', async () => {
    const source = renewing();
    const { host, engine, sentTokens } = calling(source, refused, json({ data: {} }));
    await engine.call('journeys.enroll', { automationId: 'aut_1', email: 'ada@example.com' }, { retry: false });
    expect(source.rejected).toEqual(['stale']);
    expect(sentTokens()).toEqual(['Bearer stale', 'Bearer fresh']);
    expect(host.slept).toEqual([]);
  });

  it('is not refreshed again where the same token comes back: the call fails with 401, without the token in the text', async () => {
    const source = renewing();
    const { engine } = calling(source, refused, refused);
    const error: unknown = await engine
      .call('automations.get', { automationId: 'aut_1' })
      .catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(UnauthorizedError);
    expect(String(error)).toContain('The token [secret] expired');
    expect(source.rejected).toEqual(['stale', 'fresh']);
  });

  it('is refreshed without using up a retry, also after one', async () => {
    const { engine, sentTokens } = calling(renewing(), { status: 503 }, refused, { status: 503 }, json({ data: {} }));
    await engine.call('automations.get', { automationId: 'aut_1' }, { retry: { retries: 2 } });
    expect(sentTokens()).toEqual(['Bearer stale', 'Bearer stale', 'Bearer fresh', 'Bearer fresh']);
  });

  it('is refreshed again where a retry is refused later', async () => {
    const source = renewing();
    const { engine } = calling(source, refused, { status: 503 }, refused);
    await expect(engine.call('automations.get', { automationId: 'aut_1' })).rejects.toBeInstanceOf(UnauthorizedError);
    expect(source.rejected).toEqual(['stale', 'fresh']);
  });

  it('that is missing does not block the turns of other calls', async () => {
    const host = scriptedHost([json({ data: {} })]);
    const tokens = ['', 'k'];
    const token = (): string => tokens.shift() || expect.fail('nobody is signed in');
    const { engine } = engineOn([], { host, token, concurrency: 1 });
    await expect(engine.call('automations.get', { automationId: 'aut_1' })).rejects.toThrow('nobody is signed in');
    await engine.call('automations.get', { automationId: 'aut_1' });
    expect(host.sent).toHaveLength(1);
  });

  it('that is refused and refreshed is reported as an attempt that is repeated at once', async () => {
    const reported: unknown[] = [];
    const { engine } = engineOn([refused, json({ data: {} })], {
      token: renewing(),
      onAttempt: ({ attempt, outcome, retryInMs }) => reported.push([attempt, outcome, retryInMs]),
    });
    await engine.call('automations.get', { automationId: 'aut_1' });
    expect(reported).toEqual([
      [1, 401, 0],
      [1, 200, null],
    ]);
  });

  it('is not refreshed where there is none', async () => {
    const { host, engine } = engineOn([refused]);
    await expect(engine.call('automations.get', { automationId: 'aut_1' })).rejects.toBeInstanceOf(UnauthorizedError);
    expect(host.sent[0]?.headers).toEqual({ accept: 'application/json' });
  });

  it('is not refreshed where the source has no refresh', async () => {
    const { host, engine } = calling({ get: () => 'k' }, refused);
    await expect(engine.call('automations.get', { automationId: 'aut_1' })).rejects.toBeInstanceOf(UnauthorizedError);
    expect(host.sent).toHaveLength(1);
  });

  it('fails the call with the error of a failed refresh, and the attempt is reported', async () => {
    const reported: unknown[] = [];
    const { engine } = engineOn([refused], {
      token: { get: () => 'stale', refresh: () => Promise.reject(new Error('sign in again')) },
      onAttempt: ({ outcome, retryInMs }) => reported.push([outcome, retryInMs]),
    });
    await expect(engine.call('automations.get', { automationId: 'aut_1' })).rejects.toThrow('sign in again');
    expect(reported).toEqual([[401, null]]);
  });

  it('is refreshed three times at most where the service refuses each token', async () => {
    let count = 0;
    const source = { get: () => 't0', refresh: async () => `t${(count += 1)}` };
    const { engine, sentTokens } = calling(source, refused, refused, refused, refused);
    await expect(engine.call('automations.get', { automationId: 'aut_1' })).rejects.toBeInstanceOf(UnauthorizedError);
    expect(sentTokens()).toEqual(['Bearer t0', 'Bearer t1', 'Bearer t2', 'Bearer t3']);
  });

  it('may be invalidated twice, or before a refreshed one is used, during 1,000 concurrent calls: none fails', async () => {
    let valid = 'access-1';
    let issued = 1;
    let answered = 0;
    const tokens: TokenSet = { accessToken: valid, refreshToken: 'r1', issuedAt: 0, expiresAt: null, scopes: [] };
    const renew = async (): Promise<TokenSet> => {
      await new Promise((resolve) => setImmediate(resolve));
      issued += 1;
      valid = `access-${issued}`;
      return { ...tokens, accessToken: valid, refreshToken: `r${issued}` };
    };
    const source = createTokenSource({
      oauth: { refreshTokens: renew },
      store: createMemoryTokenStore(tokens),
      now: () => 0,
    });
    const host: Host = {
      ...scriptedHost([]),
      async send({ headers }) {
        await new Promise((resolve) => setImmediate(resolve));
        answered += 1;
        // Once everybody is on the way with the first token, and again before anyone has used the second.
        if (answered === 1 || answered === 1_001) valid = 'nobody has it';
        const isValid = headers['authorization'] === `Bearer ${valid}`;
        return { status: isValid ? 200 : 401, headers: {}, body: isValid ? '{"data":{}}' : refused.body };
      },
    };
    const { engine } = engineOn([], { host, token: source, pacer: false });
    const calls = Array.from({ length: 1_000 }, () =>
      engine.call('journeys.enroll', { automationId: 'aut_1', email: 'ada@example.com' }, { retry: false }),
    );
    expect((await Promise.allSettled(calls)).filter(({ status }) => status === 'rejected')).toEqual([]);
    expect(issued).toBe(3);
  });

  it('is not returned to the call that was refused with it, where a refresh of an older token is in flight', async () => {
    const tokens: TokenSet = { accessToken: 'B', refreshToken: 'r1', issuedAt: 0, expiresAt: null, scopes: [] };
    const renewed: string[] = [];
    const source = createTokenSource({
      oauth: {
        refreshTokens: async ({ refreshToken }) => {
          renewed.push(refreshToken ?? '');
          return { ...tokens, accessToken: 'C', refreshToken: 'r2' };
        },
      },
      store: createMemoryTokenStore(tokens),
      now: () => 0,
    });
    expect(await Promise.all([source.refresh('A'), source.refresh('B')])).toEqual(['B', 'C']);
    expect(renewed).toEqual(['r1']);
  });

  it.each([
    ['sk-77\n', 'a line end'],
    ['\rsk-77', 'a line end'],
    ['two words', 'a blank'],
    ['schl\u00fcssel', 'a character'],
    ['\u007f', 'a character'],
  ])('%j is refused with what it holds, before anything is sent', async (token, found) => {
    const problem = `token holds ${found} that no key has. Copy it again, without what stands before or after it.`;
    expect(() => calling(token)).toThrow(new TypeError(problem));
    const { engine, host } = calling(() => token);
    const error: unknown = await engine
      .call('automations.get', { automationId: 'aut_1' })
      .catch((reason: unknown) => reason);
    expect(error).toEqual(new ConfigurationError('automations.get', problem.slice(0, -1)));
    expect(host.sent).toHaveLength(0);
  });

  it('may hold every visible character of ASCII', () => {
    expect(() => calling('!az~')).not.toThrow();
  });
});
