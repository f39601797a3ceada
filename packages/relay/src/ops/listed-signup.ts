/** Signups as the operator API lists them: without what their people entered, and with masked addresses. */
import { sourceOf } from '@newsletter-kit/core/report';
import { cleanValue } from '@newsletter-kit/core/signup';
import type { StoredSignup } from '../store/signup-store.ts';

export interface ListedSignup extends Omit<StoredSignup, 'submission' | 'intent'> {
  /** Masked, `a•••@example.com`; null once it is erased. */
  readonly address: string | null;
  /** Empty where it is unknown. */
  readonly source: string;
  /** The page that the person signed up on, or its origin; empty where that is unknown. */
  readonly page: string;
}

export function toListed({ submission, intent: _intent, ...rest }: StoredSignup): ListedSignup {
  return {
    ...rest,
    address: submission && masked(submission.email),
    // A link that was made for one person names them in its parameters.
    source: cleanValue(sourceOf({ ...submission })),
    page: cleanValue(submission?.audit?.page ?? rest.origin ?? ''),
  };
}

/** Keeps the first character and the domain of an address, and hides the length of the rest. */
function masked(email: string): string {
  const at = email.lastIndexOf('@');
  return `${[...email][0] ?? ''}•••${at > 0 ? email.slice(at) : ''}`;
}
