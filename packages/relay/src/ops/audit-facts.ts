/** Signups, consents and mails in words, for the command line and the operator's page. */
import { isInvalid, isUnconfirmed, isUnsubscribed } from '@newsletter-kit/core/facts';
import type { SignupAudit } from '@newsletter-kit/core/signup';
import type { ConsentRecord, MailboxRecord, StoredSignup } from '../store/signup-store.ts';

/** The kinds of entries of the consent ledger. */
export const wordsOfKind: Readonly<Record<ConsentRecord['kind'], string>> = {
  requested: 'requested with the form, and valid once it is confirmed',
  unclear: 'unclear: the form sent these words, which are neither yes nor no, nor in RELAY_CONSENT_SENTENCES',
  given: 'given with the form',
  confirmed: 'confirmed by the link in a mail',
  left: 'withdrawn by the one click of the program that shows the mail',
};

/** What the status of the API means for somebody who signed up; any other word stands for itself. */
const meaningOf = (status: string): string => {
  if (isUnsubscribed(status)) return ': had left before, and stays out';
  if (isInvalid(status)) return ': the service has found that the address takes no mail';
  return isUnconfirmed(status) ? ': the service checks the address, or has asked for a confirmation' : '';
};

/** The status of a subscription in words. */
export const statusWords = (status: string | null): string =>
  status === null ? 'unknown' : status + meaningOf(status);

/** The confirmation mails to a mailbox in a line. */
export function mailsLine({ publication, mails, lastMailAt, suppressedAt }: MailboxRecord): string {
  const time = (moment: number): string => new Date(moment).toISOString();
  const objection =
    suppressedAt === null
      ? ''
      : `; no more since ${time(suppressedAt)}, when its owner said that it was not them, or a mail came back`;
  return `Confirmation mails of ${publication} to this mailbox: ${mails}, the last on ${time(lastMailAt)}${objection}`;
}

/** A fact about a signup or a consent, as its name and a text or a moment; null where it is unknown. */
export type Fact = readonly [name: string, value: string | Date | null];

/** Everything that is stored about a signup, but for its id, its state and when it was received. */
export function signupFacts(signup: StoredSignup): readonly Fact[] {
  const { form, origin, attempts, settledAt, reason, state, status, submission } = signup;
  const { custom_fields: fields = [], audit = {}, ...rest } = submission ?? {};
  return [
    ['form', form],
    ['site', origin],
    ['attempts', String(attempts)],
    ['settled', settledAt === null ? null : new Date(settledAt)],
    ['reason', reason],
    ['subscription', state === 'delivered' ? statusWords(status) : null],
    ...Object.entries(rest).map(([name, value]): Fact => [name, String(value)]),
    ...fields.map(({ name, value }): Fact => [`field ${name}`, String(value)]),
    ...auditFacts(audit),
  ];
}

/** Everything in an entry of the consent ledger, but for its signup, its kind and its time. */
export function consentFacts({ form, sentence, version, page, visitor, status }: ConsentRecord): readonly Fact[] {
  return Object.entries({ form, sentence, version, page, visitor, subscription: status ?? null });
}

function auditFacts(audit: SignupAudit): readonly Fact[] {
  return Object.entries(audit).map(([name, value]: [string, string | object]): Fact => [
    name,
    typeof value === 'string'
      ? value
      : Object.entries(value)
          .map((member) => member.join(' '))
          .join(', '),
  ]);
}
