/**
 * The status transitions of subscriptions, as pure functions. The specification has no transition table; these keep
 * its three rules.
 */

export type DoubleOptOverride = 'on' | 'off' | 'not_set';

/** How long the check of a new address takes, in milliseconds of the sandbox's clock. */
export const validationTime = 500;

/** Whether the subscriber has to confirm: the request's word, else the publication's. */
export function needsConfirmation(override: DoubleOptOverride | undefined, publicationDefault: boolean): boolean {
  return override === 'on' || (override !== 'off' && publicationDefault);
}

/**
 * The status after the address check. Addresses under `.invalid` – the domain reserved for names that never exist
 * (RFC 2606) – fail it, so that this path can be tried.
 */
export function statusAfterValidation(email: string, mustConfirm: boolean): 'invalid' | 'pending' | 'active' {
  if (email.toLowerCase().endsWith('.invalid')) return 'invalid';
  return mustConfirm ? 'pending' : 'active';
}

/** Why a status update can't give a subscription of this status the new one; null where it can. */
export function mayBecome(status: string, next: 'active' | 'inactive'): string | null {
  if (next === 'inactive') return null;
  if (status === 'invalid') return 'Its address is invalid, so it cannot become active.';
  return status === 'validating' ? 'Its address is still being checked, so it cannot become active yet.' : null;
}
