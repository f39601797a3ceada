/**
 * Alerts: reports conditions by which signups are lost or stay undelivered, once when they begin and once when they
 * end, and dead letters in batches.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { eventListener, type EventListener, type Fallible } from '../events.ts';
import type { Log } from '../log.ts';

/** The conditions that are reported, by what fails. */
export const alertConditions = {
  store: {
    begin: 'store_failing',
    why: 'Visitors are answered with 503, and no signup is kept. ',
    when: 'Signups could not be kept for 30 seconds, with the reason, for example a full disk; visitors get 503.',
    end: 'store_recovered',
    over: 'Signups are kept again.',
  },
  api: {
    begin: 'delivery_stalled',
    why: '',
    when: 'The API is down for 15 minutes; at once where its answer needs a person: 401 or 403 (the key), 404 (the publication), 402 (the plan).',
    end: 'delivery_resumed',
    over: 'The API takes signups again; what waited is being delivered.',
  },
  mailServer: {
    begin: 'mail_failing',
    why: 'Nobody can confirm a signup. ',
    when: 'The mail server has taken no confirmation mails for 15 minutes; at once where it refuses the account.',
    end: 'mail_recovered',
    over: 'The mail server takes confirmation mails again.',
  },
  mails: {
    begin: 'mails_held',
    why: '',
    when: 'A form has sent `RELAY_CONFIRMATION_MAILS_PER_HOUR`, or its half of them, by an attack or by a success; more mails are held until an hour has room.',
    end: 'mails_resumed',
    over: 'The form holds no more confirmation mails.',
  },
} as const satisfies Readonly<Record<Exclude<Fallible, 'webhooks'>, Condition>>;

/** The events of its begin and its end; what is said before the reason, and at the end; when, for the reference. */
type Condition = Readonly<Record<'begin' | 'why' | 'when' | 'end' | 'over', string>>;

type Conditions = typeof alertConditions;

/** JSON body of the webhook's request. */
export interface Alert {
  /** A condition, its end, or `dead_letters`: signups were refused for good, `count` since the last such alert. */
  readonly event: Conditions[keyof Conditions]['begin' | 'end'] | 'dead_letters';
  /** What happened and what to do, in a sentence or two. */
  readonly message: string;
  /** Names of the affected forms; empty for the whole relay. */
  readonly forms: readonly string[];
  readonly count: number;
  /** ISO 8601. */
  readonly at: string;
}

/** Options of {@link createAlerts}. */
export interface AlertOptions {
  /** Address that alerts are posted to as JSON. Default: none are sent. */
  readonly webhook?: string | undefined;
  readonly log: Log;
  /** How long dead letters are collected into one alert, in milliseconds. Default one minute. */
  readonly gatherMs?: number | undefined;
  /**
   * How long a temporary failure (no connection, 5xx) may last before it is reported, in milliseconds. Default 15
   * minutes.
   */
  readonly outageDelayMs?: number | undefined;
  /** How long the store may fail before it is reported, in milliseconds: a database may restart. Default 30 seconds. */
  readonly storeDelayMs?: number | undefined;
}

/** Watches the relay and sends alerts. */
export interface Alerts {
  readonly onEvent: EventListener;
  /** Sends the collected dead letters, and waits until every alert is sent or has failed. */
  stop(): Promise<void>;
}

/** A condition that holds; reported once it has lasted long enough. */
interface OpenCondition {
  readonly forms: readonly string[];
  message: string;
  timer?: NodeJS.Timeout;
  isReported: boolean;
}

export function createAlerts({
  webhook,
  log,
  gatherMs = 60_000,
  outageDelayMs = 15 * 60_000,
  storeDelayMs = 30_000,
}: AlertOptions): Alerts {
  if (webhook === undefined) return { onEvent: () => {}, stop: () => Promise.resolve() };
  const stopping = new AbortController();
  const inFlight = new Set<Promise<void>>();
  const send = (event: Alert['event'], message: string, forms: readonly string[], count = 1): void => {
    const alert: Alert = { event, message, forms, count, at: new Date().toISOString() };
    const sending = withRetries(() => postAlert(webhook, alert), stopping.signal)
      .catch((error: unknown) => {
        const reason = error instanceof Error ? error.message : String(error);
        log.error({ alert: event, reason }, 'an alert could not be sent');
      })
      .then(() => void inFlight.delete(sending));
    inFlight.add(sending);
  };

  const open = new Map<string, OpenCondition>();
  let dead: { reason: string; count: number; readonly forms: Set<string>; readonly timer: NodeJS.Timeout } | null =
    null;
  const sendDead = (): void => {
    if (dead === null) return;
    const { count, reason, forms, timer } = dead;
    dead = null;
    clearTimeout(timer);
    const subject = count === 1 ? 'A signup was refused' : `${count} signups were refused`;
    send(
      'dead_letters',
      `${subject} for good; the last reason: ${reason} See "newsletter-relay dead".`,
      [...forms],
      count,
    );
  };

  return {
    onEvent: eventListener({
      deadLetter({ form, reason }) {
        dead ??= { reason, count: 0, forms: new Set(), timer: setTimeout(sendDead, gatherMs).unref() };
        dead.reason = reason;
        dead.count += 1;
        dead.forms.add(form);
      },
      failing({ what, scope, forms, reason, needsOperator }) {
        const known: OpenCondition = open.get(`${what} ${scope}`) ?? { forms, message: '', isReported: false };
        if (what === 'webhooks' || known.isReported) return;
        const { begin, why } = alertConditions[what];
        open.set(`${what} ${scope}`, known);
        known.message = why + reason;
        const report = (): void => {
          clearTimeout(known.timer);
          known.isReported = true;
          send(begin, known.message, known.forms);
        };
        if (needsOperator) report();
        else known.timer ??= setTimeout(report, what === 'store' ? storeDelayMs : outageDelayMs).unref();
      },
      // The end is reported only if the beginning was.
      works({ what, scope }) {
        const known = open.get(`${what} ${scope}`);
        if (what === 'webhooks' || !known) return;
        clearTimeout(known.timer);
        open.delete(`${what} ${scope}`);
        const { end, over } = alertConditions[what];
        if (known.isReported) send(end, over, known.forms);
      },
    }),
    // Ends retries: each alert in flight gets one last attempt.
    async stop() {
      for (const { timer } of open.values()) clearTimeout(timer);
      sendDead();
      stopping.abort();
      await Promise.all(inFlight);
    },
  };
}

/** Time limit of one attempt, in milliseconds. */
const attemptTimeoutMs = 10_000;

/** Waits between attempts, in milliseconds. */
const retryDelaysMs = [1000, 10_000, 60_000];

async function postAlert(webhook: string, alert: Alert): Promise<void> {
  const answer = await fetch(webhook, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(alert),
    signal: AbortSignal.timeout(attemptTimeoutMs),
  });
  await answer.body?.cancel();
  if (!answer.ok) throw new Error(`The webhook answered ${answer.status}.`);
}

/** Retries after each of {@link retryDelaysMs}, but not while the relay stops. */
async function withRetries(attempt: () => Promise<void>, stopping: AbortSignal): Promise<void> {
  for (const delayMs of retryDelaysMs) {
    try {
      return await attempt();
    } catch (error) {
      if (stopping.aborted) throw error;
      // What stops the wait makes the next attempt the last one.
      await sleep(delayMs, undefined, { ref: false, signal: stopping }).catch(() => undefined);
    }
  }
  return attempt();
}
