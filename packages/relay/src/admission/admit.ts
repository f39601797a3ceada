/** From a request to a signup worth keeping, or to the reasons against it. */
import { readSubmission, submissionLimit, type ReadSubmission } from '@newsletter-kit/core/signup';
import type { KeptSubmission, NewSignup } from '../store/signup-store.ts';
import { readBody } from './body.ts';
import { tooLarge, type Check, type Visit } from './checks.ts';
import { contentKind, parseContent } from './content.ts';
import type { Form } from './form.ts';
import { refused, type Refused } from './refusal.ts';

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
    read = readSubmission(parseContent(contentKind(request) ?? 'json', body));
  } catch {
    // Cut off by the sender, not UTF-8, or not JSON: nothing more can be said, and the parser's text would quote the body.
    return { refused: refused(400, 'INVALID_BODY', 'The body could not be read: it is not valid JSON or form data.') };
  }
  if (!read.ok) return { refused: { status: 400, errors: read.errors } };
  return {
    signup: {
      form: form.name,
      submission: keep(read.submission, form),
      suspected: read.suspected,
      origin: request.headers.get('origin'),
      idempotencyKey: request.headers.get('idempotency-key')?.trim() || null,
      receivedAt: now,
    },
  };
}

/** Custom fields the form does not list are left out, not refused: a page with one field too many must not lose the person. */
function keep(submission: Extract<ReadSubmission, { ok: true }>['submission'], { allowedFields }: Form): KeptSubmission {
  const { token: _token, proof: _proof, custom_fields: sent, ...rest } = submission;
  const fields = sent?.filter(({ name }) => allowedFields === null || allowedFields.has(name));
  return { ...rest, ...(fields && fields.length > 0 && { custom_fields: fields }) };
}
