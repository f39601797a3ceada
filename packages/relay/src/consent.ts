/** Reads the consent in a submission. */
import type { KeptSubmission } from '@newsletter-kit/core/endpoint';
import { yesOrNo } from '@newsletter-kit/core/facts';

/**
 * The consent in a submission.
 *
 * @returns null where there is none; `sentence` is null where the form sends no text
 */
export function consentIn({ consent }: Pick<KeptSubmission, 'consent'>): {
  readonly sentence: string | null;
} | null {
  if (consent === undefined) return null;
  const said = yesOrNo(consent);
  return said === false ? null : { sentence: said ? null : String(consent) };
}
