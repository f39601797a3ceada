/** Takes in the contacts, then the pages of subscriptions, and decides about every pair. Pure. */
import { isAddress } from '../signup/address.ts';
import { readPath, type SyncContact } from './contact.ts';
import { finding, type Finding, type FindingCode, type FindingPlace } from './findings.ts';
import {
  addressPrint,
  matchKey,
  readSubscription,
  valuePrint,
  type ReadyMapping,
  type SyncSubscription,
} from './mapping.ts';
import {
  contactValue,
  customFieldWrite,
  hasToken,
  isErased,
  planPair,
  readContact,
  withStatus,
  type ConsentRecord,
  type ContactWrite,
  type CustomFieldWrite,
  type PairPlan,
  type Situation,
  type SubscriptionWrite,
} from './plan-pair.ts';
import { mostEntries, type SyncState } from './state.ts';
import {
  decodeToken,
  encodeToken,
  idKey,
  isTokenOf,
  isWhole,
  readToken,
  tokenKey,
  type Base,
  type FieldBase,
} from './token.ts';
import { readValue } from './values.ts';

/** A pair with something to do. */
export interface PlannedPair {
  readonly situation: Situation;
  /** Changes in the newsletter; they come before the contact's. */
  readonly subscriptionWrites: readonly SubscriptionWrite[];
  /** To be made only once the newsletter has taken every change of the pair; one for each contact. */
  readonly contactWrites: readonly ContactWrite[];
  readonly consent: readonly ConsentRecord[];
}

/**
 * A subscription to create for a contact the newsletter does not know. The request never reactivates a subscription and
 * never skips double opt-in.
 */
export interface SubscriptionCreate {
  readonly situation: 'unknown_contact' | 'address_moved';
  readonly contactId: string;
  readonly request: {
    readonly email: string;
    readonly reactivate_existing: false;
    readonly double_opt_override?: 'on';
    readonly custom_fields?: readonly CustomFieldWrite[];
  };
}

/** A contact to create for a subscription that has none. */
export interface ContactCreate {
  readonly situation: 'new_subscription' | 'contact_missing';
  readonly subscriptionId: string;
  /** Values by the paths of the contact's fields, with address and token. */
  readonly changes: Readonly<Record<string, unknown>>;
  /** The leave that the contact is created with. */
  readonly consent: readonly ConsentRecord[];
}

/** Why a plan is held back. */
export interface Held {
  readonly reason: 'too_many_changes' | 'too_many_creations' | 'field_missing' | 'state_full';
  readonly message: string;
}

/** How many of what a run saw and plans. */
export interface SyncCounts {
  readonly contacts: number;
  readonly subscriptions: number;
  readonly pairs: number;
  readonly contactCreates: number;
  readonly contactUpdates: number;
  readonly subscriptionCreates: number;
  readonly subscriptionUpdates: number;
  readonly unsubscribes: number;
  /** Pairs in which a field that had a value gets none. */
  readonly clears: number;
  readonly removals: number;
  readonly findings: number;
  readonly newFindings: number;
}

/** Everything a run would do. */
export interface SyncPlan {
  readonly pairs: readonly PlannedPair[];
  readonly contactCreates: readonly ContactCreate[];
  readonly subscriptionCreates: readonly SubscriptionCreate[];
  readonly findings: readonly Finding[];
  /** Not null: only opt-outs towards the CRM are in the plan until a person accepts all of it. */
  readonly held: Held | null;
  /** What the whole plan would do, also where it is held back. */
  readonly counts: SyncCounts;
  /** To be kept once the plan was carried out. */
  readonly state: SyncState;
}

export interface ReconcilerOptions {
  readonly mapping: ReadyMapping;
  readonly state: SyncState;
  /** Milliseconds since the Unix epoch at which the run began to read. */
  readonly now: number;
  /**
   * `everything`: all contacts and all subscriptions come in, so that what is missing can be told. `incoming`: some
   * contacts and their subscriptions. Default `everything`.
   */
  readonly scope?: 'everything' | 'incoming' | undefined;
  /** Carries out a plan that would otherwise be held back. Default false. */
  readonly accept?: boolean | undefined;
}

