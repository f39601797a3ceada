/**
 * Failures that pass by themselves: polls go on quietly, and an error execution tells of one that lasts.
 *
 * Since when it lasts is kept in the memory of this n8n process: n8n does not reliably save the static data of a poll
 * that returns nothing. A restart during an outage starts the count anew.
 */
import {
  ConfigurationError,
  ForeignAnswerError,
  InvalidAnswerError,
  NetworkError,
  RateLimitError,
  ServerError,
  TimeoutError,
} from '@newsletter-kit/core/engine';
import type { IPollFunctions } from 'n8n-workflow';
import { toNodeFailure } from '../transport/failure.ts';

/** Milliseconds that a failure may last before an error execution tells of it, and from one to the next. */
const patienceMs = 15 * 60_000;
const reminderMs = 60 * 60_000;

/** By trigger: when the failure began, and when to tell of it next, on a clock that nobody sets back. */
const outages = new Map<string, { readonly since: number; readonly next: number }>();

/**
 * Whether an error may pass by itself: no answer, or a busy or broken service.
 *
 * @param worked - whether the trigger has a state; then also an answer that is not the API's, a redirect and a
 *   certificate that is not accepted, which without one mean a wrong address in the credential
 */
export function isOutage(error: unknown, worked: boolean): boolean {
  if (error instanceof ForeignAnswerError) return worked || error.about === 'outage';
  const kinds = [NetworkError, TimeoutError, RateLimitError, ServerError];
  return [...kinds, ...(worked ? [InvalidAnswerError, ConfigurationError] : [])].some((kind) => error instanceof kind);
}

/** The trigger's name in the memory of this process. */
export function triggerKey(context: IPollFunctions): string {
  return `${context.getWorkflow().id}:${context.getNode().id}`;
}

/**
 * Notes a poll that failed. It does not throw: n8n gives up a trigger whose first poll after a start throws, and never
 * tries it again.
 */
export function noteOutage(context: IPollFunctions, error: unknown): void {
  const key = triggerKey(context);
  const now = performance.now();
  const { since, next } = outages.get(key) ?? { since: now, next: now + patienceMs };
  const failure = toNodeFailure(context.getNode(), error);
  const minutes = Math.round((now - since) / 60_000);
  context.logger.warn(
    `Newsletter Trigger: ${failure.message}. The next poll tries again, and reports what happens meanwhile.`,
  );
  if (now < next) {
    outages.set(key, { since, next });
    return;
  }
  outages.set(key, { since, next: now + reminderMs });
  failure.description =
    `${failure.description ?? ''} This has lasted for ${minutes} minutes. The trigger goes on polling, and reports what happens meanwhile once the service answers.`.trim();
  context.__emitError(failure);
}

/** Notes a poll that succeeded. */
export function endOutage(context: IPollFunctions): void {
  outages.delete(triggerKey(context));
}
