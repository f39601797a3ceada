/** The elements' classes, events and texts. Importing this registers nothing; `@newsletter-kit/signup/define` does. */
export {
  NewsletterErrorEvent,
  NewsletterSubmitEvent,
  NewsletterSuccessEvent,
  type FailureKind,
  type SentAttribution,
} from './events.ts';
export type { FieldKind } from './field-kind.ts';
export { english, type MessageKey, type Messages } from './messages.ts';
export { NewsletterField } from './newsletter-field.ts';
export { NewsletterSignup, type SignupState } from './newsletter-signup.ts';
