/** What a page sends beside a signup so that its attribution can be audited: its address, and the touches. */
import { cleanValue } from './attribution-values.ts';
import { chooseTouch, fitAttribution, type Touch, type TouchRule } from './attribution.ts';
import { parseUrl, type AuditedTouch, type SignupAudit } from './submission.ts';

/** Maximum size of the attribution in one audited touch, in bytes. */
const touchLimit = 1000;

/**
 * The origin and path of a page, at most 2000 code points, without e-mail addresses in the path.
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
  return {
    touch_rule: (touch === 'first' ? first : last)?.rule,
    ...(first?.at !== last?.at && { touch, first_touch: audited(first), last_touch: audited(last) }),
  };
}

function audited(touch: Touch | undefined): AuditedTouch | undefined {
  if (!touch) return undefined;
  const { at, rule, attribution } = touch;
  return { at: new Date(at).toISOString(), rule, ...fitAttribution(attribution, touchLimit) };
}
