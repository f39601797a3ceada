/**
 * Serves `/metrics` in the text format of Prometheus. Counters belong to this process; the backlog is read from the
 * store at each request. Every series that a rule compares exists from the start, so that its first increase is seen.
 */
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { heldMails } from '../store/overview.ts';
import type { SignupStore, WebhookQueue } from '../store/signup-store.ts';
import { subscriptionStatuses } from '@newsletter-kit/core/contract';
import { isUnconfirmed, isUnknownStatus } from '@newsletter-kit/core/facts';
import type { RelayContext, RelaySettings } from '../context.ts';
import { answerWithinMs, within } from '../deadline.ts';
import { type FailingEvent, followFailures, suspicions } from '../events.ts';
import { type DiskSpace, diskSpaceOf, type StoreHealth } from '../health.ts';
import { type SentencesOfForms, unclearConsents } from './unclear-consents.ts';

/** The page of the counters. */
export interface Metrics {
  /** The page, and its content type. */
  page(): Promise<{ readonly text: string; readonly type: string }>;
}

/** The parts of the context that the metrics need. */
type MetricsContext = Pick<RelayContext, 'events' | 'now'> & {
  readonly config: Pick<RelaySettings, 'store'> & {
    readonly forms: SentencesOfForms;
    readonly webhooks: readonly { readonly name: string }[];
  };
  /** Read at each request; if that fails, the page omits the backlog. */
  readonly store: Pick<SignupStore, 'overview' | 'paused' | 'oldestReaderMs'> & {
    readonly webhooks: Pick<WebhookQueue, 'overview'>;
  };
  /** Tells whether the store can be written. */
  readonly health: Pick<StoreHealth, 'probe'>;
};

/** The values of a label: those that exist from the start, all forms or destinations among them; null for any. */
type LabelValues = 'forms' | 'destinations' | readonly (string | number)[] | null;

interface MetricRow {
  readonly type: typeof Counter | typeof Gauge | typeof Histogram;
  readonly name: string;
  readonly help: string;
  readonly labels?: Readonly<Record<string, LabelValues>>;
  /** Of a histogram. */
  readonly buckets?: number[];
}

