/** Limits of a poll: requests, time, and the number of subscriptions to keep. */
import type { IPollFunctions } from 'n8n-workflow';

/** Default of the most requests in a poll. */
export const requestsPerPoll = 20;

/**
 * Most requests of a poll during the first scan of the list. The service allows an organization 180 a minute; the rest
 * is left to other workflows.
 */
export const requestsPerFirstScanPoll = 100;

/**
 * Subscriptions a trigger may keep, some 10 bytes each, or 15 with custom fields. n8n loads and saves what is kept
 * whole, with the workflow, at every execution.
 */
export const capacity = 250_000;

/** Most milliseconds of a poll: n8n's shortest interval is a minute, and polls must not overlap. */
const maxPollMs = 45_000;

/**
 * Most milliseconds of the poll that activates a workflow. n8n 2 abandons an activation after 84 seconds (70 % of
 * `N8N_WORKFLOW_PUBLICATION_OUTBOX_LEASE_SECONDS`), and does not report that limit to the poll.
 */
const maxActivationMs = 50_000;
const maxRequestMs = 22_500;

/** The time budget of one poll. */
interface TimeBudget {
  /** Whether there is time for one more request. */
  hasTime(): boolean;
  /** Milliseconds one request may take, every wait included. */
  readonly requestMs: number;
}

/**
 * Keeps a third of n8n's time for the last request: n8n abandons a poll that takes longer, and its results.
 *
 * @param first - whether the trigger has no state yet
 */
export function timeBudget(context: Partial<Pick<IPollFunctions, 'getPollBudgetMs'>>, first: boolean): TimeBudget {
  const budget = context.getPollBudgetMs?.() ?? Number.POSITIVE_INFINITY;
  const whole = Math.min(budget * (2 / 3), first ? maxActivationMs : maxPollMs);
  const end = Date.now() + whole;
  return { hasTime: () => Date.now() < end, requestMs: Math.min(whole / 2, maxRequestMs) };
}
