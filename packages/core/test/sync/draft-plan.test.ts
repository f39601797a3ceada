/** Records without a counterpart: what is created, moved, marked as removed or left, and what is reported. */
import { decodeToken, startSync, stateAfter, type SyncMapping } from '@newsletter-kit/core/sync';
import { describe, expect, it } from 'vitest';
import { tokenMark } from '../../src/sync/mapping/token.ts';
import { agreed, city, codes, contactOf, defaults, plan, readyMapping, subscription, written } from './reconcile.ts';

const newer = 1_790_000_000;

describe('a contact whose subscription is gone', () => {
  it('is marked as removed the second time, reported with its ids, and never subscribed again', () => {
    const { contacts, subscriptions, state } = agreed(1);
    const first = plan(contacts, [], state);
    expect([first.pairs, codes(first)]).toEqual([[], []]);
    const second = plan(contacts, [], first.state);
    expect(second.counts.removals).toBe(1);
    const contactWrites = [{ changes: { newsletter_status: 'removed' } }];
    expect(second.pairs).toMatchObject([{ subscriptionWrites: [], contactWrites, consent: [] }]);
    expect(second.findings).toMatchObject([
      { code: 'subscription_gone', row: 1, contactId: 'c1', subscriptionId: subscriptions[0]?.id },
    ]);
    const third = plan(written(contacts, second), [], second.state);
    expect([third.pairs, third.findings.map(({ isNew }) => isNew)]).toEqual([[], [false]]);
    // The same person as a new record of the CRM, without token.
    const again = plan([contactOf(1, { id: 'c9' })], [], second.state, { mapping: { subscribe: 'with_confirmation' } });
    expect(again.subscriptionCreates).toEqual([]);
  });

  it('is not marked where no status is mapped, or where the status was not delivered', () => {
    const mapping = { fields: defaults.fields.slice(0, 1) };
    const unmapped = agreed(1, { mapping });
    const first = plan(unmapped.contacts, [], unmapped.state, { mapping });
    expect(plan(unmapped.contacts, [], first.state, { mapping }).pairs).toEqual([]);

    const { contacts, state } = agreed(1);
    const undelivered = contacts.map(({ newsletter_status: _, ...contact }) => contact);
    const before = plan(undelivered, [], state, { accept: true });
    expect(plan(undelivered, [], before.state, { accept: true }).pairs).toEqual([]);
  });

  it('keeps no fingerprint of an invalid address', () => {
    const { contacts, state } = agreed(1);
    const invalid = contacts.map((contact) => ({ ...contact, email: 'nobody' }));
    const first = plan(invalid, [], state);
    expect(plan(invalid, [], first.state).state.erased).toEqual([]);
    const valid = plan(contacts, [], state);
    expect(plan(contacts, [], valid.state).state.erased).toHaveLength(1);
  });
});

