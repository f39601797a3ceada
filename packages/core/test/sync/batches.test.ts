/** A run in batches; `test/proofs/sync/two-ways.slow.test.ts` plays histories through it. */
import { createReconciler, subscriptionKeys } from '@newsletter-kit/core/sync';
import { describe, expect, it } from 'vitest';
import { agreed, contactOf, now, readyMapping, subscription } from './reconcile.ts';

const { contacts, subscriptions, state } = agreed(3);
const mapping = readyMapping();

describe('a run in batches', () => {
  it('counts pairs at rest as if they had come in', () => {
    const whole = createReconciler({ mapping, state, now });
    for (const contact of contacts) whole.addContact(contact);
    whole.addSubscriptions(subscriptions);
    const part = createReconciler({ mapping, state, now });
    part.addAtRest(2, subscription(3).created);
    part.addContact(contacts[0]);
    part.addSubscriptions(subscriptions.slice(0, 1));
    expect(part.takeBatch()).toMatchObject({ pairs: [], contactCreates: [], findings: [] });
    expect(part.finish()).toEqual(whole.finish());
  });

  it('names the contacts at rest, and no other', () => {
    const atRest: string[] = [];
    const reconciler = createReconciler({ mapping, state, now, onAtRest: (id) => atRest.push(id) });
    for (const contact of [contacts[0], { ...contacts[1], city: 'Ulm' }, contacts[2], contactOf(3, { id: 'copy' })])
      reconciler.addContact(contact);
    reconciler.addSubscriptions(subscriptions);
    reconciler.takeBatch();
    expect(atRest).toEqual(['c1']);
  });

  it('gives a contact the addresses merged into it, also where no subscription comes in', () => {
    const merging = readyMapping({ contact: { token: 'token', mergedInto: 'into' } });
    const [first] = contacts;
    const records = [
      { ...first, email: 'bob@example.com' },
      { ...first, id: 'copy' },
      { id: 'merged', email: first?.email, into: first?.id },
    ];
    const [whole, part] = [1, 2].map(() => createReconciler({ mapping: merging, state, now }));
    for (const record of records) for (const each of [whole, part]) each?.addContact(record);
    whole?.addSubscriptions([]);
    const { findings } = whole?.finish() ?? {};
    expect(part?.takeBatch().findings).toEqual(findings);
  });

  it.each([
    ['an id of another form', { ...subscription(1), id: '17' }],
    ['no address', { ...subscription(1), email: null }],
  ])('has no batch for a subscription with %s', (_, odd) => {
    expect(subscriptionKeys(odd)).toBeUndefined();
  });
});
