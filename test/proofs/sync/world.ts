/** A newsletter and a CRM in memory, and a sync between them that can crash at any write. */
import {
  createReconciler,
  prepareMapping,
  recordOf,
  withStored,
  startSync,
  type CustomFieldWrite,
  type Finding,
  type PlannedPart,
  type ReadyMapping,
  type SyncMapping,
  type SyncPlan,
  type SyncState,
  type SyncSubscription,
} from '@newsletter-kit/core/sync';

/** How a side stores a text. Each is idempotent. */
export const storings = {
  'as given': (text: string) => text,
  trimmed: (text: string) => text.trim(),
  'lower case': (text: string) => text.toLowerCase(),
  'upper case': (text: string) => text.toUpperCase(),
  'cut to three': (text: string) => text.slice(0, 3),
  'title case': (text: string) =>
    text.replaceAll(/\p{L}+/gu, (word) => word[0]?.toUpperCase() + word.slice(1).toLowerCase()),
  'HTML entities': (text: string) => text.replaceAll(/&(?!amp;|lt;)/g, '&amp;').replaceAll('<', '&lt;'),
  'without blanks': (text: string) => text.replaceAll(' ', ''),
  'the day before': (text: string) => text.replace('2026-05-01', '2026-04-30'),
  'own members': (text: string) =>
    text
      .split(/[;,]\s*/)
      .toSorted()
      .join('; '),
} as const satisfies Readonly<Record<string, (text: string) => string>>;
export type Storing = keyof typeof storings;

/** The custom fields: their ids and kinds. */
export const fieldIds = {
  city: { id: 'f0000000-0000-4000-8000-000000000001', kind: 'string' },
  score: { id: 'f0000000-0000-4000-8000-000000000002', kind: 'integer' },
  topics: { id: 'f0000000-0000-4000-8000-000000000003', kind: 'list' },
  source: { id: 'f0000000-0000-4000-8000-000000000004', kind: 'string' },
  vip: { id: 'f0000000-0000-4000-8000-000000000005', kind: 'boolean' },
} as const;
export type FieldName = keyof typeof fieldIds;

export interface Person {
  readonly id: string;
  email: string;
  status: string;
  readonly created: number;
  readonly fields: Map<string, unknown>;
  /** Who it is in truth. */
  who?: string;
}

export interface Contact {
  id: string;
  email: string;
  values: Record<string, unknown>;
  /** Whether a person cleared the opt-out after it was last set. */
  cleared: boolean;
  /** Further addresses. */
  further?: readonly string[];
  /** The contact into which the CRM merged it. */
  mergedInto?: string;
  /** Who it is in truth. */
  who?: string;
}

/** The result of a run. */
export interface Run {
  readonly plan: SyncPlan;
  readonly writes: number;
  readonly crashed: boolean;
}

/** The part of the data that a run does not receive. */
export type Half = 'nothing' | 'contact fields' | 'custom fields';

const token = 'sync_token';
export const optOut = 'do_not_mail';
/** What contacts show of the opt-out in place of an empty field and of no. */
export const noOptOut = 'Nein';
/** A status that the specification lacks. */
export const unknownStatus = 'complained';

/** Whether a contact shows an opt-out: anything filled that is not usual. */
export const isVetoed = ({ values }: Pick<Contact, 'values'>): boolean =>
  ![false, null, undefined, '', noOptOut].includes(values[optOut] as string);

/** The entry at an index beyond the end as well. */
export const pick = <T>(list: readonly T[], index: number): T | undefined => list[index % Math.max(1, list.length)];

