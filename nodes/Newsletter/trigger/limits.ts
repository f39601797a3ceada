/** How much the trigger reads at a time, how long it may take, and how much it may keep. */
import type { IPollFunctions } from 'n8n-workflow';

/** Requests a poll makes at most, unless the person says otherwise. */
export const requestsAPoll = 20;

/**
 * Subscriptions a trigger may keep, some 15 bytes each. n8n loads and saves what is kept whole, with the workflow, at
 * every execution.
 */
export const capacity = 50_000;

/** The shortest time between two polls is a minute: one is over before the next begins. */
const longest = 45_000;

/** The time of one poll. */
export interface Time {
  /** Whether there is time for one more request. */
  has(): boolean;
  /** Milliseconds one request may take, every wait included. */
  readonly ofRequest: number;
}

/**
 * n8n abandons a poll that takes too long, and with it what was found: the last request begins while a third of the
 * time is left.
 */
export function timeOf(context: Partial<Pick<IPollFunctions, 'getPollBudgetMs'>>): Time {
  const whole = Math.min((context.getPollBudgetMs?.() ?? Number.POSITIVE_INFINITY) * (2 / 3), longest);
  const end = Date.now() + whole;
  return { has: () => Date.now() < end, ofRequest: whole / 2 };
}
