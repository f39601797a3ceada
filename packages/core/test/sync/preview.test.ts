/** What a plan says to a person: its list of changes, its sentence, and what waits or never came. */
import { changesOf, lineOf, startSync, summaryOf, type AppliedSync, type SyncPlan } from '@newsletter-kit/core/sync';
import { describe, expect, it } from 'vitest';
import { agreed, codes, contactOf, plan, subscription, written, type Contact } from './reconcile.ts';

const list = (planned: SyncPlan) => [...changesOf(planned.whole)];

describe('the list of changes', () => {
  it('names person, field, old and new value and the reason, what cannot be taken back first', () => {
    const { contacts, subscriptions, state } = agreed(4);
    const [one = {}, two = {}, three = {}, four = {}] = contacts;
    const changed = [{ ...one, city: 'Ulm' }, { ...two, do_not_mail: true }, three, four, contactOf(9)];
    const left = subscriptions.map((each, index) => (index === 2 ? { ...each, status: 'inactive' } : each));
    const added = subscription(5, { created: 1_790_000_000 });
    const moved = left.map((each, index) => (index === 3 ? { ...each, email: 'four@new.example' } : each));
    const planned = plan(changed, [...moved, added], state, { mapping: { subscribe: 'with_confirmation' } });
    const rows = list(planned).map(({ email, subscriptionId, contactId, kind, side, field, from, to, reason }) => [
      [email, contactId, subscriptionId?.slice(-1) ?? null],
      [kind, side, field, from, to],
      reason,
    ]);
    const who = (number: number) => [`reader-${number}@example.com`, `c${number}`, String(number)];
    expect(rows).toEqual([
      [who(2), ['unsubscribe', 'newsletter', 'status', 'active', 'inactive'], 'opted_out_in_crm'],
      [who(3), ['opt_out', 'crm', 'do_not_mail', false, true], 'left_newsletter'],
      [who(1), ['update', 'newsletter', 'City', 'Bonn', 'Ulm'], 'changed_in_crm'],
      [who(3), ['update', 'crm', 'newsletter_status', 'active', 'inactive'], 'from_newsletter'],
      [
        ['four@new.example', 'c4', '4'],
        ['update', 'crm', 'email', 'reader-4@example.com', 'four@new.example'],
        'changed_in_newsletter',
      ],
      [
        ['reader-9@example.com', 'c9', null],
        ['create_subscription', 'newsletter', 'email', null, 'reader-9@example.com'],
        'unknown_contact',
      ],
      [
        ['reader-5@example.com', null, '5'],
        ['create_contact', 'crm', 'email', null, 'reader-5@example.com'],
        'new_subscription',
      ],
    ]);
  });

  it.each([
    ['crm', 'newsletter', 'crm_wins'],
    ['newsletter', 'crm', 'newsletter_wins'],
  ] as const)('names a conflict that the %s wins', (conflict, side, reason) => {
    const [field, status] = agreedFields;
    const mapping = { fields: [{ ...field, conflict }, status] };
    const { contacts, subscriptions, state } = agreed(1, { mapping });
    const both = contacts.map((contact) => ({ ...contact, city: 'Ulm' }));
    const there = subscriptions.map((one) => ({ ...one, custom_fields: [{ name: 'City', value: 'Jena' }] }));
    const planned = plan(both, there, state, { mapping });
    expect(list(planned)).toMatchObject([{ side, reason }]);
    expect(planned.counts.conflicts).toBe(1);
  });

  it('shows of an opt-out that another contact of the person has set', () => {
    const { contacts, subscriptions, state } = agreed(1);
    const both = [...contacts, contactOf(1, { id: 'c2', do_not_mail: true })];
    expect(list(plan(both, subscriptions, state)).map(({ kind, reason }) => [kind, reason])).toEqual([
      ['unsubscribe', 'opted_out_in_crm'],
      ['opt_out', 'opted_out_elsewhere'],
    ]);
  });

  it('shows removals', () => {
    const gone = agreed(1);
    const first = plan(gone.contacts, [], gone.state);
    expect(list(plan(gone.contacts, [], first.state))).toMatchObject([
      { kind: 'remove', email: 'reader-1@example.com', from: 'active', to: 'removed', reason: 'subscription_missing' },
    ]);
  });
});

const agreedFields = [
  { newsletter: 'c0000000-0000-4000-8000-000000000001', contact: 'city', direction: 'both' },
  { newsletter: 'status', contact: 'newsletter_status', direction: 'to_contact' },
] as const;

