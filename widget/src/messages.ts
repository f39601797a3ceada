/** Every text that a visitor reads. `{label}` is the field's label, `{wait}` a time such as "in 30 seconds". */
export const english = {
  /** Language of the texts (BCP 47); a waiting time is formatted in it. */
  language: 'en',
  emailLabel: 'Email address',
  emailPlaceholder: '',
  button: 'Subscribe',
  optional: '(optional)',
  /** For screen readers, in the label of a group of choices: HTML has no attribute for a required group. */
  required: '(required)',
  listHint: '(separate with commas)',
  busy: 'Sending…',
  /** Heading after the signup. */
  thanks: 'Thank you.',
  /** The same for every address: new, known, or to be confirmed. */
  success: 'Check your inbox: if there is something to confirm, it is there.',
  /** Accessible name of the × of the dialog. */
  close: 'Close',
  emailInvalid: 'Enter an email address like name@example.com.',
  missing: '{label} is needed.',
  notTicked: 'Tick this box to go on.',
  notInteger: 'Enter a whole number, like 42.',
  /** For a number that can be two, such as 1.234, its example is `1234 / 1.2340`. */
  notDouble: 'Enter a number, like 3.5.',
  notDate: 'Enter a valid date.',
  /** Below the form when fields are marked. Empty: the messages at the fields suffice. */
  invalid: '',
  refused: 'Not accepted. Please check what you entered.',
  tooLong: 'This is too long. Please shorten what you entered.',
  limited: 'Too many signups. Please try again {wait}.',
  unavailable: 'This does not work right now. Please try again {wait}.',
  unreachable: 'We could not be reached. Please check your connection and try again.',
  /** The form is sent automatically when the device is online again. */
  offline: 'You are offline. This will be sent once you are back.',
  later: 'later',
} as const;

/** Name of a text. */
export type MessageKey = keyof typeof english;

/** A complete set of texts. */
export type Messages = Readonly<Record<MessageKey, string>>;

declare global {
  /**
   * Texts of the loaded languages by language tag: `newsletterMessages.de`. A missing text is English.
   */
  var newsletterMessages: Readonly<Record<string, Partial<Messages>>> | undefined;
}

/** The nearest `lang`, across shadow roots. */
export function languageOf(element: Element): string {
  const { host } = element.getRootNode() as Partial<ShadowRoot>;
  return element.closest('[lang]')?.getAttribute('lang') ?? (host ? languageOf(host) : '');
}

/** `pt_BR` is `pt-br-`: begins with `pt-`, as `pt` does. */
const comparable = (language: string): string => `${language.toLowerCase().replaceAll('_', '-')}-`;

/** The texts in the language of the nearest `lang`, such as `de` for `de-AT`; undefined if its file is not loaded. */
function textsOfLanguage(element: Element): Partial<Messages> | undefined {
  const loaded = globalThis.newsletterMessages ?? {};
  const language = comparable(languageOf(element));
  const tag = Object.keys(loaded)
    .sort((one, other) => (one < other ? 1 : -1))
    .find((known) => language.startsWith(comparable(known)));
  return tag === undefined ? tag : { language: tag, ...loaded[tag] };
}

/** Texts with an attribute: `emailLabel` has `text-email-label`. */
export const textAttributes = ['button', 'emailLabel', 'emailPlaceholder', 'thanks', 'success'] as const;

/**
 * The texts of an element: its `text-*` attributes, else its `messages`, else its language, else English. What is no
 * text is left out.
 */
export function readMessages(element: Element & { readonly messages: Partial<Messages> }): Messages {
  const texts: Record<string, string> & Record<MessageKey, string> = { ...english };
  for (const given of [textsOfLanguage(element), element.messages]) {
    try {
      for (const [key, text] of Object.entries<unknown>(given ?? {})) if (typeof text === 'string') texts[key] = text;
    } catch {
      // A getter of the page.
    }
  }
  for (const key of textAttributes)
    texts[key] = element.getAttribute('text-' + key.replace(/[A-Z]/g, '-$&')) ?? texts[key];
  return texts;
}
