/**
 * Delivers one signup: builds its API request, looks up the subscription before a retry, creates it, and records the
 * outcome – delivered, retry scheduled, or dead letter.
 */
import { messagesIn, type ServiceMessage, type SubscriptionRequest } from '@newsletter-kit/core';
import { consentOf, isUnsubscribed } from '@newsletter-kit/core/facts';
import type { Form } from '../config/form.ts';
import type { Log } from '../log.ts';
import { type ClaimedSignup, freshMs, leftByMail } from '../store/signup-store.ts';
import { backoffMs, decideRetry, type Retry } from '../queue/retry.ts';
import { type Attribution, attributionFields } from '@newsletter-kit/core/signup';
import { callOptions, clockSkewMs, type DeliveryLane } from './lane.ts';
import { knownStatus, lookUp, statusIn } from './status.ts';

/** The most calls that one attempt makes. */
export const mostCalls = 2;

/** The most calls of an attempt: a signup that was tried before is looked up first. */
export function callsOf({ tried }: Pick<ClaimedSignup, 'tried'>): number {
  return tried ? mostCalls : 1;
}

export function createSingleDelivery(lane: DeliveryLane) {
  const { store, events, secrets, now, random, publicationId, forms, client, circuits, backoff, worker } = lane;
  const startedAt = now();

  /** One attempt. Never rejects, unless the relay has a defect. */
  async function deliver(signup: ClaimedSignup): Promise<void> {
    const { id, form } = signup;
    const attempt = signup.attempts + 1;
    const log = lane.log.child({ signup: id, attempt });
    try {
      const sent = await send(signup);
      circuits.recordSuccess();
      if (sent === null) {
        await worker.write(() => store.settle([id], { state: 'dead', at: now(), reason: leftByMail }));
        return log.info('the person has left before it was delivered');
      }
      const { status, warnings } = sent;
      const outcome = { state: 'delivered', at: now(), ...knownStatus(status, now()) } as const;
      await worker.write(() => store.settle([id], outcome));
      const waitedMs = now() - signup.dueAt;
      log.info({ waitedMs, status }, 'delivered');
      events.emit({ type: 'delivered', form, waitedMs, status });
      if (signup.hasLeft) events.emit({ type: 'left', form, isDelivered: true });
      if (warnings.length > 0) log.warn({ warnings }, 'the API left out parts of this signup; check the custom fields');
    } catch (error) {
      const othersPass = circuits.hasSucceededSince(signup.dueAt);
      const decision = decideRetry(error, secrets, { attempt, othersPass });
      if (decision.kind === 'retry') return scheduleRetry(signup, attempt, decision, log);
      const { reason } = decision;
      await worker.write(() => store.settle([id], { state: 'dead', at: now(), reason }));
      log.error({ reason }, 'refused for good; kept as a dead letter');
      events.emit({ type: 'deadLetter', signup: id, form, reason });
    }
  }

  async function scheduleRetry({ id, form }: ClaimedSignup, attempt: number, retry: Retry, log: Log): Promise<void> {
    const { reason, mayHaveArrived, aborted, cause } = retry;
    if (!aborted) circuits.recordFailure(retry);
    const nextAttemptAt = aborted ? now() : now() + backoffMs(attempt, retry.retryAfterMs, backoff, random);
    log.debug({ reason, nextAttemptAt }, 'not delivered; it will be tried again');
    if (!aborted) events.emit({ type: 'retryScheduled', form, cause });
    await worker.write(() =>
      store.settle([id], { state: 'waiting', at: now(), nextAttemptAt, reason, tried: mayHaveArrived }),
    );
  }

  /**
   * Lookup before a retry: if the subscription was created after the signup was received, the earlier attempt has
   * arrived. A retry never reactivates a subscription, because the person may have unsubscribed since; of a person who
   * has left meanwhile none is created.
   *
   * @returns the status and the warnings of the API; null where the person has left, and the API does not have it
   */
  async function send(
    signup: ClaimedSignup,
  ): Promise<{ status: string | null; warnings: readonly ServiceMessage[] } | null> {
    const { submission, tried, dueAt, hasLeft } = signup;
    const options = {
      ...callOptions(lane),
      // Retries, of which there may be thousands, have a lower priority than signups whose visitors still wait.
      background: tried || !isFresh(signup, now()),
    };
    const form = forms[signup.form];
    const existing = tried || hasLeft ? await lookUp(lane, submission.email, options) : null;
    if (existing !== null && (hasLeft || existing.createdAt >= dueAt - clockSkewMs))
      return { status: existing.status, warnings: [] };
    if (hasLeft) return null;
    const request = toSubscriptionRequest(signup, form);
    const changes = {
      // An existing subscriber may have the welcome mail of the earlier attempt.
      ...(existing !== null && { send_welcome_email: false }),
      ...(form && comesBack(signup, form) && { reactivate_existing: true }),
    };
    const { data, warnings } = await client.subscriptions.create({ publicationId, ...request, ...changes }, options);
    return { status: statusIn(data), warnings: messagesIn(warnings) };
  }

  /**
   * Whether the person knowingly comes back: the API said before the click in our mail that they had left, and this is
   * the first attempt, right after it. Later, or in a store that was restored, they may have left again.
   */
  function comesBack({ confirmed, status, tried, attempts, dueAt }: ClaimedSignup, { confirmation }: Form): boolean {
    const isFirst = !tried && attempts === 0 && dueAt >= startedAt && now() - dueAt <= comesBackMs;
    return confirmation?.reactivates === true && confirmed && isFirst && isUnsubscribed(status);
  }

  return { deliver };
}

/** Whether the visitor may still be waiting for a mail. */
export function isFresh({ dueAt }: ClaimedSignup, now: number): boolean {
  return now - dueAt <= freshMs;
}

/** How long after its click a confirmation may bring back somebody who had left, in milliseconds. */
const comesBackMs = 15 * 60_000;

/**
 * Pinned fields are applied at delivery, not at admission, so that a corrected configuration also applies to signups
 * that wait already.
 *
 * - Tried before: an earlier attempt may have reached the API, and the person may have unsubscribed since. So the
 *   request never reactivates a subscription.
 * - Confirmed here: the person has clicked a link, so the API does not ask again, unless a pinned field says so.
 */
export function toSubscriptionRequest(
  { submission, tried, confirmed }: Pick<ClaimedSignup, 'submission' | 'tried' | 'confirmed'>,
  form: Pick<Form, 'pinned' | 'consent'> | undefined,
): SubscriptionRequest {
  const attribution = attributionFields
    .map((name) => [name, submission[name]] as const)
    .filter(([, value]) => value !== undefined);
  const consentField = form?.consent.field ?? null;
  const fields = (submission.custom_fields ?? [])
    .filter(({ name }) => name !== consentField)
    .map(({ name, value }) => ({ name, value: typeof value === 'object' ? [...value] : value }));
  const { given, sentence } = consentOf(submission.consent, form?.consent.sentences ?? []);
  // Set by the relay only, so that a page cannot claim a consent in it.
  if (consentField !== null && given) fields.push({ name: consentField, value: sentence ?? 'yes' });
  return {
    email: submission.email,
    ...(Object.fromEntries(attribution) satisfies Partial<Attribution>),
    ...(fields.length > 0 && { custom_fields: fields }),
    ...(confirmed && { double_opt_override: 'off' }),
    ...form?.pinned,
    ...(tried && { reactivate_existing: false }),
  };
}
