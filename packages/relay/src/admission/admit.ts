/** From a post to a signup worth keeping, or to the reasons against it. */
import {
  contentKind,
  keepSubmission,
  parseContent,
  readSubmission,
  refused,
  tooLarge,
  unreadable,
  type ContentKind,
  type Entered,
  type ReadSubmission,
  type Refused,
} from '@newsletter-kit/core/endpoint';
import type { NewSignup } from '../store/signup-store.ts';
import type { Check } from './checks.ts';
import { consentOf, givenConsent } from './consent.ts';
import type { Gate, Passed } from './gate.ts';
import type { LimitKind } from './limits.ts';
import { contentHeaders, type Visit } from './visit.ts';

/** How admission ended; a refused form post comes with what it held. */
export type Admission =
  | { readonly signup: NewSignup; readonly passed: Passed }
  | { readonly refused: Refused; readonly limit?: LimitKind | undefined; readonly entered?: Entered };

/** The name under which all signups beyond an address's limit are one. */
const beyondLimit = 'beyond the limit of the address';

const consentRequired = refused(
  400,
  'CONSENT_REQUIRED',
  'This form needs your consent: tick its box, so that "consent" is sent.',
);

/**
 * Runs the checks, reads the body, keeps of it what the form allows, and brings it through the gate.
 *
 * @param readBody - gives the body, or null where it is longer than is allowed
 */
export async function admit(
  visit: Visit,
  {
    checks,
    gate,
    readBody,
    now,
  }: { checks: readonly Check[]; gate: Gate; readBody: () => Promise<Uint8Array | null>; now: number },
): Promise<Admission> {
  for (const check of checks) {
    const found = check(visit);
    const refusal = found instanceof Promise ? await found : found;
    if (refusal) return { refused: refusal };
  }
  const { header, form } = visit;
  const kind: ContentKind = contentKind(contentHeaders(visit)) ?? 'json';
  let read: ReadSubmission;
  let body: Uint8Array | null;
  try {
    body = await readBody();
    if (body === null) return { refused: tooLarge() };
    read = readSubmission(parseContent(kind, body));
  } catch {
    return { refused: unreadable() };
  }
  if (!read.ok) return { refused: { status: 400, errors: read.errors } };
  if (form.consent.required && givenConsent(read.submission) === null) return { refused: consentRequired };
  const passage = await gate.pass(visit, read, now);
  if ('refused' in passage) {
    return {
      refused: passage.refused,
      limit: passage.limit,
      ...(kind === 'form' && { entered: new URLSearchParams(new TextDecoder().decode(body)) }),
    };
  }
  const { passed } = passage;
  const submission = keepSubmission(read.submission, form.allowedFields);
  return {
    passed,
    signup: {
      form: form.name,
      submission,
      suspected: passed.suspected,
      needsConfirmation: form.confirmation !== null,
      origin: passed.origin,
      idempotencyKey: passed.overLimit ? beyondLimit : header('idempotency-key')?.trim() || null,
      consent: consentOf(visit, submission, passed.origin, gate.visitorKey),
      trace: null,
      receivedAt: now,
    },
  };
}
