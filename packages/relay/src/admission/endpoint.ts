/** `POST /signup`: admits a signup, stores it durably, and only then answers 202. */
import { acceptedAnswer, unavailable, withAudit } from '@newsletter-kit/core/endpoint';
import type { RelayContext } from '../context.ts';
import { answerWithinMs, within } from '../deadline.ts';
import { StoreUnavailableError } from '../errors.ts';
import { type Suspicion, suspicions } from '../events.ts';
import { asStoreError } from '../health.ts';
import type { NewSignup } from '../store/signup-store.ts';
import type { AbuseProtection, ProtectionRefusal } from './abuse-protection.ts';
import { ledgerEntry } from './consent.ts';
import { type Reception, type SignUp, toResponse } from './reception.ts';
import type { Screening } from './screening.ts';
import type { SignupPost } from './signup-post.ts';

/** A signup that was admitted. */
interface Admitted {
  readonly signup: NewSignup;
  readonly suspectedBecause: Suspicion | null;
  /** Releases the token, the proof and the rate limits where storing the signup fails. */
  undo(this: void): Promise<void>;
}

/** Idempotency key of every signup beyond the rate limit of its mailbox: the store keeps one of them, for review. */
const overLimitKey = 'beyond the limit of the address';

/** Makes the function that answers a post to a form. */
export function createEndpoint(
  { store, health, log, events, stopping, now }: RelayContext,
  reception: Reception,
  screening: Screening,
  protection: AbuseProtection,
): SignUp {
  /** @throws StoreUnavailableError or DeadlineError where it cannot be answered: the visitor is asked to try again */
  async function answer(post: SignupPost, thanks: string): Promise<Response> {
    const { form, header } = post;
    const startedAt = performance.now();
    if (stopping.aborted) return reception.refuse(post, unavailable());
    const body = await screening.read(post);
    if ('refused' in body) return reception.refuse(post, body.refused);
    // How long the visitor takes to send the post does not count.
    const readAt = performance.now();
    const admitting = admit(post, body);
    const admission = await within(answerWithinMs, admitting).catch((error: unknown) => {
      // The visitor was asked to try again: what ends too late is not stored, and uses up nothing.
      void admitting.then((late) => ('signup' in late ? late.undo() : undefined)).catch(() => undefined);
      throw error;
    });
    if ('refused' in admission) return reception.refuse(post, admission.refused, admission.limit);
    const { signup, suspectedBecause } = admission;
    const id = await keep(admission, readAt + answerWithinMs - performance.now());
    log.debug({ signup: id, suspectedBecause, heldUntil: signup.heldUntil }, 'kept');
    events.emit({
      type: 'accepted',
      form: form.name,
      suspectedBecause,
      heldUntil: signup.heldUntil,
      needsConfirmation: signup.needsConfirmation,
      tookMs: performance.now() - startedAt,
    });
    return toResponse(acceptedAnswer(header, form.origins, form.thanksUrl ?? thanks));
  }

  /** Screens the post, applies the abuse protection, and builds the record to store; or returns the first refusal. */
  async function admit(post: SignupPost, body: Uint8Array): Promise<Admitted | ProtectionRefusal> {
    const { form, header } = post;
    const receivedAt = now();
    const screened = await screening.screen(post, body, receivedAt, protection.countAttack);
    if ('refused' in screened) return screened;
    const result = await protection.check(screened);
    if ('refused' in result) return result;
    const { suspectedBecause, heldUntil, overLimit, undo } = result;
    const { kept, consent, origin } = screened;
    const submission = withAudit(kept, origin, header('referer'));
    return {
      undo,
      suspectedBecause,
      signup: {
        form: form.name,
        submission,
        suspected: suspectedBecause && suspicions[suspectedBecause],
        heldUntil,
        needsConfirmation: form.confirmation !== null,
        origin,
        idempotencyKey: overLimit ? overLimitKey : header('idempotency-key') || null,
        consent: ledgerEntry(post, consent, submission.audit?.page ?? null, screening.visitorKey),
        receivedAt,
      },
    };
  }

  /**
   * Stores a signup. What is stored too late is not undone: posted again, it is a repetition of the same signup.
   *
   * @throws StoreUnavailableError if it could not be stored, or not in time
   */
  async function keep({ signup, undo }: Admitted, leftMs: number): Promise<string> {
    // Durability of the 202: `accept` resolves only after the commit that contains the signup is synced to disk.
    const stored = store.accept(signup).then(
      (id) => {
        health.succeeded('accept');
        return id;
      },
      async (error: unknown) => {
        await undo();
        throw error;
      },
    );
    try {
      return await within(leftMs, stored);
    } catch (cause) {
      const error = asStoreError(cause);
      if (error instanceof StoreUnavailableError) health.failed('accept', error);
      throw error;
    }
  }

  return answer;
}
