/** A webhook message as its destination receives it: the body, and the headers with the signatures. Pure. */
import { attributionFields } from '@newsletter-kit/core/signup';
import { Webhook } from 'standardwebhooks';
import type { WebhookType } from '../config/webhook-type.ts';
import type { WebhookMessage } from '../store/webhook-queue.ts';

/** Body of a webhook, as JSON. Fields that the visitor sent have the names of the API's request. */
export interface WebhookBody {
  readonly type: WebhookType | 'webhook.test';
  /** When it happened, in ISO 8601; the header has the time of the attempt. */
  readonly timestamp: string;
  readonly data: WebhookData;
}

/** What a webhook says about a signup. */
export interface WebhookData {
  /** Id of the signup; the same in every message about it. */
  readonly signup: string;
  /** Name of the form. */
  readonly form: string;
  /** Null if the form is no longer configured. */
  readonly publication_id: string | null;
  /** Null once the signup is erased here. */
  readonly email: string | null;
  /** When the signup was received, in ISO 8601; null once it is erased here. */
  readonly received_at: string | null;
  /**
   * Status of the subscription: `active`, or another word of the API as it came; null if it is unknown. Only in
   * `signup.delivered` and `signup.status`.
   */
  readonly status?: string | null | undefined;
  /** Why it was refused; only in `signup.refused`. */
  readonly reason?: string | undefined;
  /** `utm_source`, `custom_fields` and other values that the visitor sent. */
  readonly [field: string]: unknown;
}

/** @param publicationId - of the form; null if the form is no longer configured */
export function webhookBody(
  { type, signup, form, at, reason, submission, receivedAt, status }: WebhookMessage,
  publicationId: string | null,
): WebhookBody {
  const sent = Object.entries(submission ?? {}).filter(
    ([name]) => name === 'custom_fields' || attributionFields.some((field) => field === name),
  );
  return {
    type,
    timestamp: new Date(at).toISOString(),
    data: {
      signup,
      form,
      publication_id: publicationId,
      email: submission?.email ?? null,
      received_at: receivedAt === null ? null : new Date(receivedAt).toISOString(),
      ...((type === 'signup.delivered' || type === 'signup.status') && { status }),
      ...(type === 'signup.refused' && { reason: reason ?? undefined }),
      ...Object.fromEntries(sent),
    },
  };
}

/** A body of the type `webhook.test`, with a value for every field. @param now - milliseconds since the Unix epoch */
export function sampleBody(now: number): WebhookBody {
  const time = new Date(now).toISOString();
  return {
    type: 'webhook.test',
    timestamp: time,
    data: {
      signup: '01890a5d-ac96-774b-bcce-b302099a8057',
      form: 'default',
      publication_id: 'pub_00000000-0000-4000-8000-000000000001',
      email: 'test@example.com',
      received_at: time,
      status: 'active',
      utm_source: 'test',
      custom_fields: [{ name: 'First Name', value: 'Test' }],
    },
  };
}

/**
 * The headers of Standard Webhooks (https://www.standardwebhooks.com).
 *
 * @param body - the exact text that is sent
 * @param secrets - each adds a signature
 * @param now - time of the attempt, in milliseconds since the Unix epoch: receivers refuse old ones
 */
export function webhookHeaders(
  id: string,
  body: string,
  secrets: readonly string[],
  now: number,
): Readonly<Record<string, string>> {
  const time = new Date(now);
  return {
    'content-type': 'application/json',
    'user-agent': 'newsletter-relay',
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(now / 1000)),
    'webhook-signature': secrets.map((secret) => new Webhook(secret).sign(id, time, body)).join(' '),
  };
}
