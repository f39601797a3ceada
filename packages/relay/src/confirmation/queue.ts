/** Sends confirmation mails, a few at a time, and retries each until the mail server has accepted it. */
import type { Form } from '../config/form.ts';
import type { SmtpServer } from '../config/smtp-url.ts';
import { defaultBackoff, type BackoffOptions } from '../queue/retry.ts';
import { CircuitBreaker } from '../queue/circuit-breaker.ts';
import { type LoopGroup, QueueWorker } from '../queue/worker.ts';
import type { EventListener } from '../events.ts';
import type { Log } from '../log.ts';
import type { StoreHealth } from '../health.ts';
import type { ClaimedSignup, SignupStore } from '../store/signup-store.ts';
import { confirmationMessage, signLink } from './mail.ts';
import { classifyMailError, mailConcurrency, type MailFailure, type MailTransport, openTransport } from './smtp.ts';

/** Options of {@link ConfirmationMailer}. */
export interface ConfirmationMailerOptions {
  readonly store: SignupStore;
  readonly health: StoreHealth;
  readonly server: SmtpServer;
  /** Public address of the relay, without a trailing slash. */
  readonly publicUrl: string;
  /** Signs the links. */
  readonly key: Buffer;
  /** Forms with a confirmation. */
  readonly forms: readonly Form[];
  readonly log: Log;
  readonly onEvent: EventListener;
  /** Removed from every reason and from the log. */
  readonly secrets: readonly string[];
  /** Backoff while the mail server fails. */
  readonly backoff?: Partial<BackoffOptions> | undefined;
  /** Random number from 0 to 1, for jitter. Default `Math.random`. */
  readonly random?: (() => number) | undefined;
  readonly now: () => number;
}

/** Shortest and longest wait of a deferred mail, in milliseconds. */
const deferredMs = { min: 30_000, max: 15 * 60_000 };

type TemporaryFailure = Extract<MailFailure, { kind: 'temporary' }> & { readonly cause: string };

export class ConfirmationMailer {
  readonly #options: ConfirmationMailerOptions;
  readonly #forms: ReadonlyMap<string, Form>;
  readonly #random: () => number;
  readonly #worker: QueueWorker;
  #transport: Promise<MailTransport> | null = null;
  readonly #circuit: CircuitBreaker<TemporaryFailure>;

