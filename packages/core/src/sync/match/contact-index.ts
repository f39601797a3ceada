/**
 * The contacts of a run, indexed by address and by the subscription that each sync token names. Keeps a few numbers per
 * contact beside the record itself. Pure.
 */
import { getsMail } from '../../facts/subscriber-status.ts';
import { addressKey, isAddress } from '../../signup/address.ts';
import { compareIds } from '../mapping/contact-id.ts';
import { addressesIn, hasToken, pathsOf, readPath, type SyncContact, textOf } from '../mapping/contact.ts';
import { type OptOutSurvey, unusualOptOut } from '../mapping/opt-out.ts';
import { keyFingerprint, type Pair, type ReadyMapping, type SyncSubscription } from '../mapping/prepare-mapping.ts';
import {
  type Base,
  hasContactId,
  idKey,
  isForeign,
  isTokenOf,
  isTokenOfAddress,
  isTokenOfContact,
  isWhole,
  readToken,
  tokenKey,
} from '../mapping/token.ts';
import type { RunContext } from '../report/run-context.ts';
import { isAtRest } from './at-rest.ts';

/** The contacts of one key: the number of a row, or of several. */
type RowNumbers = number | number[];

/** Records whose fields are named where one of the mapping is missing. */
const namedRecords = 100;

/** Stands for a token that was changed or cut. */
const damaged = '';
/** Stands for a whole token of another newsletter. */
const foreign = ' ';

/** Contacts by their row, counted from 1. */
export class ContactIndex {
  /** Every path of the mapping. */
  readonly paths: readonly string[];
  /** Every path of the mapping that no record has delivered so far. */
  readonly missingFields: Set<string>;
  /** Names of fields that the first records have, for messages about {@link missingFields}. */
  readonly fieldNames = new Set<string>();
  readonly #run: RunContext;
  readonly #onToken: (token: string) => void;
  /** By row; undefined for a record without id and for a repeated one. */
  readonly #records: unknown[] = [undefined];
  readonly #ids = new Set<string>();
  readonly #byAddress = new Map<string, RowNumbers>();
  readonly #byFurtherAddress = new Map<string, RowNumbers>();
  /** By the rows of an address, once asked for: that of the oldest contact. */
  readonly #oldest = new WeakMap<readonly number[], number>();
  /** By row, for contacts that have some: the keys of their further addresses. */
  readonly #further = new Map<number, readonly string[]>();
  /** By id: records that were merged into another contact. */
  readonly #merged = new Map<string, { readonly into: string; readonly keys: readonly string[] }>();
  /** By a number for the subscription's id: {@link linkedTo} compares the id itself. */
  readonly #bySubscription = new Map<number, RowNumbers>();
  /** By row: its token where that is whole, {@link foreign} or {@link damaged} for any other text. */
  readonly #tokens: (string | undefined)[] = [undefined];
  /** By row: the key of its token in {@link #bySubscription}. */
  readonly #keys: number[] = [0];
  /** By row: 1 once its subscription came in. */
  readonly #matched: (0 | 1)[] = [1];

  /** @param onToken - is given each whole token of this newsletter */
  constructor(run: RunContext, onToken: (token: string) => void) {
    const { mapping } = run;
    this.#run = run;
    this.#onToken = onToken;
    const { fields, optOut, consent, subscribe, paths } = mapping;
    const flags = [optOut?.contact, subscribe === 'on_consent' ? consent : undefined];
    const { id, email, token } = paths;
    const all = [id, email, token, ...fields.map(({ contact }) => contact), ...flags];
    this.paths = [...new Set(all.filter((path) => path !== undefined))];
    this.missingFields = new Set(this.paths);
  }

