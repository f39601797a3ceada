/** The plan of a run: its counts, the joined changes of several contacts, and the state for the next run. */
import { findingTexts, prepareMapping, startSync } from '@newsletter-kit/core/sync';
import { describe, expect, it } from 'vitest';
import { PairFindings, type PairFindingCode } from '../../src/sync/report/findings.ts';
import { agreed, contactOf, now, plan, subscription } from './reconcile.ts';

const second = now / 1000;

describe('the counts of a plan', () => {
  it('state the records that were read and every kind of change', () => {
    const { contacts, subscriptions, state } = agreed(4);
    const [one = {}, two = {}, three = {}, four = {}] = contacts;
    const all = [{ ...one, do_not_mail: true }, { ...two, city: '' }, { ...three, city: 'Ulm' }, four, contactOf(9)];
    const added = subscription(5, { created: 1_790_000_000 });
    const { counts } = plan([...all, contactOf(8, { email: 'nobody' })], [...subscriptions, added], state, {
      mapping: { subscribe: 'with_confirmation' },
    });
    expect(counts).toEqual({
      contacts: 6,
      subscriptions: 5,
      pairs: 4,
      contactCreates: 1,
      contactUpdates: 3,
      contactsOfOne: 1,
      subscriptionCreates: 1,
      confirmations: 1,
      subscriptionUpdates: 3,
      unsubscribes: 1,
      clears: 1,
      removals: 0,
      moved: 0,
      optOuts: 0,
      overwrites: [{ side: 'newsletter', field: 'City', count: 1 }],
      conflicts: 0,
      waiting: 0,
      withoutContact: { erased: 0, deleted: 0, ignored: 0, unknownStatus: 0 },
      unknownContacts: 1,
      limit: 20,
      findings: 1,
      newFindings: 1,
    });
  });

  it('distinguish new findings from those that were reported before', () => {
    const contacts = [contactOf(1, { email: 'nobody' })];
    const { state } = plan(contacts, []);
    const { counts } = plan([...contacts, contactOf(2, { email: 'nobody' })], [], state);
    expect([counts.findings, counts.newFindings]).toEqual([2, 1]);
  });
});

describe('the state for the next run', () => {
  const stateAfter = (created: readonly number[], before = startSync()) =>
    plan(
      [],
      created.map((each, number) => subscription(number, { created: each })),
      before,
      { mapping: { situations: { newSubscription: 'leave' } } },
    ).state;

  it('has the newest subscription as watermark once it is a minute old', () => {
    expect(stateAfter([second - 60])).toMatchObject({ watermark: second - 60, seenUntil: second - 60 });
    expect(stateAfter([second - 59])).toMatchObject({ watermark: second - 60, seenUntil: second - 59 });
    expect(stateAfter([])).toMatchObject({ watermark: 0, seenUntil: null });
  });

  it('keeps the newest subscription that any run has seen', () => {
    expect(stateAfter([100], { ...startSync(), seenUntil: 200 })).toMatchObject({ watermark: 200, seenUntil: 200 });
    expect(stateAfter([], { ...startSync(), seenUntil: 200 }).seenUntil).toBe(200);
  });

  it('of a run over some contacts changes only erased addresses, seen fields and reported findings', () => {
    const before = { ...startSync(), watermark: 7, seenUntil: 8, missing: ['a'], erased: ['b'], attempts: { c: 1 } };
    const { state } = plan([contactOf(1, { email: 'nobody' })], [subscription(1)], before, { scope: 'incoming' });
    const seen = ['id', 'email', 'token', 'city', 'newsletter_status', 'do_not_mail'];
    expect(state).toMatchObject({ ...before, seen, reported: [expect.any(String)] });
  });
});

describe('the findings', () => {
  it('each have a message and a remedy', () => {
    for (const { message, remedy } of Object.values(findingTexts))
      for (const text of [message, remedy]) expect(text).toMatch(/^[A-Z].+[.)]$/);
  });

  it('of a contact are known by its id in another row, and by the row without an id', () => {
    const malformed = contactOf(1, { email: 'nobody' });
    const { state } = plan([malformed, contactOf(2, { id: '' })], []);
    const newsOf = (contacts: Parameters<typeof plan>[0]) =>
      plan(contacts, [], state).findings.map(({ code, row, isNew }) => [code, row, isNew]);
    expect(newsOf([contactOf(3), contactOf(2, { id: '' }), malformed])).toEqual([
      ['contact_without_id', 2, false],
      ['address_malformed', 3, false],
    ]);
    expect(newsOf([contactOf(2, { id: '' })])).toEqual([['contact_without_id', 1, true]]);
  });

  // The tokens in the CRM hold these bits.
  it('of a pair have a bit each, and those of fields none: they stand with the field', () => {
    const fields = [{ newsletter: 'status', contact: 'status', direction: 'to_contact' as const }];
    const [status] = prepareMapping({ fields }, [], 'pub_1').fields;
    const contact = { id: 'c1', email: '', token: '', values: {}, row: 1 };
    const found = (): PairFindings => new PairFindings({ subscription: subscription(1), contact, base: undefined });
    const bitOf = (code: PairFindingCode): number => {
      const findings = found();
      findings.add(code);
      return Math.log2(findings.reported);
    };
    const ofPairs = [
      'active_while_opted_out',
      'address_changed_in_crm',
      'address_changed_in_newsletter',
      'address_changed_on_both_sides',
      'ambiguous',
      'erased',
      'subscription_gone',
      'write_failed',
    ] as const;
    expect(ofPairs.map((code) => bitOf(code))).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    const ofField = found();
    if (status) ofField.add('conflict', status);
    expect(ofField).toMatchObject({ reported: 0, list: [{ code: 'conflict', field: 'status', isNew: true }] });
  });

  it('of a pair are new once each: one that is reported hides no other', () => {
    const { contacts, subscriptions, state } = agreed(1);
    const mapping = {
      fields: [
        { newsletter: 'c0000000-0000-4000-8000-000000000001', contact: 'city', direction: 'both' },
        { newsletter: 'status', contact: 'newsletter_status', direction: 'to_contact' },
      ],
    } as const;
    const conflicting = contacts.map((contact) => ({ ...contact, token: '', city: 'Ulm' }));
    const first = plan(conflicting, subscriptions, { ...state, updates: {} }, { mapping });
    expect(first.findings).toMatchObject([
      { code: 'conflict', field: 'city', isNew: true, row: 1, contactId: 'c1', subscriptionId: subscriptions[0]?.id },
    ]);
    const token = first.pairs[0]?.contactWrites[0]?.token;
    const moved = conflicting.map((contact) => ({ ...contact, token, email: 'other@example.com' }));
    const second = plan(moved, subscriptions, first.state, { mapping });
    expect(second.findings.map(({ code, isNew }) => [code, isNew])).toEqual([
      ['address_changed_in_crm', true],
      ['conflict', false],
    ]);
  });
});
