/** The attribution of a signup: the page's visits, and with the visitor's consent those stored by earlier pages. */
import { chooseTouch, knownTouches, type Attribution, type TimedVisit, type Touch } from '@newsletter-kit/core/signup';
import type * as Warnings from './warnings.ts';

/** The element's attributes for attribution. An element that is not registered has no properties. */
export interface AttributionHost extends HTMLElement {
  /** `first` or `last`. */
  readonly attribution?: string;
  /** `local`, `session` or `none`. */
  readonly storage?: string;
  readonly referralParam?: string;
}

/** Functions of the element's own file, of which this one must not have a second copy. */
export interface AttributionTools extends Pick<typeof Warnings, 'oneOf' | 'warn'> {
  /** The visits of this page until now. */
  readonly readVisits: () => readonly TimedVisit[];
  /** The known touches, which are stored as this element says; undefined without consent or `remember.js`. */
  readonly recall: (host: AttributionHost) => readonly Touch[] | undefined;
}

/** The attribution by the element's rule. */
export function readAttribution(host: AttributionHost, tools: AttributionTools): Attribution {
  const rule = tools.oneOf(host, 'attribution', host.attribution ?? 'first', 'first', 'last');
  return chooseTouch(tools.recall(host) ?? readTouches(host, tools), rule)?.attribution ?? {};
}

/**
 * The touches of the page's visits, read as the element's attributes say, after the stored ones.
 *
 * @param stored - the text of core's `storedTouches`; empty without consent
 */
export function readTouches(host: AttributionHost, { readVisits }: AttributionTools, stored = ''): readonly Touch[] {
  const referralParameter = host.referralParam ?? host.getAttribute('referral-param') ?? undefined;
  return knownTouches(stored, readVisits(), Date.now(), { referralParameter });
}
