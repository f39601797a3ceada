/**
 * Histories of a CRM that refuses, lists late, and leaves fields out. Each has one contact for a person, so that it is
 * known who said what: nothing is given up, every no arrives, and an absent field is not a decision.
 */
import { type SyncMapping } from '@newsletter-kit/core/sync';
import * as fc from 'fast-check';
import { fieldIds, optOut, pick, World, type Contact, type FieldName, type Person, type Run } from './world.ts';

const at = fc.nat({ max: 7 });
const word = fc.constantFrom('Ulm', 'Bonn', 'Jena', 'Frankfurt am Main');
const kinds = [
  'edit person',
  'edit contact',
  'leave',
  'return',
  'opt out',
  'opt in',
  'tick',
  'untick',
  'sign up',
  'run',
  'run',
] as const;
interface Step {
  readonly kind: (typeof kinds)[number] | 'late run' | 'vanish' | 'crash' | 'overlap' | 'grow';
  readonly at: number;
  readonly value: string;
}

/** What happens; `more` beside the usual. */
const steps = (...more: readonly Step['kind'][]): fc.Arbitrary<Step[]> =>
  fc.array(fc.record({ kind: fc.constantFrom<Step['kind']>(...kinds, ...more), at, value: word }), {
    minLength: 1,
    maxLength: 14,
    size: 'max',
  });

const field = (name: FieldName, direction: 'to_contact' | 'to_subscription' | 'both') =>
  ({ newsletter: fieldIds[name].id, contact: name, direction, conflict: 'newsletter' }) as const;
const status = { newsletter: 'status', contact: 'newsletter_status', direction: 'to_contact' } as const;
const mappings = fc.constantFrom<Partial<SyncMapping>>(
  { fields: [field('city', 'both'), field('vip', 'both'), status] },
  { fields: [field('city', 'both'), status], subscribe: 'with_confirmation' },
  { fields: [field('city', 'to_contact'), field('vip', 'to_contact'), status], subscribe: 'with_confirmation' },
  { fields: [field('source', 'to_subscription'), field('city', 'both'), status] },
);

/** How a CRM returns a value that is empty. */
const leavesOut = (records: readonly Row[]): readonly Row[] =>
  records.map((record) =>
    Object.fromEntries(
      Object.entries(record).filter(
        ([, value]) => value !== '' && value !== null && value !== undefined && value !== false,
      ),
    ),
  );

type Takes = World['takes'];
type Row = Readonly<Record<string, unknown>>;

/** A world whose people are known by their addresses. */
export class Refusals {
  readonly world: World;
  /** What the sync may not do, and did. */
  readonly violations: string[] = [];
  /** People who came back, and have not said no since. */
  readonly #returned = new Set<Person>();
  /** Contacts whose opt-out no finished run has seen: whether it came before a return, nobody can tell. */
  readonly #unseen = new Set<Contact>();
  readonly #asked = new Map<string, number>();
  #people = 0;
  /** The records at the last run, which a late list shows in the next, and those that the run got. */
  #records: readonly Row[] = [];
  #shown: readonly Row[] = [];
  /** Columns that no record has for now. */
  readonly hidden = new Set<string>();
  /** How the CRM lists its records. */
  lists: (records: readonly Row[]) => readonly Row[] = (records) => records;
  isLate = false;
  /** Whether the CRM takes a write; null for a contact to create. */
  takes: Takes = () => true;
  /** Contacts to which a run handed over a token: the sync knows their people. */
  readonly #linked = new Set<string>();

  constructor(count: number, mapping: Partial<SyncMapping>) {
    this.world = new World(mapping, { newsletter: 'as given', crm: 'as given' });
    this.world.list = (records) => this.#listed(records);
    // A contact that exists is not created again, as by an upsert.
    this.world.takes = (contact, changes) =>
      (contact !== null || !this.world.contacts.some(({ email }) => email === changes['email'])) &&
      this.takes(contact, changes);
    for (let number = 0; number < count; number += 1) {
      const person = this.#signUp();
      this.world.editPerson(person, 'city', 'Bonn');
      if (number % 2 === 0) this.world.addContact(person.email, { vip: false });
    }
    if (mapping.subscribe) this.world.addContact('nobody@example.com', { vip: false });
  }

