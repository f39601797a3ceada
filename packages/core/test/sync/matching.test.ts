/** Contacts that are copied, swapped, merged or have further addresses: whom opt-outs reach, and which values wait. */
import { startSync, type SyncPlan } from '@newsletter-kit/core/sync';
import { describe, expect, it } from 'vitest';
import {
  address,
  agreed,
  codes,
  contactOf,
  plan,
  subscription,
  unsubscribed,
  written,
  type Contact,
} from './reconcile.ts';

const newer = 1_790_000_000;
const paths = { mapping: { contact: { token: 'token', furtherAddresses: 'more', mergedInto: 'merged' } } } as const;
const id = (number: number): string => subscription(number).id;

/** The fields that a plan changes on either side. */
const changed = ({ pairs }: SyncPlan): readonly string[] =>
  pairs.flatMap(({ changes }) => changes.map(({ side, field }) => `${side} ${field}`));
const named = ({ findings }: SyncPlan): readonly string[] =>
  findings.map(({ code, contactId }) => `${code} ${contactId ?? ''}`.trim()).toSorted();

describe('an opt-out', () => {
  const { contacts, subscriptions, state } = agreed(3, paths);
  const [one = {}, two = {}, three = {}] = contacts;
  const vetoed = { do_not_mail: true } as const;

  it.each<[string, readonly Contact[], readonly number[], readonly string[]]>([
    [
      'of a copy goes to the address of the copy',
      [one, two, three, { ...one, ...vetoed, id: 'c9', email: address(2) }],
      [2],
      ['ambiguous c2', 'ambiguous c9'],
    ],
    [
      'of a copy with an address that nobody has unsubscribes nobody',
      [one, two, three, { ...one, ...vetoed, id: 'c9', email: 'new@example.com' }],
      [],
      ['token_of_another c9'],
    ],
    [
      'goes by the address where two are swapped',
      [{ ...one, ...vetoed, email: address(2) }, { ...two, email: address(1) }, three],
      [2],
      [],
    ],
    [
      'goes by the address where the tokens were sorted',
      [
        { ...one, ...vetoed, token: two['token'] },
        { ...two, token: three['token'] },
        { ...three, token: one['token'] },
      ],
      [1],
      [],
    ],
    [
      'goes to the old subscription of a contact with a new address',
      [{ ...one, ...vetoed, email: 'new@example.com' }, two, three],
      [1],
      [],
    ],
    [
      'goes to every address of the contact',
      [{ ...one, ...vetoed, more: [address(2), { value: address(3) }] }],
      [1, 2, 3],
      ['further_address c1', 'further_address c1'],
    ],
    [
      'goes to the address of a contact that was merged into it, through a chain and past a circle',
      [
        { ...one, ...vetoed },
        { ...two, merged: 'c7' },
        { ...contactOf(7), merged: 'c1' },
        { ...contactOf(8), merged: 'c9' },
        { ...contactOf(9), merged: 'c8' },
        three,
      ],
      [1, 2],
      ['further_address c1'],
    ],
  ])('%s', (_, all, reached, reported) => {
    const first = plan(all, subscriptions, state, paths);
    expect(unsubscribed(first).toSorted()).toEqual(reached.map(id));
    expect(named(first)).toEqual(reported);
    // Nothing acts twice: who comes back is reported.
    const after = written(all, first);
    const second = plan(after, subscriptions, first.state, paths);
    expect(unsubscribed(second)).toEqual([]);
    if (reached.length > 0) expect(codes(second)).toContain('active_while_opted_out');
  });

  it('of a contact with the token of somebody who moved on from its further address goes by its addresses alone', () => {
    const moved = [
      subscription(1, { email: 'new@example.com' }),
      subscription(2),
      subscription(4, { email: address(1), created: newer }),
    ];
    const first = plan([{ ...one, ...vetoed, email: address(2), more: [address(1)] }], moved, state, paths);
    expect(unsubscribed(first).toSorted()).toEqual([id(2), id(4)]);
    expect(named(first)).toContain('contact_missing');
  });

  it('of a contact whose subscription moved away is no reason to unsubscribe who has the address now', () => {
    const moved = [
      subscription(1, { email: 'new@example.com' }),
      subscription(4, { email: address(1), created: newer }),
    ];
    const first = plan([{ ...one, ...vetoed }], moved, state, paths);
    expect(unsubscribed(first)).toEqual([id(1)]);
    expect(named(first)).toContain('active_while_opted_out c1');
    const after = written([{ ...one, ...vetoed }], first);
    const renamed = plan(after, moved, first.state, paths);
    const second = plan(written(after, renamed), moved, renamed.state, paths);
    expect(second.contactCreates.map(({ email }) => email)).toEqual([address(1)]);
  });
});

