/**
 * Contact sync over random histories: edits, unsubscriptions, resubscriptions, opt-outs, duplicates, address changes,
 * renames, erasures, partial answers, and crashes between any two writes, where a side trims, changes case or
 * truncates.
 *
 * 20,000 histories, and 100,000 of people who may be taken for one another and of stored forms; `SYNC_RUNS`,
 * `PEOPLE_RUNS` and `FORM_RUNS` set other numbers, and `TEST_SEED` repeats a run.
 */
import { decodeToken, type SyncMapping } from '@newsletter-kit/core/sync';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rightPerson } from './people.ts';
import {
  fieldIds,
  isVetoed,
  noOptOut,
  optOut,
  pick,
  storings,
  unknownStatus,
  unordered,
  World,
  type Contact,
  type Half,
  type Storing,
} from './world.ts';

const numRuns = Number(process.env['SYNC_RUNS'] ?? 20_000);
const fewer = Math.ceil(numRuns / 4);
/** Runs that may write after the last change; one more where a contact or subscription is created in the first. */
const mostRuns = 4;

const emails = ['ada@example.com', 'Bob@example.com', 'cy@example.com', 'dee@example.com', 'eve@example.com'];
const word = fc.constantFrom('', 'Bonn', 'Ulm', ' Köln ', 'Aachen', 'bonn');
const at = fc.nat({ max: 7 });

const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('edit person'), at, value: word }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('edit contact'), at, value: word }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constantFrom('score person', 'score contact'),
      at,
      value: fc.constantFrom<unknown>(null, 1, 2, '2', 'many'),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('topics'), at, value: fc.subarray(['a', 'b', 'c']) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('source'), at, value: word }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('leave', 'return', 'complain'), at }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('set opt-out', 'clear opt-out'), at }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constantFrom('subscribe', 'add contact', 'move contact', 'move person'),
      at,
      email: fc.constantFrom(...emails),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constantFrom('copy contact', 'delete contact', 'delete person', 'erase', 'damage token', 'rename'),
      at,
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('run'),
      half: fc.constantFrom<Half>('nothing', 'nothing', 'nothing', 'contact fields', 'custom fields'),
      crashAfter: fc.option(fc.nat({ max: 6 }), { nil: Number.POSITIVE_INFINITY }),
    }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

function take(world: World, change: Step): void {
  if (change.kind === 'run') return runChecked(world, change.half, change.crashAfter);
  const person = pick(world.persons, change.at);
  const contact = pick(world.contacts, change.at);
  switch (change.kind) {
    case 'edit person':
      if (person) world.editPerson(person, 'city', change.value);
      return;
    case 'edit contact':
      if (contact) world.editContact(contact, 'city', change.value);
      return;
    case 'score person':
      if (person) world.editPerson(person, 'score', change.value);
      return;
    case 'score contact':
      if (contact) world.editContact(contact, 'score', change.value);
      return;
    case 'topics':
      if (person) world.editPerson(person, 'topics', change.value);
      return;
    case 'source':
      if (contact) world.editContact(contact, 'source', change.value);
      return;
    case 'leave':
      return void (person && (person.status = 'inactive'));
    case 'complain':
      return void (person && !person.email.endsWith('.invalid') && (person.status = unknownStatus));
    case 'return':
      return void (person && !person.email.endsWith('.invalid') && (person.status = 'active'));
    case 'set opt-out':
      if (contact) [contact.values[optOut], contact.cleared] = [change.at % 2 === 0 ? true : 'Abgemeldet', false];
      return;
    case 'clear opt-out':
      if (contact) [contact.values[optOut], contact.cleared] = [change.at % 2 === 0 ? false : noOptOut, true];
      return;
    case 'subscribe':
      if (!world.persons.some(({ email }) => email.toLowerCase() === change.email.toLowerCase()))
        world.subscribe(change.email);
      return;
    case 'add contact':
      return void world.addContact(change.email, { city: 'Trier', consent: change.at % 2 === 0 });
    case 'move contact':
      return void (contact && (contact.email = `new-${change.email}`));
    case 'move person':
      if (person && !world.persons.some(({ email }) => email === `moved-${change.email}`))
        person.email = `moved-${change.email}`;
      return;
    case 'copy contact':
      if (contact) world.addContact(contact.email, contact.values).cleared = contact.cleared;
      return;
    case 'delete contact':
      return void (contact && world.contacts.splice(world.contacts.indexOf(contact), 1));
    case 'delete person':
      return void (person && world.persons.splice(world.persons.indexOf(person), 1));
    case 'erase':
      if (!person) return;
      world.erased.add(person.email.toLowerCase());
      return world.erase(person);
    case 'damage token':
      if (contact) contact.values['sync_token'] = String(contact.values['sync_token']).slice(1);
      return;
    case 'rename':
      world.names.city = world.names.city === 'City' ? 'Town' : 'City';
  }
}

