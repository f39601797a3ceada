/** Sends confirmation mails, a few at a time, and retries each until the mail server has or may have accepted it. */
import type { Form } from '../config/form.ts';
import type { SmtpServer } from '../config/smtp-url.ts';
import { defaultBackoff, type BackoffOptions } from '../queue/retry.ts';
import { ClaimSize } from '../queue/claim-size.ts';
import { toldCircuit } from '../circuits.ts';
import type { CircuitBreaker } from '../queue/circuit-breaker.ts';
import { QueueWorker } from '../queue/worker.ts';
import type { RelayContext, RelaySettings } from '../context.ts';
import { purposeKey } from '../secrets.ts';
import { StartupError } from '../errors.ts';
import { mayBeSent } from '../store/mailbox-mails.ts';
import type { ClaimedSignup } from '../store/signup-store.ts';
import { confirmationMessage, signLink } from './mail.ts';
import {
  classifyMailError,
  mailCalls,
  mailConcurrency,
  type MailFailure,
  type MailLimits,
  mailLimits,
  type MailStep,
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

/** `tookMs`: how long the step took in which it happened, in milliseconds. */
type FailedStep = { readonly step: MailStep; readonly tookMs: number };

type TemporaryFailure = Exclude<MailFailure, { kind: 'permanent' }> & FailedStep & { readonly cause: string };

/** Waits of a {@link MailQueue}, for tests. `backoff`: while the mail server fails. */
export type MailTiming = { readonly backoff?: Partial<BackoffOptions>; readonly limits?: MailLimits };

export class MailQueue {
  readonly worker: QueueWorker;
  readonly #context: RelayContext;
  readonly #confirmation: Confirmation;
  readonly #forms: ReadonlyMap<string, Form>;
  readonly #mayLeave: (form: string) => Promise<boolean>;
  #transport: Promise<MailTransport> | null = null;
  readonly #circuit: CircuitBreaker<TemporaryFailure>;
  readonly #claims: ClaimSize;
  readonly #limits: MailLimits;
  /** Signups whose mail is sent and waits for the reply: it takes no place of those that are being sent. */
  readonly #unanswered = new Set<string>();

  /** @param mayLeave - whether the key of a form can unsubscribe a person who leaves */
  constructor(
    context: RelayContext,
    confirmation: Confirmation,
    mayLeave: (form: string) => Promise<boolean>,
    { backoff, limits = mailLimits }: MailTiming = {},
  ) {
    this.#context = context;
    this.#mayLeave = mayLeave;
    this.#limits = limits;
    this.#confirmation = confirmation;
    this.#forms = new Map(confirmation.forms.map((form) => [form.name, form]));
    const { log, events } = context;
    this.#claims = new ClaimSize(mailConcurrency, log);
    this.#circuit = toldCircuit<TemporaryFailure>(context, {
      what: 'mailServer',
      scope: '',
      forms: [],
      backoff: { ...defaultBackoff, ...backoff },
      words: ['the mail server takes no confirmation mails; they wait', 'the mail server takes mails again'],
      facts: (failure) => (failure ? { step: failure.step, tookMs: failure.tookMs } : {}),
    });
    this.worker = new QueueWorker(context, {
      openForMs: () => this.#circuit.openForMs,
      startDue: () => this.#startDue(),
      // A mail that is aborted after its dot counts as sent.
      end: () => this.#closeTransport(),
    });
    events.on({
      accepted: ({ needsConfirmation }) => {
        if (needsConfirmation) this.worker.wake();
      },
    });
  }

  /** The next mail opens it again. */
  async #closeTransport(): Promise<void> {
    const transport = this.#transport;
    this.#transport = null;
    (await transport?.catch(() => null))?.close();
  }

  /** @returns milliseconds until the next mail is due; null if unknown */
  async #startDue(): Promise<number | null> {
    const { store, calls, now } = this.#context;
    const forms = [...this.#forms.keys()];
    // While the server fails, one mail at a time is tried.
    const limit = this.#circuit.isFailing ? 1 : mailConcurrency;
    const unanswered = this.#unanswered.size;
    const free = Math.min(limit, this.#limits.unanswered - unanswered) - (this.worker.inFlight.size - unanswered);
    if (free <= 0) return null;
    const mailsOf = Object.fromEntries(
      this.#confirmation.forms.map(({ name, publicationId }) => [name, publicationId]),
    );
    const claim = (most: number) => store.claim({ forms, limit: most, now: now(), mailsOf });
    const due = await calls.claim(free, this.#claims.limited(claim), mailCalls);
    for (const signup of due)
      this.worker.inFlight.add(this.#send(signup).finally(() => this.#unanswered.delete(signup.id)));
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
    const isOneClick = publicUrl.startsWith('https:') && (await this.#mayLeave(form.name));
    const link = { address: `${publicUrl}/confirm/${signLink(key, id)}`, isOneClick };
    const message = confirmationMessage(form, { ...signup, email: submission.email }, link);
    if (!message) throw new Error(`The form "${form.name}" asks for no confirmation.`);
    let step: MailStep = 'connection';
    let since = now();
    const onStep = async (next: MailStep): Promise<void> => {
      if (next === 'reply') {
        await store.settle([id], mayBeSent(signup, now()));
        this.#unanswered.add(id);
        this.worker.wake();
      }
      [step, since] = [next, now()];
    };
    try {
      this.#transport ??= openTransport(server, this.#limits);
      await (await this.#transport).send(message, this.worker.givenUp, onStep);
    } catch (error) {
      return this.#failed(signup, error, { step, tookMs: now() - since });
    }
    this.#circuit.recordSuccess();
    await this.worker.write(() =>
      store.settle([id], { state: 'unconfirmed', at: now(), nextAttemptAt: null, reason: null }),
    );
    const waitedMs = now() - dueAt;
    log.info({ signup: id, waitedMs }, 'sent the confirmation mail');
    events.emit({ type: 'confirmationSent', form: form.name, waitedMs });
  }

  async #failed({ id, form, dueAt, tried }: ClaimedSignup, error: unknown, failed: FailedStep): Promise<void> {
    const { store, log, events, secrets, now } = this.#context;
    // Aborted because the relay stops: the claim expires, and the next process sends the mail.
    if (this.worker.givenUp.aborted) return;
    const failure = classifyMailError(error, secrets, failed.step);
    const { reason } = failure;
    const facts = { signup: id, reason, ...failed };
    if (failure.kind === 'permanent') {
      // The server works: it has refused one recipient.
      this.#circuit.recordSuccess();
      await this.worker.write(() => store.settle([id], { state: 'dead', at: now(), reason }));
      log.error(facts, 'the confirmation mail was refused for good; kept as a dead letter');
      events.emit({ type: 'deadLetter', signup: id, form, reason, ofMail: true });
      return;
    }
    const ofServer = { ...failure, ...failed, cause: reason };
    if (failure.scope === 'server') this.#circuit.open(ofServer);
    else if (failure.scope === 'unknown') this.#circuit.recordPossibleFailure(ofServer);
    if (failure.kind === 'unanswered') {
      log.warn(facts, 'the confirmation mail may have been sent; it will be tried once more after a day, if at all');
      return;
    }
    const pauseMs = this.#circuit.openForMs;
    const nextAttemptAt = now() + (failure.scope === 'server' ? pauseMs : this.#deferFor(now() - dueAt));
    log[failure.needsOperator && pauseMs === 0 ? 'warn' : 'debug'](
      { ...facts, nextAttemptAt },
      'the confirmation mail was not sent; it will be tried again',
    );
    await this.worker.write(() =>
      store.settle([id], { state: 'unconfirmed', at: now(), nextAttemptAt, reason, tried }),
    );
  }

  /** Exponential backoff with 50–100 % jitter: as long as the mail has waited already, which doubles its age. */
  #deferFor(ageMs: number): number {
    const wait = Math.min(Math.max(ageMs, deferredMs.min), deferredMs.max);
    return Math.ceil(wait * (0.5 + this.#context.random() / 2));
  }
}