/** Changes and findings without the numbers of rows and the order of their entries. */
export function unordered(parts: readonly PlannedPart[]) {
  const texts = (list: readonly unknown[]): readonly string[] =>
    list.map((entry) => JSON.stringify(entry, (key, value: unknown) => (key === 'row' ? undefined : value))).sort();
  const pairs = parts.flatMap((part) => part.pairs);
  return {
    pairs: texts(
      pairs.map((pair) => ({
        ...pair,
        changes: texts(pair.changes),
        contactWrites: texts(pair.contactWrites),
        consent: texts(pair.consent),
      })),
    ),
    contactCreates: texts(parts.flatMap(({ contactCreates }) => contactCreates)),
    subscriptionCreates: texts(parts.flatMap(({ subscriptionCreates }) => subscriptionCreates)),
    findings: texts(parts.flatMap(({ findings }) => findings)),
  };
}

export class World {
  readonly mapping: SyncMapping;
  readonly #stores: { readonly newsletter: Storing; readonly crm: Storing };
  readonly persons: Person[] = [];
  readonly contacts: Contact[] = [];
  /** Present names of the custom fields. */
  readonly names: Record<FieldName, string> = {
    city: 'City',
    score: 'Score',
    topics: 'Topics',
    source: 'Source',
    vip: 'Vip',
  };
  state: SyncState = startSync();
  /** Seconds. */
  now = 1_800_000_000;
  #made = 0;
  /** Addresses of erased persons whose contact the sync has known. */
  readonly erased = new Set<string>();
  /** Writes that no sync may make. */
  readonly violations: string[] = [];
  /** Whether plans are accepted that would be held back. */
  accepts = true;
  /** Whether the CRM takes a write; null for a contact to create. */
  takes: (contact: Contact | null, changes: Readonly<Record<string, unknown>>) => boolean = () => true;
  /** What a run gets of the records that the CRM has. */
  list: (records: readonly unknown[]) => readonly unknown[] = (records) => records;
  /** Whether the CRM answers a write with what it has stored, and the answer is handed back. */
  answers = false;
  /** Sees every value that the sync writes, before it is stored. */
  onWrite: (to: Person | Contact, value: unknown) => void = () => undefined;

  constructor(mapping: Partial<SyncMapping>, stores: { readonly newsletter: Storing; readonly crm: Storing }) {
    this.#stores = stores;
    this.mapping = {
      contact: { token, furtherAddresses: 'more', mergedInto: 'merged_into' },
      optOut: { contact: optOut, notOptedOut: [noOptOut] },
      breaker: { share: 1, atLeast: 1_000_000 },
      ...mapping,
      fields: mapping.fields ?? [
        { newsletter: fieldIds.city.id, contact: 'city', direction: 'both', conflict: 'newsletter' },
        { newsletter: fieldIds.score.id, contact: 'score', direction: 'both', conflict: 'review' },
        { newsletter: fieldIds.topics.id, contact: 'topics', direction: 'to_contact', separator: ';' },
        { newsletter: fieldIds.source.id, contact: 'source', direction: 'to_subscription' },
        { newsletter: 'status', contact: 'newsletter_status', direction: 'to_contact' },
      ],
    };
  }

  subscribe(email: string): Person {
    this.now += 100;
    const id = `sub_00000000-0000-4000-8000-${String((this.#made += 1)).padStart(12, '0')}`;
    const person = { id, email, status: 'active', created: this.now, fields: new Map<string, unknown>() };
    this.persons.push(person);
    return person;
  }

  /** An id that no contact has had. */
  newId(): string {
    return `c${(this.#made += 1)}`;
  }

  addContact(email: string, values: Readonly<Record<string, unknown>> = {}): Contact {
    const id = this.newId();
    const contact: Contact = {
      id,
      email,
      values: {
        city: '',
        score: null,
        topics: '',
        source: '',
        newsletter_status: '',
        [optOut]: false,
        [token]: '',
        ...values,
      },
      cleared: false,
    };
    for (const [field, value] of Object.entries(contact.values)) this.editContact(contact, field, value);
    this.contacts.push(contact);
    return contact;
  }

