/**
 * The operator interface: status and actions on stored signups, for a store in this process or, through its HTTP API,
 * for a running relay.
 */
import type { Overview } from '../store/overview.ts';
import type { RelayContext } from '../context.ts';
import { within } from '../deadline.ts';
import { type Fallible, followFailures, type RelayEvent } from '../events.ts';
import { diskSpaceOf } from '../health.ts';
import {
  type ConsentRecord,
  type PageRequest,
  type SignupFilter,
  type SignupStore,
  type StoredSignup,
  type WebhookBacklog,
} from '../store/signup-store.ts';
import { writeFilter } from './signup-filter.ts';
import { unclearConsentsText } from './unclear-consents.ts';

/** Status of a store and its relay. */
export interface Status extends Overview {
  /** Whether an operator has paused delivery. */
  readonly paused: boolean;
  /** Whether other relays, which were not asked, may share the store. */
  readonly shared: boolean;
  /** The destinations of webhooks, by name. */
  readonly webhooks: readonly WebhookBacklog[];
  /** Status of the running relay; null if none was asked. */
  readonly running: Running | null;
}

/** The part of the status that only the running process knows. */
export interface Running {
  /** When it started, in milliseconds since the Unix epoch. */
  readonly since: number;
  /** Why the API takes no signups at present; null while it does. */
  readonly trouble: string | null;
  /** Why signups cannot be kept at present; null while they can. */
  readonly storeTrouble: string | null;
  /** What keeps the store from being cleared, and what to do; null where nothing does. */
  readonly longReader: string | null;
  /** Which consents its forms send in unclear words, and what to do; null where they send none. */
  readonly unclearConsents: string | null;
  /** From which websites signups were refused since the start, and what to do; null where none were. */
  readonly refusedOrigins: string | null;
  /** The last hour, minute by minute, oldest first. */
  readonly minutes: readonly Minute[];
}

/**
 * Starts to collect the status of the running process.
 *
 * @param refusedOrigins - the sentence about websites that may not post, if there are any
 * @returns what was collected so far
 */
export function followStatus(
  context: Pick<RelayContext, 'config' | 'store' | 'events' | 'now'>,
  refusedOrigins: () => string | null,
): (overview: Overview) => Promise<Running> {
  const { config, events, now } = context;
  const since = now();
  const minutes = countMinutes({ events, now });
  const failures = followFailures(events);
  const reasons = (...what: readonly Fallible[]): string | null =>
    failures()
      .filter((each) => what.includes(each.what))
      .map(({ reason }) => reason)
      .join(' ') || null;
  return async (overview) => ({
    since,
    trouble: reasons('api', 'mailServer'),
    storeTrouble: reasons('store'),
    longReader: await longReaderText(context),
    unclearConsents: unclearConsentsText(overview, config.forms),
    refusedOrigins: refusedOrigins(),
    minutes: minutes(),
  });
}

/** Size of an SQLite store's log that is long due to be emptied, in megabytes: four times what is kept of it. */
const longLogMb = 256;

/** Age of a transaction of PostgreSQL that is long, in minutes. */
const longReadMinutes = 60;

/** What reads the store for so long that nothing is cleared away there; null where nothing does. */
async function longReaderText({ config, store }: Pick<RelayContext, 'config' | 'store'>): Promise<string | null> {
  const disk = await diskSpaceOf(config.store)().catch(() => null);
  const logMb = Math.floor((disk?.logBytes ?? 0) / 1024 ** 2);
  if (logMb > longLogMb)
    return `The log of the store has ${logMb} MB: it is emptied once no other program reads the store, so end one that does.`;
  const minutes = Math.floor(((await store.oldestReaderMs?.().catch(() => 0)) ?? 0) / 60_000);
  return minutes > longReadMinutes
    ? `A transaction in PostgreSQL is open for ${minutes} minutes, and nothing is cleared away meanwhile: find it in pg_stat_activity, and end it.`
    : null;
}

/** How long a page waits for a change, in milliseconds: shorter than proxies wait for an answer. */
const changeMs = 55_000;

/**
 * Counts the events of a relay, so that a page needs to ask only when something has changed.
 *
 * @returns waits until the number is another than `since`, at most a minute, and returns it
 */
