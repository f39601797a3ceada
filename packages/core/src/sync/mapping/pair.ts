import type { SyncContact } from './contact.ts';
import type { SyncSubscription } from './prepare-mapping.ts';
import type { Base } from './token.ts';

/** A subscription, its contact, and what both last agreed on. */
export interface Pair {
  readonly subscription: SyncSubscription;
  readonly contact: SyncContact;
  /** What {@link decodeToken} read from the contact's token; undefined without one. */
  readonly base: Base | undefined;
}
