/**
 * Alerts: reports conditions by which signups are lost or stay undelivered, once when they begin and once when they
 * end, and dead letters in batches.
 */
import { eventListener, type EventListener } from '../events.ts';
import type { Log } from '../log.ts';
import { AlertSender } from './alert-sender.ts';

/** Every condition: when it begins, and the event and message of its end. Its name is the event of its beginning. */
export const alertConditions = {
  store_failing: {
    when: 'Signups could not be kept for 30 seconds, with the reason, for example a full disk; visitors get 503.',
    end: 'store_recovered',
    over: 'Signups are kept again.',
  },
  delivery_stalled: {
    when: 'The API is down for 15 minutes; at once where its answer needs a person: 401 or 403 (the key), 404 (the publication), 402 (the plan).',
    end: 'delivery_resumed',
    over: 'The API takes signups again; what waited is being delivered.',
  },
  mail_failing: {
    when: 'The mail server has taken no confirmation mails for 15 minutes; at once where it refuses the account.',
    end: 'mail_recovered',
    over: 'The mail server takes confirmation mails again.',
  },
  mails_held: {
    when: 'A form has sent `RELAY_CONFIRMATION_MAILS_PER_HOUR`, or its half of them, by an attack or by a success; more mails are held until an hour has room.',
    end: 'mails_resumed',
    over: 'The form holds no more confirmation mails.',
  },
} as const satisfies Readonly<Record<string, Readonly<Record<'when' | 'end' | 'over', string>>>>;

type ConditionName = keyof typeof alertConditions;

/** JSON body of the webhook's request. */
export interface Alert {
  /** A condition, its end, or `dead_letters`: signups were refused for good, `count` since the last such alert. */
  readonly event: ConditionName | (typeof alertConditions)[ConditionName]['end'] | 'dead_letters';
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

/** Scope of a condition that concerns the whole relay. */
const wholeRelay = { scope: '', forms: [] } as const;

/** Sends an alert. `count`: number of what it reports; default 1. */
type SendAlert = (event: Alert['event'], message: string, forms: readonly string[], count?: number) => void;

export function createAlerts(options: AlertOptions): Alerts {
  const { webhook, log, gatherMs = 60_000, outageDelayMs = 15 * 60_000, storeDelayMs = 30_000 } = options;
  if (webhook === undefined) return { onEvent: () => {}, stop: () => Promise.resolve() };
  const sender = new AlertSender(webhook, log);

  const send: SendAlert = (event, message, forms, count = 1) => {
    const alert: Alert = { event, message, forms, count, at: new Date().toISOString() };
    sender.send(alert);
  };
  const deadLetters = new DeadLetterBatch(send, gatherMs);
  const conditions = new AlertConditions(send);

  return {
    onEvent: eventListener({
      deadLetter: ({ form, reason }) => deadLetters.add(form, reason),
      circuitOpened: ({ scope, forms, reason, needsOperator }) =>
        conditions.begin('delivery_stalled', { scope, forms }, reason, needsOperator ? 0 : outageDelayMs),
      circuitClosed: ({ scope }) => conditions.end('delivery_stalled', scope),
      mailCircuitOpened: ({ reason, needsOperator }) =>
        conditions.begin(
          'mail_failing',
          wholeRelay,
          `Nobody can confirm a signup. ${reason}`,
          needsOperator ? 0 : outageDelayMs,
        ),
      mailCircuitClosed: () => conditions.end('mail_failing'),
      mailsHeld: ({ form, mailsPerHour }) =>
        conditions.begin(
          'mails_held',
          { scope: form, forms: [form] },
          `The form "${form}" has sent its share of ${mailsPerHour} confirmation mails an hour, and holds more until an hour has room. If people sign up, redrive them and raise RELAY_CONFIRMATION_MAILS_PER_HOUR; if bots do, discard them, and set RELAY_PROOF=attack.`,
          0,
        ),
      mailsResumed: ({ form }) => conditions.end('mails_held', form),
      storeFailed: ({ reason }) =>
        conditions.begin(
          'store_failing',
          wholeRelay,
          `Visitors are answered with 503, and no signup is kept. ${reason}`,
          storeDelayMs,
        ),
      storeRecovered: () => conditions.end('store_failing'),
    }),
    async stop() {
      conditions.stop();
      deadLetters.send();
      await sender.stop();
    },
  };
}

/** Collects dead letters and sends one alert for all of a short time. */
class DeadLetterBatch {
  readonly #sendAlert: SendAlert;
  readonly #gatherMs: number;
  readonly #forms = new Set<string>();
  #count = 0;
  #lastReason = '';
  #timer: NodeJS.Timeout | undefined;

  constructor(send: SendAlert, gatherMs: number) {
    this.#sendAlert = send;
    this.#gatherMs = gatherMs;
  }

  add(form: string, reason: string): void {
    this.#count += 1;
    this.#lastReason = reason;
    this.#forms.add(form);
    this.#timer ??= setTimeout(() => this.send(), this.#gatherMs).unref();
  }

  send(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#count === 0) return;
    const subject = this.#count === 1 ? 'A signup was refused' : `${this.#count} signups were refused`;
    const message = `${subject} for good; the last reason: ${this.#lastReason} See "newsletter-relay dead".`;
    this.#sendAlert('dead_letters', message, [...this.#forms], this.#count);
    this.#count = 0;
    this.#forms.clear();
  }
}

interface AlertCondition {
  readonly name: ConditionName;
  /** The affected key or publication; empty for the whole relay. */
  readonly scope: string;
  readonly forms: readonly string[];
  message: string;
  timer: NodeJS.Timeout | undefined;
  isReported: boolean;
}

/** The conditions that hold at present; each is reported once when it begins and once when it ends. */
class AlertConditions {
  readonly #send: SendAlert;
  readonly #open = new Map<string, AlertCondition>();

  constructor(send: SendAlert) {
    this.#send = send;
  }

  /** Reports a condition once it has lasted for `afterMs` milliseconds. */
  begin(
    name: ConditionName,
    { scope, forms }: Pick<AlertCondition, 'scope' | 'forms'>,
    message: string,
    afterMs: number,
  ): void {
    const key = `${name} ${scope}`;
    const condition = this.#open.get(key) ?? { name, scope, forms, message, timer: undefined, isReported: false };
    this.#open.set(key, condition);
    if (condition.isReported) return;
    condition.message = message;
    if (afterMs > 0) condition.timer ??= setTimeout(() => this.#report(condition), afterMs).unref();
    else this.#report(condition);
  }

  #report(condition: AlertCondition): void {
    clearTimeout(condition.timer);
    condition.isReported = true;
    this.#send(condition.name, condition.message, condition.forms);
  }

  /** Ends a condition. The end is reported only if the beginning was. */
  end(name: ConditionName, scope = ''): void {
    const condition = this.#open.get(`${name} ${scope}`);
    if (condition === undefined) return;
    clearTimeout(condition.timer);
    this.#open.delete(`${name} ${scope}`);
    const { end: event, over } = alertConditions[name];
    if (condition.isReported) this.#send(event, over, condition.forms);
  }

  /** Reports nothing more that has not lasted long enough. */
  stop(): void {
    for (const condition of this.#open.values()) clearTimeout(condition.timer);
  }
}
