/** `POST /signup`: admits a signup, stores it durably, and only then answers 202. */
import { acceptedAnswer, type Answer, unavailable } from '@newsletter-kit/core/endpoint';
import type { AbuseProtection } from './abuse-protection.ts';
import { admit, type Admission } from './admit.ts';
import { visitorOf } from './consent.ts';
import { headerOf, type Reception } from './reception.ts';
import type { Screening } from './screening.ts';
import type { SignupPost } from './signup-post.ts';
import type { Form } from '../config/form.ts';
import type { RelayContext } from '../context.ts';
import { answerWithinMs, Deadline, DeadlineError } from '../deadline.ts';
import { StoreUnavailableError } from '../errors.ts';
import { asStoreError } from '../health.ts';

/** Options of {@link SignupEndpoint}. */
export interface SignupEndpointOptions {
  readonly reception: Reception;
  readonly screening: Screening;
  readonly protection: AbuseProtection;
}

/** A post that was admitted. */
type Admitted = Extract<Admission, { readonly signup: unknown }>;

export class SignupEndpoint {
  readonly #context: RelayContext;
  readonly #reception: Reception;
  readonly #screening: Screening;
  readonly #protection: AbuseProtection;

  constructor(context: RelayContext, { reception, screening, protection }: SignupEndpointOptions) {
    this.#context = context;
    this.#reception = reception;
    this.#screening = screening;
    this.#protection = protection;
  }

  /**
   * Answers a post to a form, in time.
   *
   * @param thanks - address of the thank-you page, relative to that of the form
   * @throws StoreUnavailableError or DeadlineError where it cannot be answered: the visitor is asked to try again
   */
  async answer(post: SignupPost, thanks: string): Promise<Answer> {
    const deadline = new Deadline(answerWithinMs);
    try {
      return await this.#admitAndStore(timed(post, deadline), thanks, deadline);
    } finally {
      deadline.stop();
    }
  }

  async #admitAndStore(post: SignupPost, thanks: string, deadline: Deadline): Promise<Answer> {
    const { log, events, stopping, now } = this.#context;
    const { form, header } = post;
    const startedAt = performance.now();
    if (stopping.aborted) return this.#reception.refuse(post, unavailable());
    const admitting = admit(post, { screening: this.#screening, protection: this.#protection, now: now() });
    const admission = await deadline.race(admitting).catch((error: unknown) => {
      // The visitor was asked to try again: what ends too late is not stored, and uses up nothing.
      void admitting.then((late) => ('signup' in late ? late.undo() : undefined)).catch(() => undefined);
      throw error;
    });
    if ('refused' in admission) return this.#reception.refuse(post, admission.refused, admission.limit);
    const { signup, suspectedBecause } = admission;
    const id = await this.#store(admission, deadline);
    log.debug({ signup: id, suspectedBecause, heldUntil: signup.heldUntil }, 'kept');
    events.emit({
      type: 'accepted',
      form: form.name,
      suspectedBecause,
      heldUntil: signup.heldUntil,
      needsConfirmation: signup.needsConfirmation,
      tookMs: performance.now() - startedAt,
    });
    return acceptedAnswer(header, form.origins, form.thanksUrl ?? thanks);
  }

  /**
   * Stores a signup. What is stored too late is not undone: posted again, it is a repetition of the same signup.
   *
   * @throws StoreUnavailableError if it could not be stored, or not in time
   */
  async #store({ signup, undo }: Admitted, deadline: Deadline): Promise<string> {
    const { store, health } = this.#context;
    // Durability of the 202: `accept` resolves only after the commit that contains the signup is synced to disk.
    const stored = store.accept(signup).then(
      (id) => {
        health.succeeded('accept');
        return id;
      },
      async (error: unknown) => {
        await undo();
        if (error instanceof StoreUnavailableError) health.failed('accept', error);
        throw error;
      },
    );
    try {
      return await deadline.race(stored);
    } catch (cause) {
      if (!(cause instanceof DeadlineError)) throw cause;
      stored.catch(() => undefined);
      const error = asStoreError(cause);
      health.failed('accept', error);
      throw error;
    }
  }

  /** The visitor's address in the form that the consent ledger keeps. */
  visitor(request: Request, peer: string | null, { consent }: Form): string | null {
    return visitorOf(this.#reception.client(peer, headerOf(request)), consent, this.#screening.visitorKey);
  }
}

/** The post with a deadline for what the relay does: how long its visitor takes to send it does not count. */
function timed(post: SignupPost, deadline: Deadline): SignupPost {
  return {
    ...post,
    async body(limit) {
      deadline.stop();
      try {
        return await post.body(limit);
      } finally {
        deadline.start();
      }
    },
  };
}
