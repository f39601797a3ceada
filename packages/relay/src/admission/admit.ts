/** From a request to a signup worth keeping, or to the reasons against it. */
import {
  contentKind,
  keepSubmission,
  parseContent,
  readSubmission,
  submissionLimit,
  tooLarge,
  unreadable,
  type ReadSubmission,
  type Refused,
} from '@newsletter-kit/core/signup';
import type { NewSignup } from '../store/signup-store.ts';
import { readBody } from './body.ts';
import type { Check, Visit } from './checks.ts';
import { contentHeaders } from './content-headers.ts';

/** How admission ended. */
export type Admission = { readonly signup: NewSignup } | { readonly refused: Refused };

/** Runs the checks, reads the body within its limit, and keeps of it what the form allows. */
export async function admit(visit: Visit, checks: readonly Check[], now: number): Promise<Admission> {
  for (const check of checks) {
    const refusal = await check(visit);
    if (refusal) return { refused: refusal };
  }
  const { request, form } = visit;
  let read: ReadSubmission;
  try {
    const body = await readBody(request, submissionLimit);
    if (body === null) return { refused: tooLarge() };
    read = readSubmission(parseContent(contentKind(contentHeaders(request)) ?? 'json', body));
  } catch {
    return { refused: unreadable() };
  }
  if (!read.ok) return { refused: { status: 400, errors: read.errors } };
  return {
    signup: {
      form: form.name,
      submission: keepSubmission(read.submission, form.allowedFields),
      suspected: read.suspected,
      origin: request.headers.get('origin'),
      idempotencyKey: request.headers.get('idempotency-key')?.trim() || null,
      receivedAt: now,
    },
  };
}
