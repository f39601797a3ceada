/** Registers both elements, unless another copy of the package has registered them already. */
import { NewsletterField, NewsletterSignup } from './index.ts';

if (!customElements.get('newsletter-field')) customElements.define('newsletter-field', NewsletterField);
if (!customElements.get('newsletter-signup')) customElements.define('newsletter-signup', NewsletterSignup);

declare global {
  interface HTMLElementTagNameMap {
    'newsletter-field': NewsletterField;
    'newsletter-signup': NewsletterSignup;
  }
}
