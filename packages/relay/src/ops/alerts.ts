/**
 * Reports to a webhook, a command, or both, when something needs a person, and once more when it is over. A condition
 * that lasts is reported once.
 */
import { spawn } from 'node:child_process';
import type { SignupStore } from '../store/signup-store.ts';
import { isNearlyFull, type AskDisk } from './health.ts';
import { noticing, type Happening, type Notice } from './events.ts';
import type { Log } from './log.ts';

/** Every condition: the event at its end, and the message of that. The event at its beginning is the name. */
export const alertConditions = {
  store_failing: { end: 'store_recovered', over: 'Signups are kept again.' },
  posts_failing: { end: 'posts_kept', over: 'The relay no longer answers posts with 503.' },
  key_refused: { end: 'key_accepted', over: 'The API accepts the key again; what waited is being delivered.' },
  publication_refused: {
    end: 'publication_accepted',
    over: 'The API accepts the publication again; what waited is being delivered.',
  },
  delivery_stalled: {
    end: 'delivery_resumed',
    over: 'The API takes signups again; what waited is being delivered.',
  },
  mail_failing: { end: 'mail_recovered', over: 'The mail server takes confirmation mails again.' },
  signups_waiting: { end: 'signups_delivered', over: 'No signup waits for that long any more.' },
  disk_nearly_full: { end: 'disk_has_room', over: 'The disk of the store has room again.' },
} as const satisfies Readonly<Record<string, { readonly end: string; readonly over: string }>>;

type ConditionName = keyof typeof alertConditions;

/** JSON body of the webhook's request, and standard input of the command. */
export interface Alert {
  /** A condition, its end, or `dead_letters`: signups were refused for good, `count` since the last such alert. */
  readonly event: ConditionName | (typeof alertConditions)[ConditionName]['end'] | 'dead_letters';
  /** What happened and what to do, in a sentence or two. */
  readonly message: string;
  /** Names of the forms it concerns; empty where it concerns the whole relay. */
  readonly forms: readonly string[];
  readonly count: number;
  /** ISO 8601. */
  readonly at: string;
}

/** Options of {@link createAlerts}. */
export interface AlertOptions {
  /** Address that alerts are posted to. */
  readonly webhook?: string | undefined;
  /** Shell command that is run with an alert on its standard input and `RELAY_ALERT_EVENT` in its environment. */
  readonly command?: string | undefined;
  readonly log: Log;
  /** Asked for the age of the backlog. */
  readonly store: Pick<SignupStore, 'overview' | 'paused'>;
  readonly disk: AskDisk;
  /** How long dead letters are gathered into one alert, in milliseconds. Default one minute. */
  readonly gatherMs?: number | undefined;
  /**
   * How long a passing trouble (no connection, 5xx) may last before it is reported, in milliseconds. Default 15
   * minutes.
   */
  readonly patienceMs?: number | undefined;
  /** How long the store may fail before it is reported, in milliseconds: a database may restart. Default 30 seconds. */
  readonly storePatienceMs?: number | undefined;
  /**
   * How long the oldest signup of a form must be too old before that is reported, in milliseconds: one put back in
   * line days after it came in is old, and delivered at once. Default 5 minutes.
   */
  readonly waitingPatienceMs?: number | undefined;
  /** How often backlog, disk and share of failed posts are checked, in milliseconds. Default one minute. */
  readonly checkMs?: number | undefined;
  readonly now?: (() => number) | undefined;
}

/** Observes the relay and reports. */
export interface Alerts {
  readonly notice: Notice;
  /** Reports what was gathered, and waits until it is reported or given up on. */
  stop(): Promise<void>;
}

/** Milliseconds one attempt to report may take, and the waits between attempts. */
const attemptMs = 10_000;
const waits = [1000, 10_000, 60_000];

/** A signup that waits for longer, in milliseconds, is reported. */
const longestWaitMs = 15 * 60_000;

/** Posts are counted over this time, in milliseconds. */
const shareMs = 5 * 60_000;

/** This share of posts answered with 503, and this number of them, is reported. */
const largestShare = 0.05;
const leastFailed = 3;

