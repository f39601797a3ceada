/** How much the trigger reads at a time, how long it may take, and how much it may keep. */
import { CapacityError } from '@newsletter-kit/core/watch';
import { BadRequestError, type Engine } from '@newsletter-kit/core/engine';
import type { IPollFunctions } from 'n8n-workflow';
import type { EventDefinition } from './events.ts';

/** Requests a poll makes at most, unless the person says otherwise. */
export const requestsAPoll = 20;

/**
 * Requests of a poll that is still reading the whole list for the first time. The service allows an organization 180 a
 * minute; the rest is left to other workflows.
 */
export const requestsALearningPoll = 100;

/**
 * Subscriptions a trigger may keep, some 10 bytes each, or 15 with custom fields. n8n loads and saves what is kept
 * whole, with the workflow, at every execution.
 */
export const capacity = 250_000;

/** The shortest time between two polls is a minute: one is over before the next begins. */
const longest = 45_000;

/**
 * The poll that activates a workflow has no other behind it. n8n 2 gives up an activation after 84 seconds (70 % of
 * `N8N_WORKFLOW_PUBLICATION_OUTBOX_LEASE_SECONDS`), and tells the poll nothing of it.
 */
const longestActivation = 50_000;
const longestRequest = 22_500;

/** The time of one poll. */
export interface Time {
  /** Whether there is time for one more request. */
  has(): boolean;
  /** Milliseconds one request may take, every wait included. */
  readonly ofRequest: number;
}

type Context = Partial<Pick<IPollFunctions, 'getPollBudgetMs'>>;

/**
 * n8n abandons a poll that takes too long, and with it what was found: the last request begins while a third of the
 * time is left.
 *
 * @param first - whether nothing is kept yet
 */
export function timeOf(context: Context, first = false): Time {
  const budget = context.getPollBudgetMs?.() ?? Number.POSITIVE_INFINITY;
  const whole = Math.min(budget * (2 / 3), first && !isScheduled(context) ? longestActivation : longest);
  const end = Date.now() + whole;
  return { has: () => Date.now() < end, ofRequest: Math.min(whole / 2, longestRequest) };
}

/**
 * Whether n8n's durable scheduler runs this poll: it gives a poll less than a minute, where an activation and the
 * scheduler in memory give five. It begins every poll with what is in the database.
 */
export function isScheduled(context: Context): boolean {
  return (context.getPollBudgetMs?.() ?? Number.POSITIVE_INFINITY) < 300_000;
}

/**
 * Asks the service how many subscriptions there are, before any is read.
 *
 * @throws CapacityError where they are too many
 */
export async function checkSize(
  engine: Pick<Engine, 'list'>,
  { looks }: Pick<EventDefinition, 'looks'>,
  most = capacity,
): Promise<void> {
  if (looks === 'newest') return;
  const query = { ...(looks === 'inactive' && { status: looks }), page: 1, limit: 1 };
  const size = await engine.list('subscriptions.list', query).then(
    ({ totalResults }) => totalResults,
    // Pages by number are deprecated: without them, the limit is met while reading.
    (error: unknown) => (error instanceof BadRequestError ? null : Promise.reject(error)),
  );
  if (size !== null && size > most) throw new CapacityError(most, size);
}
