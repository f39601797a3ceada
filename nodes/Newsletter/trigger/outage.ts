/**
 * Failures that pass by themselves: polls go on quietly, and an error execution tells of one that lasts.
 *
 * Since when it lasts is kept in the memory of this n8n process: n8n does not reliably save the static data of a poll
 * that returns nothing. A restart during an outage starts the count anew.
 */
import type { IPollFunctions } from 'n8n-workflow';
import { toNodeFailure } from '../transport/failure.ts';

/** Milliseconds that a failure may last before an error execution tells of it, and from one to the next. */
const patienceMs = 15 * 60_000;
const reminderMs = 60 * 60_000;

/** By trigger: when the failure began, and when to tell of it next, on a clock that nobody sets back. */
const outages = new Map<string, { readonly since: number; readonly next: number }>();

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
