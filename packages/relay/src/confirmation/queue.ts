/** Sends confirmation mails, a few at a time, and retries each until the mail server has or may have accepted it. */
import { type ConfirmingForm, confirmingForms } from '../config/form.ts';
import type { SmtpServer } from '../config/smtp-url.ts';
import { defaultBackoff, type BackoffOptions } from '../queue/retry.ts';
import { ClaimSize } from '../queue/claim-size.ts';
import { toldCircuit } from '../circuits.ts';
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
  readonly forms: readonly ConfirmingForm[];
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
  const confirming = confirmingForms(forms);
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

/** Waits of {@link createMailQueue}, for tests. `backoff`: while the mail server fails. */
export type MailTiming = { readonly backoff?: Partial<BackoffOptions>; readonly limits?: MailLimits };

/**
 * Makes the queue of the mails.
 *
 * @param mayLeave - whether the key of a form can unsubscribe a person who leaves
 */
export function createMailQueue(
  context: RelayContext,
  { server, openTransport, publicUrl, key, forms: confirming }: Confirmation,
  mayLeave: (form: string) => Promise<boolean>,
  { backoff, limits = mailLimits }: MailTiming = {},
): QueueWorker {
  const { store, calls, log, events, secrets, now, random } = context;
  const forms = new Map(confirming.map((form) => [form.name, form]));
  const names = [...forms.keys()];
  const mailsOf = Object.fromEntries(confirming.map(({ name, publicationId }) => [name, publicationId]));
  const claims = new ClaimSize(mailConcurrency, log);
  let transport: Promise<MailTransport> | null = null;
  /** Signups whose mail is sent and waits for the reply: it takes no place of those that are being sent. */
  const unanswered = new Set<string>();
  const circuit = toldCircuit<TemporaryFailure>(context, {
    what: 'mailServer',
    scope: '',
    forms: [],
    backoff: { ...defaultBackoff, ...backoff },
    words: ['the mail server takes no confirmation mails; they wait', 'the mail server takes mails again'],
    facts: (failure) => (failure ? { step: failure.step, tookMs: failure.tookMs } : {}),
  });
  const worker = new QueueWorker(context, {
    openForMs: () => circuit.openForMs,
    startDue,
    // A mail that is aborted after its dot counts as sent.
    end: closeTransport,
  });
  events.on({
    accepted: ({ needsConfirmation }) => {
      if (needsConfirmation) worker.wake();
    },
  });

  /** The next mail opens it again. */
  async function closeTransport(): Promise<void> {
    const open = transport;
    transport = null;
    (await open?.catch(() => null))?.close();
  }

  /** @returns milliseconds until the next mail is due; null if unknown */
  async function startDue(): Promise<number | null> {
    // While the server fails, one mail at a time is tried.
    const limit = circuit.isFailing ? 1 : mailConcurrency;
    const sending = worker.inFlight.size - unanswered.size;
    const free = Math.min(limit, limits.unanswered - unanswered.size) - sending;
    if (free <= 0) return null;
    const claim = (most: number) => store.claim({ forms: names, limit: most, now: now(), mailsOf });
    const due = await calls.claim(free, claims.limited(claim), mailCalls);
    for (const signup of due) worker.inFlight.add(send(signup).finally(() => unanswered.delete(signup.id)));
    if (due.length === free) return null;
    const next = await store.nextDueAt(names, 'unconfirmed');
    return next === null ? null : next - now();
  }

  async function send(signup: ClaimedSignup): Promise<void> {
    const { id, submission, dueAt } = signup;
    const form = forms.get(signup.form);
    if (!form) throw new Error(`A signup of the form "${signup.form}" was claimed, which asks for no confirmation.`);
    const isOneClick = publicUrl.startsWith('https:') && (await mayLeave(form.name));
    const link = { address: `${publicUrl}/confirm/${signLink(key, id)}`, isOneClick };
    const message = confirmationMessage(form, { ...signup, email: submission.email }, link);
    let step: MailStep = 'connection';
    let since = now();
    const onStep = async (next: MailStep): Promise<void> => {
      if (next === 'reply') {
        await store.settle([id], mayBeSent(signup, now()));
        unanswered.add(id);
        worker.wake();
      }
      [step, since] = [next, now()];
    };
    try {
      transport ??= openTransport(server, limits);
      await (await transport).send(message, worker.givenUp, onStep);
    } catch (error) {
      return failed(signup, error, { step, tookMs: now() - since });
    }
    circuit.recordSuccess();
    await worker.write(() =>
      store.settle([id], { state: 'unconfirmed', at: now(), nextAttemptAt: null, reason: null }),
    );
    const waitedMs = now() - dueAt;
    log.info({ signup: id, waitedMs }, 'sent the confirmation mail');
    events.emit({ type: 'confirmationSent', form: form.name, waitedMs });
  }

  async function failed({ id, form, dueAt, tried }: ClaimedSignup, error: unknown, at: FailedStep): Promise<void> {
    // Aborted because the relay stops: the claim expires, and the next process sends the mail.
    if (worker.givenUp.aborted) return;
    const failure = classifyMailError(error, secrets, at.step);
    const { reason } = failure;
    const facts = { signup: id, reason, ...at };
    if (failure.kind === 'permanent') {
      // The server works: it has refused one recipient.
      circuit.recordSuccess();
      await worker.write(() => store.settle([id], { state: 'dead', at: now(), reason, ofMail: true }));
      log.error(facts, 'the confirmation mail was refused for good; kept as a dead letter');
      events.emit({ type: 'deadLetter', signup: id, form, reason, ofMail: true });
      return;
    }
    const ofServer = { ...failure, ...at, cause: reason };
    if (failure.scope === 'server') circuit.open(ofServer);
    else if (failure.scope === 'unknown') circuit.recordPossibleFailure(ofServer);
    if (failure.kind === 'unanswered') {
      log.warn(facts, 'the confirmation mail may have been sent; it will be tried once more after a day, if at all');
      return;
    }
    const pauseMs = circuit.openForMs;
    const nextAttemptAt = now() + (failure.scope === 'server' ? pauseMs : deferFor(now() - dueAt));
    log[failure.needsOperator && pauseMs === 0 ? 'warn' : 'debug'](
      { ...facts, nextAttemptAt },
      'the confirmation mail was not sent; it will be tried again',
    );
    await worker.write(() => store.settle([id], { state: 'unconfirmed', at: now(), nextAttemptAt, reason, tried }));
  }

  /** Exponential backoff with 50–100 % jitter: as long as the mail has waited already, which doubles its age. */
  function deferFor(ageMs: number): number {
    const wait = Math.min(Math.max(ageMs, deferredMs.min), deferredMs.max);
    return Math.ceil(wait * (0.5 + random() / 2));
  }

  return worker;
}
