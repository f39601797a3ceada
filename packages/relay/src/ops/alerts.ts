/**
 * Alerts: reports conditions that need a person, once when they begin and once when they end, and dead letters in
 * batches.
 */
import type { SignupStore } from '../store/signup-store.ts';
import { AlertSender, type AlertSenderOptions } from './alert-sender.ts';
import { DeadLetterBatch, PostCounter } from './alert-counts.ts';
import { eventListener, type EventListener, type RelayEvent } from './events.ts';
import { isNearlyFull, type ReadDiskSpace } from './health.ts';

/** Every condition: when it begins, and the event and message of its end. Its name is the event of its beginning. */
export const alertConditions = {
  store_failing: {
    when: 'Signups could not be kept for 30 seconds, with the reason, for example a full disk; visitors get 503.',
    end: 'store_recovered',
    over: 'Signups are kept again.',
  },
  posts_failing: {
    when: 'Of the posts of the last five minutes more than 5 %, and at least three, were answered with 503.',
    end: 'posts_kept',
    over: 'The relay no longer answers posts with 503.',
  },
  key_refused: {
    when: 'At once where the API answers 401 or 403.',
    end: 'key_accepted',
    over: 'The API accepts the key again; what waited is being delivered.',
  },
  publication_refused: {
    when: 'At once where the API answers 404.',
    end: 'publication_accepted',
    over: 'The API accepts the publication again; what waited is being delivered.',
  },
  delivery_stalled: {
    when: 'The API is down for 15 minutes; at once where its answer needs a person, for example 402 (the plan).',
    end: 'delivery_resumed',
    over: 'The API takes signups again; what waited is being delivered.',
  },
  mail_failing: {
    when: 'The mail server has taken no confirmation mails for 15 minutes; at once where it refuses the account.',
    end: 'mail_recovered',
    over: 'The mail server takes confirmation mails again.',
  },
  webhooks_failing: {
    when: 'A destination has accepted no webhooks for 15 minutes; at once where its answer needs a person, for example a redirect or 410.',
    end: 'webhooks_accepted',
    over: 'The destination accepts webhooks again; what waited is being sent.',
  },
  signups_waiting: {
    when: "A form's oldest signup is older than 15 minutes, for 5 minutes.",
    end: 'signups_delivered',
    over: 'No signup waits for that long any more.',
  },
  disk_nearly_full: {
    when: 'The disk of an SQLite store has less than 10 % and less than 1 GiB left.',
    end: 'disk_has_room',
    over: 'The disk of the store has room again.',
  },
} as const satisfies Readonly<Record<string, Readonly<Record<'when' | 'end' | 'over', string>>>>;

type ConditionName = keyof typeof alertConditions;

/** JSON body of the webhook's request, and standard input of the command. */
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
export interface AlertOptions extends AlertSenderOptions {
  /** Read for the age of the backlog. */
  readonly store: Pick<SignupStore, 'overview' | 'paused'>;
  readonly disk: ReadDiskSpace;
  /** How long dead letters are collected into one alert, in milliseconds. Default one minute. */
  readonly gatherMs?: number | undefined;
  /**
   * How long a temporary failure (no connection, 5xx) may last before it is reported, in milliseconds. Default 15
   * minutes.
   */
  readonly outageDelayMs?: number | undefined;
  /** How long the store may fail before it is reported, in milliseconds: a database may restart. Default 30 seconds. */
  readonly storeDelayMs?: number | undefined;
  /**
   * How long the oldest signup of a form must be too old before that is reported, in milliseconds: a redriven signup is
   * old already, and is delivered at once. Default 5 minutes.
   */
  readonly backlogDelayMs?: number | undefined;
  /** How often backlog, disk and share of failed posts are checked, in milliseconds. Default one minute. */
  readonly checkMs?: number | undefined;
  readonly now?: (() => number) | undefined;
}

