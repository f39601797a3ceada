/** Sends webhook messages, to each destination on its own, and retries each until its destination has accepted it. */
import { retryAfterMs } from '@newsletter-kit/core/engine';
import type { WebhookDestination } from '../config/webhook.ts';
import { ClaimSize } from '../queue/claim-size.ts';
import { toldCircuit } from '../circuits.ts';
import type { DeliveryFailure } from '../queue/circuit-breaker.ts';
import { QueueGroup } from '../queue/group.ts';
import { QueueWorker } from '../queue/worker.ts';
import { backoffMs, type BackoffOptions } from '../queue/retry.ts';
import type { RelayContext } from '../context.ts';
import type { Log } from '../log.ts';
import type { WebhookMessage } from '../store/signup-store.ts';
import { webhookBody, webhookHeaders } from './message.ts';
import { type PostWebhook, PrivateAddressError, type WebhookAnswer } from './post.ts';

/** Waits between the attempts of a message, in milliseconds. */
export const webhookBackoff: BackoffOptions = { firstMs: 5000, maxMs: 3_600_000, maxRetryAfterMs: 3_600_000 };

/** A message is given up after this time since its event, in milliseconds, but not before {@link minAttempts}. */
export const giveUpAfterMs = 3 * 86_400_000;

/** Number of attempts before a message is given up: it may have waited for days for its first one. */
const minAttempts = 10;

/** Time limit of an attempt, in milliseconds; shorter than a claim. */
export const attemptMs = 15_000;

/** Maximum number of messages in flight to one destination. */
const concurrency = 4;

/** Longest wait that the clock may still have set, in milliseconds: beyond that it was set back. */
const longestWaitMs = 2 * webhookBackoff.maxRetryAfterMs;

export class WebhookSender extends QueueGroup {
  readonly #context: RelayContext;
  readonly #lanes: readonly ReturnType<typeof createLane>[];
  #isPrepared = false;

  constructor(context: RelayContext, post: PostWebhook, backoff?: Partial<BackoffOptions>) {
    const options: LaneOptions = {
      post,
      backoff: { ...webhookBackoff, ...backoff },
      prepare: () => this.prepare(),
    };
    const lanes = context.config.webhooks.map((destination) => createLane(context, destination, options));
    super(lanes.map(({ worker }) => worker));
    this.#context = context;
    this.#lanes = lanes;
    const wake = (): void => this.wake();
    context.events.on({ delivered: wake, statusKnown: wake, deadLetter: wake, confirmed: wake });
  }

