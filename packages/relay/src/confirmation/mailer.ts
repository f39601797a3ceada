/** Sends the confirmation mails that are due, a few at a time, and again until the mail server has taken them. */
import type { Form } from '../admission/form.ts';
import { defaultPatience, type Patience } from '../delivery/backoff.ts';
import { Hold } from '../delivery/hold.ts';
import { InFlight } from '../delivery/in-flight.ts';
import { Persistence, storePauseMs } from '../delivery/persistence.ts';
import { WakeSignal } from '../delivery/wake-signal.ts';
import type { EventListener } from '../ops/events.ts';
import type { Log } from '../ops/log.ts';
import type { StoreHealth } from '../ops/health.ts';
import { spanning, type Span, type Tracing } from '../ops/tracing.ts';
import type { ClaimedSignup, SignupStore } from '../store/signup-store.ts';
import { signLink, confirmationMessage } from './mail.ts';
import {
  type SmtpServer,
  classifyMailError,
  mailConcurrency,
  openTransport,
  type MailTransport,
  type MailFailure,
} from './smtp.ts';

/** What a {@link ConfirmationMailer} is made of. */
export interface ConfirmationMailerOptions {
  readonly store: SignupStore;
  readonly health: StoreHealth;
  readonly server: SmtpServer;
  /** Address of the relay as people reach it, without a slash at its end. */
  readonly publicUrl: string;
  /** Signs the links. */
  readonly key: Buffer;
  /** Forms with a confirmation. */
  readonly forms: readonly Form[];
  readonly log: Log;
  readonly onEvent: EventListener;
  readonly tracing: Tracing;
  /** Never written into a reason or the log. */
  readonly secrets: readonly string[];
  /** Waits while the mail server fails. */
  readonly patience?: Partial<Patience> | undefined;
  /** From 0 to 1. Default `Math.random`. */
  readonly random?: (() => number) | undefined;
  readonly now: () => number;
}

/** Longest sleep of the loop, in milliseconds: a clock that was set back must not put anything off for longer. */
const longestSleepMs = 60_000;

/** Longest sleep where other processes take signups too. */
const longestSharedSleepMs = 1000;

/** Shortest and longest wait of one mail that is deferred, in milliseconds. */
const deferredMs = { least: 30_000, most: 15 * 60_000 };

type RetryableMailFailure = Extract<MailFailure, { kind: 'wait' }> & { readonly cause: string };

export class ConfirmationMailer {
  readonly #options: ConfirmationMailerOptions;
  readonly #forms: ReadonlyMap<string, Form>;
  readonly #random: () => number;
  readonly #signal = new WakeSignal();
  readonly #sending = new InFlight(() => this.#signal.notify());
  readonly #stop = new AbortController();
  readonly #giveUp = new AbortController();
  readonly #persistence: Persistence;
  #transport: Promise<MailTransport> | null = null;
  #loop: Promise<void> | null = null;
  readonly #hold: Hold<RetryableMailFailure>;

