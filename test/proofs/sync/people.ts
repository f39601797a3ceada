/**
 * People in truth: who each subscription and contact is, and whom each opt-out is for. The addresses of a person begin
 * with the name, and so do the values that were said by or about the person: a value or an unsubscribe that reaches
 * somebody else is seen.
 */
import { decodeToken, planPair, type Finding, type ReadyMapping, type SyncMapping } from '@newsletter-kit/core/sync';
import * as fc from 'fast-check';
import { addresses, history, names, type Step } from './people-events.ts';
import { optOut, pick, World, type Contact, type Person, type Run } from './world.ts';

const isAt = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();

/** A world whose people are known. */
export class People {
  readonly world: World;
  /** What the sync did to the wrong person. */
  readonly wrongs: string[] = [];
  /** Whose each address is. */
  readonly #owners = new Map(addresses.map((address) => [address, address.split('@')[0] ?? '']));
  /** Names of one person. */
  readonly #sameAs = new Map<string, string>();
  /** Whom the opt-out of a contact is for. */
  readonly #vetoes = new Map<Contact, Set<string>>();
  readonly #mapping: ReadyMapping;
  #generations = 0;
  #values = 0;

  constructor(count: number, mapping: Partial<SyncMapping> = {}) {
    this.world = new World(mapping, { newsletter: 'as given', crm: 'as given' });
    this.#mapping = this.world.ready;
    this.world.onWrite = (to, value) => this.#check(to, value);
    for (const name of names.slice(0, count)) {
      this.#signUp(`${name}@example.com`);
      this.#addContact(`${name}@example.com`);
    }
  }

  /** Plays a history and runs until nothing is written. @returns the findings at rest */
  play(steps: readonly Step[]): readonly Finding[] {
    for (const step of steps) this.#take(step);
    for (let runs = 0; runs < 6; runs += 1) this.#run();
    const { plan, writes } = this.#run();
    if (writes > 0) this.wrongs.push(`writes at rest: ${JSON.stringify([plan.pairs, plan.contactCreates])}`);
    this.#checkOptOuts(plan.findings);
    return plan.findings;
  }