export function createAlerts(options: AlertOptions): Alerts {
  const { webhook, command, log, store, disk, now = Date.now } = options;
  const { gatherMs = 60_000, patienceMs = 15 * 60_000, storePatienceMs = 30_000, checkMs = 60_000 } = options;
  const { waitingPatienceMs = 5 * 60_000 } = options;
  const ways = [...(webhook ? [post(webhook)] : []), ...(command ? [run(command)] : [])];
  if (ways.length === 0) return { notice: () => {}, stop: () => Promise.resolve() };

  const reports = new Set<Promise<void>>();
  const stopping = new AbortController();
  const report = (event: Alert['event'], message: string, forms: readonly string[], count = 1): void => {
    const alert: Alert = { event, message, forms, count, at: new Date(now()).toISOString() };
    for (const way of ways) {
      const reporting = persist(() => way(alert), stopping.signal)
        .catch((error: unknown) =>
          log.error(
            { alert: event, reason: error instanceof Error ? error.message : String(error) },
            'an alert could not be sent',
          ),
        )
        .then(() => void reports.delete(reporting));
      reports.add(reporting);
    }
  };

  let dead = { count: 0, reason: '', forms: new Set<string>() };
  let gathering: NodeJS.Timeout | undefined;
  const reportDead = (): void => {
    clearTimeout(gathering);
    gathering = undefined;
    if (dead.count === 0) return;
    const { count, reason, forms } = dead;
    dead = { count: 0, reason: '', forms: new Set() };
    const subject = count === 1 ? 'A signup was refused' : `${count} signups were refused`;
    const message = `${subject} for good; the last reason: ${reason} See "newsletter-relay dead".`;
    report('dead_letters', message, [...forms], count);
  };

  const open = new Map<string, Condition>();
  /** Reports a condition when it has lasted for `afterMs`, once. */
  function begin(
    name: ConditionName,
    { scope, forms }: Pick<Condition, 'scope' | 'forms'>,
    message: string,
    afterMs = 0,
  ): void {
    const key = `${name} ${scope}`;
    const condition = open.get(key) ?? { name, scope, forms, message, timer: undefined, isReported: false };
    open.set(key, condition);
    if (condition.isReported) return;
    condition.message = message;
    if (afterMs > 0) condition.timer ??= setTimeout(() => reportBegin(condition), afterMs).unref();
    else reportBegin(condition);
  }
  function reportBegin(condition: Condition): void {
    clearTimeout(condition.timer);
    condition.isReported = true;
    report(condition.name, condition.message, condition.forms);
  }
  /** Ends a condition; one that was not reported yet never is. */
  function end(name: ConditionName, scope = ''): void {
    const condition = open.get(`${name} ${scope}`);
    if (condition === undefined) return;
    clearTimeout(condition.timer);
    open.delete(`${name} ${scope}`);
    const { end: event, over } = alertConditions[name];
    if (condition.isReported) report(event, over, condition.forms);
  }

  const isReported = (name: ConditionName): boolean =>
    [...open.values()].some((condition) => condition.name === name && condition.isReported);

  const posts = new PostShare(now);
  const notice = noticing({
    kept: () => posts.count('kept'),
    refused({ status }) {
      if (status >= 500) posts.count('failed');
    },
    dead({ form, reason }) {
      dead = { count: dead.count + 1, reason, forms: dead.forms.add(form) };
      gathering ??= setTimeout(reportDead, gatherMs).unref();
    },
    stalled({ scope, forms, status, reason, needsOperator }) {
      const name = apiCondition(status);
      // One trouble may pass into another: the answer 401 ends the time without an answer.
      for (const other of apiConditions) if (other !== name) end(other, scope);
      begin(name, { scope, forms }, reason, needsOperator ? 0 : patienceMs);
    },
    flowing({ scope }) {
      for (const name of apiConditions) end(name, scope);
    },
    mailStalled: ({ reason, needsOperator }) =>
      begin('mail_failing', whole, `Nobody can confirm a signup. ${reason}`, needsOperator ? 0 : patienceMs),
    mailFlowing: () => end('mail_failing'),
    storeFailed: ({ reason }) =>
      begin(
        'store_failing',
        whole,
        `Visitors are answered with 503, and no signup is kept. ${reason}`,
        storePatienceMs,
      ),
    storeWorks() {
      // Its failed posts were reported with it.
      if (isReported('store_failing')) posts.clear();
      end('store_failing');
    },
  });

  async function checkBacklog(): Promise<void> {
    // A store that cannot be read is reported as one that fails.
    const read = await Promise.all([store.overview(now()), store.paused()]).catch(() => null);
    if (read === null || stopping.signal.aborted) return;
    const [{ forms }, paused] = read;
    const late = forms.filter(({ oldestSince }) => oldestSince !== null && now() - oldestSince > longestWaitMs);
    for (const { name, scope } of open.values())
      if (name === 'signups_waiting' && !late.some(({ form }) => form === scope)) end(name, scope);
    for (const { form, open: count, oldestSince } of late) {
      const minutes = Math.floor((now() - (oldestSince ?? 0)) / 60_000);
      const cause = paused
        ? 'Delivery is paused: newsletter-relay resume.'
        : '"newsletter-relay status" and the log say why.';
      begin(
        'signups_waiting',
        { scope: form, forms: [form] },
        `The oldest signup of the form "${form}" has been waiting for ${minutes} minutes, with ${count} in line. ${cause}`,
        waitingPatienceMs,
      );
    }
  }

  async function checkDisk(): Promise<void> {
    const room = await disk().catch(() => null);
    if (room === null || stopping.signal.aborted) return;
    if (!isNearlyFull(room)) return end('disk_nearly_full');
    const megabytes = Math.floor(room.availableBytes / 1_000_000);
    const message = `The disk of the store has ${megabytes} MB left: make room. When it is full, visitors are answered with 503.`;
    begin('disk_nearly_full', whole, message);
  }

  function checkPosts(): void {
    if (isReported('store_failing')) return;
    const { failed, kept } = posts.last();
    const share = failed / (failed + kept);
    if (failed < leastFailed || share <= largestShare) return end('posts_failing');
    const percent = Math.round(share * 100);
    const message = `${failed} posts of the last five minutes were answered with 503 (${percent} %), and nothing of them was kept. The log says why.`;
    begin('posts_failing', whole, message);
  }

  let checking: Promise<unknown> | null = null;
  const timer = setInterval(() => {
    checkPosts();
    checking ??= Promise.all([checkBacklog(), checkDisk()]).finally(() => (checking = null));
  }, checkMs).unref();

  return {
    notice,
    async stop() {
      clearInterval(timer);
      for (const condition of open.values()) clearTimeout(condition.timer);
      reportDead();
      stopping.abort();
      await checking;
      await Promise.all(reports);
    },
  };
}

