/** The circuit breaker of a sync: plans that change too much are held back until a person accepts them. */
import { createReconciler, prepareMapping, startSync } from '@newsletter-kit/core/sync';
import { describe, expect, it } from 'vitest';
import { agreed, contactOf, defaults, now, plan, subscription, written } from './reconcile.ts';

const names = 'The contacts have: id, email, city, newsletter_status, do_not_mail, token.';

describe('the circuit breaker holds back a plan', () => {
  it('that unsubscribes more than 5 % and more than 20, but for opt-outs towards the CRM', () => {
    const { contacts, subscriptions, state } = agreed(100);
    const changed = contacts.map((contact, index) => ({ ...contact, ...(index < 21 && { do_not_mail: true }) }));
    const left = subscriptions.map((one, index) => (index === 50 ? { ...one, status: 'inactive' } : one));
    const held = plan(changed, left, state);
    expect(held.held).toMatchObject({ reasons: ['too_many_changes'] });
    expect(held.counts.unsubscribes).toBe(21);
    expect(held.pairs).toMatchObject([
      { subscriptionWrites: [], contactWrites: [{ id: 'c51', changes: { do_not_mail: true } }] },
    ]);
    expect(held.pairs[0]?.contactWrites[0]?.changes).toEqual({ do_not_mail: true, newsletter_status: 'inactive' });
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
    expect(plan(emptied, subscriptions, state)).toMatchObject({ held: { reasons: ['too_many_changes'] }, pairs: [] });
  });

  it('that overwrites more values of one field than pass, on either side, and does not count filled blanks', () => {
    const { contacts, subscriptions, state } = agreed(30);
    const inCrm = (count: number, city: string) =>
      contacts.map((contact, index) => (index < count ? { ...contact, city } : contact));
    const inNewsletter = subscriptions.map((one) => ({ ...one, custom_fields: [{ name: 'City', value: 'UNKNOWN' }] }));
    const held = plan(inCrm(21, 'UNKNOWN'), subscriptions, state);
    expect(held).toMatchObject({
      held: {
        reasons: ['too_many_overwrites'],
        message:
          'The plan overwrites 21 values of "City" in the newsletter; at most 20 pass without a person who accepts them.',
      },
      pairs: [],
      counts: { overwrites: [{ side: 'newsletter', field: 'City', count: 21 }], limit: 20 },
    });
    expect(held.whole.pairs).toHaveLength(21);
    expect(held.whole.pairs[0]?.changes).toEqual([
      { kind: 'update', side: 'newsletter', field: 'City', from: 'Bonn', to: 'UNKNOWN', reason: 'changed_in_crm' },
    ]);
    expect(plan(inCrm(20, 'UNKNOWN'), subscriptions, state).held).toBeNull();
    expect(plan(contacts, inNewsletter, state).held).toMatchObject({
      reasons: ['too_many_overwrites'],
      message: expect.stringContaining('30 values of "city" in the CRM'),
    });
    const blank = contacts.map((contact) => ({ ...contact, city: '', newsletter_status: '', token: '' }));
    expect(plan(blank, subscriptions)).toMatchObject({ held: null, counts: { overwrites: [] } });
  });

  it('that reads less than half of the contacts of the last run, but not where it is the first', () => {
    const subscriptions = Array.from({ length: 60 }, (_, index) => subscription(index));
    expect(plan([contactOf(1)], subscriptions)).toMatchObject({ held: null, counts: { contactCreates: 59 } });
    const all = agreed(42);
    const heldWith = (count: number) => plan(all.contacts.slice(0, count), all.subscriptions, all.state).held;
    expect(heldWith(21)).toBeNull();
    expect(heldWith(20)).toMatchObject({
      reasons: ['contacts_missing'],
      message: '20 contacts came in, and 42 in the last run. Check that these are all there are.',
    });
    const few = agreed(20);
    expect(plan([], few.subscriptions, few.state).held).toBeNull();
  });

  it('where no contact delivers the opt-out or the consent field', () => {
    const { contacts, subscriptions, state } = agreed(2);
    const mistyped = { optOut: { contact: 'do not mail' } };
    expect(plan(contacts, subscriptions, state, { mapping: mistyped }).held).toMatchObject({
      reasons: ['field_missing'],
      message: `No contact has the field "do not mail"; near to it is "do_not_mail". ${names}`,
    });
    const asked = { subscribe: 'on_consent', consent: 'agreed' } as const;
    expect(plan(contacts, subscriptions, state, { mapping: asked }).held?.message).toBe(
      `No contact has the field "agreed". ${names}`,
    );
    expect(plan(contacts, subscriptions, state, { mapping: { ...asked, subscribe: 'never' } }).held).toBeNull();
  });

  it.each([
    ['id', startSync(), true],
    ['email', startSync(), true],
    ['token', { ...startSync(), contacts: 1 }, false],
    ['token', { ...startSync(), seen: ['token'] }, true],
  ])('where no contact has its %s, but the first runs write the first tokens', (path, state, isHeld) => {
    const { [path]: _, ...without } = contactOf(1);
    const { held } = plan([without], [subscription(1)], state);
    const told = `No contact has the field "${path}".`;
    expect(held && { ...held, remedy: undefined }).toEqual(
      isHeld ? { reasons: ['field_missing'], message: expect.stringContaining(told) } : null,
    );
    const known = { missing: false, nested: { deep: { deeper: 1 }, list: [1] }, ...contactOf(2) };
    expect(plan([known, without], [subscription(1)], state).held).toBeNull();
  });

  it('and offers the names that the contacts have, nested ones too', () => {
    const nested = { id: '1', properties: { email: 'ada@example.com', city: null }, archived: false };
    const mapping = { contact: { email: 'properties.mail', token: 'properties.token' }, fields: [], optOut: undefined };
    expect(plan([nested], [], startSync(), { mapping }).held?.message).toBe(
      'No contact has the field "properties.mail"; near to it is "properties.email". The contacts have: id, properties.email, properties.city, archived.',
    );
  });

  it('once where no contact has a mapped field, until a person accepts it', () => {
    const { contacts, subscriptions, state } = agreed(1);
    const without = contacts.map(({ city: _, ...contact }) => contact);
    const result = plan(without, subscriptions, state);
    expect(result.held).toMatchObject({ reasons: ['field_missing'] });
    expect(result.findings).toMatchObject([{ code: 'field_missing', field: 'city', isNew: true }]);
    const again = plan(without, subscriptions, result.state);
    expect([again.held?.reasons, again.findings]).toMatchObject([['field_missing'], [{ isNew: false }]]);
    const accepted = plan(without, subscriptions, again.state, { accept: true });
    expect(accepted.pairs).toEqual([]);
    expect(plan(without, subscriptions, accepted.state)).toMatchObject({ held: null, findings: [{ isNew: false }] });
    const back = plan(contacts, subscriptions, accepted.state);
    expect(plan(without, subscriptions, back.state).held).toMatchObject({ reasons: ['field_missing'] });
  });

  it('never of some contacts, which may lack any field, but reports one that was never seen', () => {
    const { contacts, subscriptions, state } = agreed(1);
    const without = contacts.map(({ city: _, ...contact }) => contact);
    const some = { scope: 'incoming' } as const;
    expect(plan(without, subscriptions, state, some)).toMatchObject({ held: null, findings: [] });
    expect(plan(without, subscriptions, startSync(), some)).toMatchObject({
      held: null,
      findings: [{ code: 'field_missing', field: 'city' }],
    });
  });

  it.each([
    ['unsubscribes', { do_not_mail: true }],
    ['clears a value of', { city: '' }],
  ])('that %s more than the share of the mapping', (_, change) => {
    const { contacts, subscriptions, state } = agreed(8);
    const heldWith = (count: number): boolean => {
      const changed = contacts.map((contact, index) => (index < count ? { ...contact, ...change } : contact));
      return plan(changed, subscriptions, state, { mapping: { breaker: { share: 0.5, atLeast: 0 } } }).held !== null;
    };
    expect([heldWith(4), heldWith(5)]).toEqual([false, true]);
  });

  it('that exceeds the share by unsubscribes, cleared values and removals together, and says so', () => {
    const { contacts, subscriptions, state } = agreed(3);
    const mapping = { breaker: { share: 0, atLeast: 2 } };
    const changed = contacts.map((contact, index) => ({
      ...contact,
      ...(index === 0 && { do_not_mail: true }),
      ...(index === 1 && { city: '' }),
    }));
    const remaining = subscriptions.slice(0, 2);
    const before = plan(contacts, remaining, state, { mapping });
    expect(before.held).toBeNull();
    expect(plan(changed, remaining, before.state, { mapping })).toMatchObject({
      held: {
        reasons: ['too_many_changes'],
        message:
          'The plan unsubscribes 1, clears values of 1, marks 1 as removed and gives 0 contacts to other subscriptions, of 2 pairs; at most 2 pass without a person who accepts them.',
      },
      counts: { unsubscribes: 1, clears: 1, removals: 1, pairs: 2 },
    });
  });

  it.each([20, 21])('that asks more than 20 people to subscribe: %i', (count) => {
    const contacts = Array.from({ length: count }, (_, index) => contactOf(index));
    const { held, subscriptionCreates } = plan(contacts, [], startSync(), {
      mapping: { subscribe: 'with_confirmation' },
    });
    expect([held?.reasons ?? null, subscriptionCreates.length]).toEqual(
      count > 20 ? [['too_many_creations'], 0] : [null, 20],
    );
  });

  it.each([20, 21])('that opts out more than 20 contacts of one person: %i', (count) => {
    const contacts = Array.from({ length: count }, (_, index) => contactOf(1, { id: `c${index}` }));
    const left = plan(contacts, [subscription(1, { status: 'inactive' })]);
    expect([left.held?.reasons ?? null, left.pairs.flatMap(({ contactWrites }) => contactWrites).length]).toEqual(
      count > 20 ? [['too_many_contacts'], 0] : [null, 20],
    );
    const [first, ...others] = contacts;
    const vetoed = [{ ...first, do_not_mail: true }, ...others];
    // Who said no is unsubscribed all the same.
    expect(plan(vetoed, [subscription(1)]).pairs.flatMap(({ subscriptionWrites }) => subscriptionWrites)).toEqual([
      { subscription_id: subscription(1).id, unsubscribe: true },
    ]);
  });

  it('whose mapping has no opt-out, as a whole', () => {
    const mapping = { optOut: undefined, breaker: { share: 0, atLeast: 0 } };
    const { contacts, subscriptions, state } = agreed(1, { mapping });
    const changed = contacts.map((contact) => ({ ...contact, city: '' }));
    expect(plan(changed, subscriptions, state, { mapping })).toMatchObject({
      held: { reasons: ['too_many_changes'] },
      pairs: [],
    });
  });

  it.each([10_000, 10_001])('whose state would hold more than 10,000 entries: %i', (count) => {
    const erased = Array.from({ length: count }, (_, index) => `fingerprint ${index}`);
    const { held } = plan([], [], { ...startSync(), erased });
    expect(held && { ...held, remedy: undefined }).toEqual(
      count > 10_000
        ? {
            reasons: ['state_full'],
            message:
              'More than 10000 contacts or subscriptions are missing at once. Check that both sides were read completely.',
          }
        : null,
    );
  });

  it('and names the fields that are missing', () => {
    const mapping = prepareMapping(defaults, [], 'pub_1');
    const reconciler = createReconciler({ mapping, state: startSync(), now });
    reconciler.addContact({ id: 'c1', email: 'reader-1@example.com', do_not_mail: false, city: 'Bonn' });
    expect(reconciler.finish().held?.message).toBe(
      'The publication no longer has the custom field mapped to "city". No contact has the field "newsletter_status". The contacts have: id, email, do_not_mail, city.',
    );
  });

  it('but for opt-outs and for unsubscribes within the limit, of several contacts too', () => {
    const { contacts, subscriptions, state } = agreed(1);
    const cleared = contacts.map((contact) => ({ ...contact, city: '' }));
    const vetoed = (number: number) => [
      contactOf(number, { do_not_mail: true }),
      contactOf(number, { id: `other-${number}` }),
    ];
    const all = [...cleared, ...vetoed(2), ...vetoed(3)];
    const list = [...subscriptions, subscription(2, { status: 'inactive' }), subscription(3)];
    const idsWith = (atLeast: number) => {
      const { held, pairs } = plan(all, list, state, { mapping: { breaker: { share: 0, atLeast } } });
      expect(held?.reasons).toEqual(['too_many_changes', 'too_many_contacts']);
      return pairs.map(({ subscriptionWrites: [write], contactWrites }) => [
        write?.unsubscribe,
        contactWrites.map(({ id }) => id),
      ]);
    };
    // Two changes are too many for both limits; the one unsubscribe is within the higher one.
    expect(idsWith(0)).toEqual([[undefined, ['other-2']]]);
    expect(idsWith(1)).toEqual([
      [undefined, ['other-2']],
      // Two contacts of one person are more than one.
      [true, []],
    ]);
  });

  it('but for opt-outs alone, without the token of a contact that is opted out already', () => {
    const mapping = { breaker: { share: 0, atLeast: 0 } };
    const { contacts, subscriptions, state } = agreed(2);
    const [one = {}, two = {}] = contacts;
    const [first = subscription(1)] = subscriptions;
    const all = [{ ...one, city: '' }, { ...two, do_not_mail: true }, contactOf(2, { id: 'other-2' })];
    const { held, pairs } = plan(all, [first, subscription(2, { status: 'inactive' })], state, { mapping });
    expect(held).not.toBeNull();
    expect(pairs.map(({ contactWrites }) => contactWrites.map(({ id }) => id))).toEqual([['other-2']]);
  });

  it('also where a pair has findings and no changes', () => {
    const { contacts, subscriptions, state } = agreed(2);
    const [one = {}, two = {}] = contacts;
    const invalid = { ...one, city: { nested: true } };
    const reported = plan([invalid, two], subscriptions, state);
    const all = [...written([invalid], reported), { ...two, city: '' }];
    const mapping = { breaker: { share: 0, atLeast: 0 } };
    const result = plan(all, subscriptions, reported.state, { mapping });
    expect(result.held).not.toBeNull();
    expect(result.findings).toMatchObject([{ code: 'wrong_kind', isNew: false }]);
    expect(result.pairs).toEqual([]);
  });
});
