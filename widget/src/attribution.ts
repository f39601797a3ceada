/** The attribution of a signup: the page's visits, and with the visitor's consent those stored by earlier pages. */
import {
  auditTouches,
  chooseTouch,
  knownTouches,
  storedTouches,
  type SignupAudit,
  type Touch,
  type VisitOptions,
} from '@newsletter-kit/core/signup';
import type * as Chunks from './chunks.ts';
import type { RuleTools } from './rules.ts';
import type * as Visits from './visits.ts';

/** The element's attributes for attribution. */
export interface AttributionHost extends HTMLElement {
  /** `first` or `last`. */
  readonly attribution: string;
  /** `local`, `session` or `none`. */
  readonly storage: string;
  readonly referralParam: string;
}

/** Functions of the element's own file, of which this one must not have a second copy. */
export type AttributionTools = Pick<typeof Chunks, 'loadChunk'> &
  Pick<typeof Visits, 'readVisits' | 'touchesKey' | 'updateStored'> &
  RuleTools;

/**
 * The rules that few pages need. A signup waits for their file, which is loaded when the focus enters the form, for at
 * most a second; without it, its visits are read by the usual rules.
 */
async function readRules(host: Element, tools: AttributionTools): Promise<VisitOptions | undefined> {
  if (!host.matches('[ref-is],[same-site],[click-ids],[referrer-medium]')) return undefined;
  const rules = tools.loadChunk('rules.js', import('./rules.ts')).then(
    (file) => file.readRules(host, tools),
    (error: unknown) => {
      tools.warn(host, 'file', String(error));
      return undefined;
    },
  );
  return Promise.race([rules, new Promise<undefined>((resolve) => setTimeout(resolve, 1000))]);
}

/** The touch that the element's rule chooses, and the audit of the choice. */
interface ChosenTouch {
  readonly touch: Touch | undefined;
  readonly audit: SignupAudit;
}

/** Chooses the touch by the element's rule. With consent, touches are read from the store, and stored. */
export async function readTouch(host: AttributionHost, tools: AttributionTools): Promise<ChosenTouch> {
  const { oneOf, readVisits, touchesKey, updateStored } = tools;
  const options = { referralParameter: host.referralParam, ...(await readRules(host, tools)) };
  const storage = oneOf(host, 'storage', host.storage, 'none', 'local', 'session');
  const rule = oneOf(host, 'attribution', host.attribution, 'first', 'last');
  const touchesWith = (stored = '') => knownTouches(stored, readVisits(), Date.now(), options);
  let touches = touchesWith();
  updateStored(storage, touchesKey, (stored) => {
    touches = touchesWith(stored);
    return storedTouches(touches);
  });
  return { touch: chooseTouch(touches, rule), audit: auditTouches(touches, rule) };
}
