/** Links by the ids of both sides: copies, merges, swapped and sorted rows, and ids in other forms. */
import type { SyncPlan } from '@newsletter-kit/core/sync';
import { describe, expect, it } from 'vitest';
import {
  address,
  agreed,
  codes,
  contactOf,
  defaults,
  furtherFields,
  plan,
  subscription,
  unsubscribed,
  written,
  type Contact,
} from './reconcile.ts';

const changed = ({ pairs }: SyncPlan): readonly string[] =>
  pairs.flatMap(({ changes }) => changes.map(({ side, field, to }) => `${side} ${field} ${String(to)}`));
const edited = (contact: Contact, over: Contact): Contact => ({ ...contact, ...over });

describe('a copied contact whose original is deleted', () => {
  const { contacts, subscriptions, state } = agreed(1);
  const [ada = {}] = contacts;
  const copy = edited(ada, { id: 'c9', email: 'copy@example.com' });
  const copied = plan([ada, copy], subscriptions, state);

  it('takes neither its values nor its opt-out to the person of the original', () => {
    expect(codes(copied)).toEqual(['token_of_another']);
    const alone = [edited(copy, { city: 'Ulm', do_not_mail: true })];
    const next = plan(alone, subscriptions, copied.state);
    expect([next.pairs, codes(next)]).toEqual([[], ['contact_missing', 'token_of_another']]);
  });

  it('belongs to whoever signs up with its address, and counts as met for the first time', () => {
    const signedUp = subscription(2, { email: 'copy@example.com', created: 1_790_000_000, custom_fields: [] });
    const next = plan([edited(copy, { city: 'Ulm' })], [...subscriptions, signedUp], copied.state);
    expect([next.pairs[0]?.subscriptionId, changed(next)]).toEqual([signedUp.id, ['newsletter City Ulm']]);
  });
});

describe('an opt-out that was seen', () => {
  const { contacts, subscriptions, state } = agreed(1);
  const gone = subscriptions.map((one) => ({ ...one, status: 'inactive' }));
  const first = plan(contacts, gone, state);
  const [optedOut = {}] = written(contacts, first);

  it('does not act again in the contact that a merge or a restore gave another id', () => {
    const merged = [edited(optedOut, { id: 'c77' })];
    const next = plan(merged, subscriptions, first.state);
    expect([unsubscribed(next), codes(next)]).toEqual([[], ['active_while_opted_out']]);
    // The token is that of the new id from then on.
    const last = plan(written(merged, next), subscriptions, next.state);
    expect([last.pairs, codes(last)]).toEqual([[], ['active_while_opted_out']]);
  });

  it('does not act for another person whose address the contact is given', () => {
    const both = [...subscriptions, subscription(2)];
    const next = plan([edited(optedOut, { email: address(2) })], both, first.state);
    expect([unsubscribed(next), codes(next)]).toEqual([[], ['contact_missing', 'active_while_opted_out']]);
  });
});

describe('a CRM that is restored with other ids', () => {
  const { contacts, subscriptions, state } = agreed(3);
  const restored = contacts.map((contact, index) => edited(contact, { id: `r${index}` }));

  it('is in step after one run that writes tokens alone', () => {
    const first = plan(restored, subscriptions, state);
    expect([changed(first), codes(first), first.pairs.length]).toEqual([[], [], 3]);
    expect(plan(written(restored, first), subscriptions, first.state).pairs).toEqual([]);
  });

  it('asks nobody again whose subscription is gone', () => {
    const options = { mapping: { subscribe: 'with_confirmation' } } as const;
    const first = plan(restored, subscriptions.slice(1), state, options);
    const second = plan(written(restored, first), subscriptions.slice(1), first.state, options);
    expect([first.subscriptionCreates, second.subscriptionCreates, codes(second)]).toEqual([
      [],
      [],
      ['subscription_gone'],
    ]);
  });
});

