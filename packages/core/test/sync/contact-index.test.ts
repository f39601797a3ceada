/** Reads contacts, and matches them with subscriptions by their token, then by their address. */
import { startSync } from '@newsletter-kit/core/sync';
import { describe, expect, it } from 'vitest';
import { agreed, codes, contactOf, plan, subscription, type Contact } from './reconcile.ts';

describe('the id of a contact', () => {
  it.each([
    ['a text', ' c7 ', 'c7'],
    ['a number', 7, '7'],
    ['a bigint', 7n, '7'],
  ])('may be %s', (_, id, text) => {
    const { pairs } = plan([contactOf(1, { id, city: 'Ulm' })], [subscription(1)]);
    expect(pairs.flatMap(({ contactWrites }) => contactWrites.map((write) => write.id))).toEqual([text]);
  });

  it.each([undefined, null, '', ' ', {}, true])('is missing where it is %j', (id) => {
    const { findings, counts } = plan([contactOf(1), contactOf(2, { id })], [], startSync());
    expect(findings).toMatchObject([{ code: 'contact_without_id', row: 2 }]);
    expect(findings[0]).not.toHaveProperty('contactId');
    expect(counts.contacts).toBe(2);
  });

  it('is used once: a repeated contact is reported and left alone', () => {
    const { findings, pairs } = plan([contactOf(1), contactOf(2, { id: 'c1', city: 'Ulm' })], [subscription(2)]);
    expect(findings).toMatchObject([{ code: 'contact_repeated', row: 2, contactId: 'c1' }]);
    expect(pairs).toEqual([]);
  });
});

describe('the address of a contact', () => {
  it.each(['reader-1@example.com', ' READER-1@Example.COM '])('%j is matched with the subscription', (email) => {
    const { counts, findings } = plan([contactOf(1, { email })], [subscription(1)]);
    expect([counts.pairs, counts.contactCreates, findings]).toEqual([1, 0, []]);
  });

  it.each([
    ['josé@bücher.example', 'JOSÉ@BÜCHER.example'],
    ['ada@bücher.example', 'Ada@xn--bcher-kva.example'],
    ["o'neil+news@example.co.uk", "O'Neil+News@example.co.uk"],
    [`${'a'.repeat(60)}@example.com`, `${'A'.repeat(60)}@example.com`],
  ])('%s is matched in another spelling', (email, other) => {
    const { counts, findings } = plan([contactOf(1, { email })], [subscription(1, { email: other })]);
    expect([counts.pairs, findings]).toEqual([1, []]);
  });

  it.each([7, 'nobody', 'a b@example.com', '@example.com', 'ada@example', `${'a'.repeat(65)}@example.com`])(
    '%j is reported as malformed',
    (email) => {
      const { findings } = plan([contactOf(1, { email })], []);
      expect(findings).toMatchObject([{ code: 'address_malformed', row: 1, contactId: 'c1' }]);
    },
  );
});

describe('the contacts of a subscription', () => {
  it('do not include a contact that is linked to another subscription', () => {
    const { contacts, subscriptions, state } = agreed(2);
    const [first = {}, second = {}] = contacts;
    const [one = subscription(1), two = subscription(2)] = subscriptions;
    const third = subscription(3, { email: 'reader-1@example.com', created: 1_790_000_000 });
    const result = plan([first, second], [{ ...one, email: 'reader-9@example.com' }, two, third], state);
    expect(result.pairs).toMatchObject([{ contactWrites: [{ id: 'c1', changes: { email: 'reader-9@example.com' } }] }]);
    expect(result.counts.pairs).toBe(2);
  });

  it('include one whose token is damaged, by its address', () => {
    const { contacts, subscriptions, state } = agreed(1);
    const damaged = contacts.map((contact) => ({ ...contact, token: `${String(contact['token'])}x` }));
    // The token of the first run has been seen.
    const { state: seen } = plan(contacts, subscriptions, state);
    const result = plan(damaged, subscriptions, seen);
    expect(codes(result)).toEqual(['token_damaged']);
    expect(result.pairs).toMatchObject([{ contactWrites: [{ id: 'c1' }] }]);
  });
});

describe('a field that no record delivers', () => {
  const without = (...paths: readonly string[]) =>
    Object.fromEntries(Object.entries(contactOf(1)).filter(([path]) => !paths.includes(path)));

  it('is missing, and is not where one record delivers it', () => {
    expect(plan([without('city', 'newsletter_status')], []).held?.message).toBe(
      'No contact has the field "city". No contact has the field "newsletter_status". The contacts have: id, email, do_not_mail, token.',
    );
    expect(plan([without('city'), contactOf(2)], []).held).toBeNull();
    expect(plan([], []).held).toBeNull();
  });

  it('is empty where another record of a complete run has it, an opt-out too', () => {
    const mapping = { subscribe: 'with_confirmation' } as const;
    const vetoed = contactOf(2, { do_not_mail: true });
    const created = (...contacts: readonly Contact[]) =>
      plan(contacts, [], startSync(), { mapping, accept: true }).subscriptionCreates.map(({ contactId }) => contactId);
    expect(created(without('do_not_mail'), vetoed)).toEqual(['c1']);
    // Nobody is asked on the strength of a field that nobody has.
    expect(created(without('do_not_mail'), without('do_not_mail'))).toEqual([]);
    const { contacts, subscriptions, state } = agreed(2);
    const [{ city: _, ...cleared } = {}, other = {}] = contacts;
    const { pairs } = plan([cleared, other], subscriptions, state);
    expect(pairs).toMatchObject([{ subscriptionWrites: [{ custom_fields: [{ name: 'City', delete: true }] }] }]);
    expect(plan([cleared, other], subscriptions, state, { scope: 'incoming' }).pairs).toEqual([]);
  });

  it('gets the opt-out of somebody who left', () => {
    const { pairs } = plan([without('do_not_mail')], [subscription(1, { status: 'inactive' })]);
    expect(pairs).toMatchObject([{ contactWrites: [{ changes: { do_not_mail: true } }] }]);
  });
});
