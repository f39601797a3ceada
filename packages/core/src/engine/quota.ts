/**
 * What is known of a quota, and when the next request may go. Pure state: times come in as milliseconds, none is asked
 * for.
 *
 * Headers tell everything. Without them a 429 is all there is to learn from, and it tells a lot: so many requests
 * passed before it. Whether they passed a *window* (a count that begins anew each minute) or a *bucket* (that refills
 * all the time) shows a moment later: a bucket lets one request through again, a window none before its end.
 */
import type { HostAnswer } from './host.ts';
import { retryAfterMs, toldQuota } from './limits.ts';
import { learning } from './quota/learning.ts';
import type { Model, Sent } from './quota/model.ts';
import { telling } from './quota/told.ts';

/** The quota as the pacer uses it. */
export interface Quota {
  /**
   * The earliest moment for one more request, by the host's clock; in the past for at once, Infinity for not before an
   * answer.
   *
   * @param mayProbe - whether this request may find out that the quota has grown, at the price of a 429
   */
  nextAt(now: number, inFlight: number, mayProbe: boolean): number;
  /** Until when a 429 asks everyone to wait; in the past where none does. */
  readonly pausedUntil: number;
  sent(now: number): Sent;
  /**
   * @param now - by the clock that is never set
   * @param wallMs - the time of day, in milliseconds since the Unix epoch: headers may hold dates
   * @returns true where the answer was a 429 that says something new: not one of several that were refused together
   */
  answered(sent: Sent, answer: Pick<HostAnswer, 'status' | 'headers'>, now: number, wallMs: number): boolean;
}

/** Pause after a 429 that says nothing, where nothing passed before it either; doubles with each, in milliseconds. */
const blindPauseMs = { first: 1000, longest: 30_000 };

/** So many answers in a row without headers, and there are none any more; a few come from a proxy, or from a fault. */
const longSilence = 20;

/** Longest pause that is believed, in milliseconds: a wrong header must not stop everything for a year. */
const longestPauseMs = 3_600_000;

export function createQuota(): Quota {
  let model: Model = learning();
  let told: ReturnType<typeof telling> | null = null;
  let silent = 0;
  let pausedUntil = 0;
  let lastRefusal = Number.NEGATIVE_INFINITY;
  let refusalsInARow = 0;

  return {
    get pausedUntil() {
      return pausedUntil;
    },
    nextAt(now, inFlight, mayProbe) {
      if (pausedUntil > now) return pausedUntil;
      // After a 429 one request feels the way before the others follow.
      if (refusalsInARow > 0 && inFlight > 0) return Number.POSITIVE_INFINITY;
      return (told ?? model).nextAt(now, inFlight, mayProbe);
    },
    sent(now) {
      (told ?? model).sent(now);
      return { at: now };
    },
    answered(sent, answer, now, wallMs) {
      const quota = toldQuota(answer.headers, wallMs);
      silent = quota ? 0 : silent + 1;
      if (quota) (told ??= telling()).heard(quota, now + Math.min(quota.resetInMs, longestPauseMs));
      else if (told && silent >= longSilence) {
        told = null;
        model = learning();
      }
      if (answer.status !== 429) {
        if (sent.at > lastRefusal) refusalsInARow = 0;
        model.passed(sent, now);
        return false;
      }
      if (sent.at <= lastRefusal) return false;
      lastRefusal = now;
      refusalsInARow += 1;
      const wish = retryAfterMs(answer, wallMs);
      const asked = wish === undefined ? undefined : Math.min(wish, longestPauseMs);
      if (!told) model = model.refused(sent, now, asked);
      const blind = asked === undefined || asked === 0;
      const pauseMs = blind ? Math.min(blindPauseMs.longest, blindPauseMs.first * 2 ** (refusalsInARow - 1)) : asked;
      // A model that knows better than a blind pause says so by itself.
      if (!blind || told || model.nextAt(now, 0, false) <= now) pausedUntil = Math.max(pausedUntil, now + pauseMs);
      return true;
    },
  };
}
