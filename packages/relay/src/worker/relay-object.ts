/**
 * The Durable Object of one publication: a relay on the object's own storage. Its alarm delivers, retries and erases;
 * the relay itself runs no timer, because an idle object is evicted.
 */
import { createRelay, type Relay } from '../relay.ts';
import { type RelayConfig, secretsOf } from '../config/settings.ts';
import type { OpenTransport } from '../confirmation/smtp.ts';
import { applyRetention } from '../ops/retention.ts';
import type { Log } from '../log.ts';
import { StartupError } from '../errors.ts';
import type { SignupStore } from '../store/signup-store.ts';
import { type DurableObjectStorage, openDurableObjectStore } from '../store/sqlite/durable-object.ts';
import type { PostWebhook } from '../webhooks/post.ts';
import { callHeader, cannotStart, configOf, publicationHeader, visitorHeader } from './calls.ts';
import { createConsoleLog } from './log.ts';
import { refusedBefore } from './refusals.ts';
import { readWorkerConfig, type WorkerVariables } from './worker-config.ts';

/** The part of a Durable Object's state that the relay needs. */
export interface RelayObjectState {
  readonly storage: DurableObjectStorage & {
    setAlarm(at: number): Promise<void>;
    get(name: string): Promise<unknown>;
    put(name: string, value: unknown): Promise<void>;
  };
}

/** Delay of the alarm after a signup, in milliseconds: those that arrive until then share it, and its costs. */
const collectMs = 100;

/** How long one alarm delivers, in milliseconds; the platform ends an alarm after 15 minutes. */
const alarmMs = 5 * 60_000;

/** The least calls with which every signup can be delivered. */
const leastCalls = 2;

/** An alarm that is this late may have been lost, in milliseconds. */
const lostMs = 60_000;

/** Wait until a Worker with wrong settings is tried again, in milliseconds. */
const misconfiguredMs = 5 * 60_000;

/** Milliseconds between two erasures of what has expired. */
const retentionMs = 3_600_000;

/** The relay of one publication. */
interface OpenRelay {
  readonly relay: Relay;
  readonly store: SignupStore;
  readonly config: RelayConfig;
  readonly log: Log;
}

/** Keys of the object's own values. */
const keys = { publication: 'publication', erasedAt: 'erasedAt' } as const;

export class RelayObject {
  readonly #state: RelayObjectState;
  readonly #variables: WorkerVariables;
  readonly #openTransport: OpenTransport | null;
  #open: OpenRelay | null = null;
  /** Whether the alarm is running: then it also delivers what arrives meanwhile. */
  #isDelivering = false;
  /** When the alarm fires, in milliseconds since the Unix epoch; null without one, or where this is not known. */
  #alarmAt: number | null = null;
  /** Whether something may have become due since the alarm began its current round. */
  #isWoken = false;
  /** Whether something was accepted or confirmed, or a person has left, for which no alarm is set yet. */
  #hasNews = false;

  /** @param openTransport - connects to a mail server; null in a Worker without that part */
  constructor(state: RelayObjectState, variables: WorkerVariables, openTransport: OpenTransport | null = null) {
    this.#state = state;
    this.#variables = variables;
    this.#openTransport = openTransport;
  }

