import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { operations } from '../../src/contract/index.ts';
import { readTokenSet, scopesFor } from '../../src/oauth/index.ts';
import { isDue } from '../../src/oauth/tokens.ts';

describe('the scopes of operations', () => {
  it('are each named once, whatever the order, and none where none is needed', () => {
    expect(
      scopesFor(['subscriptions.create', 'subscriptions.list', 'automations.list', 'subscriptions.bulkCreate']),
    ).toEqual(['automations:read', 'subscriptions:read', 'subscriptions:write']);
    expect(scopesFor(['oauth.tokenInfo'])).toEqual([]);
    expect(scopesFor([])).toEqual([]);
  });

  it('cover every operation of the contract', () => {
    const all = scopesFor(operations.map(({ id }) => id));
    expect(operations.every(({ scope }) => scope === null || all.includes(scope))).toBe(true);
  });
});

const moment = fc.integer({ min: 0, max: 10_000_000 });

describe('a token set', () => {
  it('reads a stored token set back, and nothing else', () => {
    fc.assert(
      fc.property(
        fc.record({
          accessToken: fc.string({ minLength: 1 }),
          refreshToken: fc.option(fc.string()),
          issuedAt: moment,
          expiresAt: fc.option(moment),
          scopes: fc.array(fc.string()),
        }),
        (tokens) => {
          expect(readTokenSet(JSON.parse(JSON.stringify({ ...tokens, extra: 1 })))).toEqual(tokens);
        },
      ),
    );
    fc.assert(fc.property(fc.jsonValue(), (value) => readTokenSet(value) === null));
  });

  it('is due for refresh before it expires, and not in the first half of its lifetime', () => {
    fc.assert(
      fc.property(
        moment,
        fc.integer({ min: 2, max: 10_000 }),
        fc.nat(20_000),
        fc.nat(20_000),
        (issuedAt, life, ahead, later) => {
          const tokens = { accessToken: 'a', refreshToken: null, issuedAt, expiresAt: issuedAt + life, scopes: [] };
          const now = issuedAt + later;
          if (isDue(tokens, now, 0)) expect(isDue(tokens, now, ahead)).toBe(true);
          if (later < life / 2) expect(isDue(tokens, now, ahead)).toBe(false);
          expect(isDue({ ...tokens, expiresAt: null }, now, ahead)).toBe(false);
        },
      ),
    );
  });
});
