/** Types of the attributes, properties and events, from the manifest; `npm run generate` writes this file. */
import './events.ts';
import type { NewsletterSignup } from './signup-element.ts';
/** Properties of `<newsletter-signup>`. */
export type SignupProperties = Partial<
  Pick<
    NewsletterSignup,
    | 'endpoint'
    | 'layout'
    | 'redirect'
    | 'redirectOrigins'
    | 'timeout'
    | 'attribution'
    | 'storage'
    | 'referralParam'
    | 'messages'
  >
>;
/** Attributes of `<newsletter-signup>`. */
export interface SignupAttributes {
  /**
   * Sets the source. Default: the parameter in the page's address when the script ran. The same default applies
   * to the four attributes below.
   */
  'utm-source'?: string;
  /** Sets the medium. */
  'utm-medium'?: string;
  /** Sets the campaign. */
  'utm-campaign'?: string;
  /** Sets the search term. */
  'utm-term'?: string;
  /** Sets the content, or its variant. */
  'utm-content'?: string;
  /** Sets the referring site. Default: the origin of the site that linked here. */
  'referring-site'?: string;
  /** Sets the referral code. Default: the parameter in the page's address. */
  'referral-code'?: string;
  /**
   * Stores the attribution in a cookie for this domain and its subdomains, such as `example.com`, instead of web
   * storage.
   */
  'cookie-domain'?: string;
  /**
   * What the referral parameter carries. Default: in `ref`, a source, and what looks like a code of the service,
   * both; under another name, a code.
   */
  'ref-is'?: 'auto' | 'code' | 'source' | 'none';
  /** Hosts that are no referring site, such as `blog.example.com`, separated by spaces. */
  'same-site'?: string;
  /** Names source and medium by the click id of an ad, where the address has no source. */
  'click-ids'?: boolean;
  /** Names source and medium of visits from search engines and social networks. */
  'referrer-medium'?: boolean;
  /** Explains problems of the setup in the console and on the page. For you, not for visitors. */
  debug?: boolean;
  /** Lets `newsletter-submit` and `newsletter-success` carry the address. */
  'expose-email'?: boolean;
  /** Sets the address of Turnstile's script. Default: Cloudflare's own address. */
  'turnstile-script'?: string;
  /** Sets the text of the button. */
  'text-button'?: string;
  /** Sets the label of the address field. */
  'text-email-label'?: string;
  /** Sets the example text in the address field. */
  'text-email-placeholder'?: string;
  /** Sets the heading after the signup. */
  'text-thanks'?: string;
  /** Sets the sentence after the signup. Every other text is in the `messages` property. */
  'text-success'?: string;
  /**
   * When the dialog opens, besides a click on its triggers: one or more of `delay 10s`, `scroll 50%` and
   * `leave`. Default: `click`, only its triggers.
   */
  'open-on'?: string;
  /**
   * When the dialog may open by itself again after the visitor has closed it: on the next `page`, in the next
   * `session`, or after days, such as `30d`. Default: `page`.
   */
  'ask-again'?: string;
  /**
   * Address that the form is posted to, such as `https://relay.example/signup`: your relay, an n8n webhook, or
   * your own server. Default: the `action` of the form inside the tag.
   */
  endpoint?: string;
  /**
   * The layout: `inline`, on one line where there is room; `joined`, address and button in one frame, centred;
   * `stacked`; `card`, on a surface; `cover`, beside or below a picture; `dialog`, opened by a button or by
   * itself.
   */
  layout?: 'inline' | 'joined' | 'stacked' | 'card' | 'cover' | 'dialog';
  /**
   * Page that opens after a signup: of the same origin, or of one in `redirectOrigins`. Default: none; the
   * thanks replace the form.
   */
  redirect?: string;
  /** Further origins that `redirect` may lead to, such as `https://shop.example`, separated by spaces. */
  'redirect-origins'?: string;
  /** How long to wait for the endpoint's answer, in seconds. */
  timeout?: number;
  /**
   * Which of the visitor's visits is sent: the `first` or the `last` one with a campaign, a referral code or a
   * referrer, or `none`.
   */
  attribution?: 'first' | 'last' | 'none';
  /**
   * Where attribution is stored for the next pages after consent, for at most 30 days: `local`, `session` or
   * `none`.
   */
  storage?: 'local' | 'session' | 'none';
  /** Name of the parameter with the referral code. */
  'referral-param'?: string;
}
/** Attributes of `<newsletter-field>`. */
export interface FieldAttributes {
  /** Name of the custom field in your publication: its display text, with spaces and case. */
  name?: string;
  /** Kind of the custom field, or `consent` for a sentence to agree to. Any other word means `string`. */
  kind?: 'string' | 'integer' | 'boolean' | 'date' | 'datetime' | 'list' | 'double' | 'consent';
  /** Label of the control. Default: the name. For a `consent` it is the sentence, which is sent with the signup. */
  label?: string;
  /** The form is not sent without a value; a checkbox must be ticked. */
  required?: boolean;
  /**
   * The choices of a `list` (several) or a `string` (one), separated by commas, or by `|` if a choice contains a
   * comma.
   */
  options?: string;
  /**
   * Page that a `consent` links to; the words of its label in [square brackets] are the link, and
   * `[words](address)` a link to a page of their own.
   */
  href?: string;
  /** Initial value. */
  value?: string;
  /** The value is sent, but the field is not shown. */
  hidden?: boolean;
  /** Parameter of the visit's address whose value a hidden field is sent with, such as `utm_id` or `gclid`. */
  from?: string;
  /** Value that the browser may fill in, such as `given-name`, `family-name` or `name`. */
  autocomplete?: string;
  /** Example text in an empty input. */
  placeholder?: string;
  /** The earliest `date` or `datetime` that is accepted. Default: the year 1900. */
  min?: string;
}
/** The events of `<newsletter-signup>` by name, without `newsletter-consent`, which the page sends. */
export type SignupEvents = Pick<
  GlobalEventHandlersEventMap,
  'newsletter-submit' | 'newsletter-success' | 'newsletter-error' | 'newsletter-warning'
>;