/** Every metric, by the name it has here. */
const table = {
  signups: {
    type: Counter,
    name: 'newsletter_relay_signups_total',
    help: 'Posts kept and answered with 202 or 303, by form and result: kept, held (its mail waits for an hour with room), or review where something is suspected.',
    labels: { form: 'forms', result: ['kept', 'held', 'review'] },
  },
  reviews: {
    type: Counter,
    name: 'newsletter_relay_review_total',
    help: 'Posts kept for review, by form and cause: honeypot (also filled in by password managers), no-proof (no JavaScript), turnstile (no answer), mail-domain (receives no mail), blocked-domain (on RELAY_BLOCKED_DOMAINS), mails-per-hour (no hour of a day has room for its mail) or mailbox-limit.',
    labels: { form: 'forms', cause: Object.keys(suspicions) },
  },
  refusals: {
    type: Counter,
    name: 'newsletter_relay_refusals_total',
    help: 'Posts refused, by form, status, first error code and, with 429, the limit. Status 503: the visitor was asked to try again; after a lost answer of PostgreSQL the signup may have been kept.',
    labels: { form: 'forms', status: [503], code: ['UNAVAILABLE'], limit: null },
  },
  acknowledgement: {
    type: Histogram,
    name: 'newsletter_relay_acknowledgement_seconds',
    help: 'Time from a post to its 202, sync to disk included.',
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
  },
  attempts: {
    type: Counter,
    name: 'newsletter_relay_delivery_attempts_total',
    help: 'Deliveries attempted, one for each signup, by form and result: delivered, waiting (to be tried again) or dead.',
    labels: { form: 'forms', result: ['delivered', 'waiting', 'dead'] },
  },
  age: {
    type: Histogram,
    name: 'newsletter_relay_delivery_age_seconds',
    help: 'Age of a signup at its delivery: time from the 202, or from the click in a confirmation mail, until the API had it.',
    labels: { form: 'forms' },
    buckets: [0.1, 0.5, 1, 5, 15, 60, 300, 900, 3600, 21_600, 86_400, 604_800],
  },
  statuses: {
    type: Counter,
    name: 'newsletter_relay_subscriptions_total',
    help: 'What the API says of the subscriptions of delivered signups, by form and status: its word, other for one that its specification lacks, or unknown. Counted once, after the second question where the first answer was validating or pending.',
    labels: { form: 'forms', status: [...subscriptionStatuses, 'other', 'unknown'] },
  },
  backlog: {
    type: Gauge,
    name: 'newsletter_relay_backlog',
    help: 'Signups that are waiting or sent and not known to be at the API, by form.',
    labels: { form: null },
  },
  oldest: {
    type: Gauge,
    name: 'newsletter_relay_oldest_waiting_seconds',
    help: 'Age of the oldest signup in the backlog, by form; 0 where there is none.',
    labels: { form: null },
  },
  unclear: {
    type: Gauge,
    name: 'newsletter_relay_unclear_consents',
    help: 'Signups of the last 30 days whose consent is a text that is neither yes nor no, by form, while no sentence is named in RELAY_CONSENT_SENTENCES; of the newest 1000 of all forms.',
    labels: { form: null },
  },
  queue: {
    type: Gauge,
    name: 'newsletter_relay_queue',
    help: 'Signups in the store, by state.',
    labels: { state: null },
  },
  held: {
    type: Gauge,
    name: 'newsletter_relay_held_mails',
    help: 'Unconfirmed signups whose confirmation mail waits, for an hour with room or for the mail server; of the 20 most frequent reasons.',
  },
  deviations: {
    type: Counter,
    name: 'newsletter_relay_api_deviations_total',
    help: 'Fields in which the API differs from its specification, by operation and field; deliveries went on.',
    labels: { operation: null, field: null },
  },
  apiUp: {
    type: Gauge,
    name: 'newsletter_relay_api_up',
    help: '0 while deliveries of this form fail because of the API, the key or the publication; otherwise 1.',
    labels: { form: null },
  },
  keyRefused: {
    type: Gauge,
    name: 'newsletter_relay_key_refused',
    help: '1 while the API answers deliveries of this form with 401 or 403; otherwise 0.',
    labels: { form: null },
  },
  publicationRefused: {
    type: Gauge,
    name: 'newsletter_relay_publication_refused',
    help: '1 while the API answers deliveries of this form with 404; otherwise 0.',
    labels: { form: null },
  },
  mails: {
    type: Counter,
    name: 'newsletter_relay_confirmation_mails_total',
    help: 'Confirmation mails that the mail server has taken, by form.',
    labels: { form: 'forms' },
  },
  confirmations: {
    type: Counter,
    name: 'newsletter_relay_confirmations_total',
    help: 'Signups confirmed by a click in their confirmation mail, by form.',
    labels: { form: 'forms' },
  },
  mailUp: {
    type: Gauge,
    name: 'newsletter_relay_mail_up',
    help: '0 while the mail server takes no confirmation mails; otherwise 1.',
  },
  webhooks: {
    type: Counter,
    name: 'newsletter_relay_webhooks_total',
    help: 'Webhooks attempted, by destination and result: delivered, waiting (to be sent again) or dead.',
    labels: { destination: 'destinations', result: ['delivered', 'waiting', 'dead'] },
  },
  webhookQueue: {
    type: Gauge,
    name: 'newsletter_relay_webhook_queue',
    help: 'Webhooks in the store, by destination and state: waiting, or dead (given up).',
    labels: { destination: null, state: null },
  },
  webhookUp: {
    type: Gauge,
    name: 'newsletter_relay_webhook_up',
    help: '0 while a destination accepts no webhooks or is held; otherwise 1.',
    labels: { destination: null },
  },
  storeUp: {
    type: Gauge,
    name: 'newsletter_relay_store_up',
    help: '1 while the store can be written: a signup was stored within a minute, or a small write has succeeded.',
  },
  available: {
    type: Gauge,
    name: 'newsletter_relay_store_disk_available_bytes',
    help: 'Bytes that can still be written to the file system of an SQLite store.',
  },
  size: {
    type: Gauge,
    name: 'newsletter_relay_store_disk_size_bytes',
    help: 'Size of the file system of an SQLite store.',
  },
  log: {
    type: Gauge,
    name: 'newsletter_relay_store_log_bytes',
    help: 'Size of the write-ahead log of an SQLite store; it grows while another program reads the store without end.',
  },
  reader: {
    type: Gauge,
    name: 'newsletter_relay_store_oldest_transaction_seconds',
    help: 'How long the oldest open transaction of a PostgreSQL store has run, as far as the role of the relay may see; no row that it might read is cleared away.',
  },
  erased: {
    type: Gauge,
    name: 'newsletter_relay_last_erasure_timestamp_seconds',
    help: 'When what is older than its retention was last erased, in seconds since the Unix epoch; before the first time, when the relay started.',
  },
  paused: {
    type: Gauge,
    name: 'newsletter_relay_paused',
    help: '1 while an operator has paused delivery.',
  },
} satisfies Readonly<Record<string, MetricRow>>;