describe('values', () => {
  const { contacts, subscriptions, state } = agreed(2);
  const [one = {}, two = {}] = contacts;

  const swapped = [
    { ...one, city: 'Ulm', email: address(2) },
    { ...two, email: address(1) },
  ];

  it('of a contact that was given the address of another person do not go there before somebody changes them', () => {
    const empty = subscriptions.map((each) => ({ ...each, custom_fields: [] }));
    const first = plan(swapped, empty, state);
    expect([changed(first), first.counts.moved]).toEqual([[], 2]);
    const after = written(swapped, first);
    const second = plan(after, empty, first.state);
    expect([changed(second), named(second)]).toEqual([[], ['not_accepted c1', 'not_accepted c2']]);
    const edited = after.map((contact, index) => (index === 0 ? { ...contact, city: 'Jena' } : contact));
    const third = plan(edited, empty, second.state);
    expect(third.pairs).toMatchObject([{ subscriptionId: id(2), changes: [{ side: 'newsletter', to: 'Jena' }] }]);
  });

  it('that were not delivered when the contact was given the address do not go there either', () => {
    const empty = subscriptions.map((each) => ({ ...each, custom_fields: [] }));
    const unread = swapped.map((contact) => ({ ...contact, city: undefined, do_not_mail: true }));
    const first = plan(unread, empty, state, { scope: 'incoming' });
    expect(unsubscribed(first)).toEqual([id(1), id(2)]);
    const gone = empty.map((each) => ({ ...each, status: 'inactive' }));
    const after = written(unread, first).map((contact) => ({ ...contact, city: 'Ulm' }));
    expect(changed(plan(after, gone, first.state)).filter((field) => field.endsWith('ity'))).toEqual([]);
  });

  it('of the newsletter are written to a contact that was given the address of another person', () => {
    const first = plan(swapped, subscriptions, state);
    expect(first.pairs.map(({ subscriptionId, changes }) => [subscriptionId, ...changes.map(({ to }) => to)])).toEqual([
      [id(1)],
      [id(2), 'Bonn'],
    ]);
    expect(changed(plan(written(swapped, first), subscriptions, first.state))).toEqual([]);
  });

  it('are safe in a contact that moved in a plan that was held, of which only the opt-out was carried', () => {
    const mapping = { breaker: { share: 0, atLeast: 1 } };
    const vetoed = swapped.map((contact, index) => (index === 0 ? { ...contact, do_not_mail: true } : contact));
    const empty = subscriptions.map((each) => ({ ...each, custom_fields: [] }));
    const first = plan(vetoed, empty, state, { mapping });
    expect([first.held?.reasons, unsubscribed(first)]).toEqual([['too_many_changes'], [id(2)]]);
    const [left, right = subscription(2)] = empty;
    const gone = [left ?? subscription(1), { ...right, status: 'inactive' }];
    const after = written(vetoed, first);
    const second = plan(after, gone, first.state, { mapping });
    const third = plan(written(after, second), gone, second.state, { mapping });
    expect([...changed(second), ...changed(third)]).toEqual(['crm newsletter_status']);
  });

  it.each([[[2, 3]], [[3, 2]]])('go to the oldest of several subscriptions of further addresses %j', (numbers) => {
    const contact = contactOf(9, { more: numbers.map(address).join(';'), city: 'Ulm' });
    const { pairs } = plan([contact], [subscription(3), subscription(2)], startSync(), paths);
    expect(pairs.map(({ subscriptionId }) => subscriptionId)).toEqual([id(2)]);
  });

  it('go to the subscription of a further address where the own one has none', () => {
    const contact = contactOf(5, { more: `other@example.com; ${address(1)}`, city: 'Ulm' });
    const conflict = plan([contact], [subscription(1)], startSync(), paths);
    expect(conflict.pairs).toMatchObject([{ subscriptionId: id(1), contactWrites: [{ id: 'c5' }] }]);
    const all = written([contact], conflict);
    expect(all[0]?.['email']).toBe(address(5));
    const next = plan(
      all,
      [subscription(1, { custom_fields: [{ name: 'City', value: 'Ulm' }] })],
      conflict.state,
      paths,
    );
    expect([changed(next), next.findings, next.contactCreates]).toEqual([[], [], []]);
  });
});