/** Contacts in, pages of subscriptions through, a plan out. */
export interface Reconciler {
  /**
   * Takes in a contact: a record in which the mapping's paths name the fields. All of them come before subscriptions.
   *
   * @returns its address; undefined where the contact is left alone
   */
  addContact(record: unknown): string | undefined;
  addSubscriptions(page: Iterable<SyncSubscription>): void;
  /** The plan, once both sides were read to their end. */
  finish(): SyncPlan;
  /** The same in parts of some milliseconds each, so that a host that serves others can do so in between. */
  finishInParts(): Generator<undefined, SyncPlan, undefined>;
}

/** A subscription that is listed within this many seconds of its creation may not be the last of its second. */
const listingDelay = 60;
/** A creation that did not come back is repeated until it was tried this often. */
const mostAttempts = 3;

/** Contacts or subscriptions of one part of {@link Reconciler.finishInParts}. */
const partSize = 2000;

/** What the status of a subscription that no longer exists is shown as in the contact. */
const removedStatus = 'removed';

/** The contacts of one key: the number of a row, or of several. */
type Rows = number | readonly number[];

/** A subscription with its contacts, and what is planned for each. */
interface Work {
  readonly subscription: SyncSubscription;
  readonly rows: readonly number[];
  readonly plans: readonly PairPlan[];
}

/**
 * Creates a reconciler for one run. It keeps an index of the contacts, and of the pairs only those with something to
 * do; the order in which contacts and pages come changes no plan.
 */