  constructor(options: ConfirmationMailerOptions) {
    this.#options = options;
    this.#forms = new Map(options.forms.map((form) => [form.name, form]));
    const { log, onEvent, now } = options;
    this.#random = options.random ?? Math.random;
    this.#hold = new Hold({
      patience: { ...defaultPatience, ...options.patience },
      now,
      random: this.#random,
      onPause({ reason, needsOperator }) {
        log[needsOperator ? 'error' : 'warn']({ reason }, 'the mail server takes no confirmation mails; they wait');
        onEvent({ type: 'mailCircuitOpened', reason, needsOperator });
      },
      onResume() {
        log.info('the mail server takes mails again');
        onEvent({ type: 'mailCircuitClosed' });
      },
    });
    this.#persistence = new Persistence({ health: options.health, stopping: this.#stop.signal });
  }

  start(): void {
    this.#loop ??= this.#run();
  }

  /** Says that something new may be due. */
  wake(): void {
    this.#signal.notify();
  }

  /**
   * Begins nothing more, lets what is under way end within `graceMs`, then gives up on it. Those mails may have been
   * sent; the next start sends them once more, under the same Message-ID.
   */
  async stop(graceMs: number): Promise<void> {
    this.#stop.abort();
    this.#signal.notify();
    await this.#loop;
    const timer = setTimeout(() => this.#giveUp.abort(), graceMs);
    await this.#sending.end();
    clearTimeout(timer);
    (await this.#transport?.catch(() => null))?.close();
  }

  async #run(): Promise<void> {
    const { health } = this.#options;
    while (!this.#stop.signal.aborted) {
      const held = this.#hold.remainingMs;
      if (held > 0) {
        await this.#signal.wait(Math.min(held, longestSleepMs));
        continue;
      }
      try {
        const untilNext = await this.#takeDue();
        health.succeeded('claim');
        await this.#signal.wait(untilNext);
      } catch (error) {
        health.failed('claim', error);
        await this.#signal.wait(storePauseMs);
      }
    }
  }

  /** @returns how long there is nothing to do, in milliseconds */
  async #takeDue(): Promise<number> {
    const { store, now } = this.#options;
    const forms = [...this.#forms.keys()];
    const longest = store.shared ? longestSharedSleepMs : longestSleepMs;
    // While the server fails, one mail at a time is tried.
    const limit = this.#hold.failing ? 1 : mailConcurrency;
    const free = limit - this.#sending.size;
    if (free <= 0) return longest;
    const due = await store.claim({ forms, limit: free, now: now(), state: 'unconfirmed' });
    for (const signup of due) this.#sending.add(this.#send(signup));
    if (due.length === free) return longest;
    const next = await store.nextDueAt(forms, 'unconfirmed');
    return next === null ? longest : Math.min(longest, next - now());
  }

  async #send(signup: ClaimedSignup): Promise<void> {
    const { store, server, publicUrl, key, log, onEvent, tracing, now } = this.#options;
    const { id, submission, receivedAt } = signup;
    const form = this.#forms.get(signup.form);
    if (!form) throw new Error(`A signup of the form "${signup.form}" was claimed, which asks for no confirmation.`);
    const link = `${publicUrl}/confirm/${signLink(key, id)}`;
    const message = confirmationMessage(form, { id, email: submission.email }, link);
    if (!message) throw new Error(`The form "${form.name}" asks for no confirmation.`);
    const span = tracing.mail(signup);
    try {
      await spanning(span, async () => {
        this.#transport ??= openTransport(server);
        await (await this.#transport).send(message, this.#giveUp.signal);
      });
    } catch (error) {
      return this.#failed(signup, error, span);
    }
    this.#hold.succeeded();
    await this.#persistence.write(() =>
      store.settle([id], { state: 'unconfirmed', at: now(), nextAttemptAt: null, reason: null }),
    );
    const waitedMs = now() - receivedAt;
    log.info({ signup: id, waitedMs, ...span.logFields }, 'sent the confirmation mail');
    onEvent({ type: 'confirmationSent', form: form.name, waitedMs });
  }

  async #failed({ id, form, receivedAt }: ClaimedSignup, error: unknown, { logFields }: Span): Promise<void> {
    const { store, log, onEvent, secrets, now } = this.#options;
    // Given up while the relay stops: the claim ends by itself, and the mail is sent by the next process.
    if (this.#giveUp.signal.aborted) return;
    const verdict = classifyMailError(error, secrets);
    const { reason } = verdict;
    if (verdict.kind === 'dead') {
      // The server works: it has judged a recipient.
      this.#hold.succeeded();
      await this.#persistence.write(() => store.settle([id], { state: 'dead', at: now(), reason }));
      log.error(
        { signup: id, reason, ...logFields },
        'the confirmation mail was refused for good; kept as a dead letter',
      );
      onEvent({ type: 'deadLetter', signup: id, form, reason, ofMail: true });
      return;
    }
    const failure = { ...verdict, cause: reason };
    if (verdict.holds === true) this.#hold.pause(failure);
    else if (verdict.holds === 'maybe') this.#hold.suspect(failure);
    const held = this.#hold.remainingMs;
    const nextAttemptAt = now() + (verdict.holds === true ? held : this.#deferFor(now() - receivedAt));
    log[verdict.needsOperator && held === 0 ? 'warn' : 'debug'](
      { signup: id, reason, nextAttemptAt, ...logFields },
      'the confirmation mail was not sent; it will be tried again',
    );
    await this.#persistence.write(() => store.settle([id], { state: 'unconfirmed', at: now(), nextAttemptAt, reason }));
  }

  /** As long again as the mail waits already, so that waits double; with 50–100 % jitter. */
  #deferFor(ageMs: number): number {
    const wait = Math.min(Math.max(ageMs, deferredMs.least), deferredMs.most);
    return Math.ceil(wait * (0.5 + this.#random() / 2));
  }
}