describe('the sentence about a plan', () => {
  it('begins with the unsubscribes, and says why a plan is held and that nothing was written', () => {
    const { contacts, subscriptions, state } = agreed(30);
    const planned = plan(
      contacts.map((contact, index) => ({ ...contact, ...(index < 25 && { do_not_mail: true }) })),
      subscriptions,
      state,
    );
    expect(summaryOf(planned)).toBe(
      'Would unsubscribe 25 people (limit 20). Would create 0 contacts, change 25. Held back: The plan unsubscribes 25, clears values of 0, marks 0 as removed and gives 0 contacts to other subscriptions, of 30 pairs; at most 20 pass without a person who accepts them. It would take 25 writes in the CRM, and 2 requests to the newsletter. Nothing was written.',
    );
    const applied: AppliedSync = {
      contactUpdates: [],
      contactCreates: [],
      findings: [],
      consent: [],
      updated: 0,
      created: 0,
      failed: 0,
      refused: [],
    };
    expect(summaryOf(planned, applied)).toMatch(
      /^Would unsubscribe 25 people .* Only opt-outs, and unsubscribes within the limit, were carried out\.$/,
    );
    expect(summaryOf({ ...planned, held: null }, { ...applied, failed: 2 })).toBe(
      'Unsubscribed 25 people (limit 20). Handed over to the CRM: 0 contacts to create, 25 to change. The newsletter refused 2 changes.',
    );
  });

  it('says what is overwritten, who gets no contact and why, and what is left alone', () => {
    const { contacts, subscriptions, state } = agreed(22);
    const [, ...others] = contacts;
    const changed = [...others.map((contact) => ({ ...contact, city: 'UNKNOWN' })), contactOf(99)];
    const erased = subscription(50, { email: 'redacted@redacted.invalid', created: 1_790_000_000 });
    const planned = plan(changed, [...subscriptions, erased], state);
    expect(summaryOf(planned)).toBe(
      'Would unsubscribe 0 people (limit 20). Would overwrite 21 values of "City" in the newsletter. Would create 0 contacts, change 21. Would change 21 subscriptions. 2 subscriptions get no contact: 1 erased, 1 whose contact was deleted in the CRM. 1 contact without a subscription left alone. 1 finding, 1 new. Held back: The plan overwrites 21 values of "City" in the newsletter; at most 20 pass without a person who accepts them. It would take 21 writes in the CRM, and 2 requests to the newsletter. Nothing was written.',
    );
  });

  it('counts opt-outs, people who are asked, conflicts, findings and what waits', () => {
    const { contacts, subscriptions, state } = agreed(3);
    const [one = {}, two = {}, three = {}] = contacts;
    const edited = [
      { ...one, city: 'Ulm' },
      { ...two, city: '' },
      { ...three, city: 'Trier' },
    ];
    const changed = [...edited, contactOf(9), contactOf(8, { email: 'nobody' })];
    const [first = subscription(1), second = subscription(2), third = subscription(3)] = subscriptions;
    const there = [
      { ...first, custom_fields: [{ name: 'City', value: 'Jena' }] },
      { ...second, status: 'inactive' },
      third,
    ];
    const mapping = { subscribe: 'with_confirmation', mostWrites: 1 } as const;
    expect(summaryOf(plan(changed, there, state, { mapping }))).toBe(
      'Would create 0 contacts, change 3 (1 opted out). Would change 2 subscriptions. Would subscribe 1 contact, 1 of them by a mail that asks to confirm. 1 contact waits for the next run. 1 contact without a subscription left alone. 1 value differs on both sides. 1 finding, 1 new. It would take 3 writes in the CRM, and 3 requests to the newsletter. Nothing was written.',
    );
  });
});

it.each([
  ['ada@example.com', 'a…@example.com'],
  ['Ärzte+x@example.com', 'Ä…@example.com'],
  ['@example.com', '@example.com'],
])('shortens %s to %s', (email, short) => {
  const change = {
    kind: 'update',
    side: 'crm',
    field: 'city',
    from: null,
    to: 'Ulm',
    reason: 'from_newsletter',
  } as const;
  const line = lineOf({ ...change, email, contactId: '1', subscriptionId: null }, true);
  expect(line).toEqual({
    what: 'Change',
    person: short,
    change: 'city: (empty) → Ulm',
    why: 'Comes from the newsletter',
  });
});