export function createReconciler(options: ReconcilerOptions): Reconciler {
  const { mapping, state, now, scope = 'everything', accept = false } = options;
  const isComplete = scope === 'everything';
  const reportedBefore = new Set(state.reported);
  const reported = new Set<string>();
  const findings: Finding[] = [];

  /** Records by their row, counted from 1. */
  const records: unknown[] = [undefined];
  const ids = new Set<string>();
  const byAddress = new Map<string, Rows>();
  /** By a number for the subscription's id: {@link linkedTo} compares the id itself. */
  const bySubscription = new Map<number, Rows>();
  /** By row: its token where that is whole, {@link damaged} for any other text. */
  const tokens: (string | undefined)[] = [undefined];
  /** By row: the key of its token in {@link bySubscription}. */
  const keys: number[] = [0];
  /** By row: 1 once its subscription was met. */
  const met: (0 | 1)[] = [1];
  const fieldsToMeet = new Set(mapping.fields.map(({ contact }) => contact));
  /** Subscriptions without contact, by their ids. */
  const lonely = new Map<string, SyncSubscription>();
  let work: Work[] = [];
  let subscriptions = 0;
  let pairs = 0;
  let newest: number | null = null;

  return {
    addContact,
    addSubscriptions(page) {
      for (const subscription of page) addSubscription(subscription);
    },
    finish() {
      const parts = finishInParts();
      for (;;) {
        const part = parts.next();
        if (part.done) return part.value;
      }
    },
    finishInParts,
  };

  /** Reports what belongs to no pair's token. */
  function report(code: FindingCode, place: FindingPlace): void {
    // Rows change from run to run.
    const { row, ...stable } = place;
    const key = print(JSON.stringify([code, row !== undefined && stable.contactId === undefined ? row : null, stable]));
    reported.add(key);
    findings.push(finding(code, !reportedBefore.has(key), place));
  }

  function print(text: string): string {
    return addressPrint(mapping, text).toString(36);
  }

  function contactAt(row: number): { readonly contact: SyncContact; readonly base: Base | undefined } {
    const contact = toContact(records[row], row, mapping);
    return { contact, base: isLinked(row) ? decodeToken(contact.token, mapping) : undefined };
  }

  function addContact(record: unknown): string | undefined {
    const row = records.push(record) - 1;
    tokens.push(undefined);
    keys.push(0);
    met.push(0);
    for (const path of fieldsToMeet) if (readPath(record, path) !== undefined) fieldsToMeet.delete(path);
    const id = textOf(readPath(record, mapping.paths.id));
    if (id === '' || ids.has(id)) {
      // Its row stays empty: it is met by nothing.
      records[row] = undefined;
      report(id === '' ? 'contact_without_id' : 'contact_repeated', { row, ...(id !== '' && { contactId: id }) });
      return undefined;
    }
    ids.add(id);
    const token = readPath(record, mapping.paths.token);
    if (isWhole(token)) {
      const key = tokenKey(token);
      addRow(bySubscription, key, row);
      keys[row] = key;
      tokens[row] = token;
    } else if (hasToken(token)) {
      tokens[row] = damaged;
      report('token_damaged', { row, contactId: id });
    }
    const email = textOf(readPath(record, mapping.paths.email));
    if (isUsable(email)) {
      addRow(byAddress, matchKey(email), row);
      return email;
    }
    report('address_malformed', { row, contactId: id });
    return undefined;
  }

  function isLinked(row: number): boolean {
    return tokens[row] !== undefined && tokens[row] !== damaged;
  }

  /** The contacts whose token names the subscription. */
  function linkedTo(id: string): readonly number[] {
    return rowsOf(bySubscription.get(idKey(id))).filter((row) => isTokenOf(tokens[row] ?? '', id));
  }

  /** Whether the contact's token names the subscription, and no other token does. */
  function isLinkedAlone(row: number, id: string): boolean {
    const token = tokens[row];
    return token !== undefined && bySubscription.get(keys[row] ?? 0) === row && isTokenOf(token, id);
  }

  function addSubscription(subscription: SyncSubscription): void {
    const { id, email, created } = subscription;
    const found = byAddress.get(matchKey(email));
    const isUsual = typeof found === 'number' && isLinkedAlone(found, id);
    const linked = isUsual ? [found] : linkedTo(id);
    const rows =
      linked.length === 1 && (found === undefined || found === linked[0])
        ? linked
        : [...new Set([...linked, ...rowsOf(found).filter((row) => !isLinked(row))])];
    const [first] = rows;
    // Pages can repeat a subscription while others come and go.
    if (first === undefined ? lonely.has(id) : met[first] === 1) return;
    subscriptions += 1;
    newest = Math.max(newest ?? created, created);
    if (first === undefined) {
      lonely.set(id, subscription);
      return;
    }
    for (const row of rows) met[row] = 1;
    planRows(subscription, rows, linked);
  }

  function planRows(subscription: SyncSubscription, rows: readonly number[], linked: readonly number[]): void {
    pairs += 1;
    const plans = plansOf(subscription, rows, linked, false);
    if (rows.length > 1) {
      for (const row of rows)
        report('ambiguous', { row, contactId: contactAt(row).contact.id, subscriptionId: subscription.id });
    }
    if (plans.some((plan) => plan.findings.length > 0 || hasWrites(plan))) work.push({ subscription, rows, plans });
  }

  /** @param valuesWait - plans consent alone */
  function plansOf(
    subscription: SyncSubscription,
    rows: readonly number[],
    linked: readonly number[],
    valuesWait: boolean,
  ): PairPlan[] {
    const [row] = rows;
    if (rows.length === 1 && row !== undefined) {
      const contact = toContact(records[row], row, mapping);
      const token = linked[0] === row ? tokens[row] : undefined;
      // Checked when the contact came in, and known to name this subscription.
      const base = token === undefined ? undefined : readToken(token, mapping, subscription.id);
      return [planPair(subscription, contact, base, mapping, { valuesWait })];
    }
    const contacts = rows.map((each) => ({ row: each, ...contactAt(each) }));
    const optedOut = contacts.filter(({ contact }) => yesNo(contact.optOut) === true);
    const chosen = mapping.situations.ambiguous === 'use_linked' && linked.length === 1 ? linked[0] : undefined;
    return contacts.map((each) =>
      planPair(subscription, each.contact, each.base, mapping, {
        situation: 'ambiguous',
        valuesWait: valuesWait || each.row !== chosen,
        optOutElsewhere: optedOut.some((other) => other.row !== each.row),
      }),
    );
  }

  function* finishInParts(): Generator<undefined, SyncPlan, undefined> {
    const changed: PlannedPair[] = [];
    const contactCreates: ContactCreate[] = [];
    const subscriptionCreates: SubscriptionCreate[] = [];
    const wasMissing = new Set(state.missing);
    const missing = new Set<string>();
    const erased = new Set(state.erased);
    const attempts: Record<string, number> = {};
    let oldestCreate: number | null = null;
    let removals = 0;

    settleMoves();
    if (isComplete) {
      for (let row = 1; row < records.length; row += 1) {
        if (met[row] === 0) settleUnmet(row);
        if (row % partSize === 0) yield;
      }
      let settled = 0;
      for (const subscription of lonely.values()) {
        settleLonely(subscription);
        if ((settled += 1) % partSize === 0) yield;
      }
    }
    for (const { rows, plans } of work) {
      for (const [index, { situation, findings: own }] of plans.entries()) {
        findings.push(...own);
        const row = rows[index];
        if (situation === 'erased' && row !== undefined) {
          erased.add(print(contactAt(row).contact.email));
        }
      }
    }
    for (const { plans } of work) if (plans.some(hasWrites)) changed.push(toPair(plans));

    const counts = countAll();
    const held = accept ? null : heldBy(counts);
    const told = [...reported].slice(0, mostEntries);
    if (held)
      return {
        pairs: optOutsAlone(),
        contactCreates: [],
        subscriptionCreates: [],
        findings,
        held,
        counts,
        state: { ...state, reported: told },
      };
    return { pairs: changed, contactCreates, subscriptionCreates, findings, held, counts, state: nextState(told) };

    /** Whether a creation that did not come back is tried once more; counts it. */
    function mayTry(key: string, isRepeated: boolean): boolean {
      const tried = state.attempts[key] ?? (isRepeated ? 1 : 0);
      if (tried > 0) attempts[key] = Math.min(tried + 1, mostAttempts + 1);
      return tried < mostAttempts;
    }

    /** Contacts whose address differs from their subscription's, and subscriptions with a linked contact's address. */
    function settleMoves(): void {
      const moving = new Map<number, SyncSubscription>();
      for (const { subscription, rows, plans } of work) {
        const [row] = rows;
        const isMoving = plans[0]?.findings.some(({ code }) => code === 'address_changed_in_crm') ?? false;
        if (rows.length === 1 && row !== undefined && isMoving) moving.set(row, subscription);
      }
      for (const [id, subscription] of lonely) {
        const rows = rowsOf(byAddress.get(matchKey(subscription.email)));
        const [row] = rows;
        if (row === undefined || rows.length > 1) continue;
        if (met[row] === 0) {
          // The subscription of the token is gone, and the person has subscribed anew.
          if (!isComplete) continue;
          met[row] = 1;
          relink(subscription, row, []);
        } else if (moving.has(row) && mapping.situations.addressChangedInCrm === 'move') {
          const old = moving.get(row);
          moving.delete(row);
          const place = { row, contactId: contactAt(row).contact.id, subscriptionId: subscription.id };
          if (subscription.status === 'inactive') report('move_refused', place);
          else if (subscription.status !== 'active') report('move_waits', place);
          else if (old) relink(subscription, row, [{ subscription_id: old.id, unsubscribe: true }]);
        }
        lonely.delete(id);
      }
      if (mapping.situations.addressChangedInCrm !== 'move' || !isComplete) return;
      for (const [row, subscription] of moving) {
        const { contact, base } = contactAt(row);
        const saysNo = subscription.status === 'inactive' || yesNo(contact.optOut) === true;
        if (saysNo || base?.consent !== 'subscribed') continue;
        createSubscription(contact, 'address_moved');
      }
    }

    /** Links a contact to another subscription; what was planned with the one before is dropped. */
    function relink(subscription: SyncSubscription, row: number, before: readonly SubscriptionWrite[]): void {
      work = work.filter(({ rows }) => rows.length > 1 || rows[0] !== row);
      const { contact, base } = contactAt(row);
      if (!base) return;
      const plan = planPair(
        subscription,
        contact,
        {
          ...base,
          subscriptionId: subscription.id,
          address: addressPrint(mapping, subscription.email),
          fields: [],
        },
        mapping,
        { situation: 'address_moved' },
      );
      pairs += 1;
      findings.push(...plan.findings);
      const pair = toPair([plan]);
      changed.push({ ...pair, subscriptionWrites: [...before, ...pair.subscriptionWrites] });
    }

    function createSubscription(contact: SyncContact, situation: SubscriptionCreate['situation']): void {
      const key = print(contact.email);
      if (erased.has(key)) return;
      // Where one of the contacts with this address says no, or does not say, nobody is subscribed.
      const rows = rowsOf(byAddress.get(matchKey(contact.email)));
      if (mapping.optOut && rows.some((row) => yesNo(contactAt(row).contact.optOut) !== false)) return;
      if (!mayTry(key, state.attempts[key] !== undefined))
        return report('subscription_creation_failed', { row: contact.row, contactId: contact.id });
      attempts[key] ??= 1;
      subscriptionCreates.push(toSubscriptionCreate(contact, situation, mapping));
    }

    /** A contact whose subscription was not met, or that never had one. */
    function settleUnmet(row: number): void {
      const { contact, base } = contactAt(row);
      if (contact.id === '') return;
      if (base) return settleMissing(contact, base);
      if (mapping.subscribe === 'never' || !isAddress(contact.email)) return;
      // A damaged token says that there was a subscription once: a person decides.
      if (tokens[row] === damaged) return;
      const rows = rowsOf(byAddress.get(matchKey(contact.email)));
      if (rows[0] !== row) return;
      if (mapping.subscribe === 'on_consent' && yesNo(contact.consent) !== true) return;
      createSubscription(contact, 'unknown_contact');
    }

    function settleMissing(contact: SyncContact, base: Base): void {
      const key = print(base.subscriptionId);
      missing.add(key);
      if (!wasMissing.has(key)) return;
      if (isAddress(contact.email)) erased.add(print(contact.email));
      report('subscription_gone', { row: contact.row, contactId: contact.id, subscriptionId: base.subscriptionId });
      const status = mapping.fields.find(({ newsletter }) => newsletter === 'status');
      if (mapping.situations.subscriptionMissing !== 'mark_removed' || !status) return;
      const shown = readContact(status, contact, mapping);
      if (shown.state !== 'value' || shown.text === removedStatus) return;
      removals += 1;
      const situation = 'subscription_missing';
      const changes = { [status.contact]: removedStatus };
      changed.push({
        situation,
        subscriptionWrites: [],
        contactWrites: [{ id: contact.id, situation, changes, token: encodeToken(base, mapping) }],
        consent: [],
      });
    }

    /** A subscription without contact. */
    function settleLonely(subscription: SyncSubscription): void {
      if (isErased(subscription)) return;
      const { id, created } = subscription;
      const key = print(id);
      const isNew = state.watermark === null || created > state.watermark;
      if (isNew || state.attempts[key] !== undefined) {
        if (mapping.situations.newSubscription === 'leave') return;
        const isRepeated = state.seenUntil !== null && created <= state.seenUntil;
        if (!mayTry(key, isRepeated)) return report('contact_creation_failed', { subscriptionId: id });
        oldestCreate = Math.min(oldestCreate ?? created, created);
        contactCreates.push(toContactCreate(subscription, 'new_subscription', mapping));
        return;
      }
      const action = mapping.situations.contactMissing;
      if (action === 'leave') return;
      missing.add(key);
      if (!wasMissing.has(key)) return;
      if (action === 'create_contact') {
        contactCreates.push(toContactCreate(subscription, 'contact_missing', mapping));
      } else if (subscription.status !== 'inactive') {
        const subscriptionWrites = [{ subscription_id: id, unsubscribe: true as const }];
        const record: ConsentRecord = {
          saidBy: 'crm',
          subscriptionId: id,
          contactId: null,
          field: 'contact_missing',
          written: { side: 'newsletter', field: 'status', value: 'inactive' },
        };
        changed.push({ situation: 'contact_missing', subscriptionWrites, contactWrites: [], consent: [record] });
      }
    }

    function countAll(): SyncCounts {
      const writes = changed.flatMap(({ subscriptionWrites }) => subscriptionWrites);
      return {
        contacts: records.length - 1,
        subscriptions,
        pairs,
        contactCreates: contactCreates.length,
        contactUpdates: changed.reduce((sum, { contactWrites }) => sum + contactWrites.length, 0),
        subscriptionCreates: subscriptionCreates.length,
        subscriptionUpdates: writes.length,
        unsubscribes: writes.filter(({ unsubscribe }) => unsubscribe).length,
        clears: work.reduce((sum, { plans }) => sum + (plans.some(({ clears }) => clears) ? 1 : 0), 0),
        removals,
        findings: findings.length,
        newFindings: findings.filter(({ isNew }) => isNew).length,
      };
    }

    function heldBy({ contacts, unsubscribes, clears }: SyncCounts): Held | null {
      const absent = records.length > 1 && !mapping.missingIsEmpty ? [...fieldsToMeet] : [];
      const lost = [...new Set([...mapping.vanished, ...absent])];
      for (const field of lost) report('field_missing', { field });
      if (lost.length > 0)
        return {
          reason: 'field_missing',
          message: [
            ...mapping.vanished.map((field) => `The publication no longer has the custom field mapped to "${field}".`),
            ...absent.map((field) => `No contact has the mapped field "${field}".`),
          ].join(' '),
        };
      const most = Math.max(mapping.breaker.atLeast, mapping.breaker.share * pairs);
      const harsh = unsubscribes + clears + removals;
      if (harsh > most)
        return {
          reason: 'too_many_changes',
          message: `The plan unsubscribes ${unsubscribes}, clears values of ${clears} and marks ${removals} as removed, of ${pairs} pairs; at most ${Math.floor(most)} pass without a person who accepts them.`,
        };
      // A list of contacts that was cut short looks like this. An empty CRM is filled without asking.
      if (contacts > 0 && contactCreates.length > Math.max(mapping.breaker.atLeast, contacts))
        return {
          reason: 'too_many_creations',
          message: `The plan creates ${contactCreates.length} contacts, and only ${contacts} came in. Check that these are all there are.`,
        };
      if ([missing.size, erased.size, Object.keys(attempts).length].some((size) => size > mostEntries))
        return {
          reason: 'state_full',
          message: `More than ${mostEntries} contacts or subscriptions are missing at once. Check that both sides were read completely.`,
        };
      return null;
    }

    /** What a plan that is held back still does: opt-outs reach the CRM. */
    function optOutsAlone(): PlannedPair[] {
      const { optOut } = mapping;
      if (!optOut) return [];
      return work.flatMap(({ subscription, rows, plans }) => {
        const sets = ({ contactWrite }: PairPlan): boolean => contactWrite?.changes[optOut.contact] === true;
        if (!plans.some(sets) || plans.some(({ subscriptionWrite }) => subscriptionWrite?.unsubscribe)) return [];
        const linked = linkedTo(subscription.id);
        return [toPair(plansOf(subscription, rows, linked, true).filter(sets))];
      });
    }

    function nextState(told: readonly string[]): SyncState {
      if (!isComplete) return { ...state, erased: [...erased], reported: told };
      const seenUntil = newest === null ? state.seenUntil : Math.max(newest, state.seenUntil ?? newest);
      const settled = Math.min(seenUntil ?? 0, Math.floor(now / 1000) - listingDelay);
      return {
        version: 1,
        watermark: oldestCreate === null ? settled : Math.min(settled, oldestCreate - 1),
        seenUntil,
        missing: [...missing],
        erased: [...erased],
        attempts,
        reported: told,
      };
    }
  }
}

