import {
  knownTouches,
  storedTouches,
  type TimedVisit,
  type Touch,
  type VisitOptions,
} from '../../../src/signup/index.ts';
import type { Step } from './types.ts';

export const site = 'https://example.com';
const minute = 60_000;

export interface WalkOptions extends VisitOptions {
  /** Whether the banner asks for consent anew on each page, and repeats no answer. */
  readonly asksAnew?: boolean;
  /** Whether the page has a store. Default true. */
  readonly remembers?: boolean;
}

/** Walks a history as a page does: visits in memory, and a store that is read and written only after the grant. */
export function walk(
  steps: readonly Step[],
  { asksAnew = false, remembers = true, ...options }: WalkOptions = {},
): { readonly touches: readonly Touch[]; readonly stored: string } {
  let now = Date.UTC(2026, 0, 1);
  let stored = '';
  let isGranted = false;
  let visits: TimedVisit[] = [];
  const touches = (): readonly Touch[] => knownTouches(isGranted ? stored : '', visits, now, options);
  for (const step of steps) {
    now += 1000;
    if (step === 'grant') isGranted = true;
    else if (step === 'refuse') [isGranted, stored] = [false, ''];
    else if (step === 'back' || step === 'reload') continue;
    else if ('minutes' in step) now += step.minutes * minute;
    else if ('days' in step) now += step.days * 1440 * minute;
    else if ('load' in step) {
      visits = [{ url: site + step.load, referrer: step.from ?? '', at: now }];
      isGranted &&= !asksAnew;
    } else if (visits.every(({ url }) => url !== site + step.push))
      visits.push({ url: site + step.push, referrer: '', at: now });
    if (isGranted && remembers) stored = storedTouches(touches());
  }
  return { touches: touches(), stored };
}