  editPerson(person: Person, field: FieldName, value: unknown): void {
    const { id, kind } = fieldIds[field];
    const stored = kind === 'string' && typeof value === 'string' ? storings[this.#stores.newsletter](value) : value;
    if (value === null || value === '') person.fields.delete(id);
    else person.fields.set(id, stored);
  }

  editContact(contact: Contact, field: string, value: unknown): void {
    const isText = typeof value === 'string' && ['city', 'source'].includes(field);
    contact.values[field] = isText ? storings[this.#stores.crm](value) : value;
  }

  /** A person as the newsletter's list returns it. */
  #listed({ id, email, status, created, fields }: Person, half: Half): SyncSubscription {
    const custom = Object.entries(fieldIds).flatMap(([name, { id: field }]) =>
      fields.has(field) ? [{ name: this.names[name as FieldName], value: fields.get(field) }] : [],
    );
    return { id, email, status, created, ...(half !== 'custom fields' && { custom_fields: custom }) };
  }

  #record({ id, email, values, further, mergedInto }: Contact, half: Half): unknown {
    const { city: _, ...others } = values;
    const addresses = { email, ...(further && { more: further }), ...(mergedInto && { merged_into: mergedInto }) };
    return { id, ...addresses, ...(half === 'contact fields' ? others : values) };
  }

  /** The custom fields as the API lists them. */
  get customFields() {
    const named = Object.entries(fieldIds) as [FieldName, (typeof fieldIds)[FieldName]][];
    return named.map(([name, { id, kind }]) => ({ id, kind, display: this.names[name] }));
  }

  get ready(): ReadyMapping {
    return prepareMapping(this.mapping, this.customFields, 'pub_1');
  }