  #listed(records: readonly unknown[]): readonly unknown[] {
    const before = this.#records;
    this.#records = this.lists(
      records.map((record) =>
        Object.fromEntries(Object.entries(record as Row).filter(([name]) => !this.hidden.has(name))),
      ),
    );
    this.#shown = this.isLate && before.length > 0 ? before : this.#records;
    return this.#shown;
  }

  #signUp(): Person {
    return this.world.subscribe(`reader-${(this.#people += 1)}@example.com`);
  }

  personOf(contact: Contact): Person | undefined {
    return this.world.persons.find(({ email }) => email === contact.email);
  }

  contactOf(person: Person): Contact | undefined {
    return this.world.contacts.find(({ email }) => email === person.email);
  }

  take({ kind, at: index, value }: Step): void {
    const { world } = this;
    const person = pick(world.persons, index);
    const contact = pick(world.contacts, index);
    switch (kind) {
      case 'edit person':
        if (person) world.editPerson(person, 'city', value);
        return;
      case 'edit contact':
        if (contact) world.editContact(contact, 'city', value);
        return;
      case 'leave':
        if (person) this.#returned.delete(person);
        return void (person && (person.status = 'inactive'));
      case 'return':
        if (!person || person.status !== 'inactive') return;
        person.status = 'active';
        if (![...this.#unseen].some((one) => this.personOf(one) === person)) this.#returned.add(person);
        return;
      case 'opt out':
        if (!contact || contact.values[optOut] === true) return;
        contact.values[optOut] = true;
        this.#unseen.add(contact);
        return this.#forget(contact);
      case 'opt in':
        if (!contact) return;
        [contact.values[optOut], contact.cleared] = [false, true];
        return void this.#unseen.delete(contact);
      case 'tick':
      case 'untick':
        if (person) world.editPerson(person, 'vip', kind === 'tick');
        return;
      case 'sign up':
        if (world.persons.length < 6) this.#signUp();
        return;
      case 'grow':
        for (let joined = 0; joined < growth; joined += 1) this.#signUp();
        return;
      case 'vanish':
        return void (person && world.persons.splice(world.persons.indexOf(person), 1));
      case 'crash':
        return void this.run(() => world.run('nothing', index));
      case 'overlap':
        return void this.run(() => world.overlap()[0]);
      case 'run':
      case 'late run':
        this.isLate = kind === 'late run';
        this.run();
        this.isLate = false;
    }
  }

  #forget(contact: Contact): void {
    const person = this.personOf(contact);
    if (person) this.#returned.delete(person);
  }

  run(work = (): Run => this.world.run()): Run {
    const { world } = this;
    const before = new Map(world.persons.map((person) => [person, new Map(person.fields)]));
    const run = work();
    for (const record of this.#shown)
      for (const contact of this.#unseen)
        if (!run.crashed && contact.id === record['id'] && record[optOut] === true) this.#unseen.delete(contact);
    // Nobody ever empties a value here.
    for (const [person, fields] of before)
      for (const [id, value] of fields)
        if (!person.fields.has(id) || (value === true && person.fields.get(id) !== true))
          this.violations.push(`lost a value of ${person.email}`);
    for (const { subscriptionWrites } of run.plan.pairs)
      for (const { unsubscribe, subscription_id: id } of subscriptionWrites) {
        const person = world.persons.find((one) => one.id === id);
        if (unsubscribe && person && this.#returned.has(person)) this.violations.push(`threw out ${person.email}`);
      }
    // A run that is killed may not have come to them.
    for (const { request } of run.crashed ? [] : run.plan.subscriptionCreates) {
      const times = (this.#asked.get(request.email) ?? 0) + 1;
      this.#asked.set(request.email, times);
      if (times > 1) this.violations.push(`asked ${request.email} again`);
      if (this.#shown.some((record) => record['email'] === request.email && record[optOut] === true))
        this.violations.push(`asked ${request.email}, who is opted out`);
      const contact = world.contacts.find(({ email }) => email === request.email);
      if (contact && this.#linked.has(contact.id)) this.violations.push(`asked the former reader ${request.email}`);
    }
    for (const { contactWrites } of run.plan.pairs) for (const { id } of contactWrites) this.#linked.add(id);
    if (run.plan.held && world.accepts) this.violations.push(run.plan.held.message);
    // What a late list does not show, nobody can know.
    const wrongs = world.violations.splice(0);
    if (!this.isLate) this.violations.push(...wrongs);
    return run;
  }

  /** What is not in step: people without contact, values, and every no. Findings excuse values alone. */
  outOfStep(): readonly string[] {
    const { findings } = this.world.plan();
    return this.world.persons.flatMap((person) => {
      const contact = this.contactOf(person);
      if (!contact) return [`${person.email} has no contact`];
      const isNamed = findings.some(({ contactId }) => contactId === contact.id);
      const { status: state, fields } = person;
      // Where the CRM leaves out what is empty, and nobody has a value, a field that both sides edit says nothing.
      const isSilent = (name: string): boolean =>
        this.lists === leavesOut && this.world.contacts.every(({ values }) => !values[name]);
      const isMapped = (name: string): boolean =>
        this.world.mapping.fields.some(
          ({ contact: path, direction }) =>
            path === name && (direction === 'to_contact' || (direction === 'both' && !isSilent(name))),
        );
      const city = [contact.values['city'] ?? '', fields.get(fieldIds.city.id) ?? ''];
      const vip = [contact.values['vip'] === true, fields.get(fieldIds.vip.id) === true];
      return [
        isMapped('city') && city[0] !== city[1] && !isNamed && `city ${city.join(' / ')}`,
        isMapped('vip') && vip[0] !== vip[1] && !isNamed && `vip ${vip.join(' / ')}`,
        contact.values['newsletter_status'] !== state &&
          `status ${String(contact.values['newsletter_status'])} / ${state}`,
        contact.values[optOut] === true && state !== 'inactive' && !isNamed && `${contact.id} is opted out`,
        state === 'inactive' && contact.values[optOut] !== true && !contact.cleared && `the leave of ${contact.id}`,
      ].filter((each) => each !== false);
    });
  }
}

const people = fc.integer({ min: 1, max: 4 });

/** Runs until nothing more can happen, and throws what is wrong. */
function rest(all: Refusals, runs = 2): void {
  for (let run = 0; run < runs; run += 1) all.run();
  const left = all.outOfStep();
  if (left.length > 0) all.violations.push(`not in step after ${runs} runs: ${left.join('; ')}`);
  for (let run = 0; run < 3; run += 1) all.run();
  if (all.run().writes > 0) all.violations.push('writes at rest');
  if (all.violations.length > 0) throw new Error(all.violations.join('\n'));
}

const isTooLong: Takes = (_, changes) => changes['city'] !== 'Frankfurt am Main';
/** People who join at once. */
const growth = 30;

/** What a CRM refuses. */
const causes: readonly Takes[] = [
  () => false,
  (contact) => contact !== null,
  (contact) => contact === null,
  (contact) => (contact ? Number(contact.id.slice(1)) % 2 === 0 : true),
  isTooLong,
];

/** A CRM refuses for k runs, while people go on. Two runs later, all is in step. */
const refusing = fc.property(
  people,
  mappings,
  steps('crash', 'overlap'),
  // Most outages are short.
  fc.oneof({ weight: 4, arbitrary: fc.integer({ min: 1, max: 6 }) }, fc.integer({ min: 7, max: 50 })),
  fc.constantFrom(...causes),
  steps('crash', 'overlap'),
  (count, mapping, before, k, takes, during) => {
    const all = new Refusals(count, mapping);
    for (const step of before) all.take(step);
    all.takes = takes;
    for (let run = 0; run < k; run += 1) {
      const change = during[run];
      if (change && change.kind !== 'run') all.take(change);
      all.run();
    }
    all.takes = () => true;
    rest(all);
  },
);

/** Lists that grow twentyfold while a CRM refuses, in runs that write few contacts, as a budget of calls allows. */
const growing = fc.property(
  people,
  mappings,
  steps('grow', 'late run'),
  fc.integer({ min: 0, max: 6 }),
  fc.constantFrom(...causes),
  fc.constantFrom(8, Number.POSITIVE_INFINITY),
  (count, mapping, history, k, takes, mostWrites) => {
    const all = new Refusals(count, { ...mapping, mostWrites });
    let grown = 0;
    for (const step of history) if (step.kind !== 'grow' || (grown += 1) <= 2) all.take(step);
    all.take({ kind: 'grow', at: 0, value: '' });
    all.takes = takes;
    for (let run = 0; run < k; run += 1) all.run();
    all.takes = () => true;
    // The oldest come first, and each contact is written once more, with its id: so many runs need all of them.
    for (let run = 0; run < (2 * 3 * growth) / 8; run += 1) all.run();
    rest(all);
  },
);

/** A CRM never takes one value of a person: the person's no arrives in the run after the first refusal. */
const refusedValues = fc.property(people, mappings, steps(), (count, mapping, history) => {
  const all = new Refusals(count, mapping);
  all.takes = isTooLong;
  for (const step of history) all.take(step);
  for (let run = 0; run < 3; run += 1) all.run();
  const waits = all.world.persons.flatMap((person) => {
    const contact = all.contactOf(person);
    if (!contact) return person.fields.get(fieldIds.city.id) === 'Frankfurt am Main' ? [] : [`no ${person.email}`];
    const { status: state } = person;
    const isLeft = state === 'inactive' && contact.values[optOut] !== true && !contact.cleared;
    return isLeft ? [`the leave of ${contact.id}`] : [];
  });
  if (waits.length > 0) throw new Error(`${waits.join('; ')} waits`);
  all.takes = () => true;
  rest(all);
});

/** Lists that are those of the run before. */
const late = fc.property(people, mappings, steps('late run', 'late run', 'vanish'), (count, mapping, history) => {
  const all = new Refusals(count, mapping);
  for (const step of history) all.take(step);
  rest(all);
});

const columns = ['city', 'vip', 'source', 'newsletter_status', optOut] as const;

/** Columns that are hidden, renamed or never there, of a CRM that leaves out what is empty or does not. */
const hiddenColumns = fc.property(
  people,
  mappings,
  fc.boolean(),
  fc.array(fc.tuple(fc.subarray([...columns]), steps()), { minLength: 1, maxLength: 3 }),
  (count, mapping, isLeftOut, phases) => {
    const all = new Refusals(count, mapping);
    if (isLeftOut) all.lists = leavesOut;
    for (const [hidden, history] of [...phases, [[], []] as const]) {
      all.hidden.clear();
      for (const column of hidden) all.hidden.add(column);
      for (const step of history) {
        if (step.kind !== 'run') {
          all.take(step);
          continue;
        }
        runAccepted(all);
      }
    }
    runAccepted(all);
    all.world.accepts = true;
    rest(all);
  },
);

/** Runs, and accepts a plan that is held back once: what was accepted is not held again. */
function runAccepted(all: Refusals): void {
  all.world.accepts = false;
  const { plan } = all.run();
  if (!plan.held) return;
  if (plan.held.reasons.join() !== 'field_missing') all.violations.push(plan.held.message);
  all.world.accepts = true;
  all.run();
  all.world.accepts = false;
  const { held } = all.run().plan;
  // A box that nobody ticks any more is another one.
  if (held && held.message === plan.held.message) all.violations.push(`held again: ${held.message}`);
}

/** What holds in so many histories. */
export const refusals = {
  'all is in step two runs after a CRM has refused for up to 50': (numRuns) => fc.assert(refusing, { numRuns }),
  'all is in step after a list has grown while a CRM refused': (numRuns) =>
    fc.assert(growing, { numRuns: Math.ceil(numRuns / 10) }),
  'an opt-out and a leave arrive where a value is refused': (numRuns) => fc.assert(refusedValues, { numRuns }),
  'nobody is thrown out, asked again or forgotten where lists are late': (numRuns) => fc.assert(late, { numRuns }),
  'nothing is emptied and nobody is asked where columns are hidden': (numRuns) => fc.assert(hiddenColumns, { numRuns }),
} as const satisfies Readonly<Record<string, (numRuns: number) => void>>;
