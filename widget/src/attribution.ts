/** The attribution of a signup: the page's visits, and with the visitor's consent those stored by earlier pages. */
import { chooseTouch, knownTouches, storedTouches, type Attribution } from '@newsletter-kit/core/signup';
import type * as Visits from './visits.ts';
import type * as Warnings from './warnings.ts';

/** The element's attributes for attribution. */
export interface AttributionHost extends HTMLElement {
  /** `first` or `last`. */
  readonly attribution: string;
  /** `local`, `session` or `none`. */
  readonly storage: string;
  readonly referralParam: string;
}

/** Functions of the element's own file, of which this one must not have a second copy. */
export type AttributionTools = Pick<typeof Visits, 'readVisits' | 'touchesKey' | 'updateStored'> &
  Pick<typeof Warnings, 'oneOf'>;

/** The attribution by the element's rule. With consent, touches are read from the store, and stored. */
export function readAttribution(
  host: AttributionHost,
  { oneOf, readVisits, touchesKey, updateStored }: AttributionTools,
): Attribution {
  const { referralParam: referralParameter } = host;
  const storage = oneOf(host, 'storage', host.storage, 'none', 'local', 'session');
  const rule = oneOf(host, 'attribution', host.attribution, 'first', 'last');
  const touchesWith = (stored = '') => knownTouches(stored, readVisits(), Date.now(), { referralParameter });
  let touches = touchesWith();
  updateStored(storage, touchesKey, (stored) => {
    touches = touchesWith(stored);
    return storedTouches(touches);
  });
  return chooseTouch(touches, rule)?.attribution ?? {};
}
