/**
 * Types of the attributes, properties and events, for the modules of React, Vue and Svelte. Most follow from the
 * elements' types; a test compares the others with the manifest.
 */
import type { SentAttribution } from './events.ts';
import type { FieldKind } from './field-element.ts';
import type { textAttributes } from './messages.ts';
import type { NewsletterSignup } from './signup-element.ts';

/** `referralParam` as `referral-param`. */
type Kebab<Name extends string> = Name extends `${infer Letter}${infer Rest}`
  ? `${Letter extends Lowercase<Letter> ? Letter : `-${Lowercase<Letter>}`}${Kebab<Rest>}`
  : Name;

/** `utm_source` as `utm-source`. */
type Dashed<Name extends string> = Name extends `${infer Before}_${infer After}` ? `${Before}-${After}` : Name;

/** Names of the properties that a page may set. */
type Settable = keyof typeof NewsletterSignup.properties;

/** Properties of `<newsletter-signup>`. */
export type SignupProperties = Partial<Pick<NewsletterSignup, Settable>>;

/** Attributes without a property. */
interface AttributesOnly {
  /**
   * Stores the attribution in a cookie for this domain and its subdomains, such as `example.com`, instead of web
   * storage.
   */
  'cookie-domain'?: string;
  /** Explains problems of the setup in the console and on the page. For you, not for visitors. */
  debug?: boolean;
  /** Lets `newsletter-submit` and `newsletter-success` carry the address. */
  'expose-email'?: boolean;
  /**
   * What the referral parameter carries. Default: in `ref`, a source, and what looks like a code of the service, both;
   * under another name, a code.
   */
  'ref-is'?: 'auto' | 'code' | 'source' | 'none';
  /** Hosts that are no referring site, such as `blog.example.com`, separated by spaces. */
  'same-site'?: string;
  /** Names source and medium by the click id of an ad, where the address has no source. */
  'click-ids'?: boolean;
  /** Names source and medium of visits from search engines and social networks. */
  'referrer-medium'?: boolean;
  /** Address of Turnstile's script. Default: Cloudflare's own address. */
  'turnstile-script'?: string;
  /**
   * When the dialog opens, besides a click on its triggers: `delay 10s`, `scroll 50%`, `leave`, or several of them.
   * Default: `click`.
   */
  'open-on'?: string;
  /**
   * When the dialog may open by itself again after it was closed: on the next `page`, in the next `session`, or after
   * days, such as `30d`. Default: `page`.
   */
  'ask-again'?: string;
}

/**
 * Attributes of `<newsletter-signup>`: its properties that are texts or numbers, the attribution, the texts, and those
 * without a property.
 */
export type SignupAttributes = {
  [
    Name in Settable as NewsletterSignup[Name] extends string | boolean | number ? Kebab<Name> : never
  ]?: NewsletterSignup[Name];
} & { [Name in keyof SentAttribution as Dashed<Name>]?: string } & {
  [Key in (typeof textAttributes)[number] as `text-${Kebab<Key>}`]?: string;
} & AttributesOnly;

/** Attributes of `<newsletter-field>`. */
export interface FieldAttributes {
  /** Name of the custom field in your publication: its display text, with spaces and case. */
  name?: string;
  /** Kind of the custom field, or `consent` for a sentence to agree to. Default: `string`. */
  kind?: FieldKind | 'consent';
  /** Label of the control. Default: the name. */
  label?: string;
  /**
   * Page that a `consent` links to; the words of its label in [square brackets] are the link, and `[words](address)` a
   * link to a page of their own.
   */
  href?: string;
  /** The form is not sent without a value. */
  required?: boolean;
  /** Initial value. */
  value?: string;
  /** The value is sent, but the field is not shown. */
  hidden?: boolean;
  /** Parameter of the visit's address whose value a hidden field is sent with. */
  from?: string;
  /** Value that the browser may fill in, such as `given-name`. */
  autocomplete?: string;
  /** The choices of a `list` (several) or a `string` (one), separated by commas, or by `|`. */
  options?: string;
  /** Example text in an empty input. */
  placeholder?: string;
  /** The earliest `date` or `datetime` that is accepted. Default: the year 1900. */
  min?: string;
}

/** The events of `<newsletter-signup>` by name, without `newsletter-consent`, which the page sends. */
export type SignupEvents = Omit<
  Pick<GlobalEventHandlersEventMap, Extract<keyof GlobalEventHandlersEventMap, `newsletter-${string}`>>,
  'newsletter-consent'
>;
