/** A quota that is counted anew in each window. */
import { bucket } from './bucket.ts';
import { shortWaitMs, type Model } from './model.ts';
import { probing } from './probing.ts';
import { spread, spreadOver } from './spread.ts';

/** Longest wait for the first answer of a window before others follow, in milliseconds. */
const openingMs = 2_000;

/** Requests that must have passed beyond the limit for one more at a time. */
const probeStep = 10;

/** So many requests in each window; a window begins with its first request. */
export function windows({
  limit,
  begun,
  lengthMs,
  closed,
}: {
  limit: number;
  begun: number;
  lengthMs: number;
  closed: boolean;
}): Model {
  let used = limit;
  let passed = limit;
  let lastSentAt = begun;
  /** Requests sent from here on belong to this window. */
  let openedAt = begun;
  let firstAnswered = true;
  let refusedAtStart = 0;
  /** Where the last window began that was used up; null where it was not. */
  let lastFull: number | null = begun;
  const probe = probing();
  const endsAt = (): number => begun + lengthMs;

  return {
    nextAt(now, inFlight, mayProbe) {
      if (now >= endsAt()) return now;
      if (closed) return endsAt();
      // Requests overtake each other: sent all at once, some would arrive before the end of the window before.
      if (!firstAnswered && inFlight > 0) return begun + openingMs;
      if (used < limit) return spread({ free: limit - used, limit, lastSentAt, endsAt: begun + lengthMs * spreadOver });
      // Only as many of those that may be refused are under way as have passed before them.
      if (probe.due && mayProbe) return inFlight <= (used - limit) / probeStep ? now : Number.POSITIVE_INFINITY;
      return endsAt();
    },
    sent(now) {
      if (now >= endsAt()) {
        if (refusedAtStart === 0) lastFull = used >= limit ? begun : null;
        if (!closed && used >= limit) {
          limit = Math.max(limit, passed);
          probe.clean();
        }
        begun = now;
        openedAt = now;
        firstAnswered = false;
        closed = false;
        used = 0;
        passed = 0;
      }
      used += 1;
      lastSentAt = now;
    },
    passed(sent, now) {
      if (sent.at < openedAt) return;
      passed += 1;
      // The service cannot have begun to count later than this; sooner would mean that our windows begin too early.
      if (!firstAnswered) begun = Math.max(begun, now);
      firstAnswered = true;
      refusedAtStart = 0;
      // A window that was closed by a 429 counts what is still coming in.
      if (closed) limit = Math.max(1, passed);
    },
    refused(sent, now, asked) {
      if (sent.at < openedAt) return this;
      if (passed === 0) {
        // The window before has not ended yet: it is longer than was thought, or somebody else uses this one.
        refusedAtStart += 1;
        if (asked && lastFull !== null) lengthMs = wholeSeconds(now + asked - lastFull);
        // A quarter of a window, then half, then all of it: few attempts, since each is one of some call's retries.
        begun = now - lengthMs + (asked || (lengthMs / 4) * Math.min(4, 2 ** (refusedAtStart - 1)));
        closed = true;
        return this;
      }
      if (asked !== undefined && asked < shortWaitMs && passed <= limit / 4 && now - begun < lengthMs / 2) {
        return bucket({ ratePerMs: limit / lengthMs, emptyAt: now });
      }
      if (asked) lengthMs = wholeSeconds(now + asked - begun);
      probe.refused(passed / limit);
      limit = passed;
      closed = true;
      return this;
    },
  };
}

/** Windows last whole seconds; what is measured includes the way of the answers. */
function wholeSeconds(ms: number): number {
  return Math.max(1, Math.round(ms / 1000)) * 1000;
}
