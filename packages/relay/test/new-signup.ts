/** Creates an admitted signup for a test. */
import type { FoundSubscription, NewSignup } from '../src/index.ts';

export function newSignup(email: string, changes: Partial<NewSignup> = {}): NewSignup {
  return {
    form: 'default',
    submission: { email },
    suspected: null,
    needsConfirmation: false,
    origin: null,
    idempotencyKey: null,
    consent: null,
    receivedAt: Date.now(),
    ...changes,
  };
}

/** An active subscription that a scan has found. */
export const found = (email: string, changes: Partial<FoundSubscription> = {}): FoundSubscription => ({
  email,
  status: 'active',
  askAgainAt: null,
  ...changes,
});
