/** Brings many signups to the API with a few calls: one bulk creation, then a look at who has arrived. */
import type { Client, SubscriptionRequest } from '@newsletter-kit/core';
import { addressKey } from '@newsletter-kit/core/signup';
import type { Form } from '../admission/form.ts';
import type { ClaimedSignup } from '../store/signup-store.ts';
import { toSubscriptionRequest } from './subscription-request.ts';

/** When delivery turns to bulk, and how it makes sure. */
export interface BulkOptions {
  /** Signups that must be due before they go in bulk. */
  readonly above: number;
  /**
   * Milliseconds from a bulk creation until a look at who has arrived; after the second one who has not goes alone.
   * Default 30,000.
   */
  readonly lookAfterMs?: number | undefined;
}

/** Signups that go out together. */
export interface Batch {
  readonly publicationId: string;
  readonly signups: readonly ClaimedSignup[];
  readonly subscriptions: SubscriptionRequest[];
}

/** Most of one call; the specification names no bound for it, that of the bulk update is kept to. */
export const largestBatch = 1000;

/** Smaller than the body a web server in its default settings takes (1 MB). */
const batchBytes = 1_000_000;

/** The API's clock may be behind ours by this much, in milliseconds. */
const skewMs = 5 * 60_000;

/**
 * What of the claimed signups goes together: those of one publication that were never tried, since a bulk creation
 * tells nothing about each. Whoever it fails for goes alone the next time, and gets the API's own words.
 *
 * @returns null where that is fewer than `least`, and one call could hold more
 */
export function toBatch(
  claimed: readonly ClaimedSignup[],
  forms: Readonly<Record<string, Form>>,
  least: number,
): Batch | null {
  const publicationId = claimed.map(({ form }) => forms[form]?.publicationId).find((id) => id !== undefined);
  const signups: ClaimedSignup[] = [];
  const subscriptions: SubscriptionRequest[] = [];
  let bytes = 0;
  let isFull = false;
  for (const signup of claimed) {
    const form = forms[signup.form];
    if (publicationId === undefined || form?.publicationId !== publicationId || signup.attempts > 0) continue;
    const request = toSubscriptionRequest(signup.submission, form.pinned);
    bytes += Buffer.byteLength(JSON.stringify(request)) + 1;
    isFull = bytes > batchBytes || signups.length === largestBatch;
    if (isFull) break;
    signups.push(signup);
    subscriptions.push(request);
  }
  return publicationId === undefined || (signups.length < least && !isFull)
    ? null
    : { publicationId, signups, subscriptions };
}

/**
 * Which of a batch the API has, as its list of the newest shows. Who was subscribed before is not among the newest, and
 * is not found.
 *
 * @param sentAt - when the batch was sent, in milliseconds since the Unix epoch
 */
export async function arrived(
  client: Client,
  batch: Batch,
  sentAt: number,
  signal: AbortSignal,
): Promise<ClaimedSignup[]> {
  const missing = new Map(batch.signups.map((signup) => [addressKey(signup.submission.email), signup] as const));
  const found: ClaimedSignup[] = [];
  const newest = client.subscriptions.list(
    { publicationId: batch.publicationId, order_by: 'created', direction: 'desc', limit: 100 },
    { signal },
  );
  for await (const { email, created } of newest) {
    if (created * 1000 < sentAt - skewMs) break;
    const key = addressKey(email);
    const signup = missing.get(key);
    if (!signup) continue;
    missing.delete(key);
    found.push(signup);
    if (missing.size === 0) break;
  }
  return found;
}