/** Runs the sync, and checks what holds for every single plan. */
function runChecked(world: World, half: Half, crashAfter: number): void {
  const { plan } = world.run(half, crashAfter);
  const ambiguous = new Set(plan.findings.flatMap(({ code, contactId }) => (code === 'ambiguous' ? [contactId] : [])));
  for (const { contactWrites, subscriptionWrites } of plan.pairs) {
    for (const { id, changes } of contactWrites) {
      if (half === 'contact fields') expect(changes).not.toHaveProperty('city');
      if (half === 'custom fields') expect(Object.keys(changes)).not.toContain('city');
      // Values of ambiguous contacts stay as they are.
      if (ambiguous.has(id)) expect(Object.keys(changes).filter((field) => field !== optOut)).toEqual([]);
    }
    for (const { custom_fields: fields = [] } of subscriptionWrites)
      if (half !== 'nothing') expect(fields.map(({ name }) => name)).not.toContain(world.names.city);
  }
  for (const { request } of plan.subscriptionCreates) {
    expect(request).toMatchObject({ reactivate_existing: false });
    expect(request.double_opt_override).not.toBe('off');
  }
  expect(world.violations).toEqual([]);
}

/** Runs until nothing is written. @returns the findings at rest */
function settle(world: World): ReturnType<World['plan']>['findings'] {
  const creates = world.mapping.subscribe !== undefined;
  for (let runs = 0; runs < mostRuns + (creates ? 1 : 0); runs += 1) world.run();
  const last = world.run();
  expect(last.plan.pairs, 'nothing is written after four runs').toEqual([]);
  expect(last.plan.contactCreates).toEqual([]);
  expect(last.plan.subscriptionCreates).toEqual([]);
  expect(
    last.plan.findings.filter(({ isNew }) => isNew),
    'a finding is new once',
  ).toEqual([]);
  return last.plan.findings;
}

/** The subscription a contact's token names. */
function linkedTo(world: World, contact: Contact): World['persons'][number] | undefined {
  const base = decodeToken(contact.values['sync_token'], world.ready);
  return world.persons.find(({ id }) => id === base?.subscriptionId);
}

const text = (value: unknown): string => (value === null || value === undefined ? '' : String(value).trim());

function checkAtRest(world: World, findings: ReturnType<typeof settle>): void {
  for (const contact of world.contacts) {
    const person = linkedTo(world, contact);
    if (!person || world.reportedOf(findings, contact).length > 0) continue;
    const shown = { city: contact.values['city'], score: contact.values['score'] };
    for (const field of ['city', 'score'] as const)
      expect(text(shown[field]), `${field} is equal or reported`).toBe(text(person.fields.get(fieldIds[field].id)));
    expect(contact.values['newsletter_status']).toBe(person.status);
    // An opt-out has arrived, and so has a leave that nobody took back in the CRM.
    const hasLeft = ['inactive', unknownStatus].includes(person.status);
    if (isVetoed(contact)) expect(hasLeft).toBe(true);
    const isCarried = world.mapping.optOut?.setOnUnsubscribe ?? true;
    if (hasLeft && !contact.cleared && isCarried) expect(isVetoed(contact)).toBe(true);
  }
}

const sides = fc.record({
  newsletter: fc.constantFrom(...(Object.keys(storings) as Storing[])),
  crm: fc.constantFrom(...(Object.keys(storings) as Storing[])),
});
const asGiven = { newsletter: 'as given', crm: 'as given' } as const;
const steps = fc.array(step, { minLength: 1, maxLength: 30, size: 'max' });
const people = fc.integer({ min: 1, max: 4 });

const rule = fc.constantFrom('newsletter', 'crm', 'review');
const cityBothWays = { newsletter: fieldIds.city.id, contact: 'city', direction: 'both' } as const;
const edits = fc.array(
  fc.oneof(
    fc.record({
      side: fc.constantFrom('newsletter', 'crm'),
      value: fc.constantFrom('', 'Bonn', 'Frankfurt am Main', 'R&D <a>', '+49 228 1234', '2026-05-01', 'b; a', 'bonn'),
    }),
    fc.constant('run'),
  ),
  { minLength: 1, maxLength: 14, size: 'max' },
);

/** Settings other than the defaults. */
const settings = fc.constantFrom<Partial<SyncMapping>>(
  {},
  {},
  { subscribe: 'with_confirmation' },
  { subscribe: 'on_consent', consent: 'consent' },
  { situations: { addressChangedInNewsletter: 'report' } },
  { optOut: { contact: optOut, notOptedOut: [noOptOut], setOnUnsubscribe: false } },
  // The first plan that asks is accepted: from then on anything filled is an opt-out, but a no.
  { optOut: { contact: optOut } },
);

function worldOf(
  count: number,
  stores: { readonly newsletter: Storing; readonly crm: Storing },
  mapping: Partial<SyncMapping> = {},
): World {
  const world = new World(mapping, stores);
  for (const email of emails.slice(0, count)) {
    world.editPerson(world.subscribe(email), 'city', 'Bonn');
    world.addContact(email);
  }
  return world;
}

