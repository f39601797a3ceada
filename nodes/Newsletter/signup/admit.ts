/** From a post to a signup, or to the reasons against it. The checks and their wording are the relay's own. */
import {
  contentKind,
  contentRefused,
  keepSubmission,
  originRefused,
  parseContent,
  readSubmission,
  tooLarge,
  unreadable,
  type ContentHeaders,
  type ContentKind,
  type KeptSubmission,
  type Refused,
} from '@newsletter-kit/core/endpoint';
import { submissionLimit } from '@newsletter-kit/core/signup';
import type { Form } from './settings.ts';

/** A post whose body is not read yet. */
export interface Posted extends ContentHeaders {
  readonly origin: string | null;
  readonly contentLength: string | null;
  readonly idempotencyKey: string | null;
  /** The body; null where it is longer than `limit` bytes. @throws where the sender cut it off */
  body(limit: number): Promise<Uint8Array | null>;
}

/** A signup worth passing on. */
export interface Signup {
  readonly submission: KeptSubmission;
  /** True where the field was filled in that people do not see. */
  readonly suspected: boolean;
  readonly origin: string;
  readonly idempotencyKey: string | null;
}

/** How admission ended. */
export type Admission = { readonly signup: Signup } | { readonly refused: Refused };

/** Checks the headers, reads the body within its limit, and keeps of it what the form allows. */
export async function admit(posted: Posted, form: Form): Promise<Admission> {
  const { origin } = posted;
  // Browsers name the page's origin on every POST, form posts included; nothing else tells ours from any other site.
  if (origin === null || !form.origins.has(origin)) {
    return { refused: originRefused(origin, 'Allowed Origins of the Newsletter Signup Trigger') };
  }
  const kind = contentKind(posted);
  if (kind === null) return { refused: contentRefused() };
  if (Number(posted.contentLength ?? 0) > submissionLimit) return { refused: tooLarge() };

  const content = await readContent(posted, kind);
  if ('refused' in content) return content;
  const read = readSubmission(content.value);
  if (!read.ok) return { refused: { status: 400, errors: read.errors } };
  const { suspected, submission } = read;
  return {
    signup: {
      submission: keepSubmission(submission, form.allowedFields),
      suspected,
      origin,
      idempotencyKey: posted.idempotencyKey,
    },
  };
}

async function readContent(
  posted: Posted,
  kind: ContentKind,
): Promise<{ readonly value: unknown } | { readonly refused: Refused }> {
  try {
    const body = await posted.body(submissionLimit);
    return body === null ? { refused: tooLarge() } : { value: parseContent(kind, body) };
  } catch {
    return { refused: unreadable() };
  }
}