export function createChanges({
  events,
  stopping,
}: Pick<RelayContext, 'events' | 'stopping'>): (since: number) => Promise<number> {
  let number = 0;
  let next = Promise.withResolvers<void>();
  const change = (): void => {
    number += 1;
    next.resolve();
    next = Promise.withResolvers();
  };
  events.onEach(change);
  stopping.addEventListener('abort', change, { once: true });
  return async (since) => {
    if (since === number && !stopping.aborted) await within(changeMs, next.promise).catch(() => undefined);
    return number;
  };
}

/** Result of one check. */
export interface CheckResult {
  readonly name: string;
  /** `warning`: signups are delivered, but a setting is probably wrong. */
  readonly result: 'ok' | 'warning' | 'failed';
  /** What was found and, unless it is `ok`, what to do. Contains no secret. */
  readonly text: string;
}

/** A name in DNS before `._domainkey`. */
export const selectorFormat = /^[\w-]{1,63}(?:\.[\w-]{1,63})*$/;

/** What a check does beside the rest. */
export interface CheckOptions {
  /** Selector of the DKIM key to look up. */
  readonly dkim?: string | undefined;
  /** Address to which a mail is sent. */
  readonly mail?: string | undefined;
}

/** Everything an operator can do. All but status and check are operations of the store. */
export interface Operator extends Pick<
  SignupStore,
  'list' | 'listConsents' | 'suppressions' | 'person' | 'discard' | 'erase' | 'setPaused' | 'load'
> {
  status(): Promise<Status>;
  /** What the running relay finds when it checks itself; nothing where none is asked. */
  check(options?: CheckOptions): Promise<readonly CheckResult[]>;
  /** Redrives dead letters, signups in review and held mails that match the filter. @returns how many */
  redrive(filter: SignupFilter): Promise<number>;
  /** Sends now what waits for a destination, also a held one. @returns false if there is no such destination */
  resumeWebhooks(destination: string): Promise<boolean>;
  /** Queues the dead letters of a destination again. @returns how many; null if there is no such destination */
  redriveWebhooks(destination: string): Promise<number | null>;
}

/** Options of {@link storeOperator}. */
export interface StoreOperatorOptions {
  /** Status of the running relay. Default: none is running. */
  readonly running?: (overview: Overview) => Promise<Running> | null;
  /** The checks of the running relay. Default: none. */
  readonly check?: Operator['check'];
  /** Called when something new may be due. */
  readonly wake?: () => void;
  /** Called when webhooks are to be sent now. Default: `wake`. */
  readonly sendWebhooks?: () => void;
  readonly now?: () => number;
}

/** The operator interface of a store in this process. */
export function storeOperator(
  store: SignupStore,
  {
    running = () => null,
    check = () => Promise.resolve([]),
    wake = () => {},
    sendWebhooks = wake,
    now = Date.now,
  }: StoreOperatorOptions = {},
): Operator {
  const waking = async <T>(work: Promise<T>, wakeUp = wake): Promise<T> => {
    const result = await work;
    wakeUp();
    return result;
  };
  return {
    check,
    async status() {
      const overview = await store.overview(now());
      const [paused, webhooks] = [await store.paused(), await store.webhooks.overview()];
      return { ...overview, paused, shared: store.shared, webhooks, running: await running(overview) };
    },
    list: (...query) => store.list(...query),
    listConsents: (page) => store.listConsents(page),
    suppressions: (page) => store.suppressions(page),
    person: (address) => store.person(address),
    discard: (filter) => store.discard(filter),
    setPaused: (paused) => waking(store.setPaused(paused)),
    redrive: (filter) => waking(store.redrive(filter, now())),
    load: (...records) => waking(store.load(...records)),
    erase: (...person) => waking(store.erase(...person)),
    resumeWebhooks: (destination) => waking(store.webhooks.resume(destination, now()), sendWebhooks),
    async redriveWebhooks(destination) {
      const known = await store.webhooks.overview();
      if (!known.some((each) => each.destination === destination)) return null;
      return waking(store.webhooks.redrive(destination), sendWebhooks);
    },
  };
}

/** The events that are counted per minute. */
type CountedEvent = 'kept' | 'refused' | 'delivered' | 'dead';

/** Counts of one minute. */
export type Minute = Readonly<Record<CountedEvent, number>> & {
  /** Start of the minute, in milliseconds since the Unix epoch. */
  readonly from: number;
};

const minuteMs = 60_000;
const minutesKept = 60;
const nothing = { kept: 0, refused: 0, delivered: 0, dead: 0 } as const;

/**
 * Counts events per minute, in memory: a restart begins anew.
 *
 * @returns the last sixty minutes, oldest first, the current one last
 */
