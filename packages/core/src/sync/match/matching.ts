/**
 * Matches the subscriptions that are not plainly those of one contact or of none: several contacts, further addresses,
 * tokens that name another subscription. Collects what is known of each contact; `whose-contact.ts` decides. Pure.
 */
import { addressKey } from '../../signup/address.ts';
import {
  addressFingerprint,
  isErased,
  type Pair,
  readContact,
  readSubscription,
  type ReadyMapping,
  type SyncSubscription,
  valueFingerprint,
} from '../mapping/prepare-mapping.ts';
import type { Base, FieldBase } from '../mapping/token.ts';
import type { ContactIndex } from './contact-index.ts';
import { type Claim, type Decision, whoseContact } from './whose-contact.ts';

/** A contact of a subscription. */
export interface Member {
  readonly row: number;
  /** What its token remembers of the subscription; undefined where they meet for the first time. */
  readonly base: Base | undefined;
  /**
   * Whether its token was written for another contact: it counts for the consent of the subscription that it names, and
   * not for values.
   */
  readonly isCopied?: boolean | undefined;
  /** Whether its own token named another subscription. */
  readonly isMoved?: boolean | undefined;
  /** Whether the subscription has one of its further addresses, not its own. */
  readonly isFurther?: boolean | undefined;
  /** Other living subscriptions with an address of the contact: its opt-out counts for them as well. */
  readonly also?: readonly SyncSubscription[] | undefined;
}

/**
 * How a contact that belongs to another subscription has an address: among its addresses; with the token of another
 * newsletter; or only until its own address follows that of its subscription.
 */
export type OtherWay = 'further' | 'foreign' | 'stale';

/** A subscription with its contacts. */
export interface Match {
  readonly subscription: SyncSubscription;
  readonly members: readonly Member[];
  /** Contacts that have its address and do not belong to it. */
  readonly others: readonly { readonly row: number; readonly way: OtherWay }[];
  /** Whether the token of a contact names it that belongs to somebody else. */
  readonly isClaimed: boolean;
}

/** A contact, and what is decided about it. */
interface Decided extends Decision {
  readonly row: number;
  readonly isCopied: boolean;
  /** Whether its token names the subscription that it belongs to. */
  readonly isNamed: boolean;
  readonly base: Base | undefined;
  /** Keys of its addresses, its own first. */
  readonly keys: readonly string[];
  /** The subscription that it belongs to. */
  readonly of: SyncSubscription | undefined;
}

/** The subscriptions and contacts of a run that are not plainly pairs. */
export class Matching {
  readonly #contacts: ContactIndex;
  readonly #mapping: ReadyMapping;
  readonly #isComplete: boolean;
  readonly #byId = new Map<string, SyncSubscription>();
  /** Living subscriptions by the keys of their addresses. */
  readonly #living = new Map<string, SyncSubscription>();

  /** @param isComplete - whether all contacts and all subscriptions came in */
  constructor(
    subscriptions: Iterable<SyncSubscription>,
    contacts: ContactIndex,
    mapping: ReadyMapping,
    isComplete: boolean,
  ) {
    this.#contacts = contacts;
    this.#mapping = mapping;
    this.#isComplete = isComplete;
    for (const subscription of subscriptions) {
      this.#byId.set(subscription.id.toLowerCase(), subscription);
      const key = addressKey(subscription.email);
      const known = this.#living.get(key);
      if (!isErased(subscription) && !(known && known.id < subscription.id)) this.#living.set(key, subscription);
    }
  }

