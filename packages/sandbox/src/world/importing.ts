/** Importing: many SubscriptionRequests at once, each on its own. */
import { subscriptionRequest } from '@newsletter-kit/core/schema';
import * as z from 'zod';
import type { PublicationRow } from '../store/workspace.ts';
import type { Outcome } from './jobs.ts';
import { Refusal } from './refusal.ts';
import { subscribe } from './subscribing.ts';
import type { Note, World } from './world.ts';

const params = z.object({ subscriptions: z.array(subscriptionRequest) });

/** Subscribes each in turn; one that names what the publication does not have is left out. */
export function importSubscriptions(world: World, publication: PublicationRow, given: unknown, note: Note): Outcome {
  const { subscriptions } = params.parse(given);
  const errors: string[] = [];
  let failed = 0;
  for (const [index, request] of subscriptions.entries()) {
    try {
      const { warnings } = subscribe(world, publication, request, note, 'import');
      for (const { message } of warnings) errors.push(`subscriptions[${index}]: ${message}`);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      failed += 1;
      errors.push(`subscriptions[${index}]: ${error.message}`);
    }
  }
  return { items: subscriptions.length, failed, errors };
}