/** The table of metrics, for what is generated from it. */
export const metricRows: Readonly<Record<string, MetricRow>> = table;

type Meters = { readonly [Name in keyof typeof table]: InstanceType<(typeof table)[Name]['type']> };

/** Makes the metrics, with every series of which all values are known. */
function createMeters(registry: Registry, { forms, webhooks }: MetricsContext['config']): Meters {
  const valuesOf = (values: LabelValues): readonly (string | number)[] => {
    if (values === 'forms') return Object.keys(forms);
    return values === 'destinations' ? webhooks.map(({ name }) => name) : (values ?? []);
  };
  const meters = Object.entries<MetricRow>(table).map(([name, { type: Meter, labels = {}, ...row }]) => {
    const meter = new Meter({ ...row, labelNames: Object.keys(labels), registers: [registry] });
    const known = Object.entries(labels).filter(([, values]) => values !== null);
    const series = known.reduce<Record<string, string | number>[]>(
      (all, [label, values]) => all.flatMap((each) => valuesOf(values).map((value) => ({ ...each, [label]: value }))),
      [{}],
    );
    for (const each of known.length > 0 ? series : [])
      if (meter instanceof Histogram) meter.zero(each);
      else meter.inc(each, 0);
    return [name, meter];
  });
  // Each entry has the type of its row.
  return Object.fromEntries(meters) as Meters;
}

/**
 * Makes the metrics of one relay; each has a registry of its own.
 *
 * @param timeoutMs - how long the store may take to answer, in milliseconds; after that it counts as failing, as it
 *   does for a visitor. Prometheus gives up on a page after ten seconds
 */
export function createMetrics(context: MetricsContext, timeoutMs = answerWithinMs): Metrics {
  const { config, events } = context;
  const registry = new Registry();
  // A Worker has no process of its own.
  if (config.store.kind !== 'durable-object') collectDefaultMetrics({ register: registry });
  const meters = createMeters(registry, config);
  const failures = followFailures(events);
  countEvents(events, meters);
  const disk = diskSpaceOf(config.store);
  const startedAt = context.now();
  return {
    async page() {
      const [works, read, room] = await Promise.all([
        // A full disk can still be read: writing and reading are checked separately.
        orNull(
          timeoutMs,
          context.health.probe().then(() => true),
        ),
        orNull(timeoutMs, readStore(context)),
        disk().catch(() => null),
      ]);
      meters.storeUp.set(works ? 1 : 0);
      // No await from here on: another request may run concurrently. A missing figure is better than an old one.
      showStore(read, meters, { ...context, startedAt }, failures());
      showFailures(failures(), meters, Object.keys(config.forms));
      showDisk(room, meters);
      return { text: await registry.metrics(), type: registry.contentType };
    },
  };
}

/** Counts what happens. */
function countEvents(events: MetricsContext['events'], meters: Meters): void {
  const { signups, reviews, refusals, acknowledgement, attempts, age, statuses } = meters;
  events.on({
    accepted({ form, suspectedBecause: cause, heldUntil, tookMs }) {
      const result = cause === null ? 'kept' : heldUntil === undefined ? 'review' : 'held';
      signups.inc({ form, result });
      if (cause !== null && result === 'review') reviews.inc({ form, cause });
      acknowledgement.observe(tookMs / 1000);
    },
    refused: ({ form, status, codes: [code = 'none'], limit, times }) =>
      refusals.inc({ ...(form !== null && { form }), status, code, ...(limit && { limit }) }, times),
    delivered({ form, waitedMs, status }) {
      attempts.inc({ form, result: 'delivered' });
      age.observe({ form }, waitedMs / 1000);
      if (!isUnconfirmed(status)) statuses.inc({ form, status: statusLabel(status) });
    },
    statusKnown: ({ form, status }) => statuses.inc({ form, status: statusLabel(status) }),
    retryScheduled: ({ form }) => attempts.inc({ form, result: 'waiting' }),
    deadLetter({ form, ofMail = false }) {
      if (!ofMail) attempts.inc({ form, result: 'dead' });
    },
    confirmationSent: ({ form }) => meters.mails.inc({ form }),
    confirmed: ({ form }) => meters.confirmations.inc({ form }),
    apiDeviated: ({ operation, field }) => meters.deviations.inc({ operation, field }),
    webhookAttempted: ({ destination, result }) => meters.webhooks.inc({ destination, result }),
  });
}