describe('a contact with a new address', () => {
  const { contacts, subscriptions, state } = agreed(1);
  const moved = contacts.map((contact) => edited(contact, { email: 'new@example.com' }));

  it('keeps its subscription, and follows once the new address signs up itself', () => {
    const first = plan(moved, subscriptions, state);
    expect(codes(first)).toEqual(['address_changed_in_crm']);
    const after = written(moved, first);
    const signedUp = subscription(2, { email: 'new@example.com', created: 1_790_000_000 });
    const second = plan(after, [...subscriptions, signedUp], first.state);
    expect([second.pairs.map(({ subscriptionId }) => subscriptionId), second.contactCreates]).toEqual([
      [signedUp.id],
      [],
    ]);
    const third = plan(written(after, second), [...subscriptions, signedUp], second.state);
    expect([third.pairs, codes(third)]).toEqual([[], ['contact_missing']]);
  });

  it('is one of several where another contact has the address of before', () => {
    const next = plan([...moved, contactOf(5, { email: address(1) })], subscriptions, state);
    expect([changed(next), codes(next)]).toEqual([[], ['ambiguous', 'ambiguous']]);
  });
});

describe('a contact with another id, whose address the newsletter has given to another person', () => {
  const { contacts, state } = agreed(1);
  const merged = contacts.map((contact) => edited(contact, { id: 'c77', city: 'Ulm' }));
  const swapped = (city: string) => [
    subscription(1, { email: address(2) }),
    subscription(2, { email: address(1), custom_fields: [{ name: 'City', value: city }] }),
  ];

  it.each(['Jena', ''])('keeps its value, which is told, until somebody changes one: %s', (before) => {
    const first = plan(merged, swapped(before), state);
    expect([changed(first), codes(first)]).toEqual([[], ['contact_missing', 'not_accepted']]);
    const after = written(merged, first);
    const second = plan(after, swapped(before), first.state);
    expect([second.pairs, codes(second)]).toEqual([[], ['contact_missing', 'not_accepted']]);
    expect(changed(plan(after, swapped('Trier'), first.state))).toEqual(['crm city Trier']);
    const corrected = after.map((contact) => edited(contact, { city: 'Trier' }));
    expect(changed(plan(corrected, swapped(before), first.state))).toEqual(['newsletter City Trier']);
  });

  it('gets a value where it has none', () => {
    const empty = merged.map((contact) => edited(contact, { city: '' }));
    expect(changed(plan(empty, swapped('Jena'), state))).toEqual(['crm city Jena']);
  });
});

it('rows whose addresses were sorted beside the others are held, and carry no value', () => {
  const { contacts, subscriptions, state } = agreed(30);
  const sorted = contacts.map((contact, index) =>
    edited(contact, { email: address(((index + 1) % 30) + 1), city: `City ${index}` }),
  );
  const { held, counts, pairs } = plan(sorted, subscriptions, state);
  expect([held?.reasons, counts.moved, pairs]).toEqual([['too_many_changes', 'too_many_overwrites'], 30, []]);
});

describe('the token of a contact that was created', () => {
  const { contacts, subscriptions, state } = agreed(1);
  const all = [...subscriptions, subscription(2, { created: 1_790_000_000 })];
  const first = plan(contacts, all, state);
  const created: Contact = { id: 'new', do_not_mail: false, ...first.contactCreates[0]?.changes };

  it('gets the id in the next complete run, after everything else that a budget allows', () => {
    const incoming = plan([created], all, first.state, { scope: 'incoming' });
    expect(changed(incoming)).toEqual([]);
    const [ada = {}] = contacts;
    const options = { mapping: { mostWrites: 1 } };
    const next = plan(
      [edited(ada, { city: 'Ulm' }), created],
      [subscription(1, { custom_fields: [] }), ...all.slice(1)],
      first.state,
      options,
    );
    expect([next.pairs.map(({ contactId }) => contactId), next.counts.waiting]).toEqual([['c1'], 1]);
  });

  it('counts only with its address until then', () => {
    const next = plan(
      [...contacts, edited(created, { email: 'other@example.com', do_not_mail: true })],
      all,
      first.state,
    );
    expect([next.pairs, next.contactCreates, codes(next)]).toEqual([[], [], ['contact_missing', 'token_of_another']]);
  });
});

