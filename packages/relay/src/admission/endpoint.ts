/** `POST /signup`: admits a signup, stores it durably, and only then answers 202. */
import { acceptedAnswer, type Answer, unavailable } from '@newsletter-kit/core/endpoint';
import type { AbuseProtection } from './abuse-protection.ts';
import { admit } from './admit.ts';
import { visitorOf } from './consent.ts';
import { headerOf, type Reception } from './reception.ts';
import type { Screening } from './screening.ts';
import type { SignupPost } from './signup-post.ts';
import type { Form } from '../config/form.ts';
import type { RelayContext } from '../context.ts';

/** Options of {@link SignupEndpoint}. */
export interface SignupEndpointOptions {
  readonly reception: Reception;
  readonly screening: Screening;
  readonly protection: AbuseProtection;
}

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

  /** Answers a post to a form. @param thanks - address of the thank-you page, relative to that of the form */
  async answer(post: SignupPost, thanks: string): Promise<Answer> {
    const { store, health, log, events, stopping, now } = this.#context;
    const { form, header } = post;
    const startedAt = performance.now();
    if (stopping.aborted) return this.#reception.refuse(post, unavailable());
    const admission = await admit(post, { screening: this.#screening, protection: this.#protection, now: now() });
    if ('refused' in admission) return this.#reception.refuse(post, admission.refused, admission);
    const { signup, undo } = admission;
    // Durability of the 202: `accept` resolves only after the commit that contains the signup is synced to disk.
    const id = await store.accept(signup).catch(async (error: unknown) => {
      await undo();
      health.failed('accept', error);
      throw error;
    });
    health.succeeded('accept');
    log.debug({ signup: id, suspected: signup.suspected }, 'kept');
    events.emit({
      type: 'accepted',
      form: form.name,
      suspected: signup.suspected,
      needsConfirmation: signup.needsConfirmation,
      tookMs: performance.now() - startedAt,
    });
    return acceptedAnswer(header, form.origins, form.thanksUrl ?? thanks);
  }

  /** The visitor's address in the form that the consent ledger keeps. */
  visitor(request: Request, peer: string | null, { consent }: Form): string | null {
    return visitorOf(this.#reception.client(peer, headerOf(request)), consent, this.#screening.visitorKey);
  }
}
