/**
 * What `/metrics` shows, in the text format of Prometheus. Counts live in this process; the queue is read from the
 * store when asked.
 */
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { SignupStore } from '../store/signup-store.ts';
import { noticing, type Notice } from './happening.ts';
import type { StoreHealth } from './store-health.ts';

/** The counters, and the page that shows them. */
export interface Metrics {
  readonly notice: Notice;
  /** The page, and its content type. */
  page(): Promise<{ readonly text: string; readonly type: string }>;
}

/** Options of {@link createMetrics}. */
export interface MetricsOptions {
  /** Asked how things stand; where it fails, the page goes without the queue. */
  readonly store: Pick<SignupStore, 'overview' | 'paused'>;
  /** Asked whether the store can be written. */
  readonly health: Pick<StoreHealth, 'probe'>;
  readonly now?: (() => number) | undefined;
}

/** Makes the metrics of one relay; each has a registry of its own. */
export function createMetrics({ store, health, now = Date.now }: MetricsOptions): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });

  const signups = new Counter({
    name: 'newsletter_relay_signups_total',
    help: 'Posts answered with 202, by form and what became of them: new, repeated or review.',
    labelNames: ['form', 'result'],
    registers,
  });
  const acknowledgement = new Histogram({
    name: 'newsletter_relay_acknowledgement_seconds',
    help: 'Time from a post to its 202, sync to disk included.',
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
    registers,
  });
  const refusals = new Counter({
    name: 'newsletter_relay_refusals_total',
    help: 'Posts turned away, by status and first error code; those beyond a limit by the limit too.',
    labelNames: ['status', 'code', 'limit'],
    registers,
  });
  const attempts = new Counter({
    name: 'newsletter_relay_delivery_attempts_total',
    help: 'Attempts to deliver, by how they ended: delivered, waiting or dead.',
    labelNames: ['result'],
    registers,
  });
  const waited = new Histogram({
    name: 'newsletter_relay_delivery_delay_seconds',
    help: 'Time from a 202 until the API had the signup.',
    buckets: [0.1, 0.5, 1, 5, 15, 60, 300, 900, 3600, 21_600, 86_400],
    registers,
  });
  const upstream = new Gauge({
    name: 'newsletter_relay_api_up',
    help: '1 while the newsletter API takes signups, 0 while it does not.',
    registers,
  });
  upstream.set(1);
  const storeUp = new Gauge({
    name: 'newsletter_relay_store_up',
    help: '1 while the store can be written; every scrape writes and syncs, as a signup would.',
    registers,
  });
  const queue = new Gauge({
    name: 'newsletter_relay_queue',
    help: 'Signups in the store, by state.',
    labelNames: ['state'],
    registers,
  });
  const oldest = new Gauge({
    name: 'newsletter_relay_oldest_waiting_seconds',
    help: 'Age of the oldest signup that waits for delivery; 0 where none does.',
    registers,
  });
  const pausedGauge = new Gauge({
    name: 'newsletter_relay_paused',
    help: '1 while an operator has paused delivery.',
    registers,
  });

  const notice = noticing({
    kept({ form, suspected, repeated, tookMs }) {
      signups.inc({ form, result: repeated ? 'repeated' : suspected ? 'review' : 'new' });
      acknowledgement.observe(tookMs / 1000);
    },
    refused: ({ status, codes: [code = 'none'], limit }) => refusals.inc({ status, code, ...(limit && { limit }) }),
    delivered({ waitedMs }) {
      attempts.inc({ result: 'delivered' });
      waited.observe(waitedMs / 1000);
    },
    putOff: () => attempts.inc({ result: 'waiting' }),
    dead: () => attempts.inc({ result: 'dead' }),
    stalled: () => upstream.set(0),
    flowing: () => upstream.set(1),
  });

  return {
    notice,
    async page() {
      // What can be read may not be writable: on a full disk the queue can still be counted.
      const works = await health.probe().then(
        () => true,
        () => false,
      );
      storeUp.set(works ? 1 : 0);
      try {
        const { counts, oldestWaitingSince } = await store.overview(now());
        for (const [state, count] of Object.entries(counts)) queue.set({ state }, count);
        oldest.set(oldestWaitingSince === null ? 0 : Math.max(0, now() - oldestWaitingSince) / 1000);
        pausedGauge.set((await store.paused()) ? 1 : 0);
      } catch {
        // No figure is better than an old one; that the store fails is a figure of its own.
        queue.reset();
        oldest.remove();
      }
      return { text: await registry.metrics(), type: registry.contentType };
    },
  };
}