describe('at most so many writes in a run', () => {
  const mapping = { mostWrites: 3 };

  it('hand over the oldest first, and count a creation as tried only once it was handed over', () => {
    const subscriptions = Array.from({ length: 9 }, (_, index) => subscription(9 - index));
    let contacts: Contact[] = [];
    let state = startSync();
    const runs: (readonly string[])[] = [];
    for (let run = 0; run < 5; run += 1) {
      const planned = plan(contacts, subscriptions, state, { mapping });
      runs.push(planned.contactCreates.map(({ email }) => email.replace(/\D/g, '')));
      contacts = [
        ...contacts,
        ...planned.contactCreates.map(({ subscriptionId, changes }) => ({
          ...changes,
          id: subscriptionId,
          do_not_mail: false,
        })),
      ];
      ({ state } = planned);
      expect(codes(planned)).toEqual([]);
    }
    expect(runs.map((numbers) => numbers.toSorted())).toEqual([
      ['1', '2', '3'],
      ['4', '5', '6'],
      ['7', '8', '9'],
      [],
      [],
    ]);
  });

  it('never give up what waits, also where the CRM takes nothing', () => {
    const subscriptions = Array.from({ length: 9 }, (_, index) => subscription(index + 1));
    let state = startSync();
    const handedOver: number[] = [];
    for (let run = 0; run < 9; run += 1) {
      const planned = plan([], subscriptions, state, { mapping });
      handedOver.push(planned.contactCreates.length);
      ({ state } = planned);
    }
    expect(handedOver).toEqual([3, 3, 3, 3, 3, 3, 3, 3, 3]);
    expect(codes(plan([], subscriptions, state, { mapping }))).toEqual(['crm_outage']);
  });

  it('leave no opt-out and no unsubscribe waiting', () => {
    const { contacts, subscriptions, state } = agreed(6);
    const changed = contacts.map((contact, index) => ({
      ...contact,
      ...(index < 2 ? { do_not_mail: true } : { city: 'Ulm' }),
    }));
    const left = subscriptions.map((one, index) => (index === 5 ? { ...one, status: 'inactive' } : one));
    const { pairs, counts } = plan(changed, left, state, { mapping: { mostWrites: 1 } });
    expect(pairs.map(({ contactId }) => contactId).toSorted()).toEqual(['c1', 'c2', 'c3', 'c6']);
    expect(counts.waiting).toBe(2);
  });
});

describe('a change of a contact that the CRM never shows', () => {
  it.each([
    [1, [[], [], [], ['contact_update_failed c1 true'], ['contact_update_failed c1 false']]],
    // Of several, of which none is taken, none is to blame.
    [2, [[], [], [], ['crm_outage undefined true'], ['crm_outage undefined false']]],
  ])(
    'of %i is a finding after three runs, and is tried in all but the first, whose list may be late',
    (count, told) => {
      const { contacts, subscriptions, state } = agreed(count);
      const changed = subscriptions.map((one) => ({ ...one, custom_fields: [{ name: 'City', value: 'Ulm' }] }));
      let after = state;
      const found: (readonly string[])[] = [];
      for (let run = 0; run < 5; run += 1) {
        const planned = plan(contacts, changed, after);
        found.push(planned.findings.map(({ code, contactId, isNew }) => `${code} ${contactId} ${isNew}`));
        expect(planned.counts.contactUpdates).toBe(run === 1 ? 0 : count);
        after = planned.state;
      }
      expect(found).toEqual(told);
      // A contact that takes its change starts anew.
      const taken = plan(contacts, changed, after);
      const later = changed.map((one) => ({ ...one, custom_fields: [{ name: 'City', value: 'Jena' }] }));
      expect(codes(plan(written(contacts, taken), later, taken.state))).toEqual([]);
    },
  );

  it('is a finding where its token field is too short, and where the CRM says yes to what it did not do', () => {
    const doors: Readonly<Record<string, (contact: Contact, after: Contact) => Contact>> = {
      'a token field of 30 characters': (_, after) => ({ ...after, token: String(after['token']).slice(0, 30) }),
      'a CRM that does nothing': (contact) => contact,
    };
    for (const store of Object.values(doors)) {
      let contacts: readonly Contact[] = [contactOf(1, { city: '' })];
      let state = startSync();
      const found: string[] = [];
      for (let run = 0; run < 6; run += 1) {
        const planned = plan(contacts, [subscription(1)], state);
        ({ state } = planned);
        found.push(...codes(planned));
        const after = written(contacts, planned);
        contacts = contacts.map((contact, index) => store(contact, after[index] ?? contact));
      }
      expect(found).toContain('contact_update_failed');
    }
  });

  it('is not counted while it is held back, or waits', () => {
    const { contacts, subscriptions, state } = agreed(30);
    const cleared = contacts.map((contact) => ({ ...contact, city: '' }));
    let after = state;
    for (let run = 0; run < 5; run += 1) ({ state: after } = plan(cleared, subscriptions, after));
    expect(after.updates).toEqual(state.updates);
    const one = contacts.map((contact, index) => ({ ...contact, ...(index < 2 && { city: 'Ulm' }) }));
    const { state: next } = plan(one, subscriptions, state, { mapping: { mostWrites: 1 } });
    expect(Object.values(next.updates)).toMatchObject([{ runs: 0 }]);
  });
});