describe('ids', () => {
  const { contacts, subscriptions, state } = agreed(1);
  const withId = (id: string): { readonly contacts: readonly Contact[]; readonly state: SyncPlan['state'] } => {
    const renamed = contacts.map((contact) => edited(contact, { id, token: '' }));
    const first = plan(renamed, subscriptions, state);
    return { contacts: written(renamed, first), state: first.state };
  };
  const pairsAfter = (before: string, after: string): SyncPlan['pairs'] => {
    const { contacts: linked, state: next } = withId(before);
    return plan(
      linked.map((contact) => edited(contact, { id: after })),
      subscriptions,
      next,
    ).pairs;
  };

  it.each([
    ['0035g00000AbCdE', '0035g00000AbCdEAAV'],
    ['0035g00000AbCdEAAV', '0035G00000ABCDEAAV'],
    ['0035g00000AbCdEAAV', '0035g00000abcdeaav'],
    ['6F9619FF-8B86-D011-B42D-00CF4FC964FF', '6f9619ff-8b86-d011-b42d-00cf4fc964ff'],
    ['{6F9619FF-8B86-D011-B42D-00CF4FC964FF}', '6f9619ff8b86d011b42d00cf4fc964ff'],
    ['7', ' 7 '],
  ])('%s and %s are one', (before, after) => {
    expect(pairsAfter(before, after)).toEqual([]);
  });

  it.each([
    ['0035g00000AbCdE', '0035g00000AbCde'],
    ['recAbCdEfGhIjKlMn', 'recabcdefghijklmn'],
    ['Ada 1', 'ada 1'],
    ['554023000000691003', '554023000000691004'],
  ])('%s and %s are two: the token is written anew', (before, after) => {
    expect(pairsAfter(before, after)).toMatchObject([{ changes: [], contactWrites: [{ id: after, changes: {} }] }]);
  });

  it('that two records have count once, and the second record is named', () => {
    const { contacts: linked, state: next } = withId('7');
    const [one = {}] = linked;
    const both = plan([one, edited(one, { email: 'other@example.com', do_not_mail: true })], subscriptions, next);
    expect([both.pairs, codes(both)]).toEqual([[], ['contact_repeated']]);
  });
});

it.each([40, 100])('a token field of %i characters is named, and an opt-out of before acts once', (room) => {
  const cut = (contacts: readonly Contact[]): Contact[] =>
    contacts.map((contact) => edited(contact, { token: String(contact['token']).slice(0, room) }));
  const fields = furtherFields.map((id) => ({ newsletter: id, contact: id, direction: 'both' as const }));
  const options = { mapping: { fields: [...defaults.fields, ...fields] } };
  const custom_fields = ['City', ...furtherFields].map((name) => ({ name, value: 'Bonn' }));
  const subscriptions = [subscription(1, { custom_fields })];
  const values = Object.fromEntries(furtherFields.map((id) => [id, 'Bonn']));
  const contacts = [contactOf(1, { ...values, do_not_mail: true })];
  const first = plan(contacts, subscriptions, undefined, options);
  expect(unsubscribed(first)).toHaveLength(1);
  const cutOff = cut(written(contacts, first));
  const second = plan(cutOff, subscriptions, first.state, options);
  // The token of a no that travels alone is short.
  const named = room < 100 ? ['token_damaged'] : [];
  expect([unsubscribed(second), codes(second)]).toEqual([[], [...named, 'active_while_opted_out']]);
  const third = plan(cut(written(cutOff, second)), subscriptions, second.state, options);
  expect([unsubscribed(third), codes(third)]).toEqual([[], ['token_damaged', 'active_while_opted_out']]);
});