export function countMinutes({ events, now }: Pick<RelayContext, 'events' | 'now'>): () => readonly Minute[] {
  const counted = new Map<number, Record<CountedEvent, number>>();
  const current = (): number => Math.floor(now() / minuteMs);
  const count =
    (column: CountedEvent) =>
    (event: RelayEvent): void => {
      const minute = current();
      const row = counted.get(minute) ?? { ...nothing };
      row[column] += ('times' in event ? event.times : undefined) ?? 1;
      counted.set(minute, row);
      for (const old of counted.keys()) if (old <= minute - minutesKept) counted.delete(old);
    };
  events.on({
    accepted: count('kept'),
    refused: count('refused'),
    delivered: count('delivered'),
    deadLetter: count('dead'),
  });
  return () =>
    Array.from({ length: minutesKept }, (_, index) => {
      const minute = current() - minutesKept + 1 + index;
      return { from: minute * minuteMs, ...(counted.get(minute) ?? nothing) };
    });
}

/** A running relay does not answer, or refuses a request. */
export class OperatorError extends Error {
  override readonly name = 'OperatorError';
}

/**
 * @param address - of the relay, for example `http://127.0.0.1:4020`
 * @param advice - what to check if the relay does not answer
 */
export function relayOperator(address: string, token: string, advice = 'check RELAY_HOST and RELAY_PORT'): Operator {
  const ask = async <Answer>(
    method: 'GET' | 'POST',
    path: string,
    query: Readonly<Record<string, string>> = {},
    body?: unknown,
  ): Promise<Answer> => {
    const search = new URLSearchParams(query).toString();
    let answer: Response;
    try {
      answer = await fetch(`${address}/operator/api/${path}${search && `?${search}`}`, {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
    } catch (cause) {
      throw new OperatorError(`The relay at ${address} does not answer: ${advice}.`, { cause });
    }
    if (answer.status === 401)
      throw new OperatorError(
        `The relay at ${address} does not accept the operator token: set RELAY_OPERATOR_TOKEN to the one it was started with.`,
      );
    const content = (await answer.json().catch(() => null)) as (Answer & { errors?: { message: string }[] }) | null;
    if (!answer.ok || content === null)
      throw new OperatorError(
        `The relay at ${address} answered ${answer.status}: ${content?.errors?.[0]?.message ?? 'no error body of a relay; a proxy may have answered'}`,
      );
    return content;
  };
  const pageQuery = ({ after = '', limit }: PageRequest) => ({ after, limit: String(limit) });
  return {
    status: () => ask('GET', 'status'),
    check: async (options = {}) => (await ask<{ checks: readonly CheckResult[] }>('POST', 'check', {}, options)).checks,
    setPaused: async (paused) => void (await ask('POST', paused ? 'pause' : 'resume')),
    async list(filter, page) {
      const query = { ...writeFilter(filter), ...pageQuery(page), whole: 'true' };
      return (await ask<{ signups: readonly StoredSignup[] }>('GET', 'signups', query)).signups;
    },
    redrive: async (filter) => (await ask<{ redriven: number }>('POST', 'redrive', writeFilter(filter))).redriven,
    listConsents: async (page) =>
      (await ask<{ consents: readonly ConsentRecord[] }>('GET', 'consents', pageQuery(page))).consents,
    suppressions: async (page) =>
      (await ask<{ hashes: readonly string[] }>('GET', 'suppressions', pageQuery(page))).hashes,
    async load(signups, consents, suppressions = []) {
      const lines = [
        ...signups,
        ...consents.map((consent) => ({ consent })),
        ...suppressions.map((suppression) => ({ suppression })),
      ].map((line) => JSON.stringify(line));
      return (await ask<{ added: number }>('POST', 'import', {}, { lines })).added;
    },
    person: (address) => ask('POST', 'person', {}, { address }),
    discard: async (filter) => (await ask<{ discarded: number }>('POST', 'discard', writeFilter(filter))).discarded,
    erase: (address, { keepConsent = false } = {}) => ask('POST', 'erase', {}, { address, keepConsent }),
    resumeWebhooks: async (destination) =>
      (await ask<{ resumed: boolean }>('POST', 'webhooks/resume', {}, { destination })).resumed,
    redriveWebhooks: async (destination) =>
      (await ask<{ redriven: number | null }>('POST', 'webhooks/redrive', {}, { destination })).redriven,
  };
}
