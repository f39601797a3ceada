/** What the status of a subscription says of the mails that its person gets. */
import { subscriptionStatuses } from '../contract/values.ts';

const known: ReadonlySet<unknown> = new Set(subscriptionStatuses);

/** Whether the specification has the status. */
export const isKnownStatus = (status: unknown): boolean => known.has(status);

/** Whether a person with this status gets mails: `active` alone does, and no word that the specification lacks. */
export const getsMail = (status: unknown): boolean => status === 'active';

/**
 * Whether a person with this status has left, and nothing may bring them back: `inactive`, or a word that the
 * specification lacks. The others are on their way in, or paused: no consent was given or taken.
 */
export const hasLeft = (status: unknown): boolean => status === 'inactive' || !isKnownStatus(status);
