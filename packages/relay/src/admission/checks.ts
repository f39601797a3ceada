/** What a post must pass before its body is read: a table, walked in order, cheapest first. */
import { contentKind, contentRefused, originRefused, tooLarge, type Refused } from '@newsletter-kit/core/endpoint';
import { submissionLimit } from '@newsletter-kit/core/signup';
import { contentHeaders, isOwnPage, type Visit } from './visit.ts';

/**
 * One check: null lets the post on. Add one by adding it to {@link checks} (or to `createRelay`'s option of that name).
 */
export type Check = (visit: Visit) => Refused | null | Promise<Refused | null>;

/**
 * Browsers name the page's origin on every POST, form posts included; nothing else tells ours from any other site. The
 * relay's own page may post too: the token it carries says later which site the visitor came from.
 */
export const originCheck = (visit: Visit): Refused | null => {
  const origin = visit.header('origin');
  if (origin !== null && visit.form.origins.has(origin)) return null;
  if (visit.form.protection.token && isOwnPage(visit)) return null;
  return originRefused(origin, 'RELAY_ALLOWED_ORIGINS');
};

/** Two encodings, uncompressed, in UTF-8. */
const contentCheck: Check = (visit) => (contentKind(contentHeaders(visit)) === null ? contentRefused() : null);

/** What says it is too large need not be read. What does not say is counted while it is read. */
const sizeCheck: Check = ({ header }) => {
  const stated = header('content-length');
  return stated !== null && Number(stated) > submissionLimit ? tooLarge() : null;
};

/** The checks of every form, in order. */
export const checks: readonly Check[] = [originCheck, contentCheck, sizeCheck];