describe('a contact that never had a subscription', () => {
  const confirming = { mapping: { subscribe: 'with_confirmation' } } as const;

  it('is compared with the others of its address a few times, however many they are', () => {
    const size = 2000;
    let reads = 0;
    const contacts = Array.from({ length: size }, (_, index) => ({
      ...contactOf(1),
      // The oldest comes in last.
      get id() {
        reads += 1;
        return String(size - index);
      },
    }));
    const { subscriptionCreates } = plan(contacts, [], startSync(), confirming);
    expect(subscriptionCreates.map(({ contactId }) => contactId)).toEqual(['1']);
    expect(reads).toBeLessThan(20 * size);
  });

  it('is not subscribed where another contact with its address is opted out', () => {
    const contacts = [contactOf(1), contactOf(1, { id: 'c2', do_not_mail: true })];
    expect(plan(contacts, [], startSync(), confirming).subscriptionCreates).toEqual([]);
  });

  it('is not subscribed without an id', () => {
    const result = plan([contactOf(1, { id: '' })], [], startSync(), confirming);
    expect([result.subscriptionCreates, codes(result)]).toEqual([[], ['contact_without_id']]);
  });

  it('is subscribed whatever its opt-out where none is mapped', () => {
    const mapping = { subscribe: 'with_confirmation', optOut: undefined } as const;
    const result = plan([contactOf(1, { do_not_mail: true })], [], startSync(), { mapping });
    expect(result.subscriptionCreates).toHaveLength(1);
  });

  it('brings the values of fields that go to the newsletter and have one', () => {
    const fields: SyncMapping['fields'] = [
      { newsletter: city, contact: 'city', direction: 'to_subscription' },
      { newsletter: 'vanished', contact: 'town', direction: 'to_subscription' },
      { newsletter: 'status', contact: 'newsletter_status', direction: 'to_contact' },
    ];
    const options = { mapping: { ...confirming.mapping, fields }, accept: true };
    const requestOf = (contact: object) =>
      plan([contactOf(1, { town: 'Ulm', ...contact })], [], startSync(), options).subscriptionCreates[0]?.request;
    expect(requestOf({})?.custom_fields).toEqual([{ name: 'City', value: 'Bonn' }]);
    expect(requestOf({ city: '' })).not.toHaveProperty('custom_fields');
    expect(requestOf({ city: { nested: true } })).not.toHaveProperty('custom_fields');
  });

  it('is asked once, and reported with its ids until it is linked', () => {
    const asked = plan([contactOf(1)], [], startSync(), confirming);
    const missing = plan([contactOf(1)], [], asked.state, confirming);
    expect(missing.subscriptionCreates).toEqual([]);
    expect(missing.findings).toMatchObject([{ code: 'subscription_creation_failed', row: 1, contactId: 'c1' }]);
    // One that the newsletter refused may be asked again.
    const again = plan([contactOf(1)], [], stateAfter(asked.state, { refused: asked.subscriptionCreates }), confirming);
    expect(again.subscriptionCreates).toEqual(asked.subscriptionCreates);
    const pending = [subscription(1, { status: 'pending' })];
    const mapping = { ...confirming.mapping, fields: defaults.fields.slice(1) };
    const found = plan([contactOf(1)], pending, missing.state, { mapping });
    expect(found.state.asked).toEqual(asked.state.asked);
    // The pending person is gone again, and the contact has not taken its token.
    expect(plan([contactOf(1)], [], found.state, { mapping }).subscriptionCreates).toEqual([]);
    const linked = plan(written([contactOf(1)], found), pending, found.state, { mapping });
    expect(linked.state.asked).toEqual([]);
  });

  it('waits where more were asked than the state can hold', () => {
    const asked = Array.from({ length: 10_000 }, (_, index) => contactOf(index + 2));
    const { state } = plan(asked, [], startSync(), { ...confirming, accept: true });
    const all = [...asked, contactOf(1)];
    const result = plan(all, [], state, { ...confirming, accept: true });
    expect([state.asked.length, result.subscriptionCreates, result.held]).toEqual([10_000, [], null]);
  });
});

