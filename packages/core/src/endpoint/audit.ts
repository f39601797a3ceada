/** Reads what a page sends for the audit of a signup. A wrong value is left out and never refuses the signup. */
import { isRecord } from '../is-record.ts';
import { pageAddress } from '../signup/audit.ts';
import { cleanValue } from '../signup/attribution-values.ts';
import {
  attributionFields,
  type Attribution,
  type AuditedTouch,
  cleanText,
  parseUrl,
  type SignupAudit,
  type Submission,
} from '../signup/submission.ts';

/** Reads the member `audit` of an untrusted body. @returns undefined where nothing in it can be used */
export function readAudit(input: unknown): SignupAudit | undefined {
  if (!isRecord(input)) return undefined;
  const { page, touch_rule: rule, touch } = input;
  const [first, last] = [readTouch(input['first_touch']), readTouch(input['last_touch'])];
  return emptyAsUndefined({
    page: typeof page === 'string' ? pageAddress(page) : undefined,
    touch_rule: readRule(rule),
    ...(first &&
      last && {
        touch: touch === 'first' || touch === 'last' ? touch : undefined,
        first_touch: first,
        last_touch: last,
      }),
  });
}

/** What an endpoint keeps of a submission. */
type KeptPart = Omit<Submission, 'token' | 'proof'>;

/**
 * Completes the audit of a signup: its page is one of the website, as the page told it, else by `Referer`. A referrer
 * that is only the origin may be cut by the policy of the page: then the path is left out.
 *
 * @param website - origin of the website that the signup came from
 * @param referrer - the header `Referer`; null without one
 */
export function withAudit({ audit = {}, ...submission }: KeptPart, website: string, referrer: string | null): KeptPart {
  const referringPage = referrer === null ? undefined : pageAddress(referrer)?.replace(/^([^/]+\/\/[^/]+)\/$/, '$1');
  const page = [audit.page, referringPage].find((each) => each !== undefined && parseUrl(each)?.origin === website);
  const complete = emptyAsUndefined({ ...audit, page });
  return { ...submission, ...(complete && { audit: complete }) };
}

function readTouch(input: unknown): AuditedTouch | undefined {
  if (!isRecord(input)) return undefined;
  const at = typeof input['at'] === 'string' ? Date.parse(input['at']) : NaN;
  const rule = readRule(input['rule']);
  const attribution: Attribution = Object.fromEntries(
    attributionFields
      .map((name) => [name, typeof input[name] === 'string' ? cleanText(cleanValue(input[name])) : ''] as const)
      .filter(([, value]) => value),
  );
  return isNaN(at) || Object.keys(attribution).length === 0
    ? undefined
    : { at: new Date(at).toISOString(), ...(rule && { rule }), ...attribution };
}

/** A rule is a word; a newer tag than this endpoint may know more of them. */
function readRule(input: unknown): string | undefined {
  return typeof input === 'string' ? /^[a-z_]{1,32}$/.exec(input)?.[0] : undefined;
}

/** Removes the members without a value. @returns undefined where none is left */
function emptyAsUndefined(audit: SignupAudit): SignupAudit | undefined {
  const known = Object.entries(audit).filter(([, value]) => value !== undefined);
  return known.length > 0 ? Object.fromEntries(known) : undefined;
}
