/** What every idea of a quota can say, and what all of them go by. */

/** A request that was sent. */
export interface Sent {
  readonly at: number;
}

/** One idea of the quota. */
export interface Model {
  /** The earliest moment for one more request; Infinity where only an answer under way can tell. */
  nextAt(now: number, inFlight: number, mayProbe: boolean): number;
  sent(now: number): void;
  passed(sent: Sent, now: number): void;
  /** A 429. @returns the model to go on with */
  refused(sent: Sent, now: number, askedMs: number | undefined): Model;
}

/** The length that quotas are told in: requests *a minute*. Another length shows in what the service asks to wait. */
export const usualWindowMs = 60_000;

/** A service that asks for less is no window that has just begun: it names the time in which a bucket refills. */
export const shortWaitMs = 5_000;
