/** What an endpoint keeps for the audit of a signup: nothing that a page sends refuses it. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readSubmission, withAudit } from '../../src/endpoint/index.ts';
import { auditTouches, knownTouches, type SignupAudit } from '../../src/signup/index.ts';

const email = 'ada@example.com';

function read(audit: unknown): SignupAudit | undefined {
  const result = readSubmission({ email, audit });
  if (!result.ok) throw new Error(result.errors[0]?.message);
  return result.submission.audit;
}

const touch = { at: '2026-01-05T00:00:00.000Z', rule: 'utm', utm_source: 'fair' };
const later = { at: '2026-01-07T00:00:00.000Z', rule: 'ref', utm_source: 'blog' };

describe('readSubmission', () => {
  it('keeps what the tag sends', () => {
    const visits = ['fair', 'blog'].map((source, day) => ({
      url: `https://www.example.com/?utm_source=${source}`,
      referrer: '',
      at: Date.UTC(2026, 0, 5 + day),
    }));
    const sent = {
      page: 'https://www.example.com/join',
      ...auditTouches(knownTouches('', visits, Date.now()), 'last'),
    };
    expect(Object.keys(sent)).toHaveLength(5);
    expect(read(sent)).toEqual(sent);
  });

  it.each([
    ['no object', 'https://www.example.com/', undefined],
    ['a list', [1], undefined],
    ['nothing', null, undefined],
    ['an empty object', {}, undefined],
    ['an unknown member', { tier: 'premium' }, undefined],
    ['values of wrong types', { page: 1, touch_rule: [], touch: true, first_touch: 'x', last_touch: null }, undefined],
    [
      'a page with a query',
      { page: 'https://www.example.com/a?email=ada@example.com' },
      { page: 'https://www.example.com/a' },
    ],
    [
      'a page with an address',
      { page: 'https://www.example.com/u/bob@example.com' },
      { page: 'https://www.example.com/u' },
    ],
    ['a page of another scheme', { page: 'javascript:alert(1)' }, undefined],
    [
      'a long page',
      { page: `https://www.example.com/${'x'.repeat(3000)}` },
      { page: `https://www.example.com/${'x'.repeat(1976)}` },
    ],
    ['a rule that is no word', { touch_rule: '<script>' }, undefined],
    ['a rule of a newer tag', { touch_rule: 'newer_rule' }, { touch_rule: 'newer_rule' }],
    ['one touch of two', { touch: 'first', first_touch: touch }, undefined],
    [
      'touches without a choice',
      { touch: 'middle', first_touch: touch, last_touch: later },
      { first_touch: touch, last_touch: later },
    ],
    ['a touch without a time', { first_touch: { ...touch, at: 'then' }, last_touch: later }, undefined],
    ['a touch without attribution', { first_touch: { at: touch.at, rule: 'utm' }, last_touch: later }, undefined],
    [
      'a touch with more members',
      { first_touch: { ...touch, tier: 1 }, last_touch: later },
      { first_touch: touch, last_touch: later },
    ],
    [
      'an address in a touch',
      { first_touch: { ...touch, utm_term: 'bob@example.com' }, last_touch: later },
      { first_touch: touch, last_touch: later },
    ],
    [
      'a long touch',
      { first_touch: { ...touch, utm_source: 'x'.repeat(3000) }, last_touch: later },
      { first_touch: { ...touch, utm_source: 'x'.repeat(500) }, last_touch: later },
    ],
  ])('reads an audit that is or has %s', (_title, sent, kept) => {
    expect(read(sent)).toEqual(kept);
  });

  it('accepts a signup with any audit', () => {
    fc.assert(
      fc.property(
        fc.anything({ maxDepth: 3 }),
        fc.record({ page: fc.string(), first_touch: fc.object(), last_touch: fc.object() }),
        (anything, audit) => {
          read(anything);
          read(audit);
        },
      ),
    );
  });
});

describe('withAudit', () => {
  const website = 'https://www.example.com';
  const page = `${website}/join`;

  it.each([
    ['the page that it tells', page, `${website}/`, page],
    ['else its referrer', undefined, `${website}/join?utm_source=fair#form`, page],
    ['a referrer without its path, if the policy may have cut it', undefined, `${website}/`, website],
    ['the slash at the end of a path', undefined, `${page}/`, `${page}/`],
    ['its referrer, if it tells a page of another site', 'https://other.example/join', page, page],
    ['no page of another site', undefined, 'https://other.example/join', undefined],
    ['no page of another port', `${website}:8443/join`, null, undefined],
    ['no referrer that is no address', undefined, 'nonsense', undefined],
    ['no page without either', undefined, null, undefined],
  ])('keeps %s', (_title, told, referrer, kept) => {
    const rest = { email, custom_fields: [{ name: 'Topic', value: 'food' }] };
    expect(withAudit({ ...rest, ...(told && { audit: { page: told } }) }, website, referrer)).toEqual({
      ...rest,
      ...(kept && { audit: { page: kept } }),
    });
  });

  it('keeps the touches without a page', () => {
    expect(withAudit({ email, audit: { touch_rule: 'utm' } }, website, null)).toEqual({
      email,
      audit: { touch_rule: 'utm' },
    });
  });
});