  /** Forgets the contacts, so that the next batch can come in. */
  clear(): void {
    for (const list of [this.#records, this.#tokens, this.#keys, this.#matched]) list.length = 1;
    for (const index of [this.#ids, this.#byAddress, this.#bySubscription, this.#byFurtherAddress, this.#further])
      index.clear();
    this.#merged.clear();
  }

  /** Number of records, the unusable ones included; also the highest row. */
  get size(): number {
    return this.#records.length - 1;
  }

  /** Adds a record. @returns its addresses; none where the contact cannot be used */
  add(record: unknown): readonly string[] {
    const { paths } = this.#run.mapping;
    const row = this.#records.push(record) - 1;
    this.#tokens.push(undefined);
    this.#keys.push(0);
    this.#matched.push(0);
    for (const path of this.missingFields) if (readPath(record, path) !== undefined) this.missingFields.delete(path);
    if (row <= namedRecords && this.missingFields.size > 0)
      for (const path of pathsOf(record)) this.fieldNames.add(path);
    const id = textOf(readPath(record, paths.id));
    if (id === '' || this.#ids.has(id)) {
      this.#records[row] = undefined;
      const code = id === '' ? 'contact_without_id' : 'contact_repeated';
      this.#run.log.report(code, { row, ...(id !== '' && { contactId: id }) });
      return [];
    }
    this.#ids.add(id);
    const email = textOf(readPath(record, paths.email));
    const further = paths.furtherAddresses === undefined ? [] : addressesIn(readPath(record, paths.furtherAddresses));
    const into = paths.mergedInto === undefined ? '' : textOf(readPath(record, paths.mergedInto));
    if (into !== '' && into !== id) {
      this.#records[row] = undefined;
      this.#matched[row] = 1;
      const addresses = [email, ...further].filter(isUsable);
      this.#merged.set(id, { into, keys: addresses.map(addressKey) });
      return addresses;
    }
    this.#addToken(readPath(record, paths.token), row, id);
    if (further.length > 0) this.#addFurther(row, further.filter(isUsable).map(addressKey));
    if (isUsable(email)) {
      addRow(this.#byAddress, addressKey(email), row);
      return further.length === 0 ? [email] : [email, ...further.filter(isUsable)];
    }
    this.#run.log.report('address_malformed', { row, contactId: id });
    return further.filter(isUsable);
  }

  #addFurther(row: number, keys: readonly string[]): void {
    const own = this.#ownKey(row);
    const known = this.#further.get(row) ?? [];
    const added = [...new Set(keys)].filter((key) => key !== own && !known.includes(key));
    if (added.length === 0) return;
    for (const key of added) addRow(this.#byFurtherAddress, key, row);
    this.#further.set(row, [...known, ...added]);
  }

  #ownKey(row: number): string {
    return addressKey(textOf(readPath(this.#records[row], this.#run.mapping.paths.email)));
  }

  /** Gives contacts the addresses of those that were merged into them, once all have come in. */
  joinMerged(): void {
    if (this.#merged.size === 0) return;
    const rows = new Map<string, number>();
    for (const [row, record] of this.#records.entries())
      if (record !== undefined) rows.set(textOf(readPath(record, this.#run.mapping.paths.id)), row);
    for (const { into, keys } of this.#merged.values()) {
      let id = into;
      // A chain is followed to its end; one that has none leads nowhere.
      for (let steps = 0; steps < this.#merged.size; steps += 1) id = this.#merged.get(id)?.into ?? id;
      const row = rows.get(id);
      if (row !== undefined) this.#addFurther(row, keys);
    }
    this.#merged.clear();
  }

  #addToken(token: unknown, row: number, contactId: string): void {
    if (isWhole(token) && isForeign(token, this.#run.mapping)) {
      this.#tokens[row] = foreign;
      this.#run.log.report('token_of_another_newsletter', { row, contactId });
    } else if (isWhole(token)) {
      const key = tokenKey(token);
      this.#onToken(token);
      addRow(this.#bySubscription, key, row);
      this.#keys[row] = key;
      this.#tokens[row] = token;
    } else if (hasToken(token)) {
      this.#tokens[row] = damaged;
      this.#run.log.report('token_damaged', { row, contactId });
    }
  }

  /** The contact of a row, with the base that its token holds. */
  at(row: number): Pick<Pair, 'contact' | 'base'> {
    return { contact: this.contactAt(row), base: this.baseAt(row) };
  }

  /** The contact of a row, without reading its token. */
  contactAt(row: number): SyncContact {
    return toContact(this.#records[row], row, this.#run.mapping, this.#isEmpty);
  }

  /** The base in the token of a contact. */
  baseAt(row: number): Base | undefined {
    return this.isLinked(row) ? readToken(this.#tokens[row] ?? '', this.#run.mapping) : undefined;
  }

  /** Whether the linked contact of a row shows, together with its subscription, what its token says. */
  isAtRest(row: number, subscription: SyncSubscription, key: string): boolean {
    const token = this.#tokens[row] ?? '';
    // A contact that was created gets its id into the token.
    if (this.#run.isOfAll && !hasContactId(token)) return false;
    const pair = { subscription, record: this.#records[row], token, isEmpty: this.#isEmpty };
    return isAtRest(pair, this.#run.mapping, key);
  }

  /** Whether a field that a record lacks is empty: another record of a complete run has it. */
  readonly #isEmpty = (path: string): boolean => this.#run.isOfAll && !this.missingFields.has(path);

  /** What contacts show of the opt-out that is neither yes, no nor usual. */
  unusualOptOuts(rows: readonly number[]): readonly string[] {
    const { optOut } = this.#run.mapping;
    return rows.flatMap((row) => unusualOptOut(readPath(this.#records[row], optOut?.contact ?? ''), optOut) ?? []);
  }

  /**
   * Adds what the contacts with the address of an active subscriber show of the opt-out to a survey.
   *
   * @param key - of the address
   */
  addTo(survey: OptOutSurvey | undefined, { status }: SyncSubscription, key: string): void {
    if (!survey || !getsMail(status)) return;
    const path = this.#run.mapping.optOut?.contact ?? '';
    const missing = this.#isEmpty(path) ? null : undefined;
    for (const row of rowsOf(this.#byAddress.get(key))) survey.add(readPath(this.#records[row], path) ?? missing);
  }

  /** Rows of the contacts with this address. */
  withAddress(email: string): readonly number[] {
    return rowsOf(this.#byAddress.get(addressKey(email)));
  }

  /** The row of the oldest of these contacts. */
  oldestOf(rows: readonly number[]): number {
    const idOf = (row: number): string => textOf(readPath(this.#records[row], this.#run.mapping.paths.id));
    const older = (one: number, other: number): number => (compareIds(idOf(one), idOf(other)) < 0 ? one : other);
    const oldest = this.#oldest.get(rows) ?? rows.reduce(older);
    this.#oldest.set(rows, oldest);
    return oldest;
  }

  /** Rows of the contacts whose token names the subscription. */
  linkedTo(id: string): readonly number[] {
    return rowsOf(this.#bySubscription.get(idKey(id))).filter((row) => isTokenOf(this.#tokens[row] ?? '', id));
  }

  /** Rows of the contacts that have this address among their further ones. */
  withFurther(email: string): readonly number[] {
    return rowsOf(this.#byFurtherAddress.get(addressKey(email)));
  }

  /** Keys of all addresses of a contact, its own first. */
  addressKeys(row: number): readonly string[] {
    return [this.#ownKey(row), ...(this.#further.get(row) ?? [])];
  }

  /**
   * The contact of a subscription where that is plain: it has one address, which nobody else has, and its token names
   * the subscription or nothing.
   *
   * @param key - of the subscription's address
   * @returns its row; 0 where no contact comes into question; undefined where it is not plain
   */
  plainContactOf({ id }: SyncSubscription, key: string): number | undefined {
    const row = this.#byAddress.get(key);
    if (this.#byFurtherAddress.has(key)) return undefined;
    if (row === undefined) return this.linkedTo(id).length === 0 ? 0 : undefined;
    if (typeof row !== 'number' || this.#further.has(row)) return undefined;
    if (this.#isOnlyLink(row, id, key)) return row;
    const isFree = this.tokenState(row) === 'none' || this.tokenState(row) === 'damaged';
    return isFree && this.linkedTo(id).length === 0 ? row : undefined;
  }

  isMatched(row: number): boolean {
    return this.#matched[row] === 1;
  }

  /** Notes that the subscription of these contacts came in. */
  setMatched(rows: readonly number[]): void {
    for (const row of rows) this.#matched[row] = 1;
  }

  /** What the token field of a contact holds: a token of this newsletter or of another one, or a damaged one. */
  tokenState(row: number): 'none' | 'whole' | 'foreign' | 'damaged' {
    const token = this.#tokens[row];
    return token === undefined ? 'none' : token === foreign ? 'foreign' : token === damaged ? 'damaged' : 'whole';
  }

  /** Whether the contact has a whole token of this newsletter. */
  isLinked(row: number): boolean {
    return this.tokenState(row) === 'whole';
  }

  /**
   * Whether the token of a contact was written for it: for its id, or before it had one for its address.
   *
   * @param key - of its own address
   */
  hasOwnToken(row: number, key: string): boolean {
    const token = this.#tokens[row] ?? '';
    const id = textOf(readPath(this.#records[row], this.#run.mapping.paths.id));
    return isTokenOfContact(token, id) ?? isTokenOfAddress(token, keyFingerprint(this.#run.mapping, key));
  }

  /** Whether the contact's own token names the subscription, and no other token does. */
  #isOnlyLink(row: number, id: string, key: string): boolean {
    const isOnly = this.#bySubscription.get(this.#keys[row] ?? 0) === row;
    return isOnly && isTokenOf(this.#tokens[row] ?? '', id) && this.hasOwnToken(row, key);
  }
}

/**
 * The usual form of an address, which every check of {@link isAddress} passes: saves the full check of most addresses.
 */
const usualAddress = /^[a-z0-9]+(?:[._+-][a-z0-9]+)*@[a-z0-9]+(?:[.-][a-z0-9]+)*\.[a-z]{2,}$/i;

function isUsable(email: string): boolean {
  return (email.length < 64 && usualAddress.test(email)) || isAddress(email);
}

function addRow<Key>(index: Map<Key, RowNumbers>, key: Key, row: number): void {
  const rows = index.get(key);
  if (typeof rows === 'object') rows.push(row);
  else index.set(key, rows === undefined ? row : [rows, row]);
}

function rowsOf(rows: RowNumbers | undefined): readonly number[] {
  return rows === undefined ? [] : typeof rows === 'number' ? [rows] : rows;
}

/** Reads a contact's record by the mapping's paths. */
function toContact(
  record: unknown,
  row: number,
  { fields, paths, optOut, consent }: ReadyMapping,
  isEmpty: (path: string) => boolean,
): SyncContact {
  const values: Record<string, unknown> = {};
  const lacks: string[] = [];
  const valueAt = (path: string | undefined): unknown => {
    const value = path === undefined ? undefined : readPath(record, path);
    if (path === undefined || value !== undefined || !isEmpty(path)) return value;
    lacks.push(path);
    return null;
  };
  for (const { contact } of fields) values[contact] = valueAt(contact);
  return {
    id: textOf(readPath(record, paths.id)),
    email: textOf(readPath(record, paths.email)),
    optOut: valueAt(optOut?.contact),
    consent: valueAt(consent),
    token: readPath(record, paths.token),
    values,
    ...(lacks.length > 0 && { lacks }),
    row,
  };
}
