/** Sends confirmation mails, a few at a time, and retries each until the mail server has accepted it. */
import type { Form } from '../config/form.ts';
import type { SmtpServer } from '../config/smtp-url.ts';
import { defaultBackoff, type BackoffOptions } from '../queue/retry.ts';
import { ClaimSize } from '../queue/claim-size.ts';
import { CircuitBreaker } from '../queue/circuit-breaker.ts';
import type { Queue } from '../queue/group.ts';
import { type LoopGroup, QueueWorker } from '../queue/worker.ts';
import type { RelayContext, RelaySettings } from '../context.ts';
import { purposeKey } from '../secrets.ts';
import { StartupError } from '../errors.ts';
import type { ClaimedSignup } from '../store/signup-store.ts';
import { confirmationMessage, signLink } from './mail.ts';
import {
  classifyMailError,
  mailCalls,
  mailConcurrency,
  type MailFailure,
  type MailTransport,
  type OpenTransport,
} from './smtp.ts';

/** What the mails of a relay need, and the pages of their links. */
export interface Confirmation {
  readonly server: SmtpServer;
  readonly openTransport: OpenTransport;
  /** Public address of the relay, without a trailing slash. */
  readonly publicUrl: string;
  /** Signs the links. */
  readonly key: Buffer;
  /** Forms with a confirmation. */
  readonly forms: readonly Form[];
}

/**
 * @returns null without a form that asks for confirmation
 * @throws StartupError if a setting for confirmation mails is missing, or mail is not part of the program
 */
export function confirmationOf(
  { forms, mail }: RelaySettings,
  secret: string | undefined,
  openTransport: OpenTransport | null,
): Confirmation | null {
  const confirming = Object.values(forms).filter((form) => form.confirmation !== null);
  if (confirming.length === 0) return null;
  const { server, publicUrl } = mail;
  if (server === undefined || publicUrl === undefined || secret === undefined)
    throw new StartupError(
      'A form asks for confirmation by mail: give the relay RELAY_SMTP_URL, RELAY_PUBLIC_URL, and a secret that outlives it.',
    );
  if (openTransport === null)
    throw new StartupError(
      "A form asks for confirmation by mail, which this Worker was deployed without: export RelayObject from '@newsletter-kit/relay/worker/mail' in its index.js, and deploy it again.",
    );
  return { server, openTransport, publicUrl, key: purposeKey(secret, 'confirmation'), forms: confirming };
}

/** Shortest and longest wait of a deferred mail, in milliseconds. */
const deferredMs = { min: 30_000, max: 15 * 60_000 };

type TemporaryFailure = Extract<MailFailure, { kind: 'temporary' }> & { readonly cause: string };

export class MailQueue implements Queue {
  readonly #context: RelayContext;
  readonly #confirmation: Confirmation;
  readonly #forms: ReadonlyMap<string, Form>;
  readonly #worker: QueueWorker;
  #transport: Promise<MailTransport> | null = null;
  readonly #circuit: CircuitBreaker<TemporaryFailure>;
  readonly #claims: ClaimSize;

  /** @param backoff - while the mail server fails */
  constructor(context: RelayContext, confirmation: Confirmation, backoff?: Partial<BackoffOptions>) {
    this.#context = context;
    this.#confirmation = confirmation;
    this.#forms = new Map(confirmation.forms.map((form) => [form.name, form]));
    const { log, events, now, random } = context;
    this.#claims = new ClaimSize(mailConcurrency, log);
    this.#circuit = new CircuitBreaker({
      backoff: { ...defaultBackoff, ...backoff },
      now,
      random,
      onOpen({ reason, needsOperator }) {
        log[needsOperator ? 'error' : 'warn']({ reason }, 'the mail server takes no confirmation mails; they wait');
        events.emit({ type: 'mailCircuitOpened', reason, needsOperator });
      },
      onClose() {
        log.info('the mail server takes mails again');
        events.emit({ type: 'mailCircuitClosed' });
      },
    });
    this.#worker = new QueueWorker(context, {
      openForMs: () => this.#circuit.openForMs,
      startDue: () => this.#startDue(),
    });
    events.on({
      accepted: ({ needsConfirmation }) => {
        if (needsConfirmation) this.wake();
      },
    });
  }

  start(): void {
    this.#worker.start();
  }

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

  wake(): void {
    this.#worker.wake();
  }

  /** An aborted mail may have been sent; the next start sends it again, with the same Message-ID. */
  async stop(graceMs: number): Promise<void> {
    await this.#worker.stop(graceMs);
    await this.#closeTransport();
  }

  /** @returns milliseconds until the next mail is due; null if unknown */
  async #startDue(): Promise<number | null> {
    const { store, calls, now } = this.#context;
    const forms = [...this.#forms.keys()];
    // While the server fails, one mail at a time is tried.
    const limit = this.#circuit.isFailing ? 1 : mailConcurrency;
    const free = limit - this.#worker.inFlight.size;
    if (free <= 0) return null;
    const mailsOf = Object.fromEntries(
      this.#confirmation.forms.map(({ name, publicationId }) => [name, publicationId]),
    );
    const claim = (most: number) => store.claim({ forms, limit: most, now: now(), mailsOf });
    const due = await calls.claim(free, this.#claims.limited(claim), mailCalls);
    for (const signup of due) this.#worker.inFlight.add(this.#send(signup));
    if (due.length === free) return null;
    const next = await store.nextDueAt(forms, 'unconfirmed');
    return next === null ? null : next - now();
  }

  async #send(signup: ClaimedSignup): Promise<void> {
    const { store, log, events, now } = this.#context;
    const { server, openTransport, publicUrl, key } = this.#confirmation;
    const { id, submission, dueAt } = signup;
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
    const waitedMs = now() - dueAt;
    log.info({ signup: id, waitedMs }, 'sent the confirmation mail');
    events.emit({ type: 'confirmationSent', form: form.name, waitedMs });
  }

  async #failed({ id, form, dueAt }: ClaimedSignup, error: unknown): Promise<void> {
    const { store, log, events, secrets, now } = this.#context;
    // Aborted because the relay stops: the claim expires, and the next process sends the mail.
    if (this.#worker.givenUp.aborted) return;
    const failure = classifyMailError(error, secrets);
    const { reason } = failure;
    if (failure.kind === 'permanent') {
      // The server works: it has refused one recipient.
      this.#circuit.recordSuccess();
      await this.#worker.writer.write(() => store.settle([id], { state: 'dead', at: now(), reason }));
      log.error({ signup: id, reason }, 'the confirmation mail was refused for good; kept as a dead letter');
      events.emit({ type: 'deadLetter', signup: id, form, reason, ofMail: true });
      return;
    }
    if (failure.scope === 'server') this.#circuit.open({ ...failure, cause: reason });
    else if (failure.scope === 'unknown') this.#circuit.recordPossibleFailure({ ...failure, cause: reason });
    const pauseMs = this.#circuit.openForMs;
    const nextAttemptAt = now() + (failure.scope === 'server' ? pauseMs : this.#deferFor(now() - dueAt));
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
    return Math.ceil(wait * (0.5 + this.#context.random() / 2));
  }
}
