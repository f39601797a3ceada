/** The opt-out of a CRM: what it shows in any language is a no, unless most contacts of active subscribers show it. */
import { startSync, type SyncMapping, type SyncPlan, type SyncState } from '@newsletter-kit/core/sync';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isOptedOut, optOutText } from '../../src/sync/mapping/opt-out.ts';
import { agreed, contactOf, plan, subscription, written, type Contact, type Options } from './reconcile.ts';
import { optOutWords } from './opt-out-words.ts';

const unknown = { ordinary: null };
const field = 'do_not_mail';

describe('an opt-out', () => {
  it.each([
    ['Salesforce', true, 'true'],
    ['Salesforce', false, ''],
    ['HubSpot', 'true', 'true'],
    ['HubSpot', '', ''],
    ['Google Sheets', 'TRUE', 'true'],
    ['Google Sheets', 'x', 'true'],
    ['Zoho', 'Y', 'true'],
    ['Zoho', 'n', ''],
    ['a database', '1', 'true'],
    ['a database', 0, ''],
    ['a database', null, ''],
    ['a database', ' \u200b', ''],
    ['the time of it', '2024-05-01T08:50:45Z', 'true'],
    ['the day of it', '2024-05-01', 'true'],
    ['the time of it', '1714553445000', 'true'],
    ['the time of it', 1_714_553_445, 'true'],
    ['the day of it in a sheet', 45_413, 'true'],
    ['the time of it', new Date(1_714_553_445_000), 'true'],
    ['the number of reasons', 3, 'true'],
    ['the number of reasons', '12', 'true'],
    ['its reason', 'Unsubscribed', 'true'],
    ['its reason', 'opted-out', 'true'],
    ['its reason', 'Hard bounce', 'true'],
    ['its reason', 'spam complaint', 'true'],
    ['its reasons', ['', 'Complained'], 'true'],
    ['its reasons', 'Hard bounce;Complained', 'true'],
    ['no reasons', [], ''],
    ['no reasons', [null, ''], ''],
    ['a word', ' Nein\u00a0danke ', 'nein danke'],
    ['words', 'B; a;b', 'a;b'],
    ['something else', -1, '-1'],
    ['something else', 2.5, '2.5'],
    ['something else', { by: 'mail' }, '{"by":"mail"}'],
    ['something else', 'constructor', 'constructor'],
  ])('kept by %s as %j is read as %j, and all that is filled is one', (_keptAs, value, expected) => {
    expect(optOutText(value)).toBe(expected);
    expect(isOptedOut(value, unknown)).toBe(expected !== '');
  });

  it('that was not delivered is none, and what is ordinary is no', () => {
    expect(isOptedOut(undefined, unknown)).toBeUndefined();
    expect([isOptedOut('NEIN', { ordinary: ['nein'] }), isOptedOut('Ja', { ordinary: ['nein'] })]).toEqual([
      false,
      true,
    ]);
    // Nobody learns a known opt-out away.
    expect(isOptedOut('Unsubscribed', { ordinary: ['true'] })).toBe(true);
  });
});

/** Contacts that agree with their active subscriptions: the first show these values, all others the usual one. */
function crm(size: number, usual: unknown, shown: readonly unknown[], mapping: Partial<SyncMapping> = {}) {
  const numbers = Array.from({ length: size }, (_, index) => index + 1);
  const contacts = numbers.map((number): Contact =>
    contactOf(number, { [field]: number <= shown.length ? shown[number - 1] : usual }),
  );
  const subscriptions = numbers.map((number) => subscription(number));
  const run = (state: SyncState = startSync(), options: Options = {}, rows: readonly Contact[] = contacts): SyncPlan =>
    plan(rows, subscriptions, state, { mapping, ...options });
  return { contacts, subscriptions, run };
}

const unsubscribed = ({ pairs }: Pick<SyncPlan, 'pairs'>): number =>
  pairs.filter(({ subscriptionWrites }) => subscriptionWrites.some(({ unsubscribe }) => unsubscribe)).length;

