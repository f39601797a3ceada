/**
 * A CRM that refuses, lists late, and leaves fields out: nothing is given up, every no arrives, and an absent field is
 * not a decision. Few histories; `refusals.slow.test.ts` plays many.
 */
import { expect, it } from 'vitest';
import { Refusals, refusals } from './refusals.ts';
import { optOut, World } from './world.ts';

it.each(Object.entries(refusals))('%s', (_, hold) => {
  hold(200);
});

it('throws nobody out by a no that was handed over twice, where a late list shows that it was cleared between', () => {
  const all = new Refusals(1, {});
  for (const kind of ['leave', 'late run', 'opt in', 'late run', 'return', 'late run', 'run'] as const)
    all.take({ kind, at: 0, value: '' });
  expect(all.violations).toEqual([]);
});

const asGiven = { newsletter: 'as given', crm: 'as given' } as const;

it('starts with a table whose every cell is empty: the plan is held once, and carries a leave', () => {
  const world = new World(
    { fields: [{ newsletter: 'status', contact: 'newsletter_status', direction: 'to_contact' }] },
    asGiven,
  );
  const person = world.subscribe('ada@example.com');
  const contact = world.addContact('ada@example.com');
  world.subscribe('bob@example.com').status = 'inactive';
  const left = world.addContact('bob@example.com');
  world.list = (records) =>
    records.map((record) => Object.fromEntries(Object.entries(record as object).filter(([, value]) => value)));
  world.accepts = false;
  const { plan } = world.run();
  expect(plan.held?.message).toBe(
    'No contact has the field "newsletter_status". No contact has the field "do_not_mail". The contacts have: id, email.',
  );
  expect(left.values[optOut]).toBe(true);
  world.accepts = true;
  world.run();
  expect(contact.values['newsletter_status']).toBe('active');
  world.accepts = false;
  person.status = 'inactive';
  expect(world.run().plan.held).toBeNull();
  expect(contact.values[optOut]).toBe(true);
});
