/**
 * Failures of polls: one that passes by itself is told where it lasts, and a refusal at once; both then once an hour.
 * While the service asks for a pause, it gets no request.
 *
 * Since when a failure lasts is kept in the memory of this n8n process: n8n does not reliably save the static data of a
 * poll that returns nothing. A restart during an outage starts the count anew.
 */
import { ApiError, ForeignAnswerError } from '@newsletter-kit/core/engine';
import type { IPollFunctions } from 'n8n-workflow';
import { type NodeFailure, toNodeFailure } from '../transport/failure.ts';

/** Milliseconds that an outage may last before an error execution tells of it, and from one to the next. */
const patienceMs = 15 * 60_000;
const reminderMs = 60 * 60_000;

/** Most milliseconds without a request, however long a pause the service asks for. */
const maxPauseMs = 60 * 60_000;

/** All on a clock that nobody sets back. */
interface Outage {
  /** When it began. */
  readonly since: number;
  /** When to tell of it next. */
  readonly next: number;
  readonly error: unknown;
  /** Until when the service asks for no request. */
  readonly pausedUntil: number;
}

/** By trigger. */
const outages = new Map<string, Outage>();

/** By trigger: when a refusal may be told again. A success in between does not change it: a service may waver. */
const refusals = new Map<string, number>();

/** The trigger's name in the memory of this process. */
export function triggerKey(context: IPollFunctions): string {
  return `${context.getWorkflow().id}:${context.getNode().id}`;
}

/** The error of the last poll while the service asks for a pause; else undefined. */
export function pauseOf(context: IPollFunctions): unknown {
  const outage = outages.get(triggerKey(context));
  return outage && performance.now() < outage.pausedUntil ? outage.error : undefined;
}

/**
 * Notes a poll that failed. It does not throw: n8n gives up a trigger whose first poll after a start throws, and never
 * tries it again.
 */
export function noteOutage(context: IPollFunctions, error: unknown): void {
  const key = triggerKey(context);
  const now = performance.now();
  const known = outages.get(key);
  const { since, next } = known ?? { since: now, next: now + patienceMs };
  const pausedUntil =
    known && known.error === error ? known.pausedUntil : now + Math.min(pauseAfter(error), maxPauseMs);
  const failure = toNodeFailure(context.getNode(), error);
  const minutes = Math.round((now - since) / 60_000);
  context.logger.warn(
    `Newsletter Trigger: ${failure.message}. The next poll tries again, and reports what happens meanwhile.`,
  );
  const isDue = now >= next;
  outages.set(key, { since, next: isDue ? now + reminderMs : next, error, pausedUntil });
  if (!isDue) return;
  failure.description =
    `${failure.description ?? ''} This has lasted for ${minutes} minutes. The trigger goes on polling, and reports what happens meanwhile once the service answers.`.trim();
  context.__emitError(failure);
}

/** Milliseconds of `Retry-After`; 0 without one. */
function pauseAfter(error: unknown): number {
  return (error instanceof ApiError || error instanceof ForeignAnswerError ? error.retryAfterMs : undefined) ?? 0;
}

/** Tells of a refusal, unless it was told within the last hour; what n8n's log says of it stays. */
export function noteRefusal(context: IPollFunctions, failure: NodeFailure): void {
  const key = triggerKey(context);
  const now = performance.now();
  context.logger.warn(`Newsletter Trigger: ${failure.message}`);
  if (now < (refusals.get(key) ?? 0)) return;
  refusals.set(key, now + reminderMs);
  context.__emitError(failure);
}

/** Notes a poll that succeeded. */
export function endOutage(context: IPollFunctions): void {
  outages.delete(triggerKey(context));
}
