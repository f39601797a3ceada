/**
 * Whose contact is this? The one place that decides to which subscription a contact belongs: by the ids of both sides
 * in its own token, else by its addresses. Pure.
 */
/** What is known of a contact. */
export interface Claim {
  /**
   * Its sync token: `own` where it was written for the id of the contact, or before the contact had one and for its
   * address; `copied` where it is that of another contact, as in a copy or after a merge; `foreign` is another
   * newsletter's.
   */
  readonly token: 'none' | 'own' | 'copied' | 'foreign';
  /** The subscription that the token names; `unread` where it did not come in, and not all did. */
  readonly names: 'none' | 'living' | 'erased' | 'gone' | 'unread';
  /**
   * Whether the token remembers the contact's own address, or a further one that its subscription still has.
   */
  readonly fits: boolean;
  /** The living subscription with the contact's own address: the one that the token names, or another. */
  readonly own: 'none' | 'named' | 'other';
  /** Whether a further address of the contact is that of a living subscription. */
  readonly further: boolean;
}

export interface Decision {
  /** Whose the contact is: the subscription of its token, that of its own address or of a further one, or nobody's. */
  readonly whose: 'token' | 'own' | 'further' | 'nobody';
  /** Whether its own token named another subscription: the link moves. */
  readonly isMoved?: true;
  /** Whether nothing is planned for it: its token cannot be replaced, or not in this run. */
  readonly isLeft?: true;
}

/** Decides whose a contact is. */
export function whoseContact({ token, names, fits, own, further }: Claim): Decision {
  const whose = own === 'none' ? (further ? 'further' : 'nobody') : 'own';
  if (token === 'foreign') return { whose, isLeft: true };
  // Also after all contacts were given other ids: their subscription is gone, and they are still asked nothing.
  if (token === 'copied' && whose === 'nobody' && fits && names !== 'living') return { whose: 'token' };
  if (token !== 'own') return { whose };
  // With an address of before, it changed in the newsletter, or another one became the main address in the CRM.
  if (own === 'named' || (names === 'living' && fits)) return { whose: 'token' };
  // Somebody has the former address of a subscription that was not read: a complete run decides.
  if (names === 'unread' && fits) return { whose: 'nobody', isLeft: true };
  // Overwritten with another person, swapped, sorted, or erased and signed up again.
  if (own === 'other') return { whose: 'own', isMoved: true };
  // An address that nobody has: it changed in the CRM.
  if (names !== 'living' && further) return { whose: 'further', isMoved: true };
  return { whose: 'token' };
}