interface Condition {
  readonly name: ConditionName;
  /** The key, publication or form it concerns; empty for the whole relay. */
  readonly scope: string;
  readonly forms: readonly string[];
  message: string;
  timer: NodeJS.Timeout | undefined;
  isReported: boolean;
}

/** The scope of a condition of the whole relay. */
const whole = { scope: '', forms: [] } as const;

/** Those about the API, which end when it takes signups again. */
const apiConditions = ['key_refused', 'publication_refused', 'delivery_stalled'] as const;

function apiCondition(status: Extract<Happening, { what: 'stalled' }>['status']): (typeof apiConditions)[number] {
  if (status === 401 || status === 403) return 'key_refused';
  return status === 404 ? 'publication_refused' : 'delivery_stalled';
}

/** Posts kept and posts answered with 5xx in the last {@link shareMs}, counted by the minute. */
class PostShare {
  readonly #now: () => number;
  readonly #minutes = new Map<number, { kept: number; failed: number }>();

  constructor(now: () => number) {
    this.#now = now;
  }

  count(result: 'kept' | 'failed'): void {
    const minute = this.#minute();
    const counted = this.#minutes.get(minute) ?? { kept: 0, failed: 0 };
    counted[result] += 1;
    this.#minutes.set(minute, counted);
    if (this.#minutes.size > shareMs / 60_000 + 1) this.#forget();
  }

  clear(): void {
    this.#minutes.clear();
  }

  last(): { readonly kept: number; readonly failed: number } {
    this.#forget();
    const sum = { kept: 0, failed: 0 };
    for (const { kept, failed } of this.#minutes.values()) {
      sum.kept += kept;
      sum.failed += failed;
    }
    return sum;
  }

  #minute(): number {
    return Math.floor(this.#now() / 60_000);
  }

  #forget(): void {
    for (const minute of this.#minutes.keys())
      if (minute <= this.#minute() - shareMs / 60_000) this.#minutes.delete(minute);
  }
}

type Way = (alert: Alert) => Promise<void>;

function post(address: string): Way {
  return async (alert) => {
    const answer = await fetch(address, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(alert),
      signal: AbortSignal.timeout(attemptMs),
    });
    await answer.body?.cancel();
    if (!answer.ok) throw new Error(`The webhook answered ${answer.status}.`);
  };
}

function run(command: string): Way {
  return (alert) =>
    new Promise((resolve, reject) => {
      const child = spawn(command, {
        shell: true,
        stdio: ['pipe', 'ignore', 'ignore'],
        timeout: attemptMs,
        env: { ...withoutSettings(process.env), RELAY_ALERT_EVENT: alert.event },
      });
      child.once('error', reject);
      child.once('close', (code) =>
        code === 0 ? resolve() : reject(new Error(`The command ended with ${code ?? 'a signal'}.`)),
      );
      // A command that reads nothing may be gone before it is written to.
      child.stdin.once('error', () => {}).end(`${JSON.stringify(alert)}\n`);
    });
}

/** The command gets none of the relay's settings: they hold keys. */
function withoutSettings(variables: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(variables).filter(([name]) => !/^(RELAY|NEWSLETTER)_/.test(name)));
}

/** Tries again after each of {@link waits}; while the relay stops, no more. */
async function persist(attempt: () => Promise<void>, stopping: AbortSignal): Promise<void> {
  for (const wait of waits) {
    try {
      return await attempt();
    } catch (error) {
      if (stopping.aborted) throw error;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, wait).unref();
        stopping.addEventListener('abort', () => (clearTimeout(timer), resolve()), { once: true });
      });
    }
  }
  return attempt();
}
