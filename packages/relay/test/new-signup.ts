/** Creates an admitted signup for a test. */
import type { NewSignup } from '../src/index.ts';

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