  constructor(options: ConfirmationMailerOptions) {
    this.#options = options;
    this.#forms = new Map(options.forms.map((form) => [form.name, form]));
    const { log, onEvent, now } = options;
    this.#random = options.random ?? Math.random;
    this.#circuit = new CircuitBreaker({
      backoff: { ...defaultBackoff, ...options.backoff },
      now,
      random: this.#random,
      onOpen({ reason, needsOperator }) {
        log[needsOperator ? 'error' : 'warn']({ reason }, 'the mail server takes no confirmation mails; they wait');
        onEvent({ type: 'mailCircuitOpened', reason, needsOperator });
      },
      onClose() {
        log.info('the mail server takes mails again');
        onEvent({ type: 'mailCircuitClosed' });
      },
    });
    this.#worker = new QueueWorker({
      health: options.health,
      isShared: options.store.shared,
      openForMs: () => this.#circuit.openForMs,
      startDue: () => this.#startDue(),
      now,
    });
  }

  start(): void {
    this.#worker.start();
  }

  /**
   * Sends the mails that are due, until nothing is in the whole group or `ending` aborts, and ends what is in flight.
   *
   * @returns when the next mail is due, in milliseconds since the Unix epoch; null if unknown
   */
  async deliver(ending: AbortSignal, group: LoopGroup): Promise<number | null> {
    const nextDueAt = await this.#worker.deliver(ending, group);
    await this.#closeTransport();
    return nextDueAt;
  }

  /** The next mail opens it again. */
  async #closeTransport(): Promise<void> {
    const transport = this.#transport;
    this.#transport = null;
    (await transport?.catch(() => null))?.close();
  }

  /** Wakes the loop: something new may be due. */
  wake(): void {
    this.#worker.wake();
  }

  /**
   * Starts nothing more, gives mails in flight `graceMs` milliseconds to end, then aborts them. An aborted mail may
   * have been sent; the next start sends it again, with the same Message-ID.
   */
  async stop(graceMs: number): Promise<void> {
    await this.#worker.stop(graceMs);
    await this.#closeTransport();
  }

  /** @returns milliseconds until the next mail is due; null if unknown */
  async #startDue(): Promise<number | null> {
    const { store, now } = this.#options;
    const forms = [...this.#forms.keys()];
    // While the server fails, one mail at a time is tried.
    const limit = this.#circuit.isFailing ? 1 : mailConcurrency;
    const free = limit - this.#worker.inFlight.size;
    if (free <= 0) return null;
    const due = await store.claim({ forms, limit: free, now: now(), state: 'unconfirmed' });
    for (const signup of due) this.#worker.inFlight.add(this.#send(signup));
    if (due.length === free) return null;
    const next = await store.nextDueAt(forms, 'unconfirmed');
    return next === null ? null : next - now();
  }

  async #send(signup: ClaimedSignup): Promise<void> {
    const { store, server, publicUrl, key, log, onEvent, now } = this.#options;
    const { id, submission, receivedAt } = signup;
    const form = this.#forms.get(signup.form);
    if (!form) throw new Error(`A signup of the form "${signup.form}" was claimed, which asks for no confirmation.`);
    const link = `${publicUrl}/confirm/${signLink(key, id)}`;
    const message = confirmationMessage(form, { id, email: submission.email }, link);
    if (!message) throw new Error(`The form "${form.name}" asks for no confirmation.`);
    try {
      this.#transport ??= openTransport(server);
      await (await this.#transport).send(message, this.#worker.givenUp);
    } catch (error) {
      return this.#failed(signup, error);
    }
    this.#circuit.recordSuccess();
    await this.#worker.writer.write(() =>
      store.settle([id], { state: 'unconfirmed', at: now(), nextAttemptAt: null, reason: null }),
    );
    const waitedMs = now() - receivedAt;
    log.info({ signup: id, waitedMs }, 'sent the confirmation mail');
    onEvent({ type: 'confirmationSent', form: form.name, waitedMs });
  }

  async #failed({ id, form, receivedAt }: ClaimedSignup, error: unknown): Promise<void> {
    const { store, log, onEvent, secrets, now } = this.#options;
    // Aborted because the relay stops: the claim expires, and the next process sends the mail.
    if (this.#worker.givenUp.aborted) return;
    const failure = classifyMailError(error, secrets);
    const { reason } = failure;
    if (failure.kind === 'permanent') {
      // The server works: it has refused one recipient.
      this.#circuit.recordSuccess();
      await this.#worker.writer.write(() => store.settle([id], { state: 'dead', at: now(), reason }));
      log.error({ signup: id, reason }, 'the confirmation mail was refused for good; kept as a dead letter');
      onEvent({ type: 'deadLetter', signup: id, form, reason, ofMail: true });
      return;
    }
    if (failure.scope === 'server') this.#circuit.open({ ...failure, cause: reason });
    else if (failure.scope === 'unknown') this.#circuit.recordPossibleFailure({ ...failure, cause: reason });
    const pauseMs = this.#circuit.openForMs;
    const nextAttemptAt = now() + (failure.scope === 'server' ? pauseMs : this.#deferFor(now() - receivedAt));
    log[failure.needsOperator && pauseMs === 0 ? 'warn' : 'debug'](
      { signup: id, reason, nextAttemptAt },
      'the confirmation mail was not sent; it will be tried again',
    );
    await this.#worker.writer.write(() =>
      store.settle([id], { state: 'unconfirmed', at: now(), nextAttemptAt, reason }),
    );
  }

  /** Exponential backoff with 50–100 % jitter: as long as the mail has waited already, which doubles its age. */
  #deferFor(ageMs: number): number {
    const wait = Math.min(Math.max(ageMs, deferredMs.min), deferredMs.max);
    return Math.ceil(wait * (0.5 + this.#random() / 2));
  }
}
