/** Every text that a visitor reads. `{label}` is the field's label, `{wait}` a time such as "in 30 seconds". */
export declare const english: {
    /** Language of the texts (BCP 47); a waiting time is formatted in it. */
    readonly language: 'en';
    readonly emailLabel: 'Email address';
    readonly emailPlaceholder: '';
    readonly button: 'Subscribe';
    readonly optional: '(optional)';
    /** For screen readers, in the label of a group of choices: HTML has no attribute for a required group. */
    readonly required: '(required)';
    readonly listHint: '(separate with commas)';
    readonly busy: 'Sending…';
    /** Heading after the signup. */
    readonly thanks: 'Thank you.';
    /** The same for every address: new, known, or to be confirmed. */
    readonly success: 'Check your inbox: if there is something to confirm, it is there.';
    /** Accessible name of the × of the dialog. */
    readonly close: 'Close';
    readonly emailInvalid: 'Enter an email address like name@example.com.';
    readonly missing: '{label} is needed.';
    readonly notTicked: 'Tick this box to go on.';
    readonly notInteger: 'Enter a whole number, like 42.';
    readonly notDouble: 'Enter a number, like 3.5.';
    readonly notDate: 'Enter a valid date.';
    /** Below the form when fields are marked. Empty: the messages at the fields suffice. */
    readonly invalid: '';
    readonly refused: 'Not accepted. Please check what you entered.';
    readonly tooLong: 'This is too long. Please shorten what you entered.';
    readonly limited: 'Too many signups. Please try again {wait}.';
    readonly unavailable: 'This does not work right now. Please try again {wait}.';
    readonly unreachable: 'We could not be reached. Please check your connection and try again.';
    /** The form is sent automatically when the device is online again. */
    readonly offline: 'You are offline. This will be sent once you are back.';
    readonly later: 'later';
};
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
/** The file of the element's language, if the page has a script for it that could not be loaded. */
export declare function unloadedLanguage(element: Element): string | undefined;
/** Texts with an attribute: `emailLabel` has `text-email-label`. */
export declare const textAttributes: readonly ['button', 'emailLabel', 'emailPlaceholder', 'thanks', 'success'];
/**
 * The texts of an element: its `text-*` attributes, else its `messages`, else its language, else English. What is no
 * text is left out.
 */
export declare function readMessages(element: Element & {
    readonly messages: Partial<Messages>;
}): Messages;
