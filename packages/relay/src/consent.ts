/** Reads the consent in a submission. */
import type { KeptSubmission } from '@newsletter-kit/core/endpoint';

/** Values of a checkbox that are not a sentence. */
const checked = /^(on|true|yes|1)$/i;
const unchecked = /^(off|false|no|0)$/i;

/**
 * The consent in a submission.
 *
 * @returns null where there is none; `sentence` is null where the form sends no text
 */
export function consentIn({ consent }: Pick<KeptSubmission, 'consent'>): {
  readonly sentence: string | null;
} | null {
  if (consent === undefined) return null;
  const text = String(consent);
  if (checked.test(text)) return { sentence: null };
  return unchecked.test(text) ? null : { sentence: text };
}
