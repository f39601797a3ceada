/**
 * What the status of a subscription says of its person. Nothing else compares a status: the service may add words, and
 * one that nobody knows is no consent to anything.
 */
import { subscriptionStatuses } from '../contract/values.ts';

const known: ReadonlySet<unknown> = new Set(subscriptionStatuses);

/** Whether a status is a word that the specification lacks. Without a status there is no word. */
export const isUnknownStatus = (status: unknown): status is string => typeof status === 'string' && !known.has(status);

/** Whether a person with this status gets mails: `active` alone does. */
export const getsMail = (status: unknown): boolean => status === 'active';

/** Whether the service says in its own word that the person is unsubscribed: nothing is left to unsubscribe. */
export const isUnsubscribed = (status: unknown): boolean => status === 'inactive';

/**
 * Whether a person with this status has left, and nothing may bring them back: `inactive`, or a word that the
 * specification lacks. The others are on their way in, or paused: no consent was given or taken.
 */
export const hasLeft = (status: unknown): boolean => isUnsubscribed(status) || isUnknownStatus(status);

/** Whether the address is one that gets no mail, because the service has found it to be invalid. */
export const isInvalid = (status: unknown): boolean => status === 'invalid';

/** Whether the person has yet to confirm, or the address to be checked. */
export const isUnconfirmed = (status: unknown): boolean => status === 'pending' || status === 'validating';

/** Whether the person has been active, as far as a status tells: whoever left may have left before. */
export const hasBeenActive = (status: unknown): boolean => getsMail(status) || status === 'paused' || hasLeft(status);