describe('a subscription without contact', () => {
  it('gets a contact with its values and a token that both sides agreed on', () => {
    const fields: SyncMapping['fields'] = [
      { newsletter: city, contact: 'city', direction: 'both' },
      { newsletter: 'status', contact: 'newsletter_status', direction: 'to_contact' },
      { newsletter: 'utm_source', contact: 'source', direction: 'to_contact' },
      { newsletter: 'f2', contact: 'shoe_size', direction: 'to_subscription' },
    ];
    const one = subscription(1);
    const { contactCreates } = plan([], [one], startSync(), { mapping: { fields }, accept: true });
    const [create] = contactCreates;
    expect(create).toMatchObject({ subscriptionId: one.id, consent: [] });
    const { token, ...changes } = create?.changes ?? {};
    expect(changes).toEqual({ email: 'reader-1@example.com', city: 'Bonn', newsletter_status: 'active' });
    const base = decodeToken(token, readyMapping({ fields }));
    expect(base).toMatchObject({ subscriptionId: one.id, consent: 'subscribed', optOut: false, reported: 0 });
    const agreed = expect.any(Number) as number;
    expect(base?.fields).toMatchObject([{ agreed, awaits: 'crm' }, { agreed }, undefined, undefined]);
  });

  it('gets a contact without the values that are empty or go to the newsletter only', () => {
    const field = { newsletter: city, contact: 'city' };
    const created = (direction: 'to_contact' | 'to_subscription', value: string) => {
      const one = subscription(1, { custom_fields: [{ name: 'City', value }] });
      const mapping = { fields: [{ ...field, direction }] };
      return plan([], [one], startSync(), { mapping }).contactCreates[0]?.changes;
    };
    expect(created('to_contact', 'Bonn')).toHaveProperty('city', 'Bonn');
    expect(created('to_contact', '')).not.toHaveProperty('city');
    expect(created('to_subscription', 'Bonn')).not.toHaveProperty('city');
  });

  it.each([
    ['sets the opt-out', { contact: 'do_not_mail' }, true, { side: 'crm', field: 'do_not_mail', value: true }],
    [
      'does not set the opt-out',
      { contact: 'do_not_mail', setOnUnsubscribe: false },
      false,
      { side: 'crm', field: 'newsletter_status', value: 'inactive' },
    ],
    ['maps no opt-out', undefined, undefined, { side: 'crm', field: 'newsletter_status', value: 'inactive' }],
  ] as const)('that is unsubscribed gets a contact where the mapping %s', (_, optOut, isOptedOut, write) => {
    const one = subscription(1, { status: 'inactive' });
    const { contactCreates } = plan([], [one], startSync(), { mapping: { optOut } });
    expect(contactCreates[0]?.changes['do_not_mail']).toBe(isOptedOut === true ? true : undefined);
    expect(decodeToken(contactCreates[0]?.changes['token'], readyMapping({ optOut }))).toMatchObject({
      consent: 'left_newsletter',
      optOut: isOptedOut,
    });
    expect(contactCreates[0]?.consent).toEqual([
      { saidBy: 'newsletter', subscriptionId: one.id, contactId: null, field: 'status', written: write },
    ]);
  });

  it.each([[[0, 100]], [[100, 0]]])('keeps the watermark before the oldest that gets a contact: %j', (offsets) => {
    const { contacts, subscriptions, state } = agreed(1);
    const added = offsets.map((offset) => subscription(100 + offset, { created: newer + offset }));
    expect(plan(contacts, [...subscriptions, ...added], state).state.watermark).toBe(newer - 1);
  });

  it('is left where the mapping says so, and where the person is erased', () => {
    const mapping = { situations: { newSubscription: 'leave' } } as const;
    expect(plan([], [subscription(1)], startSync(), { mapping }).contactCreates).toEqual([]);
    expect(plan([], [subscription(1, { email: 'redacted@redacted.invalid' })]).contactCreates).toEqual([]);
  });

  it('is one of 30,000 that are refused: all are created once the CRM takes them, and the state stays small', () => {
    const subscriptions = Array.from({ length: 30_000 }, (_, index) => subscription(index));
    const [first = subscription(0)] = subscriptions;
    let state = startSync();
    for (let run = 0; run < 4; run += 1) {
      const result = plan([contactOf(-1)], subscriptions, state);
      expect([result.held, result.contactCreates.length]).toEqual([null, 30_000]);
      expect([codes(result), result.state.attempts]).toEqual([run === 3 ? ['crm_outage'] : [], {}]);
      ({ state } = result);
    }
    // One is taken: from then on each of the others was refused by itself. Those without an entry are tried as well.
    const all = [contactOf(-1), contactOf(0)];
    const token = plan(all, [first]).pairs[0]?.contactWrites[0]?.token ?? '';
    const [, created = {}] = written(all, plan(all, [first]));
    const taken = plan([contactOf(-1), created], subscriptions, { ...state, created: [[tokenMark(token)]] });
    expect([taken.held, taken.contactCreates.length]).toEqual([null, 29_999]);
    expect(Object.keys(taken.state.attempts)).toHaveLength(10_000);
    const rest = plan([contactOf(-1), created], subscriptions, taken.state);
    expect([rest.held, rest.contactCreates.length]).toEqual([null, 29_999]);
    // What was refused comes last.
    expect(rest.contactCreates.findLastIndex(({ wasRefused }) => !wasRefused)).toBe(19_998);
  });
});