/** Stands for a token that was changed or cut. */
const damaged = '';

/** The usual form of an address, which every check of {@link isAddress} passes: most take no further look. */
const usualAddress = /^[a-z0-9]+(?:[._+-][a-z0-9]+)*@[a-z0-9]+(?:[.-][a-z0-9]+)*\.[a-z]{2,}$/i;

function isUsable(email: string): boolean {
  return (email.length < 64 && usualAddress.test(email)) || isAddress(email);
}

function addRow<Key>(index: Map<Key, Rows>, key: Key, row: number): void {
  const rows = index.get(key);
  index.set(key, rows === undefined ? row : [...rowsOf(rows), row]);
}

function rowsOf(rows: Rows | undefined): readonly number[] {
  return rows === undefined ? [] : typeof rows === 'number' ? [rows] : rows;
}

function hasWrites({ subscriptionWrite, contactWrite }: PairPlan): boolean {
  return subscriptionWrite !== null || contactWrite !== null;
}

/** The plans for all contacts of one subscription. Only one of them has values; each may unsubscribe. */
function toPair(plans: readonly PairPlan[]): PlannedPair {
  const writes = plans.flatMap(({ subscriptionWrite }) => subscriptionWrite ?? []);
  const [first] = writes;
  const fields = writes.flatMap(({ custom_fields }) => custom_fields ?? []);
  return {
    situation: plans[0]?.situation ?? 'linked',
    subscriptionWrites: first
      ? [
          {
            subscription_id: first.subscription_id,
            ...(writes.some(({ unsubscribe }) => unsubscribe) && { unsubscribe: true as const }),
            ...(fields.length > 0 && { custom_fields: fields }),
          },
        ]
      : [],
    contactWrites: plans.flatMap(({ contactWrite }) => contactWrite ?? []),
    consent: plans.flatMap(({ consent }) => consent),
  };
}