  /** Plans a run. @param order - reorders contacts and pages */
  plan(half: Half = 'nothing', order: <T>(list: readonly T[]) => readonly T[] = (list) => list): SyncPlan {
    const reconciler = createReconciler({
      mapping: this.ready,
      state: this.state,
      now: this.now * 1000,
      accept: this.accepts,
    });
    const records = order(this.contacts).map((contact) => this.#record(contact, half));
    for (const record of this.list(records)) reconciler.addContact(record);
    const list = order(this.persons);
    for (let start = 0; start < list.length; start += 3)
      reconciler.addSubscriptions(list.slice(start, start + 3).map((person) => this.#listed(person, half)));
    return reconciler.finish();
  }

  /** Plans and writes. @param crashAfter - writes after which the sync is killed */
  run(half: Half = 'nothing', crashAfter = Number.POSITIVE_INFINITY): Run {
    this.now += 1000;
    const plan = this.plan(half);
    const writes = [...this.#writesOf(plan)];
    for (const write of writes.slice(0, crashAfter)) write();
    const crashed = crashAfter < writes.length;
    if (!crashed) this.state = plan.state;
    return { plan, writes: writes.length, crashed };
  }

  /** Two runs that read the same: both write. */
  overlap(): readonly [Run, Run] {
    const plan = this.plan();
    const first = this.run();
    const writes = [...this.#writesOf(plan)];
    for (const write of writes) write();
    return [first, { plan, writes: writes.length, crashed: false }];
  }

  /** Each write, in the order in which a sync makes them. */
  *#writesOf(plan: SyncPlan): Generator<() => void> {
    const pairs = plan.pairs.flatMap((pair) => pair.subscriptionWrites);
    for (const write of [...pairs.filter((one) => one.unsubscribe), ...pairs.filter((one) => !one.unsubscribe)])
      yield () => this.#update(write.subscription_id, write.unsubscribe ?? false, write.custom_fields ?? []);
    for (const { request } of plan.subscriptionCreates) yield () => this.#create(request);
    for (const { contactWrites, subscriptionId } of plan.pairs)
      for (const planned of contactWrites)
        yield () => {
          // The record is read back when the job of the newsletter has ended.
          const person = this.persons.find((one) => one.id === subscriptionId);
          const subscription = person && this.#listed(person, 'nothing');
          const contact = this.contacts.find(({ id }) => id === planned.id);
          const write = { ...planned, token: withStored(planned.token, { subscription }, plan.mapping) };
          this.#write(contact, { ...write.changes, [token]: write.token });
          if (!this.answers || contact?.values[token] !== write.token) return;
          contact.values[token] = withStored(write.token, { contact: this.#record(contact, 'nothing') }, plan.mapping);
        };
    for (const { changes, subscriptionId } of plan.contactCreates)
      yield () => {
        if (this.persons.some(({ id, status }) => id === subscriptionId && status === unknownStatus))
          this.violations.push('a contact was created for an unknown status');
        const { email, ...values } = recordOf(Object.entries(changes));
        if (!this.takes(null, changes)) return;
        const contact = this.addContact(String(email));
        const who = this.persons.find(({ id }) => id === subscriptionId)?.who;
        if (who !== undefined) contact.who = who;
        this.#store(contact, values);
      };
  }

  #update(id: string, unsubscribe: boolean, fields: readonly CustomFieldWrite[]): void {
    const person = this.persons.find((one) => one.id === id);
    if (!person) return;
    if (unsubscribe) person.status = 'inactive';
    for (const { name, value, delete: isDeleted } of fields) {
      const field = (Object.keys(this.names) as FieldName[]).find((each) => this.names[each] === name);
      if (!isDeleted) this.onWrite(person, value);
      if (field) this.editPerson(person, field, isDeleted ? null : value);
    }
  }

  #create(request: SyncPlan['subscriptionCreates'][number]['request']): void {
    const address = request.email.toLowerCase();
    // A record that was merged into another contact is none any more: the CRM decided about its opt-out.
    const sameAddress = this.contacts.filter(
      ({ email, mergedInto }) => mergedInto === undefined && email.toLowerCase() === address,
    );
    if (sameAddress.some(isVetoed)) this.violations.push('an opted-out contact was subscribed');
    if (this.persons.some(({ email }) => email.toLowerCase() === address)) return;
    const person = this.subscribe(request.email);
    person.status = request.double_opt_override === 'on' ? 'pending' : 'active';
    this.#update(person.id, false, request.custom_fields ?? []);
  }

  #write(contact: Contact | undefined, changes: Readonly<Record<string, unknown>>): void {
    if (contact && this.takes(contact, changes)) this.#store(contact, changes);
  }

  #store(contact: Contact, changes: Readonly<Record<string, unknown>>): void {
    for (const [field, value] of Object.entries(changes)) {
      this.onWrite(contact, value);
      if (field === 'email') contact.email = String(value);
      else this.editContact(contact, field, value);
      if (field !== optOut) continue;
      if (value !== true) this.violations.push('an opt-out was cleared');
      contact.cleared = false;
    }
  }

  /** Both sides without tokens, for comparison. */
  snapshot(): unknown {
    return {
      persons: this.persons.map(({ email, status, fields }) => [email, status, [...fields].sort()]),
      contacts: this.contacts.map(({ email, values }) => [email, { ...values, [token]: undefined }]),
    };
  }

  /** A copy of both sides. */
  copy(): World {
    const other = new World(this.mapping, this.#stores);
    for (const person of this.persons) other.persons.push({ ...person, fields: new Map(person.fields) });
    for (const contact of this.contacts) other.contacts.push({ ...contact, values: { ...contact.values } });
    Object.assign(other.names, this.names);
    other.state = this.state;
    other.now = this.now;
    other.#made = this.#made;
    return other;
  }

  /** Erases a person, who stays listed. */
  erase(person: Person): void {
    person.email = `redacted-${person.id}@redacted.invalid`;
    person.status = 'inactive';
    person.fields.clear();
  }

  /** The findings about a contact. */
  reportedOf(findings: readonly Finding[], contact: Contact): readonly Finding[] {
    return findings.filter(({ contactId }) => contactId === contact.id);
  }
}
