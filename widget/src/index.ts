/** The classes, events and texts of the elements. `@newsletter-kit/signup/define` registers the elements. */
export {
  NewsletterErrorEvent,
  NewsletterSubmitEvent,
  NewsletterSuccessEvent,
  NewsletterWarningEvent,
  type FailureKind,
  type SentAttribution,
  type WarningReason,
} from './events.ts';
export type { SignupState } from './form.ts';
export { english, type MessageKey, type Messages } from './messages.ts';
export { NewsletterField, type FieldKind } from './field-element.ts';
export { NewsletterSignup } from './signup-element.ts';