describe('who signed up again after the subscription was erased or deleted', () => {
  const { contacts, subscriptions, state } = agreed(1);
  const again = subscription(5, { email: address(1), created: newer });
  const erased = subscriptions.map((one) => ({ ...one, email: 'redacted@redacted.invalid', status: 'inactive' }));

  it.each([
    ['listed as erased', erased],
    ['not listed', []],
  ])('is somebody else, who gets the contact, and none of its values: the old one is %s', (_, old) => {
    const edited = contacts.map((contact) => ({ ...contact, city: 'Ulm' }));
    const first = plan(edited, [...old, again], state);
    expect([changed(first), first.contactCreates]).toEqual([['crm city'], []]);
    // A newer opt-out acts, once.
    const vetoed = edited.map((contact) => ({ ...contact, do_not_mail: true }));
    const second = plan(vetoed, [...old, again], state);
    expect(unsubscribed(second)).toEqual([again.id]);
    const third = plan(written(vetoed, second), [...old, again], second.state);
    expect([unsubscribed(third), codes(third)]).toEqual([[], ['active_while_opted_out']]);
  });

  it.each([
    ['listed as erased', erased],
    ['not listed', []],
  ])('is not unsubscribed by an opt-out of before: the old one is %s', (_, old) => {
    const vetoed = contacts.map((contact) => ({ ...contact, do_not_mail: true }));
    const first = plan(vetoed, old, state);
    const second = plan(written(vetoed, first), [...old, again], first.state);
    expect([unsubscribed(second), codes(second)]).toEqual([[], ['active_while_opted_out']]);
  });

  it('waits in a run over some contacts, which cannot tell', () => {
    const incoming = plan(contacts, [again], state, { scope: 'incoming' });
    expect([incoming.pairs, incoming.contactCreates, incoming.findings]).toEqual([[], [], []]);
  });
});

describe('twins', () => {
  const subscriptions = [subscription(1)];
  const first = plan([], subscriptions);
  const made = (contactId: string): Contact => ({
    id: contactId,
    do_not_mail: false,
    ...first.contactCreates[0]?.changes,
  });

  it('that two runs made at the same time are joined: the oldest goes on, and the other is named', () => {
    const made9 = written([made('9')], plan([made('9')], subscriptions, first.state));
    const both = [made('10'), { ...made9[0], city: 'Ulm' }];
    const second = plan(both, subscriptions, first.state);
    expect(changed(second)).toEqual(['newsletter City']);
    expect(second.findings).toMatchObject([{ code: 'twin', contactId: '10', isNew: true }]);
    const after = plan(
      written(both, second),
      [{ ...subscription(1), custom_fields: [{ name: 'City', value: 'Ulm' }] }],
      second.state,
    );
    expect([changed(after), named(after)]).toEqual([[], ['twin 10']]);
  });

  it('share their opt-outs', () => {
    const both = [made('9'), { ...made('10'), do_not_mail: true }];
    const second = plan(both, subscriptions, first.state);
    expect(unsubscribed(second)).toEqual([id(1)]);
    expect(written(both, second).map((contact) => contact['do_not_mail'])).toEqual([true, true]);
  });

  it('are none where the newer one was edited', () => {
    expect(codes(plan([made('9'), { ...made('10'), city: 'Ulm' }], subscriptions, first.state))).toEqual([
      'ambiguous',
      'ambiguous',
    ]);
  });
});

describe('a contact that vanished', () => {
  it.each([
    ['is a finding', {}, 'active', ['contact_missing']],
    ['is none where new subscriptions are left', { newSubscription: 'leave' }, 'active', []],
    ['is none of a person who has left', {}, 'inactive', []],
  ] as const)('%s', (_, situations, status, reported) => {
    const { subscriptions, state } = agreed(1);
    const all = subscriptions.map((one) => ({ ...one, status }));
    const result = plan([], all, state, { mapping: { situations } });
    expect([codes(result), result.state.missing]).toEqual([reported, []]);
  });
});

it('nobody is subscribed whose address is a further one of a contact that is opted out', () => {
  const contacts = [contactOf(1), contactOf(2, { more: [address(1)], do_not_mail: true })];
  const { subscriptionCreates } = plan(contacts, [], startSync(), {
    mapping: { ...paths.mapping, subscribe: 'with_confirmation' },
  });
  expect(subscriptionCreates).toEqual([]);
});
