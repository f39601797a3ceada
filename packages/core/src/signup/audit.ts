/** What a page sends beside a signup so that its attribution can be audited: its address, and the touches. */
import { cleanValue } from './attribution-values.ts';
import { chooseTouch, fitAttribution, type Touch, type TouchRule } from './attribution.ts';
import { parseUrl, type AuditedTouch, type SignupAudit } from './submission.ts';

/** Maximum size of the attribution in one audited touch, in bytes. */
const touchLimit = 1000;

/**
 * The origin and path of a page, at most 500 code points, without e-mail addresses and telephone numbers in the path.
 *
 * @returns undefined for an address of another scheme than http and https
 * @example `pageAddress('https://www.example.com/join?utm_source=fair#top')` → `'https://www.example.com/join'`
 */
export function pageAddress(url: string): string | undefined {
  const { origin = '', pathname = '' } = parseUrl(url) ?? {};
  return origin.startsWith('http') ? cleanValue(origin + pathname) : undefined;
}

/**
 * The rule that found the chosen touch; where the first and the last touch are two, also both, and which was chosen.
 *
 * @param touches - oldest first
 * @param touch - which one is chosen
 */
export function auditTouches(touches: readonly Touch[], touch: TouchRule): SignupAudit {
  const [first, last] = [chooseTouch(touches, 'first'), chooseTouch(touches, 'last')];
  const rule = (touch === 'first' ? first : last)?.rule;
  return {
    ...(rule && { touch_rule: rule }),
    ...(first && last && first.at !== last.at && { touch, first_touch: audited(first), last_touch: audited(last) }),
  };
}

function audited({ at, rule, attribution }: Touch): AuditedTouch {
  return { at: isoSeconds(at), ...(rule && { rule }), ...fitAttribution(attribution, touchLimit) };
}

/** A time in ISO 8601, such as `2026-01-05T00:00:00Z`. */
export function isoSeconds(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace(/\.\d+/, '');
}
