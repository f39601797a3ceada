/**
 * Tells somebody outside what needs a person: a webhook, a command, or both. Grouped, so that a flood of trouble is one
 * message.
 */
import { spawn } from 'node:child_process';
import type { Log } from './log.ts';
import { noticing, type Notice } from './happening.ts';

/** What a webhook gets as its JSON body, and a command on its standard input. */
export interface Alert {
  /**
   * - `delivery_stalled` – the API takes no signups, and will not before somebody acts.
   * - `delivery_resumed` – it takes them again.
   * - `store_failing` – signups cannot be kept and are answered with 503, since {@link AlertOptions.storePatienceMs}.
   * - `store_recovered` – they can be kept again.
   * - `dead_letters` – the API refused signups for good; `count` since the last alert of this kind.
   */
  readonly event: 'delivery_stalled' | 'delivery_resumed' | 'store_failing' | 'store_recovered' | 'dead_letters';
  /** What happened and what to do, in a sentence or two. */
  readonly message: string;
  readonly count: number;
  /** When it happened, ISO 8601. */
  readonly at: string;
}

/** Options of {@link createAlerts}. */
export interface AlertOptions {
  /** Address that alerts are posted to. */
  readonly webhook?: string | undefined;
  /** Shell command that is run with an alert on its standard input and `RELAY_ALERT_EVENT` in its environment. */
  readonly command?: string | undefined;
  readonly log: Log;
  /** How long dead letters are gathered into one alert, in milliseconds. Default one minute. */
  readonly gatherMs?: number | undefined;
  /**
   * How long a passing trouble (no connection, 5xx) may last before it is told, in milliseconds. Default 15 minutes.
   */
  readonly patienceMs?: number | undefined;
  /** How long the store may fail before it is told, in milliseconds: a database may restart. Default 30 seconds. */
  readonly storePatienceMs?: number | undefined;
  readonly now?: (() => number) | undefined;
}

/** Takes note of what happens, and tells. */
export interface Alerts {
  readonly notice: Notice;
  /** Tells what was gathered, and waits until it is told or given up on. */
  stop(): Promise<void>;
}

/** Milliseconds one attempt to tell may take, and the waits between attempts. */
const attemptMs = 10_000;
const waits = [1000, 10_000, 60_000];

export function createAlerts({
  webhook,
  command,
  log,
  gatherMs = 60_000,
  patienceMs = 15 * 60_000,
  storePatienceMs = 30_000,
  now = Date.now,
}: AlertOptions): Alerts {
  const told = new Set<Promise<void>>();
  const stopping = new AbortController();
  let dead = { count: 0, reason: '' };
  let gathering: NodeJS.Timeout | undefined;
  let stalling: NodeJS.Timeout | undefined;
  let stalled = false;
  let storeFailing: NodeJS.Timeout | undefined;
  let storeTold = false;

  const tell = (event: Alert['event'], message: string, count = 1): void => {
    const alert: Alert = { event, message, count, at: new Date(now()).toISOString() };
    for (const way of [webhook && post(webhook), command && run(command)]) {
      if (!way) continue;
      const telling = persist(() => way(alert), stopping.signal)
        .catch((error: unknown) =>
          log.error(
            { alert: event, reason: error instanceof Error ? error.message : String(error) },
            'an alert could not be told',
          ),
        )
        .then(() => void told.delete(telling));
      told.add(telling);
    }
  };
  const tellDead = (): void => {
    clearTimeout(gathering);
    gathering = undefined;
    if (dead.count === 0) return;
    const { count, reason } = dead;
    dead = { count: 0, reason: '' };
    const what = count === 1 ? 'A signup was refused' : `${count} signups were refused`;
    tell('dead_letters', `${what} for good; the last reason: ${reason} See "newsletter-relay dead".`, count);
  };
  const tellStalled = (reason: string): void => {
    clearTimeout(stalling);
    stalling = undefined;
    if (stalled) return;
    stalled = true;
    tell('delivery_stalled', reason);
  };

  const notice = noticing({
    dead({ reason }) {
      dead = { count: dead.count + 1, reason };
      gathering ??= setTimeout(tellDead, gatherMs).unref();
    },
    stalled({ reason, needsOperator }) {
      if (needsOperator) tellStalled(reason);
      else stalling ??= setTimeout(() => tellStalled(reason), patienceMs).unref();
    },
    flowing() {
      clearTimeout(stalling);
      stalling = undefined;
      if (stalled) tell('delivery_resumed', 'The API takes signups again; what waited is being delivered.');
      stalled = false;
    },
    storeFailed({ reason }) {
      storeFailing ??= setTimeout(() => {
        storeTold = true;
        tell('store_failing', `Visitors are answered with 503, and no signup is kept. ${reason}`);
      }, storePatienceMs).unref();
    },
    storeWorks() {
      clearTimeout(storeFailing);
      storeFailing = undefined;
      if (storeTold) tell('store_recovered', 'Signups are kept again.');
      storeTold = false;
    },
  });

  return {
    notice: webhook || command ? notice : () => {},
    async stop() {
      clearTimeout(stalling);
      clearTimeout(storeFailing);
      tellDead();
      stopping.abort();
      await Promise.all(told);
    },
  };
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

/** What the relay is configured with holds keys, and is none of the command's business. */
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
