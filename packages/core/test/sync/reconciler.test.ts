/** The situations of a sync and their default actions, and invalid input. */
import { createReconciler, prepareMapping, startSync } from '@newsletter-kit/core/sync';
import { describe, expect, it } from 'vitest';
import { agreed, codes, contactOf, now, plan, subscription, written } from './reconcile.ts';

describe('createReconciler', () => {
  it('writes nothing where both sides agree', () => {
    const { contacts, subscriptions, state } = agreed(3);
    expect(plan(contacts, subscriptions, state)).toMatchObject({
      pairs: [],
      contactCreates: [],
      findings: [],
      held: null,
    });
  });

  it('creates a contact for a new subscription, and again until it comes back', () => {
    const { contacts, subscriptions, state } = agreed(1);
    const all = [...subscriptions, subscription(2, { created: 1_790_000_000 })];
    const first = plan(contacts, all, state);
    expect(first.contactCreates).toMatchObject([
      {
        changes: { email: 'reader-2@example.com', city: 'Bonn', newsletter_status: 'active' },
      },
    ]);
    const second = plan(contacts, all, first.state);
    expect(second.contactCreates).toHaveLength(1);
    const created = { id: 'c2', do_not_mail: false, ...first.contactCreates[0]?.changes };
    const shown = plan([...contacts, created], all, second.state);
    // Its token gets the id of the contact, and nothing else is written.
    expect(shown).toMatchObject({
      pairs: [{ changes: [], subscriptionWrites: [], contactWrites: [{ id: 'c2', changes: {} }] }],
      contactCreates: [],
      findings: [],
    });
    expect(plan(written([...contacts, created], shown), all, shown.state).pairs).toEqual([]);

    const third = plan(contacts, all, second.state);
    expect(third.contactCreates).toHaveLength(1);
    const fourth = plan(contacts, all, third.state);
    expect(fourth.findings).toMatchObject([{ code: 'contact_creation_failed', isNew: true }]);
    const fifth = plan(contacts, all, fourth.state);
    expect(fifth.findings).toMatchObject([{ code: 'contact_creation_failed', isNew: false }]);
    expect([fourth.contactCreates.length, fifth.contactCreates.length]).toEqual([1, 1]);
  });

  it('misses no subscription that is listed after others of its second', () => {
    const second = now / 1000 - 5;
    const one = subscription(1, { created: second });
    const first = plan([contactOf(1)], [one]);
    const late = subscription(2, { created: second });
    const next = plan(written([contactOf(1)], first), [one, late], first.state);
    expect(next.contactCreates).toMatchObject([{ subscriptionId: late.id }]);
  });

  it('plans a subscription once that several pages show', () => {
    const { contacts, subscriptions, state } = agreed(1);
    const changed = contacts.map((contact) => ({ ...contact, city: 'Ulm' }));
    const lonely = subscription(2, { created: 1_790_000_000 });
    const result = plan(changed, [...subscriptions, lonely, ...subscriptions, lonely], state);
    expect([result.pairs.length, result.contactCreates.length, result.counts.subscriptions]).toEqual([1, 1, 2]);
  });

  it.each([
    [
      'its opt-out, which leaving does not set',
      { optOut: { contact: 'do_not_mail', setOnUnsubscribe: false } },
      { side: 'crm', field: 'newsletter_status', value: 'inactive' },
    ],
    ['no opt-out', { optOut: undefined }, { side: 'crm', field: 'newsletter_status', value: 'inactive' }],
    ['no copy of the status', { optOut: undefined, fields: [] }, null],
  ] as const)('records once that a person left, where the contact has %s', (_, mapping, told) => {
    const gone = [subscription(1, { status: 'inactive' })];
    const contacts = [contactOf(1)];
    const record = { saidBy: 'newsletter', subscriptionId: gone[0]?.id, contactId: 'c1', field: 'status' };
    const first = plan(contacts, gone, startSync(), { mapping });
    expect(first.pairs.flatMap(({ consent }) => consent)).toEqual([{ ...record, written: told }]);
    const second = plan(written(contacts, first), gone, first.state, { mapping });
    expect(second.pairs.flatMap(({ consent }) => consent)).toEqual([]);
  });

  it('reports an erased person and copies nothing', () => {
    const { contacts, subscriptions, state } = agreed(1);
    const erased = subscriptions.map((one) => ({
      ...one,
      email: 'redacted@redacted.invalid',
      status: 'inactive',
      custom_fields: [],
    }));
    const result = plan(contacts, erased, state);
    expect(codes(result)).toEqual(['erased']);
    expect(result.pairs).toMatchObject([{ subscriptionWrites: [], contactWrites: [{ changes: {} }] }]);
    const next = plan([contactOf(1, { id: 'c9' })], erased, result.state, {
      mapping: { subscribe: 'with_confirmation' },
    });
    expect(next.subscriptionCreates).toEqual([]);
  });

  it('applies the opt-out of one of several contacts to all of them, and plans no values', () => {
    const contacts = [contactOf(1, { city: 'Ulm' }), contactOf(1, { id: 'c2', do_not_mail: true })];
    const result = plan(contacts, [subscription(1)]);
    expect(codes(result)).toEqual(['ambiguous', 'ambiguous']);
    expect(result.pairs).toMatchObject([
      {
        subscriptionWrites: [{ unsubscribe: true }],
        contactWrites: [
          { id: 'c1', changes: { do_not_mail: true } },
          { id: 'c2', changes: {} },
        ],
      },
    ]);
    // At rest nothing is recorded anew in every run.
    const gone = [subscription(1, { status: 'inactive' })];
    const vetoed = contacts.map((contact) => ({ ...contact, do_not_mail: true }));
    const shown = written(vetoed, result);
    const seen = plan(shown, gone, result.state);
    expect(plan(written(shown, seen), gone, seen.state).pairs.flatMap(({ consent }) => consent)).toEqual([]);
  });

  it.each([
    ['with_confirmation', contactOf(1), { double_opt_override: 'on' }],
    ['on_consent', contactOf(1, { consent: 'yes' }), {}],
  ] as const)('subscribes a contact %s', (subscribe, contact, request) => {
    const { subscriptionCreates } = plan([contact], [], startSync(), { mapping: { subscribe, consent: 'consent' } });
    expect(subscriptionCreates).toEqual([
      {
        contactId: 'c1',
        key: expect.any(String) as string,
        request: {
          email: 'reader-1@example.com',
          reactivate_existing: false,
          ...request,
          custom_fields: [{ name: 'City', value: 'Bonn' }],
        },
      },
    ]);
  });

  it('subscribes the oldest of several contacts with one address, in whatever order they come', () => {
    const twins = [contactOf(1, { id: '10', city: 'Ulm' }), contactOf(1, { id: '9' })];
    for (const contacts of [twins, twins.toReversed()]) {
      const { subscriptionCreates } = plan(contacts, [], startSync(), { mapping: { subscribe: 'with_confirmation' } });
      expect(subscriptionCreates.map(({ contactId }) => contactId)).toEqual(['9']);
    }
  });

  it.each([
    ['by default', 'never', contactOf(1)],
    ['who is opted out', 'with_confirmation', contactOf(1, { do_not_mail: true })],
    ['whose opt-out was not delivered', 'with_confirmation', contactOf(1, { do_not_mail: undefined })],
    ['without consent', 'on_consent', contactOf(1, { consent: false })],
    ['with a damaged token', 'with_confirmation', contactOf(1, { token: '1AAAA' })],
    ['without an address', 'with_confirmation', contactOf(1, { email: 'nobody' })],
  ] as const)('subscribes no contact %s', (_, subscribe, contact) => {
    const { subscriptionCreates } = plan([contact], [], startSync(), { mapping: { subscribe, consent: 'consent' } });
    expect(subscriptionCreates).toEqual([]);
  });

  it('treats nothing as missing where only some contacts came in', () => {
    const { contacts, subscriptions, state } = agreed(2);
    const options = { scope: 'incoming' } as const;
    const first = plan(contacts.slice(0, 1), [], state, options);
    const second = plan(contacts.slice(0, 1), subscriptions, first.state, options);
    expect([second.pairs, second.contactCreates, codes(second), second.state]).toEqual([[], [], [], state]);
  });

  it.each([
    ['address_malformed', [contactOf(1, { email: '' })]],
    ['address_malformed', [contactOf(1, { email: 'reader@' })]],
    ['contact_without_id', [contactOf(1, { id: null })]],
    ['contact_repeated', [contactOf(1), contactOf(1)]],
    ['token_damaged', [contactOf(1, { token: 'x'.repeat(60) })]],
    ['wrong_kind', [contactOf(1, { city: { nested: true } })]],
  ] as const)('reports %s once as new, with its row and a remedy', (code, contacts) => {
    const options = { mapping: { situations: { newSubscription: 'leave' } } } as const;
    const first = plan(contacts, [subscription(1)], startSync(), options);
    expect(first.findings).toMatchObject([{ code, isNew: true, row: contacts.length }]);
    expect(first.findings[0]?.remedy).not.toBe('');
    expect(JSON.stringify(first.findings)).not.toContain('@');
    const again = plan(written(contacts, first), [subscription(1)], first.state, options);
    // A damaged token is replaced at once.
    expect(again.findings.map(({ isNew }) => isNew)).toEqual(code === 'token_damaged' ? [] : [false]);
    expect(again.pairs).toEqual([]);
  });

  it('reports each of several contacts of a subscription, and their values wait', () => {
    const { contacts, subscriptions, state } = agreed(1);
    const both = [...contacts.map((one) => ({ ...one, city: 'Ulm' })), contactOf(1, { id: 'c2', city: 'Jena' })];
    const waiting = plan(both, subscriptions, state);
    expect(waiting.pairs).toEqual([]);
    expect(waiting.counts.pairs).toBe(1);
    const { id: subscriptionId } = subscription(1);
    expect(waiting.findings).toMatchObject([
      { code: 'ambiguous', row: 1, contactId: 'c1', subscriptionId },
      { code: 'ambiguous', row: 2, contactId: 'c2', subscriptionId },
    ]);
  });

  it('opts out no contact where none of several is opted out', () => {
    const { pairs } = plan([contactOf(1), contactOf(1, { id: 'c2' })], [subscription(1)]);
    expect(pairs).toEqual([]);
  });

  it('stores the creation time of the newest subscription, whatever the order of the pages', () => {
    const subscriptions = [30, 10, 20].map((created, number) => subscription(number, { created }));
    expect(plan([], subscriptions).state.seenUntil).toBe(30);
  });

  it('stores the fingerprint of an erased address alone', () => {
    const { contacts, subscriptions, state } = agreed(2);
    const [one = subscription(1), two = subscription(2)] = subscriptions;
    const erased = { ...one, email: 'redacted@redacted.invalid', status: 'inactive' };
    const changed = contacts.map((contact) => ({ ...contact, city: 'Ulm' }));
    const result = plan(changed, [erased, two], state);
    expect(result.pairs).toHaveLength(2);
    expect(result.state.erased).toHaveLength(1);
  });

  it('stores at most 10,000 fingerprints of findings', () => {
    const contacts = Array.from({ length: 10_001 }, (_, index) => ({
      id: index,
      email: 'nobody',
      city: '',
      newsletter_status: '',
    }));
    const { findings, state } = plan(contacts, [], startSync(), { mapping: { optOut: undefined } });
    expect(findings).toHaveLength(10_001);
    expect(new Set(state.reported).size).toBe(10_000);
  });

  it('plans records without a counterpart in parts of 2000', () => {
    const partsOf = (contacts: number, subscriptions: number): number => {
      const mapping = prepareMapping({ fields: [], situations: { newSubscription: 'leave' } }, [], 'pub_1');
      const reconciler = createReconciler({ mapping, state: startSync(), now });
      for (let id = 0; id < contacts; id += 1) reconciler.addContact({ id, email: `contact-${id}@example.com` });
      reconciler.addSubscriptions(Array.from({ length: subscriptions }, (_, number) => subscription(number)));
      return [...reconciler.finishInParts()].length;
    };
    expect([partsOf(1999, 1999), partsOf(4000, 0), partsOf(0, 4000)]).toEqual([0, 2, 2]);
  });
});
