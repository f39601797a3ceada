/** What `define` and `hydrate` are on a server: registers the element in a form that renders without a document. */
import { ServerSignup } from './server-signup.ts';

if (!customElements.get('newsletter-signup')) customElements.define('newsletter-signup', ServerSignup);
