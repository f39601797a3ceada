/**
 * What the tags take, as frameworks need to know it. It follows from the elements; what no type of theirs says is
 * compared with the manifest by a test.
 */
import type { LitElement } from 'lit';
import type { SentAttribution } from './events.ts';
import type { FieldKind } from './newsletter-field.ts';
import type { textAttributes } from './messages.ts';
import type { NewsletterSignup } from './newsletter-signup.ts';

/** `referralParam` as `referral-param`. */
type Kebab<Name extends string> = Name extends `${infer Letter}${infer Rest}`
  ? `${Letter extends Lowercase<Letter> ? Letter : `-${Lowercase<Letter>}`}${Kebab<Rest>}`
  : Name;

/** `utm_source` as `utm-source`. */
type Dashed<Name extends string> = Name extends `${infer Before}_${infer After}` ? `${Before}-${After}` : Name;

/** Two types are the same where the same follows from both. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- what is compared is what T makes of each
type IsSame<One, Other> = (<T>() => T extends One ? 1 : 2) extends <T>() => T extends Other ? 1 : 2 ? true : false;

/** Whether a property can be set. */
type IsSettable<Owner, Name extends keyof Owner> = IsSame<
  { [Only in Name]: Owner[Only] },
  { -readonly [Only in Name]: Owner[Only] }
>;

/** Names of the properties that are the form's own and that a page may set. */
type Settable = {
  [Name in Exclude<keyof NewsletterSignup, keyof LitElement>]: NewsletterSignup[Name] extends (
    ...values: never[]
  ) => unknown
    ? never
    : IsSettable<NewsletterSignup, Name> extends true
      ? Name
      : never;
}[Exclude<keyof NewsletterSignup, keyof LitElement>];

/** Properties of `<newsletter-signup>`. */
export type SignupProperties = Partial<Pick<NewsletterSignup, Settable>>;

/** What is an attribute alone. */
interface Switches {
  /** Explains in the console and on the page what to mend. For you, while you set it up. */
  debug?: boolean;
  /** Lets `newsletter-submit` and `newsletter-success` carry the address. */
  'expose-email'?: boolean;
  /** Where the script of Turnstile comes from. Default: Cloudflare's own address. */
  'turnstile-script'?: string;
  /**
   * What the dialog opens on besides its triggers: `delay 10s`, `scroll 50%`, `leave`, or several of them. Default:
   * `click`.
   */
  'open-on'?: string;
  /**
   * When the dialog may open by itself again once closed: on the next `page`, in the next `session`, or after days,
   * such as `30d`. Default: `page`.
   */
  'ask-again'?: string;
  /** Offers a link to the visitor's inbox after the signup. */
  'inbox-link'?: boolean;
}

/**
 * Attributes of `<newsletter-signup>`: its properties that are words, who brought the visitor, every text, and some
 * alone.
 */
export type SignupAttributes = {
  [
    Name in Settable as NewsletterSignup[Name] extends string | boolean | number ? Kebab<Name> : never
  ]?: NewsletterSignup[Name];
} & { [Name in keyof SentAttribution as Dashed<Name>]?: string } & {
  [Key in (typeof textAttributes)[number] as `text-${Kebab<Key>}`]?: string;
} & Switches;

/** Attributes of `<newsletter-field>`. */
export interface FieldAttributes {
  /** Name of the custom field in your publication: its display text, with spaces and case. */
  name?: string;
  /** Kind of the custom field, or `consent` for a sentence to agree to. Default: `string`. */
  kind?: FieldKind | 'consent';
  /** What the visitor reads beside the control. Default: the name. */
  label?: string;
  /** Page a `consent` speaks of; the words of its label in [square brackets] lead there. */
  href?: string;
  /** The form cannot be sent without it. */
  required?: boolean;
  /** What the field begins with. */
  value?: string;
  /** The value is sent, and nobody sees the field. */
  hidden?: boolean;
  /** What the browser may fill in, such as `given-name`. */
  autocomplete?: string;
  /** The choices of a `list` (several) or a `string` (one), separated by commas, or by `|`. */
  options?: string;
  /** Example text inside an empty input. */
  placeholder?: string;
}

/** The events of `<newsletter-signup>`, by name; what the page tells the form is none of them. */
export type SignupEvents = Omit<
  Pick<GlobalEventHandlersEventMap, Extract<keyof GlobalEventHandlersEventMap, `newsletter-${string}`>>,
  'newsletter-consent'
>;
