/**
 * The events of `<newsletter-signup>`. They bubble out of shadow trees, and none of them carries what the visitor
 * typed, but the address where the tag says `expose-email`.
 */

/** Who brought the visitor, as it is sent. */
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
 * Why a signup did not go through: `invalid` – something in the form is to be mended, and marked (`status` 0: found
 * before anything was sent); `refused`, `tooLong` – the endpoint did not take it; `limited` – too many at once;
 * `unavailable` – the endpoint has a problem, is no signup endpoint, or is not set; `unreachable` – no answer came;
 * `offline` – the device is offline, the form sends by itself when it is back.
 */
export type FailureKind = 'invalid' | 'refused' | 'tooLong' | 'limited' | 'unavailable' | 'unreachable' | 'offline';

/** Leaves shadow trees, and carries what is given. */
class OutwardEvent<Carried extends object> extends Event {
  constructor(type: string, carried: Carried, cancelable = false) {
    super(`newsletter-${type}`, { bubbles: true, composed: true, cancelable });
    Object.assign(this, carried);
  }
}

/** What is known of a signup that is complete. */
interface Complete {
  readonly attribution: SentAttribution;
  readonly email: string | undefined;
}

/** The form is complete and about to be sent. `preventDefault()` keeps it from being sent. */
export class NewsletterSubmitEvent extends OutwardEvent<Complete> {
  declare readonly attribution: SentAttribution;
  /** The address, where the tag says `expose-email`. */
  declare readonly email: string | undefined;
}

/** The endpoint has taken the signup. */
export class NewsletterSuccessEvent extends OutwardEvent<Complete> {
  declare readonly attribution: SentAttribution;
  /** The address, where the tag says `expose-email`. */
  declare readonly email: string | undefined;
}

/** What is known of a signup that did not go through. */
interface Failed {
  readonly kind: FailureKind;
  readonly status: number;
  readonly retryAfter: number;
}

/** The signup did not go through; what was typed is still in the form. */
export class NewsletterErrorEvent extends OutwardEvent<Failed> {
  declare readonly kind: FailureKind;
  /** HTTP status of the answer; 0 where there was none. */
  declare readonly status: number;
  /** Seconds the endpoint asked to wait; 0 where it asked for none. */
  declare readonly retryAfter: number;
}

/**
 * What the owner of the page has to mend: `attribute` – a value of an attribute, another one is used; `field` – a field
 * is left out; `file` – a file beside the script cannot be loaded;
 * `endpoint` – there is none, or it does not take signups; `redirect` – the visitor is not taken there;
 * `answer` – the endpoint's answer is not what it should be; `ask` – the endpoint asked for something the form cannot
 * give.
 */
export type WarningReason = 'attribute' | 'field' | 'file' | 'endpoint' | 'redirect' | 'answer' | 'ask';

/** What the owner of the page has to mend, in words. */
interface Warning {
  readonly reason: WarningReason;
  readonly message: string;
}

/** Something is wrong that visitors do not see. Said once for each element and message, in the console too. */
export class NewsletterWarningEvent extends OutwardEvent<Warning> {
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
    /** Sent by the page, to the document: whether who brought the visitor may be stored. Only `false` withdraws. */
    'newsletter-consent': CustomEvent<boolean | undefined>;
  }
}
