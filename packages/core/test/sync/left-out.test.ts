/** Subscriptions that cannot be read count neither as missing nor as new; whoever they are of is left alone. */
import { createReconciler, startSync, type SyncPlan } from '@newsletter-kit/core/sync';
import { describe, expect, it } from 'vitest';
import { contactOf, now, plan, readyMapping, subscription, written, type Contact } from './reconcile.ts';

const first = [1, 2, 3].map((number) => subscription(number));
const before = [1, 2, 3].map((number) => contactOf(number));
const firstPlan = plan(before, first);
const contacts = written(before, firstPlan);

/** The second of two runs after the first one: what is missing is believed the second time. */
function again(
  left: readonly unknown[],
  more: { readonly contacts?: readonly Contact[]; readonly listed?: readonly number[] } = {},
  state = firstPlan.state,
  runs = 2,
): SyncPlan {
  const reconciler = createReconciler({ mapping: readyMapping(), state, now, accept: true });
  for (const contact of [...contacts, ...(more.contacts ?? [])]) reconciler.addContact(contact);
  reconciler.addSubscriptions([1, 3, ...(more.listed ?? [])].map((number) => subscription(number)));
  reconciler.leaveOut(left);
  const run = reconciler.finish();
  return runs === 1 ? run : again(left, more, run.state, runs - 1);
}

const unreadable = ({ findings }: SyncPlan) => findings.filter(({ code }) => code === 'subscription_unreadable');
const touched = ({ pairs, contactCreates, subscriptionCreates }: SyncPlan) => [
  ...pairs.flatMap(({ contactWrites }) => contactWrites.map(({ id }) => id)),
  ...contactCreates.map(() => 'new contact'),
  ...subscriptionCreates.map(() => 'new subscription'),
];

describe('a subscription that is listed no more', () => {
  it('is marked as removed at its contact', () => {
    expect(touched(again([]))).toEqual(['c2']);
  });

  it.each([
    ['without a status', { ...subscription(2), status: null }],
    ['without a time', { ...subscription(2), created: 'soon' }],
  ])('is left alone where it came %s, and new contacts are made all the same', (_, odd) => {
    const run = again([odd], { listed: [5] });
    expect(touched(run)).toEqual(['new contact']);
    expect(unreadable(run)).toMatchObject([{ subscriptionId: odd.id }]);
  });

  it.each([
    ['without an id', { ...subscription(2), id: undefined }],
    ['without an address', { ...subscription(2), email: null }],
    ['with an id of another form', { ...subscription(2), id: '17' }],
    ['that is no object', 'odd'],
  ])('waits with everything that has no counterpart where a record came %s', (_, odd) => {
    const run = again([odd], { listed: [5], contacts: [contactOf(7)] });
    expect(touched(run)).toEqual([]);
    expect(unreadable(run)).toHaveLength(1);
  });

  it('does not stop the pairs', () => {
    const moved = contacts.map((contact) => (contact['id'] === 'c1' ? { ...contact, city: 'Köln' } : contact));
    const reconciler = createReconciler({ mapping: readyMapping(), state: firstPlan.state, now });
    for (const contact of moved) reconciler.addContact(contact);
    reconciler.leaveOut([null]);
    reconciler.addSubscriptions([1, 3].map((number) => subscription(number)));
    expect(reconciler.finish().pairs.map(({ subscriptionWrites }) => subscriptionWrites.length)).toEqual([1]);
  });
});

it('a subscription with an id that no token can hold is left out by itself', () => {
  const odd = { ...subscription(1), id: 'sub_17' };
  const run = plan([contactOf(1)], [odd], startSync());
  expect(touched(run)).toEqual([]);
  expect(unreadable(run)).toMatchObject([{ subscriptionId: 'sub_17' }]);
});