describe('contact sync', () => {
  it('ends with both sides equal or the difference reported, after any history', () => {
    fc.assert(
      fc.property(people, sides, steps, settings, (count, stores, history, mapping) => {
        const world = worldOf(count, stores, mapping);
        for (const change of history) take(world, change);
        checkAtRest(world, settle(world));
      }),
      { numRuns },
    );
  });

  it('loses no edit of a single side', () => {
    fc.assert(
      fc.property(people, steps, at, word, fc.boolean(), (count, history, index, value, isPerson) => {
        const world = worldOf(count, asGiven);
        for (const change of history) take(world, change);
        const findings = settle(world);
        const contact = pick(world.contacts, index);
        const person = contact && linkedTo(world, contact);
        if (!person || world.reportedOf(findings, contact).length > 0) return;
        if (isPerson) world.editPerson(person, 'city', value);
        else world.editContact(contact, 'city', value);
        settle(world);
        expect([text(person.fields.get(fieldIds.city.id)), text(contact.values['city'])]).toEqual([
          value.trim(),
          value.trim(),
        ]);
      }),
      { numRuns: fewer },
    );
  });

  it('writes no value that nobody wrote, and loses no edit silently, in whatever form a side stores values', () => {
    fc.assert(
      fc.property(sides, fc.boolean(), rule, edits, (stores, answers, conflict, history) => {
        const world = worldOf(1, stores, { fields: [{ ...cityBothWays, conflict }] });
        world.answers = answers;
        settle(world);
        const [person, contact] = [world.persons[0], world.contacts[0]];
        if (!person || !contact) throw new Error('There is a person.');
        const shown = () => ({
          newsletter: text(person.fields.get(fieldIds.city.id)),
          crm: text(contact.values['city']),
        });
        const written = { newsletter: new Set(['', shown().newsletter]), crm: new Set(['', shown().crm]) };
        let edited = new Set<'newsletter' | 'crm'>();
        let before = shown();
        for (const change of [...history, 'run' as const]) {
          if (change !== 'run') {
            if (change.side === 'crm') world.editContact(contact, 'city', change.value);
            else world.editPerson(person, 'city', change.value);
            written[change.side].add(shown()[change.side]);
            continue;
          }
          const typed = shown();
          const { plan } = world.run();
          for (const { subscriptionWrites, contactWrites } of plan.pairs) {
            for (const { custom_fields: [field] = [] } of subscriptionWrites)
              expect(written.crm, 'somebody wrote the value in the CRM').toContain(text(field?.value));
            for (const { changes } of contactWrites)
              if ('city' in changes)
                expect(written.newsletter, 'somebody wrote the value in the newsletter').toContain(
                  text(changes['city']),
                );
          }
          for (const side of ['newsletter', 'crm'] as const) if (typed[side] !== before[side]) edited.add(side);
          const [side] = edited;
          const other = side === 'crm' ? 'newsletter' : 'crm';
          // Where the stored form is known, nothing is left to tell but what was told before.
          const isTold = world.reportedOf(plan.findings, contact).some(({ isNew }) => isNew || !answers);
          if (side && edited.size === 1 && !isTold)
            expect(shown()[other], 'the edit of one side arrives').toBe(text(storings[stores[other]](typed[side])));
          // What both sides changed stays so until a person decides.
          if (!world.reportedOf(plan.findings, contact).some(({ code }) => code === 'conflict')) edited = new Set();
          before = shown();
        }
      }),
      { numRuns: Number(process.env['FORM_RUNS'] ?? 100_000) },
    );
  });

  it('ends in the same state after a crash between any two writes', () => {
    fc.assert(
      fc.property(people, steps, fc.nat({ max: 8 }), (count, history, crashAfter) => {
        const world = worldOf(count, asGiven);
        for (const change of history) take(world, change);
        const crashed = world.copy();
        settle(world);
        crashed.run('nothing', crashAfter);
        settle(crashed);
        expect(crashed.snapshot()).toEqual(world.snapshot());
      }),
      { numRuns: fewer },
    );
  });

  it('never takes one person for another', () => {
    fc.assert(rightPerson(), { numRuns: Number(process.env['PEOPLE_RUNS'] ?? 100_000) });
    // Four minutes on a quiet machine.
  }, 1_800_000);

  it('plans the same for any order of contacts and pages', () => {
    fc.assert(
      fc.property(people, steps, fc.integer(), (count, history, seed) => {
        const world = worldOf(count, asGiven);
        for (const change of history) take(world, change);
        const shuffled = world.plan('nothing', (list) => shuffle(list, seed));
        const plan = world.plan();
        expect(unordered([shuffled])).toEqual(unordered([plan]));
        expect(shuffled.counts).toEqual(plan.counts);
      }),
      { numRuns: fewer },
    );
  });
});

function shuffle<T>(list: readonly T[], seed: number): readonly T[] {
  return list
    .map((entry, index) => ({ entry, key: Math.imul(index + 1, seed | 1) ^ (seed >>> 3) }))
    .sort((a, b) => a.key - b.key)
    .map(({ entry }) => entry);
}
