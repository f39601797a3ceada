/** What a store keeps about a person beside their signups: entries of the consent ledger, and confirmation mails. */

/** What a person agreed to, and where. */
export interface Consent {
  /**
   * The sentence the person agreed to, or the words that are unclear; for a click in a confirmation mail, what the page
   * of its link showed. Null where the form keeps no text.
   */
  readonly sentence: string | null;
  /** The operator's name for the version of the sentence or of the privacy policy behind it. */
  readonly version: string | null;
  /** Address of the page, without query and fragment. */
  readonly page: string | null;
  /** The visitor's address as the relay is configured to keep it: shortened, hashed, or null. */
  readonly visitor: string | null;
}

/** Every kind of entry of the consent ledger. */
export const consentKinds = ['requested', 'unclear', 'given', 'confirmed', 'left'] as const;

/** An entry of the consent ledger, which is append-only until the retention of an entry ends. */
export interface ConsentRecord extends Consent {
  /** Id of the signup. */
  readonly signup: string;
  /**
   * `requested`: a signup that its person has to confirm. `unclear`: the form sent a text that no sentence explains.
   * Both are deleted with the signup while it waits for confirmation or review. `given`: with the form. `confirmed`: by
   * the click in a confirmation mail. `left`: withdrawn by the program that shows that mail, without words.
   */
  readonly kind: (typeof consentKinds)[number];
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
  readonly form: string;
  /** Hash of the address, by which the ledger is searched; the ledger does not contain the address. */
  readonly person: string;
  /**
   * Status of the subscription that came of it, as the signup has it when the ledger is read: the word of the API, or
   * null where there is none or it is unknown. Not part of the entry itself.
   */
  readonly status?: string | null;
}

/** A mailbox that a publication asks to confirm. */
export interface Mailbox {
  /** Hash of its addresses, `mailboxHash`. */
  readonly mailbox: string;
  readonly publication: string;
}

/** A signup that waits for the confirmation of a mailbox. */
export interface MailboxSignup {
  readonly id: string;
  readonly form: string;
  /** When its mail was last attempted; null where it needs one, or none of its own. */
  readonly mailedAt: number | null;
  /** True once the owner has confirmed it on the page of a link, or left it unticked: it gets no mail. */
  readonly isDecided?: true;
}

/** The confirmation mails to a mailbox since it has last confirmed. */
export interface MailboxRecord extends Mailbox {
  readonly mails: number;
  readonly lastMailAt: number;
  /** When its owner said that a signup was not theirs: it gets no more mails. Null before. */
  readonly suppressedAt: number | null;
  /** Its signups, the newest last; some may be erased or expired. */
  readonly signups: readonly MailboxSignup[];
}
