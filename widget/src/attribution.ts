/** The attribution of a signup: the page's visits, and with the visitor's consent those stored by earlier pages. */
import {
  auditTouches,
  chooseTouch,
  readTouches,
  type SignupAudit,
  type TimedVisit,
  type Touch,
  type VisitOptions,
} from '@newsletter-kit/core/signup';
import type * as Chunks from './chunks.ts';
import type * as Warnings from './warnings.ts';

/** The element with its attributes for attribution. One that is not registered has no properties. */
export type AttributionHost = HTMLElement & Partial<Record<'attribution' | 'storage' | 'referralParam', string>>;

/** Functions of the element's own file, of which a file that is loaded later must not have a second copy. */
export interface PageTools extends Pick<typeof Chunks, 'loadPart'>, Pick<typeof Warnings, 'oneOf' | 'warn'> {
  /** The visits of this page until now. */
  readonly readVisits: () => readonly TimedVisit[];
  /** Whether the visitor consents to storing. */
  readonly hasConsent: () => boolean;
  /** The known touches, which are stored as this element says; undefined without consent or `remember.js`. */
  readonly recall: (host: AttributionHost) => Promise<readonly Touch[]> | undefined;
}

/**
 * How the element says that visits are read. The rules that few pages need are in a file of their own, which is loaded
 * when the focus enters the form. A signup waits for it for at most a second; without it, the usual rules apply.
 */
export async function readOptions(host: AttributionHost, tools: PageTools): Promise<VisitOptions> {
  const referralParameter = host.referralParam ?? host.getAttribute('referral-param') ?? undefined;
  // Fields take a parameter each; the script of a page without a form names those that it keeps.
  const details = [host, ...host.querySelectorAll('[from],[data-from]')]
    .map((element) => element.getAttribute('from') ?? element.getAttribute('data-from'))
    .join(' ')
    .split(' ');
  const usual = { referralParameter, details };
  if (!host.matches('[ref-is],[same-site],[click-ids],[referrer-medium]')) return usual;
  const rules = tools.loadPart(host, 'rules.js', import('./rules.ts')).then((file) => file?.readRules(host, tools));
  const late = new Promise<undefined>((resolve) => setTimeout(resolve, 1000));
  return { ...usual, ...(await Promise.race([rules, late])) };
}

/** The touch that the element's rule chooses, and the audit of the choice. */
export async function readTouch(
  host: AttributionHost,
  tools: PageTools,
): Promise<{ readonly touch: Touch | undefined; readonly audit: SignupAudit }> {
  const rule = tools.oneOf(host, 'attribution', host.attribution ?? 'first', 'none', 'first', 'last');
  if (rule === 'none') return { touch: undefined, audit: {} };
  const touches = (await tools.recall(host)) ?? readTouches(tools.readVisits(), await readOptions(host, tools));
  return { touch: chooseTouch(touches, rule), audit: auditTouches(touches, rule) };
}
