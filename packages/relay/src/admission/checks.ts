/** What a post must pass before its body is read: a table, walked in order, cheapest first. */
import { contentKind, contentRefused, originRefused, submissionLimit, tooLarge, type Refused } from '@newsletter-kit/core/signup';
import { contentHeaders } from './content-headers.ts';
import type { Form } from './form.ts';

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
  return originRefused(origin, 'RELAY_ALLOWED_ORIGINS');
};

/** Two encodings, uncompressed, in UTF-8. */
export const contentCheck: Check = ({ request }) => (contentKind(contentHeaders(request)) === null ? contentRefused() : null);

/** What says it is too large need not be read. What does not say is counted while it is read. */
export const sizeCheck: Check = ({ request }) => {
  const stated = request.headers.get('content-length');
  return stated !== null && Number(stated) > submissionLimit ? tooLarge() : null;
};

/** The checks of every form, in order. */
export const checks: readonly Check[] = [originCheck, contentCheck, sizeCheck];
