/**
 * Whose contact is this? The one place that decides to which subscription a contact belongs, as a table: token, own
 * address, further addresses, and who else claims the subscription. Pure.
 */

/** What is known of a contact. */
export interface Claim {
  /**
   * Its sync token: `fits` where the address that it remembers is the contact's own, or a further one that its
   * subscription still has; `strays` where it is not, as in a copied contact; `foreign` is another newsletter's.
   */
  readonly token: 'none' | 'fits' | 'strays' | 'foreign';
  /** The subscription that the token names; `unread` where it did not come in, and not all did. */
  readonly names: 'none' | 'living' | 'erased' | 'gone' | 'unread';
  /** The living subscription with the contact's own address: the one that the token names, or another. */
  readonly own: 'none' | 'named' | 'other';
  /** Whether a further address of the contact is that of a living subscription. */
  readonly further: boolean;
  /** Whether another contact has the address of the subscription that the token names, or names it as well. */
  readonly held: boolean;
}

export interface Decision {
  /** Whose the contact is: the subscription of its token, that of its own address or of a further one, or nobody's. */
  readonly whose: 'token' | 'own' | 'further' | 'nobody';
  /** What is planned: everything; opt-outs alone, while values wait; nothing, because the token cannot be replaced. */
  readonly plans: 'all' | 'opt-outs' | 'nothing';
}

/** A row of the table: what is not named may be anything. */
export interface ClaimRow extends Decision {
  readonly situation: string;
  readonly when: Partial<Claim>;
}

const rows: readonly (readonly [situation: string, when: Partial<Claim>, Decision['whose'], Decision['plans']])[] = [
  ['token and own address name the same subscription', { own: 'named' }, 'token', 'all'],
  ['token of another newsletter, own address of a subscription', { token: 'foreign', own: 'other' }, 'own', 'nothing'],
  [
    'token of another newsletter, further address of a subscription',
    { token: 'foreign', further: true },
    'further',
    'nothing',
  ],
  ['token of another newsletter, no address of a subscription', { token: 'foreign' }, 'nobody', 'nothing'],
  ['no token, own address of a subscription', { token: 'none', own: 'other' }, 'own', 'all'],
  ['no token, further address of a subscription', { token: 'none', further: true }, 'further', 'all'],
  ['no token, no address of a subscription', { token: 'none' }, 'nobody', 'all'],
  [
    'address changed in the newsletter, or another one became the main address in the CRM',
    { token: 'fits', names: 'living' },
    'token',
    'all',
  ],
  [
    'a subscription that was not read, and somebody has its former address: a complete run decides',
    { token: 'fits', names: 'unread' },
    'nobody',
    'nothing',
  ],
  [
    'copied contact, swapped address, sorted column, or erased and signed up again',
    { own: 'other' },
    'own',
    'opt-outs',
  ],
  ['address changed in the CRM to one that nobody has', { names: 'living', held: false }, 'token', 'all'],
  ['token of somebody else or of nobody, further address of a subscription', { further: true }, 'further', 'opt-outs'],
  ['copy of a contact, with an address that nobody has', { token: 'strays', held: true }, 'nobody', 'opt-outs'],
  ['erased, deleted or not read subscription that nobody else names', {}, 'token', 'all'],
];

/** The first row that fits decides. */
export const claimTable = rows.map(([situation, when, whose, plans]): ClaimRow => ({ situation, when, whose, plans }));

/** Decides whose a contact is. */
export function whoseContact(claim: Claim): Decision {
  const row = claimTable.find(({ when }) =>
    (Object.keys(when) as (keyof Claim)[]).every((part) => when[part] === claim[part]),
  );
  // The last row fits everything.
  return row ?? { whose: 'nobody', plans: 'nothing' };
}

/** One of several contacts of a subscription. */
export interface Several {
  readonly id: string;
  /** Whether its token counts, and its values do not wait. */
  readonly isLinked: boolean;
  /** Whether it shows what its own token says: nobody has edited it. */
  readonly isUnedited: boolean;
}

/**
 * The oldest of several contacts that are twins: the others were made at the same time or copied, and nobody has edited
 * them since.
 *
 * @returns its position; undefined where they are no twins
 */
export function oldestOfTwins(contacts: readonly Several[]): number | undefined {
  const ids = contacts.map(({ id }) => id).toSorted(compareIds);
  const oldest = contacts.findIndex(({ id }) => id === ids[0]);
  const areTwins = contacts.every(({ isLinked, isUnedited }, at) => at === oldest || (isLinked && isUnedited));
  return areTwins ? oldest : undefined;
}

/** Puts the ids of contacts in the order of their age: numbers by their size, before all others by their characters. */
export function compareIds(one: string, other: string): number {
  const areNumbers = [one, other].map((id) => /^\d+$/.test(id));
  if (areNumbers[0] !== areNumbers[1]) return areNumbers[0] ? -1 : 1;
  if (areNumbers[0] && one.length !== other.length) return one.length - other.length;
  return one < other ? -1 : one > other ? 1 : 0;
}