/** Watches the relay and sends alerts. */
export interface Alerts {
  readonly onEvent: EventListener;
  /** Sends the collected dead letters, and waits until every alert is sent or has failed. */
  stop(): Promise<void>;
}

/** Age from which a waiting signup is reported, in milliseconds. */
const maxWaitMs = 15 * 60_000;

/** Posts answered with 503 are reported above this share and from this number on. */
const maxFailedShare = 0.05;
const minFailedPosts = 3;

/** Scope of a condition that concerns the whole relay. */
const wholeRelay = { scope: '', forms: [] } as const;

/** Sends an alert. `count`: number of what it reports; default 1. */
export type SendAlert = (event: Alert['event'], message: string, forms: readonly string[], count?: number) => void;

export function createAlerts(options: AlertOptions): Alerts {
  const { now = Date.now, gatherMs = 60_000, checkMs = 60_000 } = options;
  const sender = new AlertSender(options);
  if (!sender.hasReceivers) return { onEvent: () => {}, stop: () => Promise.resolve() };

  const send: SendAlert = (event, message, forms, count = 1) => {
    const alert: Alert = { event, message, forms, count, at: new Date(now()).toISOString() };
    sender.send(alert);
  };
  const deadLetters = new DeadLetterBatch(send, gatherMs);
  const conditions = new AlertConditions(send);
  const posts = new PostCounter(now);
  const stopping = new AbortController();
  const checks = periodicChecks({ ...options, now, conditions, posts, stopping: stopping.signal });

  let running: Promise<unknown> | null = null;
  const timer = setInterval(() => {
    checks.posts();
    running ??= Promise.all([checks.backlog(), checks.disk()]).finally(() => (running = null));
  }, checkMs).unref();

  return {
    onEvent: alertListener(options, { conditions, deadLetters, posts }),
    async stop() {
      clearInterval(timer);
      conditions.stop();
      deadLetters.send();
      stopping.abort();
      const sent = sender.stop();
      await running;
      await sent;
    },
  };
}

/** Begins and ends conditions by the events of the relay. */
function alertListener(
  { outageDelayMs = 15 * 60_000, storeDelayMs = 30_000 }: AlertOptions,
  {
    conditions,
    deadLetters,
    posts,
  }: { readonly conditions: AlertConditions; readonly deadLetters: DeadLetterBatch; readonly posts: PostCounter },
): EventListener {
  return eventListener({
    accepted: () => posts.count('kept'),
    refused({ status }) {
      if (status >= 500) posts.count('failed');
    },
    deadLetter: ({ form, reason }) => deadLetters.add(form, reason),
    circuitOpened({ scope, forms, status, reason, needsOperator }) {
      const name = apiCondition(status);
      // One failure may turn into another: after the answer 401 the API no longer counts as unreachable.
      for (const other of apiConditions) if (other !== name) conditions.end(other, scope);
      conditions.begin(name, { scope, forms }, reason, needsOperator ? 0 : outageDelayMs);
    },
    circuitClosed({ scope }) {
      for (const name of apiConditions) conditions.end(name, scope);
    },
    mailCircuitOpened: ({ reason, needsOperator }) =>
      conditions.begin(
        'mail_failing',
        wholeRelay,
        `Nobody can confirm a signup. ${reason}`,
        needsOperator ? 0 : outageDelayMs,
      ),
    mailCircuitClosed: () => conditions.end('mail_failing'),
    webhooksFailing: ({ destination, reason, needsOperator }) =>
      conditions.begin(
        'webhooks_failing',
        { scope: destination, forms: [] },
        `The destination "${destination}" accepts no webhooks; they wait. ${reason}`,
        needsOperator ? 0 : outageDelayMs,
      ),
    webhooksAccepted: ({ destination }) => conditions.end('webhooks_failing', destination),
    storeFailed: ({ reason }) =>
      conditions.begin(
        'store_failing',
        wholeRelay,
        `Visitors are answered with 503, and no signup is kept. ${reason}`,
        storeDelayMs,
      ),
    storeRecovered() {
      // The failed posts were reported with the store.
      if (conditions.isReported('store_failing')) posts.clear();
      conditions.end('store_failing');
    },
  });
}