  /** The contacts of every subscription; they count as matched from here on. */
  matches(): readonly Match[] {
    const contacts = this.#contacts;
    const rows = new Set<number>();
    const matches = new Map<SyncSubscription, Match & { members: Member[]; others: Match['others'][number][] }>();
    for (const subscription of this.#byId.values()) {
      const { id, email } = subscription;
      const linked = contacts.linkedTo(id);
      const claiming = [...linked, ...contacts.withAddress(email)];
      // Left out, or repeated by another page: whatever may be of it is left alone.
      if (claiming.some((row) => contacts.isMatched(row))) contacts.setMatched(claiming);
      else matches.set(subscription, { subscription, members: [], others: [], isClaimed: linked.length > 0 });
      for (const row of [...claiming, ...contacts.withFurther(email)]) rows.add(row);
    }
    for (const row of rows) {
      if (contacts.isMatched(row)) continue;
      const decided = this.decide(row);
      const { of, isLeft, isMoved, isCopied, isNamed } = decided;
      if (of) contacts.setMatched([row]);
      const also: SyncSubscription[] = [];
      for (const [subscription, way] of this.#othersOf(decided)) {
        matches.get(subscription)?.others.push({ row, way });
        if (way === 'further') also.push(subscription);
      }
      if (!of || isLeft) continue;
      const isFurther = decided.keys.indexOf(addressKey(of.email)) > 0;
      const member = { row, base: this.#baseFor(decided, of), isCopied: isCopied && isNamed, isMoved, isFurther, also };
      matches.get(of)?.members.push(member);
    }
    return [...matches.values()];
  }

  /** Subscriptions with an address of a contact that belongs to another one, and how it has the address. */
  *#othersOf({
    base,
    keys,
    of,
    isLeft,
    isMoved,
  }: Decided): Generator<readonly [SyncSubscription, OtherWay], void, undefined> {
    if (!of) return;
    if (isLeft) yield [of, 'foreign'];
    for (const [position, key] of keys.entries()) {
      const other = this.#living.get(key);
      if (!other || other === of) continue;
      const isStale = position === 0 && !isMoved && base?.address === addressFingerprint(this.#mapping, key);
      yield [other, isLeft ? 'foreign' : isStale ? 'stale' : 'further'];
    }
  }

  /** Decides whose a contact is. */
  decide(row: number): Decided {
    const contacts = this.#contacts;
    const base = contacts.baseAt(row);
    const keys = contacts.addressKeys(row);
    const named = base && this.#byId.get(base.subscriptionId);
    const [own, ...others] = keys.map((key) => this.#living.get(key));
    // The oldest first, whatever the order in which the addresses came in.
    const further = others
      .filter((each) => each !== undefined)
      .toSorted((one, other) => one.created - other.created || (one.id < other.id ? -1 : 1));
    // One that has no contact of its own, if there is one.
    const free = further.find(({ email }) => contacts.withAddress(email).length === 0) ?? further[0];
    const present = named && addressKey(named.email);
    const fits = keys.some(
      (key, position) =>
        (position === 0 || key === present) && base?.address === addressFingerprint(this.#mapping, key),
    );
    const isCopied = base !== undefined && !contacts.hasOwnToken(row, keys[0] ?? '');
    const claim: Claim = {
      token: contacts.tokenState(row) === 'foreign' ? 'foreign' : !base ? 'none' : isCopied ? 'copied' : 'own',
      names: !base ? 'none' : named ? (isErased(named) ? 'erased' : 'living') : this.#isComplete ? 'gone' : 'unread',
      fits,
      own: own ? (own === named ? 'named' : 'other') : 'none',
      further: free !== undefined,
    };
    const decision = whoseContact(claim);
    const of = { token: named, own, further: free, nobody: undefined }[decision.whose];
    return { ...decision, isCopied, isNamed: of === named, row, base, keys, of };
  }

  /** What the token of a contact remembers of its subscription. */
  #baseFor({ row, base, isCopied, isNamed, isMoved }: Decided, of: SyncSubscription): Base | undefined {
    if (!base || !(isCopied || isMoved)) return base;
    const address = addressFingerprint(this.#mapping, of.email);
    if (isNamed) return { ...base, address };
    if (isCopied && base.address !== address) return undefined;
    return movedBase(base, { subscription: of, contact: this.#contacts.contactAt(row) }, this.#mapping, isCopied);
  }
}

/**
 * The base of a contact that goes over to another subscription: its values may be those of another person, and none of
 * them goes to the newsletter before somebody changes it.
 *
 * @param isCopied - whether it has another id than its token was written for, and the address that its token remembers,
 *   which the newsletter has given to somebody else: its values stay. Otherwise its opt-out was seen before
 */
function movedBase(
  base: Base,
  { subscription, contact }: Omit<Pair, 'base'>,
  mapping: ReadyMapping,
  isCopied: boolean,
): Base {
  const print = (text: string): number => valueFingerprint(mapping, text);
  const fields = mapping.fields.map((field): FieldBase | undefined => {
    const [here, there] = [readSubscription(field, subscription), readContact(field, contact)];
    if (field.direction === 'to_contact' || there === '') return undefined;
    const known: FieldBase =
      typeof there === 'string' ? { shows: { side: 'crm', fingerprint: print(there) } } : { awaits: 'crm' };
    return field.direction === 'both' ? { agreed: print((isCopied && here) || ''), ...known } : known;
  });
  const { id: subscriptionId, email } = subscription;
  const optOut = isCopied ? undefined : base.optOut;
  const address = addressFingerprint(mapping, email);
  return { ...base, subscriptionId, address, consent: 'unknown', optOut, reported: 0, fields };
}

/**
 * The row of the oldest contact of a subscription, where the others are its twins: they were made at the same time or
 * copied, and nobody has edited them since.
 */
export function oldestTwin(
  members: readonly Member[],
  contacts: ContactIndex,
  mapping: ReadyMapping,
): number | undefined {
  const oldest = contacts.oldestOf(members.map(({ row }) => row));
  const isTwin = ({ row, base: known, isMoved }: Member): boolean => {
    const { contact, base } = contacts.at(row);
    if (!known || isMoved || !base) return false;
    return mapping.fields.every((field) => {
      const written = base.fields[field.index]?.agreed;
      if (written === undefined) return field.direction !== 'both';
      const shown = readContact(field, contact);
      return typeof shown === 'string' && valueFingerprint(mapping, shown) === written;
    });
  };
  return members.every((member) => member.row === oldest || isTwin(member)) ? oldest : undefined;
}
