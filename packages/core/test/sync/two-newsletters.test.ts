/** Two newsletters and the contacts of one CRM: a shared token field, and a shared opt-out field. */
import { startSync } from '@newsletter-kit/core/sync';
import { describe, expect, it } from 'vitest';
import { agreed, codes, contactOf, plan, subscription, written } from './reconcile.ts';

const other = { key: 'pub_2' } as const;

describe('a contact with the token of another newsletter', () => {
  const { contacts, subscriptions } = agreed(2, other);

  it('is reported in every run, and nothing is written to it or to the newsletter', () => {
    const edited = contacts.map((contact) => ({ ...contact, city: 'Ulm' }));
    const first = plan(edited, subscriptions);
    expect(first).toMatchObject({ pairs: [], contactCreates: [], subscriptionCreates: [], held: null });
    expect(first.findings).toMatchObject([
      { code: 'token_of_another_newsletter', contactId: 'c1', isNew: true },
      { code: 'token_of_another_newsletter', contactId: 'c2', isNew: true },
    ]);
    const second = plan(edited, subscriptions, first.state);
    expect(second).toMatchObject({ pairs: [], contactCreates: [] });
    expect(second.findings.map(({ code, isNew }) => [code, isNew])).toEqual([
      ['token_of_another_newsletter', false],
      ['token_of_another_newsletter', false],
    ]);
  });

  it('unsubscribes nobody: an opt-out is reported until each newsletter has a token field of its own', () => {
    const [one = {}, two = {}] = contacts;
    const all = [{ ...one, do_not_mail: true }, two];
    const first = plan(all, subscriptions);
    expect(first.pairs).toEqual([]);
    expect(codes(first)).toEqual([
      'token_of_another_newsletter',
      'token_of_another_newsletter',
      'active_while_opted_out',
    ]);
    expect(first.findings.at(-1)).toMatchObject({ contactId: 'c1', subscriptionId: subscriptions[0]?.id });
    expect(codes(plan(all, subscriptions, first.state))).toEqual(codes(first));
    // With a field of its own there is no token yet, and the opt-out acts.
    const own = all.map(({ token, ...contact }) => ({ ...contact, token_of_2: token, token: '' }));
    expect(plan(own, subscriptions, first.state).pairs[0]?.subscriptionWrites).toMatchObject([{ unsubscribe: true }]);
  });

  it('does not keep a contact of this newsletter from being planned', () => {
    const mine = contactOf(3, { email: 'reader-1@example.com', city: 'Ulm' });
    const { pairs, findings } = plan([...contacts, mine], subscriptions.slice(0, 1));
    expect(pairs.flatMap(({ contactWrites }) => contactWrites.map(({ id }) => id))).toEqual(['c3']);
    expect(findings.map(({ code }) => code)).not.toContain('ambiguous');
  });

  it('is not subscribed', () => {
    const mapping = { subscribe: 'with_confirmation' } as const;
    expect(plan(contacts, [], startSync(), { mapping }).subscriptionCreates).toEqual([]);
  });
});

it('shares its opt-out with every newsletter: who leaves one leaves both', () => {
  const [one, two] = [agreed(1), agreed(1, { ...other, mapping: { contact: { token: 'token_of_2' } } })];
  const [contact = {}] = one.contacts;
  const both = [{ ...contact, token_of_2: two.contacts[0]?.['token'] }];
  const left = plan(both, [subscription(1, { status: 'inactive' })], one.state);
  const after = written(both, left);
  expect(after[0]?.['do_not_mail']).toBe(true);
  const second = plan(after, two.subscriptions, two.state, { ...other, mapping: { contact: { token: 'token_of_2' } } });
  expect(second.pairs[0]?.subscriptionWrites).toMatchObject([{ unsubscribe: true }]);
});