/** The conditions that no event reports: age of the backlog, disk space, share of posts answered with 503. */
function periodicChecks({
  store,
  disk,
  backlogDelayMs = 5 * 60_000,
  now,
  conditions,
  posts,
  stopping,
}: AlertOptions & {
  readonly now: () => number;
  readonly conditions: AlertConditions;
  readonly posts: PostCounter;
  readonly stopping: AbortSignal;
}): { backlog(this: void): Promise<void>; disk(this: void): Promise<void>; posts(this: void): void } {
  return {
    async backlog() {
      // A store that cannot be read is reported by the condition "store_failing".
      const read = await Promise.all([store.overview(now()), store.paused()]).catch(() => null);
      if (read === null || stopping.aborted) return;
      const [{ forms }, paused] = read;
      const late = forms.filter(({ oldestSince }) => oldestSince !== null && now() - oldestSince > maxWaitMs);
      for (const scope of conditions.scopesOf('signups_waiting'))
        if (!late.some(({ form }) => form === scope)) conditions.end('signups_waiting', scope);
      for (const { form, open: count, oldestSince } of late) {
        const minutes = Math.floor((now() - (oldestSince ?? 0)) / 60_000);
        const cause = paused
          ? 'Delivery is paused: newsletter-relay resume.'
          : '"newsletter-relay status" and the log say why.';
        conditions.begin(
          'signups_waiting',
          { scope: form, forms: [form] },
          `The oldest signup of the form "${form}" has been waiting for ${minutes} minutes, with ${count} in line. ${cause}`,
          backlogDelayMs,
        );
      }
    },

    async disk() {
      const space = await disk().catch(() => null);
      if (space === null || stopping.aborted) return;
      if (!isNearlyFull(space)) return conditions.end('disk_nearly_full');
      const megabytes = Math.floor(space.availableBytes / 1_000_000);
      const message = `The disk of the store has ${megabytes} MB left: free some space. When it is full, visitors are answered with 503.`;
      conditions.begin('disk_nearly_full', wholeRelay, message);
    },

    posts() {
      if (conditions.isReported('store_failing')) return;
      const { failed, kept } = posts.last();
      const share = failed / (failed + kept);
      if (failed < minFailedPosts || share <= maxFailedShare) return conditions.end('posts_failing');
      const percent = Math.round(share * 100);
      const message = `${failed} posts of the last five minutes were answered with 503 (${percent} %): their visitors were asked to try again. The log says why.`;
      conditions.begin('posts_failing', wholeRelay, message);
    },
  };
}

/** Conditions about the API, which end when it takes signups again. */
const apiConditions = ['key_refused', 'publication_refused', 'delivery_stalled'] as const;

function apiCondition(
  status: Extract<RelayEvent, { type: 'circuitOpened' }>['status'],
): (typeof apiConditions)[number] {
  if (status === 401 || status === 403) return 'key_refused';
  return status === 404 ? 'publication_refused' : 'delivery_stalled';
}

interface AlertCondition {
  readonly name: ConditionName;
  /** The affected key, publication or form; empty for the whole relay. */
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
    afterMs = 0,
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

  isReported(name: ConditionName): boolean {
    return [...this.#open.values()].some((condition) => condition.name === name && condition.isReported);
  }

  scopesOf(name: ConditionName): readonly string[] {
    return [...this.#open.values()].filter((condition) => condition.name === name).map(({ scope }) => scope);
  }

  /** Reports nothing more that has not lasted long enough. */
  stop(): void {
    for (const condition of this.#open.values()) clearTimeout(condition.timer);
  }
}
