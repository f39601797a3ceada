/**
 * A form: where it may stand, what a visitor may send through it, what the operator adds to every signup, and how it is
 * protected.
 */
import type { SubscriptionRequest } from '@newsletter-kit/core';
import type { attributionFields } from '@newsletter-kit/core/signup';
import type { Sender } from '../confirmation/message.ts';
import type { ConsentRules } from './consent.ts';

/** Names of a SubscriptionRequest that a page may set. */
export type PublicField = 'email' | 'custom_fields' | (typeof attributionFields)[number];

/** What only the operator sets: everything else a SubscriptionRequest can hold. */
export type PinnedFields = Omit<SubscriptionRequest, PublicField>;

/** What a form wants of a post beyond its fields. */
export interface Protection {
  /** Whether a post needs a signed token that is two seconds old and was used by nobody. */
  readonly token: boolean;
  /** When a post needs a proof: a solved challenge, or Turnstile's word where {@link Protection.turnstile} is given. */
  readonly proof: 'off' | 'always' | 'attack';
  readonly turnstile: { readonly siteKey: string; readonly secret: string } | null;
  /** What becomes of an address whose domain takes no mail. */
  readonly mx: 'off' | 'review' | 'refuse';
}

/** The mail that asks a person to confirm, and what its link opens. */
export interface Confirmation {
  readonly from: Sender;
  /** Subject of the mail and heading of the page. */
  readonly subject: string;
  /** Plain text with `{link}`. */
  readonly text: string;
  /** Label of the page's button. */
  readonly button: string;
  /** Language of these texts, as a BCP 47 tag. */
  readonly lang: string;
  /** Where a person is sent who confirmed; null means the relay's own page. */
  readonly confirmedUrl: string | null;
}

/** A form and its rules, made from the configuration. */
export interface Form {
  readonly name: string;
  readonly publicationId: string;
  /** API key that its signups are delivered with; a secret. */
  readonly apiKey: string;
  /** Origins of the pages it may stand on, as browsers send them. */
  readonly origins: ReadonlySet<string>;
  /** Names of the custom fields a page may set; null lets all through (the API drops what the publication lacks). */
  readonly allowedFields: ReadonlySet<string> | null;
  readonly pinned: PinnedFields;
  /** Where a visitor without JavaScript is sent; null means the relay's own page. */
  readonly thanksUrl: string | null;
  readonly protection: Protection;
  readonly consent: ConsentRules;
  /** Null where signups are delivered without a click in a mail of the relay. */
  readonly confirmation: Confirmation | null;
}

/** Whether something is signed or hashed for the form that must outlive the process, or hold for another one. */
export function isSigning({ protection, confirmation, consent }: Form): boolean {
  return protection.token || protection.proof !== 'off' || confirmation !== null || consent.address === 'hashed';
}
