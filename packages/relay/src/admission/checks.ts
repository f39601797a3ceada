/** What a post must pass before its body is read: a table, walked in order, cheapest first. */
import { submissionLimit } from '@newsletter-kit/core/signup';
import { contentKind } from './content.ts';
import type { Form } from './form.ts';
import { refused, type Refused } from './refusal.ts';

/** A post on its way in. */
export interface Visit {
  readonly request: Request;
  readonly form: Form;
}

/** One check: null lets the post on. Add one by adding it to {@link checks} (or to `createRelay`'s option of that name). */
export type Check = (visit: Visit) => Refused | null | Promise<Refused | null>;

/** Browsers name the page's origin on every POST, form posts included; nothing else tells ours from any other site. */
export const originCheck: Check = ({ request, form }) => {
  const origin = request.headers.get('origin');
  if (origin !== null && form.origins.has(origin)) return null;
  const who = origin === null ? 'A post that names no origin' : `The origin ${printable(origin)}`;
  return refused(403, 'ORIGIN_NOT_ALLOWED', `${who} may not sign up here. The owner of this form can allow it in RELAY_ALLOWED_ORIGINS.`);
};

/** Two encodings, uncompressed, in UTF-8. Plain text is not one of them: it would slip past the browser's preflight. */
export const contentCheck: Check = ({ request }) => {
  const plain = (request.headers.get('content-encoding') ?? 'identity') === 'identity';
  if (plain && contentKind(request) !== null) return null;
  return refused(
    415,
    'UNSUPPORTED_MEDIA_TYPE',
    'Send application/json or application/x-www-form-urlencoded, in UTF-8 and uncompressed.',
  );
};

/** What says it is too large need not be read. What does not say is counted while it is read. */
export const sizeCheck: Check = ({ request }) => {
  const stated = request.headers.get('content-length');
  return stated !== null && Number(stated) > submissionLimit ? tooLarge() : null;
};

export function tooLarge(): Refused {
  return refused(413, 'PAYLOAD_TOO_LARGE', `A signup may be ${submissionLimit} bytes at most. Shorten what you entered.`);
}

/** The checks of every form, in order. */
export const checks: readonly Check[] = [originCheck, contentCheck, sizeCheck];

/** A stranger's header, safe and short enough to say back. */
function printable(text: string): string {
  return text.replace(/[^\x21-\x7e]/g, '').slice(0, 200);
}
