/** Registers both elements. Importing it twice, or beside another copy, does no harm: the first one stays. */
import { NewsletterField } from './newsletter-field.ts';
import { NewsletterSignup } from './newsletter-signup.ts';

const elements = { 'newsletter-field': NewsletterField, 'newsletter-signup': NewsletterSignup } as const;

for (const [name, element] of Object.entries(elements)) {
  if (!customElements.get(name)) customElements.define(name, element);
}

declare global {
  interface HTMLElementTagNameMap {
    'newsletter-field': NewsletterField;
    'newsletter-signup': NewsletterSignup;
  }
}