describe('a word in the opt-out field', () => {
  it.each(['', null, 'Nein', '—', 'subscribed'])(
    'is an opt-out in any of twenty languages where most contacts of active subscribers show %j',
    (usual) => {
      expect(optOutWords.length).toBeGreaterThanOrEqual(200);
      for (const word of optOutWords) {
        const { run } = crm(21, usual, [word]);
        const { held, pairs } = run();
        const leaving = pairs.filter((pair) => unsubscribed({ pairs: [pair] }) > 0).map(({ email }) => email);
        expect([held, leaving], word).toEqual([null, ['reader-1@example.com']]);
      }
    },
  );

  it('of many people is asked about once, with the numbers, and nobody who has it stays active', () => {
    const { run, contacts } = crm(optOutWords.length * 4, 'Nein', optOutWords);
    const asked = run();
    expect(asked.held?.reasons).toEqual(['too_many_changes', 'opt_out_unclear']);
    expect(asked.held?.message).toMatch(/what "do_not_mail" shows: "[^"]+" \(\d+\), .* \d+ others \(\d+\)\./);
    expect([unsubscribed(asked), unsubscribed(asked.whole)]).toEqual([0, optOutWords.length]);
    const accepted = run(asked.state, { accept: true });
    expect(unsubscribed(accepted)).toBe(optOutWords.length);
    // Somebody new who shows one of the words is no question any more.
    const next = written(contacts, accepted);
    next[next.length - 1] = { ...next.at(-1), [field]: 'Ja' };
    const after = run(accepted.state, {}, next);
    expect(after.pairs.some(({ contactId }) => contactId === `c${contacts.length}`)).toBe(true);
  });

  it.each([
    [50, 'Abgemeldet'],
    [60, 'Abgemeldet'],
    [90, 'Abgemeldet'],
    [50, 'Unsubscribed'],
    [90, 'Unsubscribed'],
  ])('is asked about where %i %% of the people have opted out by %s', (share, word) => {
    const { run } = crm(
      100,
      '',
      Array.from({ length: share }, () => word),
    );
    const asked = run();
    expect(asked.held?.reasons).toContain('too_many_changes');
    expect([unsubscribed(asked), unsubscribed(asked.whole)]).toEqual([0, share]);
    expect(unsubscribed(run(asked.state, { accept: true }))).toBe(share);
  });

  it('below 20 contacts is asked about, unless it is yes, no, or a time', () => {
    const { run, contacts } = crm(19, '', ['Abgemeldet', 'Abgemeldet', '2026-01-31']);
    const asked = run();
    expect(asked.held).toMatchObject({
      reasons: ['opt_out_unclear'],
      message: 'Contacts wait that count as opted out by what "do_not_mail" shows: "abgemeldet" (2).',
    });
    // The time is no question: that opt-out is carried out.
    expect([unsubscribed(asked), unsubscribed(asked.whole)]).toEqual([1, 3]);
    const accepted = run(asked.state, { accept: true });
    expect(unsubscribed(accepted)).toBe(3);
    const next = written(contacts, accepted);
    next[10] = { ...next[10], [field]: 'STOP' };
    const later = run(accepted.state, {}, next);
    expect([later.held, later.pairs.filter(({ contactId }) => contactId === 'c11').length]).toEqual([null, 1]);
  });

  it('is kept from creating a subscription, and asked about', () => {
    const strangers = [contactOf(1, { [field]: 'Abgemeldet' }), contactOf(2)];
    const asked = plan(strangers, [], startSync(), { mapping: { subscribe: 'with_confirmation' } });
    expect(asked.held?.message).toContain('"abgemeldet" (1)');
    expect(asked.whole.subscriptionCreates.map(({ contactId }) => contactId)).toEqual(['c2']);
  });

  it('shows no address in the message, and little of a long text', () => {
    const { run } = crm(3, '', [`ada@example.com ${'x'.repeat(200)}`]);
    expect(run().held?.message).toMatch(/^.{0,60}shows: "\[address\] x{20,30}" \(1\)\.$/);
  });

  it('that is usual is remembered for runs with few contacts, in that field alone', () => {
    const { run, subscriptions, contacts } = crm(20, 'Nein', []);
    const { state, held } = run();
    expect([held, state.optOut]).toEqual([null, { field, ordinary: ['nein'] }]);
    const few = [contactOf(1, { [field]: 'nein' }), contactOf(2, { [field]: 'Ja' })];
    const some = plan(few, subscriptions.slice(0, 2), state, { scope: 'incoming' });
    expect([some.held, unsubscribed(some), some.state.optOut]).toEqual([null, 1, state.optOut]);
    const renamed = { optOut: { contact: 'other' } };
    const other = plan([{ ...few[0], other: 'Nein' }], subscriptions.slice(0, 1), state, { mapping: renamed });
    expect(other.held?.reasons).toEqual(['opt_out_unclear']);
    expect(contacts).toHaveLength(20);
  });

  it('is not learned from some of the contacts: they may be those that have just opted out', () => {
    const { run } = crm(25, 'Abgemeldet', []);
    expect(run(startSync(), { scope: 'incoming' })).toMatchObject({
      held: { reasons: expect.arrayContaining(['opt_out_unclear']) },
    });
    const blank = crm(25, '', ['Abgemeldet']);
    const some = blank.run(startSync(), { scope: 'incoming' });
    expect([some.held, unsubscribed(some), some.state.optOut]).toEqual([null, 1, { field, ordinary: [] }]);
  });

  it('is read of contacts of active subscribers alone', () => {
    const { contacts, subscriptions } = crm(
      60,
      'Nein',
      Array.from({ length: 30 }, () => 'Gesperrt'),
    );
    const left = subscriptions.map((one, index) => (index < 30 ? { ...one, status: 'inactive' } : one));
    const agreeing = contacts.map((one, index) => (index < 30 ? { ...one, newsletter_status: 'inactive' } : one));
    expect(plan(agreeing, left)).toMatchObject({ held: null, state: { optOut: { ordinary: ['nein'] } } });
  });

  it('that a person has named as no opt-out is none', () => {
    const declared = { optOut: { contact: field, notOptedOut: ['Nein', '—'] } };
    const { run } = crm(3, '—', ['NEIN', 'Ja'], declared);
    const { held, pairs, state } = run();
    expect([held, unsubscribed({ pairs }), state.optOut]).toEqual([null, 1, null]);
  });

  it('plans the same in any order of contacts and pages', () => {
    const words = fc.constantFrom('', 'Nein', 'Ja', 'true', null, 'Abgemeldet');
    fc.assert(
      fc.property(fc.array(words, { minLength: 15, maxLength: 60 }), fc.boolean(), (shown, accept) => {
        const { contacts, subscriptions } = crm(shown.length, '', shown);
        const one = plan(contacts, subscriptions, startSync(), { accept });
        const other = plan(contacts.toReversed(), subscriptions.toReversed(), startSync(), { accept });
        const texts = (made: SyncPlan) => made.whole.pairs.map((pair) => JSON.stringify(pair)).sort();
        expect([texts(other), other.held, other.state.optOut]).toEqual([texts(one), one.held, one.state.optOut]);
        // Whatever is usual: who shows a filled value stays active only where it is the one of most.
        const usual = one.state.optOut?.ordinary ?? [];
        const active = shown.filter((value) => isOptedOut(value, { ordinary: usual }) === false).length;
        expect(unsubscribed(one.whole)).toBe(shown.length - active);
      }),
    );
  });

  it('at rest is planned no more', () => {
    const { contacts, subscriptions, state } = agreed(30, { mapping: { optOut: { contact: field } } });
    expect(plan(contacts, subscriptions, state)).toMatchObject({ held: null, pairs: [], findings: [] });
  });
});