/** Reads a contact's record by the mapping's paths. */
function toContact(record: unknown, row: number, mapping: ReadyMapping): SyncContact {
  const values: Record<string, unknown> = {};
  for (const { contact } of mapping.fields) values[contact] = readPath(record, contact);
  const { paths, optOut, consent } = mapping;
  const ofPath = (path: string | undefined): unknown => (path === undefined ? undefined : readPath(record, path));
  const veto = ofPath(optOut?.contact);
  return {
    id: textOf(readPath(record, paths.id)),
    email: textOf(readPath(record, paths.email)),
    optOut: veto === undefined && mapping.missingIsEmpty ? null : veto,
    consent: ofPath(consent),
    token: readPath(record, paths.token),
    values,
    row,
  };
}

/** An id or address as text; empty where there is none. */
function textOf(value: unknown): string {
  return typeof value === 'string'
    ? value.trim()
    : typeof value === 'number' || typeof value === 'bigint'
      ? String(value)
      : '';
}

/** A yes/no field; undefined where it was not delivered or is neither. */
function yesNo(value: unknown): boolean | undefined {
  const reading = readValue('boolean', value);
  return reading.state === 'value' ? reading.text === 'true' : undefined;
}

function toSubscriptionCreate(
  contact: SyncContact,
  situation: SubscriptionCreate['situation'],
  mapping: ReadyMapping,
): SubscriptionCreate {
  const fields = mapping.fields.flatMap((field): CustomFieldWrite[] => {
    const shown = readContact(field, contact, mapping);
    const isSent =
      field.direction !== 'to_contact' && field.customField !== '' && shown.state === 'value' && shown.text !== '';
    return isSent ? [customFieldWrite(field, shown.text)] : [];
  });
  return {
    situation,
    contactId: contact.id,
    request: {
      email: contact.email,
      reactivate_existing: false,
      ...((situation === 'address_moved' || mapping.subscribe === 'with_confirmation') && {
        double_opt_override: 'on' as const,
      }),
      ...(fields.length > 0 && { custom_fields: fields }),
    },
  };
}

