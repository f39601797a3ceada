/** The situations of a sync and their default actions, the circuit breaker, and invalid input. */
import {
  createReconciler,
  prepareMapping,
  startSync,
  type SyncMapping,
  type SyncPlan,
  type SyncState,
  type SyncSubscription,
} from '@newsletter-kit/core/sync';
import { describe, expect, it } from 'vitest';

const city = 'c0000000-0000-4000-8000-000000000001';
const defaults: SyncMapping = {
  fields: [
    { newsletter: city, contact: 'city', direction: 'both', conflict: 'crm' },
    { newsletter: 'status', contact: 'newsletter_status', direction: 'to_contact' },
  ],
  contact: { token: 'token' },
  optOut: { contact: 'do_not_mail' },
};
const now = 1_800_000_000_000;

type Contact = Record<string, unknown>;
type Options = { readonly mapping?: Partial<SyncMapping>; readonly accept?: boolean; readonly scope?: 'incoming' };

function subscription(number: number, over: Partial<SyncSubscription> = {}): SyncSubscription {
  return {
    id: `sub_00000000-0000-4000-8000-${String(number).padStart(12, '0')}`,
    email: `reader-${number}@example.com`,
    status: 'active',
    created: 1_700_000_000 + number,
    custom_fields: [{ name: 'City', value: 'Bonn' }],
    ...over,
  };
}

function contactOf(number: number, over: Contact = {}): Contact {
  const email = `reader-${number}@example.com`;
  return { id: `c${number}`, email, city: 'Bonn', newsletter_status: 'active', do_not_mail: false, token: '', ...over };
}

function plan(
  contacts: readonly Contact[],
  subscriptions: readonly SyncSubscription[],
  state: SyncState = startSync(),
  { mapping, accept, scope }: Options = {},
): SyncPlan {
  const ready = prepareMapping({ ...defaults, ...mapping }, [{ id: city, display: 'City', kind: 'string' }], 'pub_1');
  const reconciler = createReconciler({ mapping: ready, state, now, accept, scope });
  for (const contact of contacts) reconciler.addContact(contact);
  reconciler.addSubscriptions(subscriptions);
  return reconciler.finish();
}

/** Makes the contacts' writes of a plan. */
function written(contacts: readonly Contact[], { pairs }: SyncPlan): Contact[] {
  const writes = new Map(pairs.flatMap(({ contactWrites }) => contactWrites.map((write) => [write.id, write])));
  return contacts.map((contact) => {
    const write = writes.get(String(contact['id']));
    return write ? { ...contact, ...write.changes, token: write.token } : contact;
  });
}

/** Contacts that are linked to their subscriptions and agree with them, and the state after that run. */
function agreed(
  count: number,
  options: Options = {},
): { contacts: Contact[]; subscriptions: SyncSubscription[]; state: SyncState } {
  const numbers = Array.from({ length: count }, (_, index) => index + 1);
  const subscriptions = numbers.map((number) => subscription(number));
  const contacts = numbers.map((number) => contactOf(number));
  const first = plan(contacts, subscriptions, startSync(), options);
  return { contacts: written(contacts, first), subscriptions, state: first.state };
}

