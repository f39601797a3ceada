/** Composes a bulk creation: one call for up to a thousand signups. */
import type { SubscriptionRequest } from '@newsletter-kit/core';
import type { Form } from '../admission/form.ts';
import type { ClaimedSignup } from '../store/signup-store.ts';
import { toSubscriptionRequest } from './subscription-request.ts';

/** When delivery turns to bulk creation, and when it looks what has arrived. */
export interface BulkOptions {
  /** Signups never attempted from which on they go in bulk. */
  readonly above: number;
  /** Milliseconds the API gets to carry out a bulk creation before its list is read. Default 30,000. */
  readonly lookAfterMs?: number | undefined;
}

/** Most of one call; the specification names no bound for it, that of the bulk update is kept to. */
export const largestBatch = 1000;

/** With fewer signups a bulk creation costs more calls than it saves: one to create, one to read the list. */
export const smallestBatch = 10;

/** Smaller than the body a web server in its default settings takes (1 MB). */
const batchBytes = 1_000_000;

/** The requests of a bulk creation that fit into one body, in the order of the signups. */
export class BatchBody {
  readonly subscriptions: SubscriptionRequest[] = [];
  #bytes = 0;

  /** Adds a signup. @returns false where the body is full */
  add(signup: ClaimedSignup, form: Form): boolean {
    const request = toSubscriptionRequest(signup, form);
    const bytes = Buffer.byteLength(JSON.stringify(request)) + 1;
    if (this.subscriptions.length === largestBatch || this.#bytes + bytes > batchBytes) return false;
    this.#bytes += bytes;
    this.subscriptions.push(request);
    return true;
  }
}
