import { describe, expect, it } from 'vitest';
import { createEngine, createPacer, UnauthorizedError, type Token, type TokenSource } from '../../src/engine/index.ts';
import { json, scriptedHost, type Scripted } from './scripted-host.ts';

function calling(token: Token, ...script: readonly Scripted[]) {
  const host = scriptedHost(script);
  const engine = createEngine({ host, baseUrl: 'http://api.test/v2', token, publicationId: 'pub_1' });
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

  it('is renewed when the service refuses it, and the call repeated, also one that must happen once', async () => {
    const source = renewing();
    const { host, engine, sentTokens } = calling(source, refused, json({ data: {} }));
    await engine.call('journeys.enroll', { automationId: 'aut_1', email: 'ada@example.com' }, { retry: false });
    expect(source.rejected).toEqual(['stale']);
    expect(sentTokens()).toEqual(['Bearer stale', 'Bearer fresh']);
    expect(host.slept).toEqual([]);
  });

  it('is renewed once: a second refusal is the answer, and the renewed token stands in no text', async () => {
    const source = renewing();
    const { engine } = calling(source, refused, refused);
    const error: unknown = await engine
      .call('automations.get', { automationId: 'aut_1' })
      .catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(UnauthorizedError);
    expect(String(error)).toContain('The token [secret] expired');
    expect(source.rejected).toEqual(['stale']);
  });

  it('is renewed without using up a retry, also after one', async () => {
    const { engine, sentTokens } = calling(renewing(), { status: 503 }, refused, { status: 503 }, json({ data: {} }));
    await engine.call('automations.get', { automationId: 'aut_1' }, { retry: { retries: 2 } });
    expect(sentTokens()).toEqual(['Bearer stale', 'Bearer stale', 'Bearer fresh', 'Bearer fresh']);
  });

  it('is renewed once, also where a repetition is refused later', async () => {
    const source = renewing();
    const { engine } = calling(source, refused, { status: 503 }, refused);
    await expect(engine.call('automations.get', { automationId: 'aut_1' })).rejects.toBeInstanceOf(UnauthorizedError);
    expect(source.rejected).toEqual(['stale']);
  });

  it('that is not there keeps nobody else from their turn', async () => {
    const host = scriptedHost([json({ data: {} })]);
    const tokens = ['', 'k'];
    const token = (): string => tokens.shift() || expect.fail('nobody is signed in');
    const engine = createEngine({
      host,
      baseUrl: 'http://api.test/v2',
      token,
      publicationId: 'pub_1',
      pacer: createPacer(host, { maxConcurrency: 1 }),
    });
    await expect(engine.call('automations.get', { automationId: 'aut_1' })).rejects.toThrow('nobody is signed in');
    await engine.call('automations.get', { automationId: 'aut_1' });
    expect(host.sent).toHaveLength(1);
  });

  it('cannot be renewed where nothing says how', async () => {
    const { host, engine } = calling({ get: () => 'k' }, refused);
    await expect(engine.call('automations.get', { automationId: 'aut_1' })).rejects.toBeInstanceOf(UnauthorizedError);
    expect(host.sent).toHaveLength(1);
  });

  it('that cannot be renewed fails the call with the reason', async () => {
    const { engine } = calling(
      { get: () => 'stale', refresh: () => Promise.reject(new Error('sign in again')) },
      refused,
    );
    await expect(engine.call('automations.get', { automationId: 'aut_1' })).rejects.toThrow('sign in again');
  });
});
