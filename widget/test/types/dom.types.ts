/** Compiled, never run: what the DOM's own functions know of the tags. */
import '@newsletter-kit/signup/define';
import type { FailureKind, NewsletterField, NewsletterSignup, SignupState } from '@newsletter-kit/signup';

const form: NewsletterSignup | null = document.querySelector('newsletter-signup');
export const field: NewsletterField = document.createElement('newsletter-field');
export const state: SignupState | undefined = form?.state;

form?.addEventListener('newsletter-success', ({ attribution }) =>
  console.log(attribution.utm_source, attribution.referral_code),
);
form?.addEventListener('newsletter-error', (event) => {
  const kind: FailureKind = event.kind;
  console.log(kind, event.status.toFixed(), event.retryAfter.toFixed());
});
document.addEventListener('newsletter-submit', (event) => event.preventDefault());

// @ts-expect-error -- the event holds no such thing
form?.addEventListener('newsletter-success', (event) => console.log(event.password));
// @ts-expect-error -- `state` is read-only
if (form) form.state = 'busy';
// @ts-expect-error -- neither first nor last
if (form) form.attribution = 'both';
// @ts-expect-error -- no address
if (form) form.endpoint = 7;
// @ts-expect-error -- no such text
if (form) form.messages = { buton: 'Join' };
