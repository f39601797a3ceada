/**
 * The events of `<newsletter-signup>`. They bubble out of shadow trees. None carries what the visitor typed, except the
 * email address with the attribute `expose-email`.
 */

/** The visitor's attribution, as it is sent. */
export interface SentAttribution {
  readonly utm_source?: string;
  readonly utm_medium?: string;
  readonly utm_campaign?: string;
  readonly utm_term?: string;
  readonly utm_content?: string;
  readonly referring_site?: string;
  readonly referral_code?: string;
}

/**
 * Why a signup failed: `invalid` – a value is invalid, and its field is marked (with `status` 0, nothing was sent);
 * `refused`, `tooLong` – the endpoint refused it; `limited` – too many requests; `unavailable` – the endpoint failed,
 * is not a signup endpoint, or is not set; `unreachable` – no answer came; `offline` – the device is offline, and the
 * form is sent automatically when it is online again.
 */
export type FailureKind = 'invalid' | 'refused' | 'tooLong' | 'limited' | 'unavailable' | 'unreachable' | 'offline';

/** An event that bubbles out of shadow trees, with the properties that its class declares. */
class OutwardEvent extends Event {
  constructor(type: string, properties: object, cancelable = false) {
    super(`newsletter-${type}`, { bubbles: true, composed: true, cancelable });
    Object.assign(this, properties);
  }
}

/** The form is complete and about to be sent. `preventDefault()` cancels the request. */
export class NewsletterSubmitEvent extends OutwardEvent {
  declare readonly attribution: SentAttribution;
  /** The email address; undefined without the attribute `expose-email`. */
  declare readonly email: string | undefined;
}

/** The endpoint has accepted the signup. */
export class NewsletterSuccessEvent extends OutwardEvent {
  declare readonly attribution: SentAttribution;
  /** The email address; undefined without the attribute `expose-email`. */
  declare readonly email: string | undefined;
}

/** The signup failed; the values stay in the form. */
export class NewsletterErrorEvent extends OutwardEvent {
  declare readonly kind: FailureKind;
  /** HTTP status of the answer; 0 without an answer. */
  declare readonly status: number;
  /** Seconds to wait before the next attempt, from `Retry-After`; 0 without one. */
  declare readonly retryAfter: number;
}

/** The events of a signup, by the ends of their names. */
export const signupEvents = {
  error: NewsletterErrorEvent,
  submit: NewsletterSubmitEvent,
  success: NewsletterSuccessEvent,
};

/** Dispatches an event on the element, or on the document if the element has left the page. */
export type Tell = <Name extends keyof typeof signupEvents>(
  name: Name,
  properties: Omit<InstanceType<(typeof signupEvents)[Name]>, keyof Event>,
) => boolean;

/**
 * What the owner of the page has to correct: `attribute` – an attribute's value is invalid, and the default is used;
 * `field` – a field is left out; `form` – the tag and its form stand in another form; `file` – a file beside the script
 * cannot be loaded; `endpoint` – it is missing or does not accept signups; `redirect` – its origin is not allowed, or
 * one has dropped the parameters of the link; `answer` – the endpoint's answer is invalid; `ask` – the form cannot do
 * what the endpoint asks for.
 */
export type WarningReason = 'attribute' | 'field' | 'form' | 'file' | 'endpoint' | 'redirect' | 'answer' | 'ask';

/** A problem that visitors do not see. Sent once for each element and message; the console shows it too. */
export class NewsletterWarningEvent extends OutwardEvent {
  declare readonly reason: WarningReason;
  /** A sentence for the owner of the page. */
  declare readonly message: string;
}

declare global {
  interface GlobalEventHandlersEventMap {
    'newsletter-submit': NewsletterSubmitEvent;
    'newsletter-success': NewsletterSuccessEvent;
    'newsletter-error': NewsletterErrorEvent;
    'newsletter-warning': NewsletterWarningEvent;
    /**
     * Sent to the document: whether attribution may be stored. Only `true` and `'granted'` grant the consent; any other
     * detail revokes it.
     */
    'newsletter-consent': CustomEvent<unknown>;
  }
  /** Takes the visitor's answers, before the script and after it: `(newsletterConsent ??= []).push('granted')`. */
  var newsletterConsent: unknown[] | undefined;
}