function toContactCreate(
  subscription: SyncSubscription,
  situation: ContactCreate['situation'],
  mapping: ReadyMapping,
): ContactCreate {
  const { paths, optOut } = mapping;
  const hasLeft = subscription.status === 'inactive';
  const isOptedOut = hasLeft && (optOut?.setOnUnsubscribe ?? false);
  const changes: Record<string, unknown> = { [paths.email]: subscription.email };
  if (optOut && isOptedOut) changes[optOut.contact] = true;
  const fields = mapping.fields.map((field): FieldBase => {
    const shown = readSubscription(field, subscription);
    if (field.direction === 'to_subscription' || shown.state !== 'value') return {};
    const print = valuePrint(mapping, shown.text);
    if (shown.text !== '') changes[field.contact] = contactValue(field, shown.text, mapping);
    return { ...(field.direction === 'both' && { agreed: print }), toContact: { print, count: 1 } };
  });
  const base: Base = {
    subscriptionId: subscription.id,
    address: addressPrint(mapping, subscription.email),
    consent: hasLeft ? 'left_newsletter' : 'subscribed',
    optOut: optOut && isOptedOut,
    fields,
    reported: 0,
  };
  changes[paths.token] = encodeToken(base, mapping);
  const left = { subscriptionId: subscription.id, contactId: null, saidBy: 'newsletter', field: 'status' } as const;
  const written = optOut && isOptedOut ? ({ side: 'crm', field: optOut.contact, value: true } as const) : null;
  const consent = hasLeft ? [withStatus({ ...left, written }, changes, mapping)] : [];
  return { situation, subscriptionId: subscription.id, changes, consent };
}