const codes = ({ findings }: SyncPlan): readonly string[] => findings.map(({ code }) => code);

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
        situation: 'new_subscription',
        changes: { email: 'reader-2@example.com', city: 'Bonn', newsletter_status: 'active' },
      },
    ]);
    const second = plan(contacts, all, first.state);
    expect(second.contactCreates).toHaveLength(1);
    const created = { id: 'c2', do_not_mail: false, ...first.contactCreates[0]?.changes };
    expect(plan([...contacts, created], all, second.state)).toMatchObject({
      pairs: [],
      contactCreates: [],
      findings: [],
    });

    const third = plan(contacts, all, second.state);
    expect(third.contactCreates).toHaveLength(1);
    const fourth = plan(contacts, all, third.state);
    expect(fourth.contactCreates).toEqual([]);
    expect(fourth.findings).toMatchObject([{ code: 'contact_creation_failed', isNew: true }]);
    expect(plan(contacts, all, fourth.state).findings).toMatchObject([
      { code: 'contact_creation_failed', isNew: false },
    ]);
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

  it('opts the contact of a new subscription out where the person has unsubscribed', () => {
    const { contactCreates } = plan([], [subscription(1, { status: 'inactive' })]);
    expect(contactCreates).toMatchObject([
      {
        changes: { do_not_mail: true, newsletter_status: 'inactive' },
        consent: [
          { saidBy: 'newsletter', contactId: null, written: { side: 'crm', field: 'do_not_mail', value: true } },
        ],
      },
    ]);
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
    expect(plan(written(contacts, first), gone, first.state, { mapping }).pairs).toEqual([]);
  });

  it('leaves the subscription of a deleted contact alone', () => {
    const { subscriptions, state } = agreed(2);
    const first = plan([], subscriptions, state);
    expect(plan([], subscriptions, first.state)).toMatchObject({ pairs: [], contactCreates: [] });
  });

  it('unsubscribes for a deleted contact only after two complete runs, where the mapping says so', () => {
    const { contacts, subscriptions, state } = agreed(2);
    const options = { mapping: { situations: { contactMissing: 'unsubscribe' } } } as const;
    const first = plan(contacts.slice(0, 1), subscriptions, state, options);
    expect(first.pairs).toEqual([]);
    const second = plan(contacts.slice(0, 1), subscriptions, first.state, options);
    expect(second.pairs).toMatchObject([
      {
        situation: 'contact_missing',
        subscriptionWrites: [{ subscription_id: subscriptions[1]?.id, unsubscribe: true }],
      },
    ]);
  });

  it('marks a contact as removed once its subscription was missing twice (tombstone), and never subscribes it again', () => {
    const { contacts, state } = agreed(1);
    const options = { mapping: { subscribe: 'with_confirmation' } } as const;
    const first = plan(contacts, [], state, options);
    expect([first.pairs, codes(first)]).toEqual([[], []]);
    const second = plan(contacts, [], first.state, options);
    expect(second.pairs).toMatchObject([
      { situation: 'subscription_missing', contactWrites: [{ changes: { newsletter_status: 'removed' } }] },
    ]);
    expect(codes(second)).toEqual(['subscription_gone']);
    // The same person as a new record of the CRM, without token.
    const third = plan([contactOf(1, { id: 'c9' })], [], second.state, options);
    expect(third.subscriptionCreates).toEqual([]);
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
        situation: 'ambiguous',
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
    expect(plan(vetoed, gone, result.state).pairs.flatMap(({ consent }) => consent)).toEqual([]);
  });

  it('matches a subscription by its token before its address', () => {
    const { contacts, subscriptions, state } = agreed(2);
    // The contact of the first has the address of the second.
    const [first = {}, second = {}] = contacts;
    const result = plan([{ ...first, email: 'reader-2@example.com' }, second], subscriptions, state);
    expect(codes(result)).toEqual(['address_changed_in_crm']);
  });

  it('links a contact to the new subscription of a person whose old one is gone', () => {
    const { contacts, state } = agreed(1);
    const result = plan(contacts, [subscription(5, { email: 'reader-1@example.com', created: 1_790_000_000 })], state);
    expect(result.contactCreates).toEqual([]);
    expect(result.pairs).toMatchObject([{ situation: 'address_moved', contactWrites: [{ id: 'c1' }] }]);
  });

  it('moves a subscription to the contact’s new address by double opt-in, where the mapping says so', () => {
    const { contacts, subscriptions, state } = agreed(1);
    const moved = contacts.map((contact) => ({ ...contact, email: 'new@example.com' }));
    const options = { mapping: { situations: { addressChangedInCrm: 'move' } } } as const;
    const first = plan(moved, subscriptions, state, options);
    expect(first.subscriptionCreates).toMatchObject([
      {
        situation: 'address_moved',
        request: { email: 'new@example.com', double_opt_override: 'on', reactivate_existing: false },
      },
    ]);
    const both = [...subscriptions, subscription(7, { email: 'new@example.com', status: 'pending' })];
    const waiting = plan(written(moved, first), both, first.state, options);
    expect([waiting.subscriptionCreates, codes(waiting)]).toEqual([[], ['move_waits', 'address_changed_in_crm']]);
    const confirmed = [...subscriptions, subscription(7, { email: 'new@example.com' })];
    const last = plan(written(moved, first), confirmed, waiting.state, options);
    expect(last.pairs).toMatchObject([
      {
        situation: 'address_moved',
        subscriptionWrites: [{ subscription_id: subscriptions[0]?.id, unsubscribe: true }],
        contactWrites: [{ id: 'c1' }],
      },
    ]);
    expect(codes(plan(written(written(moved, first), last), confirmed.slice(1), last.state, options))).toEqual([]);
  });

  it('does not move an unsubscribed subscription', () => {
    const { contacts, subscriptions, state } = agreed(1);
    const moved = contacts.map((contact) => ({ ...contact, email: 'new@example.com' }));
    const left = subscriptions.map((one) => ({ ...one, status: 'inactive' }));
    const options = { mapping: { situations: { addressChangedInCrm: 'move' } } } as const;
    expect(plan(moved, left, state, options).subscriptionCreates).toEqual([]);
  });

  it.each([
    ['with_confirmation', contactOf(1), { double_opt_override: 'on' }],
    ['on_consent', contactOf(1, { consent: 'yes' }), {}],
  ] as const)('subscribes a contact %s', (subscribe, contact, request) => {
    const { subscriptionCreates } = plan([contact], [], startSync(), { mapping: { subscribe, consent: 'consent' } });
    expect(subscriptionCreates).toEqual([
      {
        situation: 'unknown_contact',
        contactId: 'c1',
        request: {
          email: 'reader-1@example.com',
          reactivate_existing: false,
          ...request,
          custom_fields: [{ name: 'City', value: 'Bonn' }],
        },
      },
    ]);
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

  it('stops creating a subscription that never comes back', () => {
    const options = { mapping: { subscribe: 'with_confirmation' } } as const;
    let state = startSync();
    const created: number[] = [];
    for (let run = 0; run < 5; run += 1) {
      const result = plan([contactOf(1)], [], state, options);
      created.push(result.subscriptionCreates.length);
      ({ state } = result);
    }
    expect(created).toEqual([1, 1, 1, 0, 0]);
    expect(codes(plan([contactOf(1)], [], state, options))).toEqual(['subscription_creation_failed']);
  });

  it('treats nothing as missing where only some contacts came in', () => {
    const { contacts, subscriptions, state } = agreed(2);
    const options = { scope: 'incoming', mapping: { situations: { contactMissing: 'unsubscribe' } } } as const;
    const first = plan(contacts.slice(0, 1), [], state, options);
    const second = plan(contacts.slice(0, 1), subscriptions, first.state, options);
    expect([second.pairs, second.contactCreates, codes(second), second.state]).toEqual([[], [], [], state]);
  });

  describe('the circuit breaker holds back a plan', () => {
    it('that unsubscribes more than 5 % and more than 20, but for opt-outs towards the CRM', () => {
      const { contacts, subscriptions, state } = agreed(100);
      const changed = contacts.map((contact, index) => ({ ...contact, ...(index < 21 && { do_not_mail: true }) }));
      const left = subscriptions.map((one, index) => (index === 50 ? { ...one, status: 'inactive' } : one));
      const held = plan(changed, left, state);
      expect(held.held).toMatchObject({ reason: 'too_many_changes' });
      expect(held.counts.unsubscribes).toBe(21);
      expect(held.pairs).toMatchObject([
        { subscriptionWrites: [], contactWrites: [{ id: 'c51', changes: { do_not_mail: true } }] },
      ]);
      expect(held.pairs[0]?.contactWrites[0]?.changes).not.toHaveProperty('newsletter_status');
      const accepted = plan(changed, left, state, { accept: true });
      expect(accepted.held).toBeNull();
      expect(accepted.pairs).toHaveLength(22);
      expect(
        plan(
          changed.map((contact, index) => (index === 0 ? (contacts[0] ?? {}) : contact)),
          left,
          state,
        ).held,
      ).toBeNull();
    });

    it('that clears values of many', () => {
      const { contacts, subscriptions, state } = agreed(30);
      const emptied = contacts.map((contact) => ({ ...contact, city: '' }));
      expect(plan(emptied, subscriptions, state)).toMatchObject({ held: { reason: 'too_many_changes' }, pairs: [] });
    });

    it('that creates more contacts than came in, but not where none came in', () => {
      const subscriptions = Array.from({ length: 30 }, (_, index) => subscription(index));
      expect(plan([contactOf(1)], subscriptions)).toMatchObject({
        held: { reason: 'too_many_creations' },
        contactCreates: [],
      });
      expect(plan([contactOf(1)], subscriptions, startSync(), { accept: true }).contactCreates).toHaveLength(29);
      expect(plan([], subscriptions).contactCreates).toHaveLength(30);
    });

    it('where no contact has a mapped field', () => {
      const { contacts, subscriptions, state } = agreed(1);
      const without = contacts.map(({ city: _, ...contact }) => contact);
      const result = plan(without, subscriptions, state);
      expect(result.held).toMatchObject({ reason: 'field_missing' });
      expect(result.findings).toMatchObject([{ code: 'field_missing', field: 'city', isNew: true }]);
      expect(plan(without, subscriptions, result.state).findings).toMatchObject([{ isNew: false }]);
      expect(plan(without, subscriptions, state, { mapping: { missingIsEmpty: true } }).held).toBeNull();
    });

    it('where the publication no longer has a mapped field', () => {
      const mapping = prepareMapping(defaults, [], 'pub_1');
      const reconciler = createReconciler({ mapping, state: startSync(), now });
      reconciler.addContact(contactOf(1));
      reconciler.addSubscriptions([subscription(1)]);
      expect(reconciler.finish().held).toMatchObject({ reason: 'field_missing' });
    });
  });

  it.each([
    ['address_malformed', [contactOf(1, { email: '' })]],
    ['address_malformed', [contactOf(1, { email: 'reader@' })]],
    ['contact_without_id', [contactOf(1, { id: null })]],
    ['contact_repeated', [contactOf(1), contactOf(1)]],
    ['token_damaged', [contactOf(1, { token: 'x'.repeat(60) })]],
    ['wrong_kind', [contactOf(1, { city: { nested: true } })]],
    ['opt_out_unreadable', [contactOf(1, { do_not_mail: 'perhaps' })]],
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
});
