/** The page of a link whose signup is confirmed. */
import { messageHtml } from '@newsletter-kit/core/endpoint';
import type { Form } from '../config/form.ts';
import type { StoredSignup } from '../store/signup-store.ts';

/** @param seen - how often the page has refreshed itself */
export function statePage(
  _signup: StoredSignup,
  _form: Form | undefined,
  _seen: number,
): { readonly html: string; readonly refreshSeconds: number | null } {
  return { html: messageHtml('Thank you, we have noted it.', []), refreshSeconds: null };
}