/** The label of a status: words of the API are many, labels are few. */
function statusLabel(status: string | null): string {
  return status === null ? 'unknown' : isUnknownStatus(status) ? 'other' : status;
}

/** Shows which forms the API refuses, and whether the mail server takes mails. */
function showFailures(
  failures: readonly FailingEvent[],
  { apiUp, keyRefused, publicationRefused, mailUp }: Meters,
  forms: readonly string[],
): void {
  mailUp.set(failures.some(({ what }) => what === 'mailServer') ? 0 : 1);
  for (const form of forms) {
    const ofForm = failures.filter((each) => each.what === 'api' && each.forms.includes(form));
    apiUp.set({ form }, ofForm.length > 0 ? 0 : 1);
    keyRefused.set({ form }, ofForm.some(({ status }) => status === 401 || status === 403) ? 1 : 0);
    publicationRefused.set({ form }, ofForm.some(({ status }) => status === 404) ? 1 : 0);
  }
}

/** What the page shows of the store. */
async function readStore({ store, now }: MetricsContext) {
  const [overview, isPaused, backlogs, readerMs] = await Promise.all([
    store.overview(now()),
    store.paused(),
    store.webhooks.overview(),
    store.oldestReaderMs?.(),
  ]);
  return { overview, isPaused, backlogs, readerMs };
}

/** @param read - null if the store did not answer: a missing figure is better than an old one */
function showStore(
  read: Awaited<ReturnType<typeof readStore>> | null,
  { queue, held, backlog, oldest, unclear, webhookQueue, webhookUp, paused, reader, erased }: Meters,
  { config, now, startedAt }: MetricsContext & { readonly startedAt: number },
  failures: readonly FailingEvent[],
): void {
  for (const gauge of [queue, backlog, oldest, unclear, webhookQueue, webhookUp]) gauge.reset();
  for (const gauge of [held, paused, reader, erased]) gauge.remove();
  if (read === null) return;
  if (read.readerMs !== undefined) reader.set(read.readerMs / 1000);
  for (const [state, count] of Object.entries(read.overview.counts)) queue.set({ state }, count);
  erased.set((read.overview.lastErasureAt ?? startedAt) / 1000);
  held.set(heldMails(read.overview));
  const empty = Object.keys(config.forms).map((form) => ({ form, open: 0, oldestSince: null }));
  for (const { form, open, oldestSince } of [...empty, ...read.overview.forms]) {
    backlog.set({ form }, open);
    oldest.set({ form }, oldestSince === null ? 0 : Math.max(0, now() - oldestSince) / 1000);
  }
  for (const form of Object.keys(config.forms)) unclear.set({ form }, 0);
  for (const { form, count } of unclearConsents(read.overview, config.forms)) unclear.inc({ form }, count);
  paused.set(read.isPaused ? 1 : 0);
  for (const { destination, waiting, dead, held } of read.backlogs) {
    webhookQueue.set({ destination, state: 'waiting' }, waiting);
    webhookQueue.set({ destination, state: 'dead' }, dead);
    const fails = failures.some(({ what, scope }) => what === 'webhooks' && scope === destination);
    webhookUp.set({ destination }, held !== null || fails ? 0 : 1);
  }
}

function showDisk(room: DiskSpace | null, { available, size, log }: Meters): void {
  for (const gauge of [available, size, log]) gauge.remove();
  if (room === null) return;
  available.set(room.availableBytes);
  size.set(room.sizeBytes);
  log.set(room.logBytes);
}

/** The promise's value; null if it fails or takes longer than `ms` milliseconds. */
function orNull<T>(ms: number, promise: Promise<T>): Promise<T | null> {
  return within(ms, promise).catch(() => null);
}