  #same(one: string | undefined, other: string | undefined): boolean {
    return this.#root(one ?? '') === this.#root(other ?? '');
  }

  #root(name: string): string {
    const next = this.#sameAs.get(name);
    return next === undefined || next === name ? name : this.#root(next);
  }

  #join(one: string | undefined, other: string | undefined): void {
    if (!this.#same(one, other)) this.#sameAs.set(this.#root(one ?? ''), this.#root(other ?? ''));
  }

  #ownerOf(email: string): string {
    return this.#owners.get(email) ?? email;
  }

  #signUp(email: string): void {
    if (this.world.persons.some((person) => isAt(person.email, email))) return;
    this.world.subscribe(email).who = this.#ownerOf(email);
    this.#restateAll(this.world.contacts.filter((contact) => isAt(contact.email, email)));
  }

  #addContact(email: string, values: Readonly<Record<string, unknown>> = {}): Contact {
    const contact = this.world.addContact(email, values);
    contact.who = this.#ownerOf(email);
    this.#restate(contact);
    return contact;
  }

  #value(who: string | undefined): string {
    return `${who ?? ''}:${(this.#values += 1)}`;
  }

  /**
   * Without a token of its own nothing remembers whose the values of a contact were: they are those of the present
   * address. With one that goes with the address they are those of its subscription. One that remembers the address as
   * that of somebody else tells whose they were.
   */
  #restate(contact: Contact): void {
    const base = this.#baseOf(contact);
    const named = this.world.persons.find(({ id }) => id === base?.subscriptionId);
    const isTaken = this.world.persons.some((one) => one !== named && isAt(one.email, contact.email));
    const isOwn = this.#hasOwnToken(contact);
    const fits = named !== undefined && isOwn && (!isTaken || this.#isAsWritten(contact));
    if (isOwn && !fits && !isTaken) return this.#joinAddresses(contact);
    // In which order a contact was given an address, and the address to another person, nobody can tell.
    contact.who = fits ? (named.who ?? '') : this.#ownerOf(contact.email);
    this.#joinAddresses(contact);
    if (!fits && (isOwn || (isTaken && this.#isAsWritten(contact)))) return;
    for (const field of ['city', 'source'])
      contact.values[field] = String(contact.values[field]).replace(/^[^:]+/, contact.who);
  }

  /** Whether the contact has the address with which its token was written. */
  #isAsWritten(contact: Contact): boolean {
    return this.#newBaseOf(contact).address === this.#baseOf(contact)?.address;
  }

  /** Whether the token was written for the id of the contact, or before it had one for its address. */
  #hasOwnToken(contact: Contact): boolean {
    const written = this.#baseOf(contact)?.contact;
    return written === undefined ? this.#isAsWritten(contact) : written === this.#newBaseOf(contact).contact;
  }

  #newBaseOf({ id, email }: Contact): ReturnType<typeof planPair>['base'] {
    const subscription = { id: 'sub_00000000-0000-4000-8000-000000000000', email, status: 'active', created: 0 };
    return planPair({ subscription, contact: { id, email, values: {}, row: 1 }, base: undefined }, this.#mapping).base;
  }

  /** Whoever has one of several addresses of a contact is the person of the contact. */
  #joinAddresses(contact: Contact): void {
    for (const email of this.#addressesOf(contact).slice(1)) this.#join(this.#ownerOf(email), contact.who);
  }

  /** Whether the contact's token does not know of its opt-out: that of another contact knows of its own person's. */
  #isUnseen(contact: Contact): boolean {
    const base = this.#baseOf(contact);
    const named = this.world.persons.find(({ id }) => id === base?.subscriptionId);
    const isKnown = this.#hasOwnToken(contact) || (named !== undefined && isAt(named.email, contact.email));
    return contact.values[optOut] === true && !(isKnown && base?.optOut === true);
  }

  #baseOf({ values }: Pick<Contact, 'values'>): ReturnType<typeof decodeToken> {
    return decodeToken(values['sync_token'], this.#mapping);
  }

  #addressesOf({ id, email, further = [] }: Contact): readonly string[] {
    const merged = this.world.contacts.filter(({ mergedInto }) => mergedInto === id);
    return [email, ...further, ...merged.flatMap((loser) => this.#addressesOf(loser))];
  }

  /** The opt-out of a contact is for whoever has one of its addresses now. */
  #veto(contact: Contact): void {
    const vetoes = this.#vetoes.get(contact) ?? new Set();
    for (const email of this.#addressesOf(contact)) vetoes.add(this.#ownerOf(email));
    this.#vetoes.set(contact, vetoes.add(contact.who ?? ''));
  }

  /** Another address: the contact is somebody else from now on. */
  #move(contact: Contact, email: string): void {
    if (contact.email === email) return;
    contact.email = email;
    contact.who = this.#ownerOf(email);
    this.#joinAddresses(contact);
    this.#restate(contact);
    // In which order both happened between two runs, nobody can tell.
    if (this.#isUnseen(contact)) this.#veto(contact);
  }

  #take({ event, at: index, other }: Step): void {
    const { world } = this;
    const person = pick(world.persons, index);
    const contacts = world.contacts.filter(({ mergedInto }) => mergedInto === undefined);
    const contact = pick(contacts, index);
    const second = pick(contacts, other);
    const email = pick(addresses, other) ?? '';
    switch (event) {
      case 'run':
        return void this.#run();
      case 'overlap':
        return this.#guarded(() => world.overlap());
      case 'crash':
        return this.#guarded(() => [world.run('nothing', index)]);
      case 'edit person':
        if (person && !person.email.endsWith('.invalid')) world.editPerson(person, 'city', this.#value(person.who));
        return;
      case 'leave':
        return void (person && (person.status = 'inactive'));
      case 'return':
        return void (person && !person.email.endsWith('.invalid') && (person.status = 'active'));
      case 'sign up':
        return this.#signUp(email);
      case 'add contact':
        return void this.#addContact(email);
      case 'swap in newsletter':
        return this.#swapPersons(person, pick(world.persons, other));
      case 'erase':
      case 'erase, not listed':
        return this.#erase(person, event === 'erase');
      case 'restore with new ids':
        for (const one of world.contacts) one.id = world.newId();
        return this.#restateAll();
      case 'sort tokens':
        return this.#rotate(contacts, (one, from) => (one.values['sync_token'] = from.values['sync_token']));
      case 'sort addresses':
        return this.#rotate(contacts, (one, from) => this.#move(one, from.email));
      default:
        if (contact && second) this.#edit(event, contact, second, email);
    }
  }

  #edit(event: Step['event'], contact: Contact, second: Contact, email: string): void {
    const { world } = this;
    switch (event) {
      case 'edit contact':
        contact.values[email.includes('second') ? 'source' : 'city'] = this.#value(contact.who);
        return;
      case 'opt out':
        contact.values[optOut] = true;
        return this.#veto(contact);
      case 'opt in':
        contact.values[optOut] = false;
        return void this.#vetoes.delete(contact);
      case 'copy contact':
      case 'copy to another address': {
        const copy = this.#addContact(event === 'copy contact' ? contact.email : email, contact.values);
        if (copy.values[optOut] === true) this.#veto(copy);
        return;
      }
      case 'swap in CRM': {
        const { email: first } = contact;
        this.#move(contact, second.email);
        return this.#move(second, first);
      }
      case 'overwrite row':
        this.#move(contact, email);
        for (const field of ['city', 'source']) contact.values[field] = this.#value(contact.who);
        return;
      case 'add further address':
        contact.further = [...(contact.further ?? []), email];
        this.#join(contact.who, this.#ownerOf(email));
        if (this.#isUnseen(contact)) this.#veto(contact);
        return;
      case 'remove further address':
        return void (contact.further = (contact.further ?? []).slice(1));
      case 'use second address': {
        const own = addresses.find((each) => each !== contact.email && this.#ownerOf(each) === contact.who);
        if (own !== undefined) this.#move(contact, own);
        return;
      }
      case 'make further address the main one': {
        const [main, ...rest] = contact.further ?? [];
        if (main === undefined) return;
        contact.further = [...rest, contact.email];
        return this.#move(contact, main);
      }
      case 'delete contact':
        return void world.contacts.splice(world.contacts.indexOf(contact), 1);
      default:
        if (contact !== second) this.#merge(event, contact, second);
    }
  }

  #merge(event: Step['event'], survivor: Contact, loser: Contact): void {
    // The merged contact is one person, with the values of both.
    for (const who of [survivor, loser].flatMap((one) => [one.who, ...whoIn(one)])) this.#join(who, survivor.who);
    if (event === 'merge, survivor has a new id') {
      survivor.id = this.world.newId();
      this.#restate(survivor);
    }
    if (event === 'merge, loser names the survivor') loser.mergedInto = survivor.id;
    else this.world.contacts.splice(this.world.contacts.indexOf(loser), 1);
    if (event === 'merge, survivor lists the address')
      survivor.further = [...(survivor.further ?? []), ...this.#addressesOf(loser)];
    this.#joinAddresses(survivor);
    if (this.#isUnseen(survivor)) this.#veto(survivor);
  }

  #swapPersons(one: Person | undefined, other: Person | undefined): void {
    if (!one || !other || [one, other].some(({ email }) => email.endsWith('.invalid'))) return;
    [one.email, other.email] = [other.email, one.email];
    for (const { email, who } of [one, other]) this.#owners.set(email, who ?? '');
    for (const contact of this.world.contacts) {
      this.#restate(contact);
      if (this.#isUnseen(contact) && !this.#followsItsToken(contact)) this.#veto(contact);
    }
  }

  /** Whether a contact goes where the subscription of its token goes. */
  #followsItsToken(contact: Contact): boolean {
    const named = this.world.persons.find(({ id }) => id === this.#baseOf(contact)?.subscriptionId);
    const isLiving = named !== undefined && !named.email.endsWith('.invalid');
    return isLiving && this.#hasOwnToken(contact) && this.#isAsWritten(contact);
  }

  #erase(person: Person | undefined, isListed: boolean): void {
    if (!person || person.email.endsWith('.invalid')) return;
    const { who } = person;
    // Whoever signs up with these addresses from now on is somebody else.
    const next = `${who?.replace(/\d+$/, '') ?? ''}${(this.#generations += 1)}`;
    for (const [email, owner] of this.#owners)
      if (owner === who && !this.world.persons.some((one) => one !== person && isAt(one.email, email)))
        this.#owners.set(email, next);
    this.world.erased.add(person.email);
    this.world.erase(person);
    if (!isListed) this.world.persons.splice(this.world.persons.indexOf(person), 1);
    this.#restateAll();
  }

  #restateAll(contacts: readonly Contact[] = this.world.contacts): void {
    for (const contact of contacts) {
      this.#restate(contact);
      if (this.#isUnseen(contact)) this.#veto(contact);
    }
  }

  #rotate(contacts: readonly Contact[], take: (one: Contact, from: Contact) => void): void {
    const before = contacts.map((contact) => ({ ...contact, values: { ...contact.values } }));
    for (const [index, contact] of contacts.entries()) {
      const from = before[(index + 1) % before.length];
      if (from) take(contact, from);
    }
    this.#restateAll(contacts);
  }

  #run(): Run {
    let run: Run | undefined;
    this.#guarded(() => [(run = this.world.run())]);
    if (!run) throw new Error('There was no run.');
    return run;
  }

  /** Runs, and checks whom each opt-out reached. */
  #guarded(run: () => readonly Run[]): void {
    const { persons, contacts, violations } = this.world;
    this.#joinHeirs();
    const optedOut = contacts.filter(({ values }) => values[optOut] === true);
    const known = new Set(contacts.filter(({ values }) => values[optOut] !== true));
    const existing = new Set(persons.map(({ email }) => email.toLowerCase()));
    for (const { plan } of run()) {
      for (const { unsubscribe, subscription_id: id } of plan.pairs.flatMap((pair) => pair.subscriptionWrites)) {
        const person = persons.find((one) => one.id === id);
        const isMeant = optedOut.some((contact) =>
          [...(this.#vetoes.get(contact) ?? [])].some((who) => this.#same(who, person?.who)),
        );
        if (unsubscribe && person && !isMeant) this.wrongs.push(`unsubscribed ${person.who ?? ''}`);
      }
      for (const { request } of plan.subscriptionCreates)
        if (existing.has(request.email.toLowerCase())) this.wrongs.push(`created over ${request.email}`);
    }
    for (const person of persons) person.who ??= this.#ownerOf(person.email);
    // What the sync carries to a contact is for whoever it was carried from.
    for (const contact of contacts) if (known.has(contact) && contact.values[optOut] === true) this.#veto(contact);
    this.wrongs.push(...violations.splice(0));
  }

  /**
   * A contact with its own token, whose subscription's address no other contact has, and an address that nobody has: it
   * counts as the same person. So does a contact with token and address of a subscription, however it came to have
   * both.
   */
  #joinHeirs(): void {
    const { persons, contacts } = this.world;
    const isLiving = (email: string): boolean => persons.some((person) => isAt(person.email, email));
    const named = contacts.map((contact) => this.#baseOf(contact)?.subscriptionId);
    for (const [index, contact] of contacts.entries()) {
      const person = persons.find(({ id }) => id === named[index]);
      // Whose subscription is gone: the contact is whose address it has.
      const isGone = !person || person.email.endsWith('.invalid');
      if (isGone) contact.who = persons.find(({ email }) => isAt(email, contact.email))?.who ?? contact.who ?? '';
      if (!person || contact.mergedInto !== undefined) continue;
      if (isAt(contact.email, person.email)) this.#join(contact.who, person.who);
      if (isLiving(contact.email) || !this.#hasOwnToken(contact)) continue;
      const isHeld = contacts.some(
        (one) =>
          one !== contact &&
          one.mergedInto === undefined &&
          this.#addressesOf(one).some((email) => isAt(email, person.email)),
      );
      if (!isHeld) this.#join(contact.who, person.who);
    }
  }

  #check(to: Person | Contact, value: unknown): void {
    const [, who] = typeof value === 'string' ? (/^([a-z0-9]+):\d+$/.exec(value) ?? []) : [];
    const person = to.who ?? this.#ownerOf(to.email);
    if (who !== undefined && !this.#same(who, person)) this.wrongs.push(`wrote a value of ${who} to ${person}`);
  }

  /** At rest each opt-out is carried to every address that it is for, or named. */
  #checkOptOuts(findings: readonly Finding[]): void {
    for (const contact of this.world.contacts) {
      if (contact.values[optOut] !== true || contact.mergedInto !== undefined) continue;
      const meant = this.#vetoes.get(contact) ?? new Set();
      const held = this.#addressesOf(contact);
      for (const person of this.world.persons) {
        // Of a merged contact that is gone without a trace, only the missing contact tells.
        const hasContact = this.world.contacts.some((one) =>
          this.#addressesOf(one).some((email) => isAt(email, person.email)),
        );
        const isFor =
          held.some((email) => isAt(email, person.email)) ||
          (!hasContact && [...meant].some((who) => this.#same(who, person.who)));
        const isNamed = findings.some((one) => one.contactId === contact.id || one.subscriptionId === person.id);
        if (isFor && person.status === 'active' && !isNamed)
          this.wrongs.push(`the opt-out of ${contact.id} is neither carried to ${person.email} nor named`);
      }
    }
  }
}

/** Whose the values of a contact are. */
function whoIn({ values }: Contact): readonly string[] {
  return ['city', 'source'].flatMap((field) => /^[^:]+/.exec(String(values[field])) ?? []);
}

/** Settings under which nobody may be mistaken for somebody else. */
export const settings = fc.constantFrom<Partial<SyncMapping>>(
  {},
  {},
  { subscribe: 'with_confirmation' },
  { situations: { addressChangedInNewsletter: 'report' } },
);

/** A property: after any history nobody got what was meant for another person. */
export function rightPerson(): fc.IProperty<[number, Step[], Partial<SyncMapping>]> {
  return fc.property(fc.integer({ min: 1, max: names.length }), history, settings, (count, steps, mapping) => {
    const people = new People(count, mapping);
    people.play(steps);
    if (people.wrongs.length > 0) throw new Error(people.wrongs.join('\n'));
  });
}