  /** Answers a request that the Worker has passed on. */
  async fetch(request: Request): Promise<Response> {
    const publicationId = request.headers.get(publicationHeader);
    if (publicationId === null) return new Response(null, { status: 404 });
    const open = await this.#tryOpen(publicationId);
    if ('error' in open) return cannotStart(request, open.error, this.#variables['RELAY_OPERATOR_TOKEN']);
    const { relay } = open;
    if (request.headers.get(callHeader) === 'wake') {
      // An alarm that was set may have been lost.
      this.#alarmAt = null;
      await this.#wake();
      return new Response(null, { status: 204 });
    }
    const answer = await relay.fetch(request, request.headers.get(visitorHeader));
    // The alarm is set before the answer: what was accepted is delivered even if this object ends now. What is kept for
    // review needs none.
    const isOperator = request.method === 'POST' && new URL(request.url).pathname.startsWith('/operator/');
    if (this.#hasNews || (isOperator && answer.status < 400)) await this.#wake();
    return answer;
  }

  /**
   * Delivers what is due. It may come late, or twice. The platform repeats one that was interrupted or failed, up to
   * six times; after that the cron trigger sets another.
   */
  async alarm(): Promise<void> {
    this.#alarmAt = null;
    const publicationId = await this.#state.storage.get(keys.publication);
    if (typeof publicationId !== 'string') return;
    const open = await this.#tryOpen(publicationId);
    await ('error' in open ? this.#setAlarm(Date.now() + misconfiguredMs) : this.#deliver(open));
  }

  /** Delivers what is due, and sets the next alarm. */
  async #deliver({ relay, ...open }: OpenRelay): Promise<void> {
    const untilMs = Date.now() + alarmMs;
    let callsLeft = open.config.worker.subrequests;
    let nextDueAt: number | null;
    this.#isDelivering = true;
    try {
      await this.#erase(open);
      do {
        this.#isWoken = false;
        const delivered = await relay.deliver({ untilMs, maxCalls: callsLeft });
        ({ nextDueAt } = delivered);
        callsLeft -= delivered.calls;
      } while (this.#isWoken && callsLeft >= leastCalls && Date.now() < untilMs);
    } finally {
      this.#isDelivering = false;
    }
    // Nothing is awaited since the flag was cleared: a signup stored later sets an alarm of its own, and this one must
    // not replace it.
    const next = this.#isWoken ? Date.now() : nextDueAt;
    if (next !== null) await this.#setAlarm(next);
  }

  async #erase({ store, config: { retention }, log }: Omit<OpenRelay, 'relay'>): Promise<void> {
    const { storage } = this.#state;
    const erasedAt = Number((await storage.get(keys.erasedAt)) ?? 0);
    const now = Date.now();
    // Also after the clock was set back.
    if (Math.abs(now - erasedAt) < retentionMs) return;
    await applyRetention({ store, retention, log });
    await storage.put(keys.erasedAt, now);
  }

  /** Makes the alarm deliver soon. */
  async #wake(): Promise<void> {
    this.#isWoken = true;
    this.#hasNews = false;
    // The alarm that runs delivers this too; the platform repeats it, should it be interrupted.
    if (this.#isDelivering) return;
    const now = Date.now();
    const at = now + collectMs;
    // An alarm due by then delivers this too. One that is late waits for a busy object, and is not put off by its
    // requests; one that is very late may have failed.
    if (this.#alarmAt === null || this.#alarmAt > at || this.#alarmAt < now - lostMs) await this.#setAlarm(at);
  }

  async #setAlarm(at: number): Promise<void> {
    this.#alarmAt = at;
    try {
      await this.#state.storage.setAlarm(at);
    } catch (error) {
      // The next signup sets it.
      this.#alarmAt = null;
      throw error;
    }
  }

  /** The relay, or the sentence that says why it cannot start, which is also logged. */
  async #tryOpen(publicationId: string): Promise<OpenRelay | { readonly error: string }> {
    try {
      return this.#open ?? (await this.#openFor(publicationId));
    } catch (error) {
      if (!(error instanceof StartupError)) throw error;
      createConsoleLog({}).error({ reason: error.message }, 'signups are answered with 503; those stored before wait');
      return { error: error.message };
    }
  }

  /** @throws StartupError if a setting is wrong, or a newer version has written the storage */
  async #openFor(publicationId: string): Promise<OpenRelay> {
    const { storage } = this.#state;
    const all = readWorkerConfig(this.#variables);
    const config = configOf(all, publicationId);
    const log = createConsoleLog({ level: config.log.level, secrets: secretsOf(all) });
    const store = openDurableObjectStore(storage);
    const relay = createRelay({
      config,
      store,
      log,
      operatorToken: config.operator.token,
      onEvent: (event) => {
        const isDue = event.type === 'accepted' && (event.suspectedBecause === null || event.heldUntil !== undefined);
        if (event.type === 'confirmed' || event.type === 'left' || isDue) this.#hasNews = true;
      },
      platform: { refusedBefore, postWebhook: postFromWorker, openTransport: this.#openTransport },
    });
    if ((await storage.get(keys.publication)) !== publicationId) await storage.put(keys.publication, publicationId);
    this.#open ??= { relay, store, config, log };
    return this.#open;
  }
}

/** The platform's `fetch` reaches no private network. */
const postFromWorker: PostWebhook = async ({ url, headers, body, signal }) => {
  const answer = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal });
  await answer.body?.cancel();
  return { status: answer.status, headers: Object.fromEntries(answer.headers) };
};
