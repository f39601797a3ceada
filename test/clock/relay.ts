/**
 * Relays on a virtual clock: a real relay with its store, and an API behind a network with latency. Hours of delivery
 * pass in seconds, and each run is the same. The relay can be killed at any moment.
 */
import { createClient } from '@newsletter-kit/core';
import {
  createLog,
  createRelay,
  type NewSignup,
  type RelayConfig,
  type RelayOptions,
  type RelayTiming,
  type SignupStore,
} from '@newsletter-kit/relay';
import { newSignup } from '../../packages/relay/test/new-signup.ts';
import { replaceTime } from './process-time.ts';
import { createVirtualClock, virtualHost, type Answering, type VirtualClock } from './virtual.ts';

/** Options of a relay on a virtual clock. */
export interface VirtualRelayOptions extends Pick<RelayOptions, 'onEvent'>, Pick<RelayTiming, 'delivery'> {
  readonly clock: VirtualClock;
  readonly config: RelayConfig;
  /** Opens the store, as a restarted process does. */
  readonly open: () => Promise<SignupStore>;
  /** Ends a store as the death of its process does. Default: closes it, which suits a store without other processes. */
  readonly abandon?: ((store: SignupStore) => Promise<unknown>) | undefined;
  /** Answers for the API. */
  readonly answering: Answering;
  readonly random: () => number;
  /** Milliseconds to the API and back. Default 120. */
  readonly latencyMs?: (() => number) | undefined;
}

export interface VirtualRelay {
  /** The relay's store, for assertions. */
  readonly store: SignupStore;
  /** Posts a signup. @returns the status of the answer; null where the relay was killed before it answered */
  post(form: string, body: Readonly<Record<string, unknown>>, key?: string): Promise<number | null>;
  /**
   * Ends the relay as SIGKILL does: none of its code continues, nothing is settled, and requests in flight may still
   * arrive. Committed data is in the store.
   */
  kill(): Promise<void>;
  /** Waits for running deliveries, as SIGTERM does, and closes the store. */
  stop(): Promise<void>;
}

const site = 'https://shop.example';

/** Settings for `readConfig` that every relay here has. */
export const virtualSettings = {
  NEWSLETTER_API_URL: 'http://sandbox.test/v2',
  RELAY_ALLOWED_ORIGINS: site,
  RELAY_LIMIT_IP: '0',
  RELAY_LIMIT_ADDRESS: '0',
} as const;

const log = createLog({ level: 'silent' });

/** Runs `work` with the time of this process replaced by a virtual clock. */
export async function inVirtualTime<T>(work: (clock: VirtualClock) => Promise<T>): Promise<T> {
  const clock = createVirtualClock();
  const restoreTime = replaceTime(clock);
  try {
    return await clock.run(work(clock));
  } finally {
    restoreTime();
  }
}

/** Adds waiting signups to a store, received evenly over the last hour. */
export async function fill(
  store: SignupStore,
  emails: readonly string[],
  now: number,
  changes: Partial<NewSignup> = {},
): Promise<void> {
  const first = now - 3_600_000;
  for (let at = 0; at < emails.length; at += 1000) {
    const some = emails
      .slice(at, at + 1000)
      .map((email, n) =>
        store.accept(
          newSignup(email, { receivedAt: Math.floor(first + (3_600_000 * (at + n)) / emails.length), ...changes }),
        ),
      );
    await Promise.all(some);
  }
}

/** Starts a relay; only {@link inVirtualTime}. */
export async function startVirtualRelay(options: VirtualRelayOptions): Promise<VirtualRelay> {
  const { clock, config, answering, random, latencyMs, abandon = (each) => each.close() } = options;
  let dead = false;
  let resolveDeath = (): void => {};
  const death = new Promise<null>((resolve) => (resolveDeath = () => resolve(null)));
  const never = new Promise<never>(() => {});
  /** Never settles after the kill, so that no code of the relay continues. */
  const alive = <T>(work: Promise<T>): Promise<T> =>
    work.then(
      (value) => (dead ? never : value),
      (error: unknown) => {
        if (dead) return never;
        throw error;
      },
    );
  const store = await clock.during(options.open);
  const mortal = new Proxy(store, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]) =>
        dead ? never : alive(clock.during(async () => (value as (...all: unknown[]) => unknown).apply(target, args)));
    },
  });
  const host = virtualHost(clock, answering, { random, ...(latencyMs && { latencyMs }) });
  const relay = createRelay({
    config,
    store: mortal,
    log,
    platform: {
      clientOf: (token) =>
        createClient({
          baseUrl: config.api.url,
          token,
          host: {
            ...host,
            send: (request) => (dead ? never : alive(host.send(request))),
            sleep: (ms, signal) => (dead ? never : alive(host.sleep(ms, signal))),
          },
        }),
    },
    onEvent: options.onEvent,
    secret: 'a-secret-for-tests',
    timing: { random, delivery: options.delivery, now: () => Math.floor(clock.now()) },
  });
  relay.start();
  return {
    store,
    post(form, body, key) {
      const request = new Request(`http://relay.test/signup/${form}`, {
        method: 'POST',
        headers: {
          origin: site,
          'content-type': 'application/json',
          ...(key !== undefined && { 'idempotency-key': key }),
        },
        body: JSON.stringify(body),
      });
      // The answer needs hashes, which threads compute: without `during`, time would pass meanwhile.
      return clock.during(() => Promise.race([death, relay.fetch(request).then(({ status }) => status)]));
    },
    async kill() {
      if (dead) return;
      dead = true;
      resolveDeath();
      await clock.during(() => abandon(store));
    },
    async stop() {
      if (dead) return;
      await relay.stop();
      dead = true;
      await clock.during(() => store.close());
    },
  };
}
