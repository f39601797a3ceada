/**
 * The page behind a link whose signup is confirmed: what the API says of the subscription, as far as it is known. It
 * promises nothing.
 */
import { getsMail, isInvalid, isUnconfirmed, isUnsubscribed } from '@newsletter-kit/core/facts';
import { type Content, contents } from '../pages/contents.ts';
import type { StoredSignup } from '../store/signup-store.ts';

/** What the page of a signup says. */
export function stateContent({ state, status }: Pick<StoredSignup, 'state' | 'status'>): Content {
  if (isOpen(state)) return contents.onItsWay;
  if (state !== 'delivered') return contents.notTaken;
  if (getsMail(status)) return contents.subscribed;
  if (isUnsubscribed(status)) return contents.left;
  if (isInvalid(status)) return contents.noMail;
  if (isUnconfirmed(status)) return contents.unfinished;
  return status === null ? contents.unknownStatus : contents.otherStatus;
}

/** Whether the signup waits for its delivery. */
const isOpen = (state: StoredSignup['state']): boolean => state === 'waiting' || state === 'sent';

/** Seconds until the page asks again, after it was shown for the first and for the second time. */
const refreshes = [5, 20];

/**
 * After how many seconds the page asks again by itself; null if it does not.
 *
 * @param seen - how often it has asked again
 */
export function refreshSeconds({ state }: Pick<StoredSignup, 'state'>, seen: number): number | null {
  return isOpen(state) ? (refreshes[seen] ?? null) : null;
}
