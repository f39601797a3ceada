/** The attribution of a signup: the page's visits, and with the visitor's consent those stored by earlier pages. */
import { chooseTouch, readTouches, type TimedVisit, type Touch, type VisitOptions } from '@newsletter-kit/core/signup';
import type * as Chunks from './chunks.ts';
import type { RuleTools } from './rules.ts';

/** The element's attributes for attribution. An element that is not registered has no properties. */
export interface AttributionHost extends HTMLElement {
  /** `first` or `last`. */
  readonly attribution?: string;
  /** `local`, `session` or `none`. */
  readonly storage?: string;
  readonly referralParam?: string;
}

/** Functions of the element's own file, of which this one must not have a second copy. */
export interface AttributionTools extends Pick<typeof Chunks, 'loadChunk'>, RuleTools {
  readonly hasConsent: () => boolean;
  /** The visits of this page until now. */
  readonly readVisits: () => readonly TimedVisit[];
  /** The known touches, which are stored as this element says; undefined without consent or `remember.js`. */
  readonly recall: (host: AttributionHost) => Promise<readonly Touch[]> | undefined;
}

/**
 * How the element says that visits are read. The rules that few pages need are in a file, which is loaded when the
 * focus enters the form. A signup waits for it for at most a second; without it, visits are read by the usual rules.
 */
export async function readOptions(host: AttributionHost, tools: AttributionTools): Promise<VisitOptions> {
  const referralParameter = host.referralParam ?? host.getAttribute('referral-param') ?? undefined;
  if (!host.matches('[ref-is],[same-site],[click-ids],[referrer-medium]')) return { referralParameter };
  const rules = tools.loadChunk('rules.js', import('./rules.ts')).then(
    (file) => file.readRules(host, tools),
    (error: unknown) => {
      tools.warn(host, 'file', String(error));
      return undefined;
    },
  );
  const late = new Promise<undefined>((resolve) => setTimeout(resolve, 1000));
  return { referralParameter, ...(await Promise.race([rules, late])) };
}

/** The touch that the element's rule chooses. */
export async function readTouch(host: AttributionHost, tools: AttributionTools): Promise<Touch | undefined> {
  const rule = tools.oneOf(host, 'attribution', host.attribution ?? 'first', 'first', 'last');
  const stored = await tools.recall(host);
  if (stored) return chooseTouch(stored, rule);
  const options = await readOptions(host, tools);
  return chooseTouch(readTouches(tools.readVisits(), options), rule);
}