  /**
   * Makes the configured destinations those of the store, before anything is delivered.
   *
   * @throws StoreUnavailableError; every round of the loop tries again
   */
  override async prepare(): Promise<void> {
    if (this.#isPrepared) return;
    const { store, config, log } = this.#context;
    const { deleted, held } = await store.webhooks.setDestinations(config.webhooks);
    this.#isPrepared = true;
    if (deleted > 0) log.warn({ deleted }, 'deleted webhooks that waited for a destination which is gone');
    for (const name of held)
      log.warn({ destination: name }, `webhooks are held; "newsletter-relay webhooks resume ${name}" sends them`);
  }

  /** Something is due by an operator's command: sends it now, also while the destination fails. */
  sendNow(): void {
    for (const lane of this.#lanes) lane.sendNow();
  }
}

/** A failed attempt. */
interface AttemptFailure extends DeliveryFailure {
  /** Contains neither the URL nor an address of a person. */
  readonly reason: string;
  /** Whether the failure persists until a person acts. */
  readonly needsOperator: boolean;
  /** Whether it may concern this message alone. */
  readonly mayBeMessage: boolean;
}

interface LaneOptions {
  readonly post: PostWebhook;
  readonly backoff: BackoffOptions;
  /** See {@link WebhookSender.prepare}. */
  readonly prepare: () => Promise<void>;
}

/** The messages of one destination: a slow or failing one holds up no other. An aborted attempt is repeated later. */
function createLane(context: RelayContext, destination: WebhookDestination, { post, backoff, prepare }: LaneOptions) {
  const { config, store, log: parent, events, calls, now, random } = context;
  const { name, url, secrets, allowsPrivateNetwork } = destination;
  const claims = new ClaimSize(concurrency, context.log);
  /** How often operators have resumed the destination, as read during the current pause; null without one. */
  let known: number | null = null;
  const circuit = toldCircuit<AttemptFailure>(context, {
    what: 'webhooks',
    scope: name,
    forms: [],
    backoff,
    words: ['webhooks are not accepted; they wait', 'webhooks are accepted again'],
    facts: () => ({ destination: name }),
  });
  const worker = new QueueWorker(context, { openForMs, startDue });

  /** Milliseconds of the pause. In a shared store a command can end it that another process ran. */
  async function openForMs(): Promise<number> {
    if (!store.shared || circuit.openForMs === 0) {
      known = null;
      return circuit.openForMs;
    }
    const resumes = await store.webhooks.resumes(name);
    if (resumes > (known ?? resumes)) circuit.endPause();
    known = resumes;
    return circuit.openForMs;
  }

  /** @returns milliseconds until the next message is due; null if unknown */
  async function startDue(): Promise<number | null> {
    await prepare();
    // While the destination fails, one message at a time is tried.
    const free = (circuit.isFailing ? 1 : concurrency) - worker.inFlight.size;
    if (free <= 0) return null;
    const claim = (limit: number) => store.webhooks.claim(name, limit, now());
    const due = await calls.claim(free, claims.limited(claim), 1);
    for (const message of due) worker.inFlight.add(send(message));
    if (due.length === free) return null;
    const next = await store.webhooks.nextDueAt(name);
    if (next !== null && next - now() > longestWaitMs) {
      await store.webhooks.pullForward(name, now(), longestWaitMs);
      return 0;
    }
    return next === null ? null : next - now();
  }

  async function send(message: WebhookMessage): Promise<void> {
    const { seq, id, type, signup, attempts } = message;
    const log = parent.child({ destination: name, webhook: id, event: type, signup, attempt: attempts + 1 });
    const answer = await postMessage(message);
    // Aborted because the relay stops: the claim expires, and the message is sent again with the same id.
    if (answer === null) return;
    if ('status' in answer && answer.status >= 200 && answer.status < 300) {
      circuit.recordSuccess();
      await worker.write(() => store.webhooks.settle(seq, { state: 'delivered' }));
      log.info('sent a webhook');
      return events.emit({ type: 'webhookAttempted', destination: name, result: 'delivered' });
    }
    const failure = 'status' in answer ? explainStatus(answer, now()) : answer;
    if ('status' in answer && answer.status === 410) await hold(failure, log);
    await failed(message, failure, log);
  }

  /** @returns the answer or why there is none; null if the attempt was aborted */
  async function postMessage(message: WebhookMessage): Promise<WebhookAnswer | AttemptFailure | null> {
    const { givenUp } = worker;
    const body = JSON.stringify(webhookBody(message, config.forms[message.form]?.publicationId ?? null));
    try {
      return await post({
        url,
        headers: webhookHeaders(message.id, body, secrets, now()),
        body,
        allowsPrivateNetwork,
        signal: AbortSignal.any([givenUp, AbortSignal.timeout(attemptMs)]),
      });
    } catch (error) {
      return givenUp.aborted ? null : explainError(error);
    }
  }

  /** Sends nothing more until an operator resumes the destination: the receiver wants no more messages. */
  async function hold({ reason }: AttemptFailure, log: Log): Promise<void> {
    await worker.write(() => store.webhooks.hold(name, reason));
    log.error({ reason }, `webhooks are held; "newsletter-relay webhooks resume ${name}" sends them again`);
  }

  async function failed({ seq, at, attempts }: WebhookMessage, failure: AttemptFailure, log: Log): Promise<void> {
    const { reason } = failure;
    if (failure.mayBeMessage) circuit.recordPossibleFailure(failure);
    else circuit.open(failure);
    const isGivenUp = attempts + 1 >= minAttempts && now() - at >= giveUpAfterMs;
    const waitMs = backoffMs(attempts + 1, failure.retryAfterMs, backoff, random);
    const nextAttemptAt = now() + Math.max(waitMs, circuit.openForMs);
    await worker.write(() =>
      store.webhooks.settle(seq, isGivenUp ? { state: 'dead', reason } : { state: 'waiting', nextAttemptAt, reason }),
    );
    if (isGivenUp) log.error({ reason }, 'a webhook was given up; kept as a dead letter');
    else log.debug({ reason, nextAttemptAt }, 'a webhook was not accepted; it will be sent again');
    events.emit({ type: 'webhookAttempted', destination: name, result: isGivenUp ? 'dead' : 'waiting' });
  }

  return {
    worker,
    sendNow(): void {
      circuit.endPause();
      worker.wake();
    },
  };
}

/** What an operator does about answers that do not pass by themselves. */
const remedies: Readonly<Partial<Record<number, string>>> = {
  401: 'see that it has the secret of RELAY_WEBHOOK_SECRET, and that its clock is right',
  403: 'see that it has the secret of RELAY_WEBHOOK_SECRET, and that its clock is right',
  404: 'see that the URL is right and that the receiver is active',
  410: 'it wants no more webhooks',
};

/** Why an answer is a failure. Exported for `webhooks test`. @param now - milliseconds since the Unix epoch */
export function explainStatus({ status, headers }: WebhookAnswer, now: number): AttemptFailure {
  // A wait of nothing would repeat the attempt several times a second, for days.
  const wait = retryAfterMs({ status, headers: definedHeaders(headers) }, now) || undefined;
  const isRedirect = status >= 300 && status < 400;
  const remedy = remedies[status];
  const answered = `The receiver answered ${status}`;
  return {
    cause: `status ${status}`,
    retryAfterMs: wait,
    needsOperator: isRedirect || remedy !== undefined,
    mayBeMessage: !isRedirect && status !== 410 && (remedy !== undefined || wait === undefined),
    reason: isRedirect
      ? `${answered}, a redirect, which is not followed: set the URL that it leads to.`
      : `${answered}${remedy === undefined ? '' : `: ${remedy}`}.`,
  };
}

function definedHeaders(headers: WebhookAnswer['headers']): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

/** Why there is no answer, by its code: the text of an error may contain the URL. Exported for `webhooks test`. */
export function explainError(error: unknown): AttemptFailure {
  const { name = '', code = '' }: { readonly name?: string; readonly code?: unknown } =
    error instanceof Error ? error : {};
  if (error instanceof PrivateAddressError)
    return { cause: 'private network', reason: error.message, needsOperator: true, mayBeMessage: false };
  // A receiver may take too long for one message.
  if (name === 'TimeoutError' || name === 'AbortError') {
    const reason = `The receiver did not answer within ${attemptMs / 1000} seconds.`;
    return { cause: 'timeout', reason, needsOperator: false, mayBeMessage: true };
  }
  const cause = /^[A-Z0-9_]{3,60}$/.test(String(code)) ? String(code) : 'no connection';
  const reason = `The receiver cannot be reached (${cause}): see that the URL is right and that the receiver runs.`;
  return { cause, reason, needsOperator: false, mayBeMessage: false };
}
