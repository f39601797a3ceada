/** The events of `<newsletter-signup>`. They bubble out of shadow trees, and none of them carries what the visitor typed. */

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
 * Why a signup did not go through: `invalid` – something in the form is to be mended, and marked (`status` 0: found before
 * anything was sent); `refused`, `tooLong` – the endpoint did not take it; `limited` – too many at once; `unavailable` – the endpoint has a problem, is no signup
 * endpoint, or is not set; `unreachable` – no answer came.
 */
export type FailureKind = 'invalid' | 'refused' | 'tooLong' | 'limited' | 'unavailable' | 'unreachable';

const outward = { bubbles: true, composed: true } as const;

/** The form is complete and about to be sent. `preventDefault()` keeps it from being sent. */
export class NewsletterSubmitEvent extends Event {
  readonly attribution: SentAttribution;

  constructor(attribution: SentAttribution) {
    super('newsletter-submit', { ...outward, cancelable: true });
    this.attribution = attribution;
  }
}

/** The endpoint has taken the signup. */
export class NewsletterSuccessEvent extends Event {
  readonly attribution: SentAttribution;

  constructor(attribution: SentAttribution) {
    super('newsletter-success', outward);
    this.attribution = attribution;
  }
}

/** What is known of a signup that did not go through. */
interface Failed {
  readonly kind: FailureKind;
  readonly status?: number;
  readonly retryAfter?: number;
}

/** The signup did not go through; what was typed is still in the form. */
export class NewsletterErrorEvent extends Event {
  readonly kind: FailureKind;
  /** HTTP status of the answer; 0 where there was none. */
  readonly status: number;
  /** Seconds the endpoint asked to wait; 0 where it asked for none. */
  readonly retryAfter: number;

  constructor({ kind, status = 0, retryAfter = 0 }: Failed) {
    super('newsletter-error', outward);
    this.kind = kind;
    this.status = status;
    this.retryAfter = retryAfter;
  }
}

declare global {
  interface GlobalEventHandlersEventMap {
    'newsletter-submit': NewsletterSubmitEvent;
    'newsletter-success': NewsletterSuccessEvent;
    'newsletter-error': NewsletterErrorEvent;
    /** Sent by the page, to the document: whether who brought the visitor may be stored. Only `false` withdraws. */
    'newsletter-consent': CustomEvent<boolean | undefined>;
  }
}
