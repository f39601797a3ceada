/**
 * The configuration of a form – allowed origins and fields, fields set by the operator, protection, consent and
 * confirmation – and a post to it.
 */
import type { SubscriptionRequest } from '@newsletter-kit/core';
import type { Post } from '@newsletter-kit/core/endpoint';
import type { attributionFields } from '@newsletter-kit/core/signup';
import type { Confirmation } from '../confirmation/mail.ts';

/** Names of a SubscriptionRequest that a page may set. */
export type PublicField = 'email' | 'custom_fields' | (typeof attributionFields)[number];

/** Names of a SubscriptionRequest that only the operator may set: all others. */
export type PinnedFields = Omit<SubscriptionRequest, PublicField>;

/** The abuse protection of a form. */
export interface Protection {
  /** Whether a post needs a signed token that is at least two seconds old and unused. */
  readonly token: boolean;
  /** When a post needs a proof: of work, or from Turnstile where {@link Protection.turnstile} is given. */
  readonly proof: 'off' | 'always' | 'attack';
  readonly turnstile: { readonly siteKey: string; readonly secret: string } | null;
  /** Handling of an e-mail address whose domain receives no mail: accepted, kept for review, or refused. */
  readonly mx: 'off' | 'review' | 'refuse';
}

/** The consent rules of a form. */
export interface ConsentRules {
  /** The operator's name for the version of the sentence, or of the privacy policy behind it. */
  readonly version: string | null;
  /** Whether a signup without consent is refused. */
  readonly required: boolean;
  /** Name of the custom field in which the API gets the sentence; null for none. */
  readonly field: string | null;
  /** Form in which the ledger stores the visitor's IP address. */
  readonly address: 'shortened' | 'hashed' | 'none';
}

/** A form and its rules, made from the configuration. */
export interface Form {
  readonly name: string;
  readonly publicationId: string;
  /** API key for the delivery of its signups; a secret. */
  readonly apiKey: string;
  /** Allowed origins of the pages with the form, in the spelling of browsers. */
  readonly origins: ReadonlySet<string>;
  /** Names of the custom fields a page may set; null accepts all (the API drops those the publication lacks). */
  readonly allowedFields: ReadonlySet<string> | null;
  readonly pinned: PinnedFields;
  /** Redirect for visitors without JavaScript; null for the relay's own page. */
  readonly thanksUrl: string | null;
  readonly protection: Protection;
  readonly consent: ConsentRules;
  /** The confirmation mail; null where signups are delivered without one. */
  readonly confirmation: Confirmation | null;
}

/** A post to a form whose body is not read yet. */
export interface SignupPost extends Post {
  readonly form: Form;
  /** The visitor's IP address, behind trusted proxies; null where it is unknown. */
  readonly client: string | null;
}

/** Whether the form signs or hashes values that must stay valid after a restart or in another relay. */
export function isSigning({ protection, confirmation, consent }: Form): boolean {
  return protection.token || protection.proof !== 'off' || confirmation !== null || consent.address === 'hashed';
}
