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

/** What the page shows, as far as it could be read. What is unknown is left out: that is better than an old figure. */
interface Figures {
  readonly works: true | null;
  readonly stored: Awaited<ReturnType<typeof readStore>> | null;
  readonly disk: DiskSpace | null;
  readonly failures: readonly FailingEvent[];
  readonly forms: readonly string[];
  readonly now: number;
  readonly startedAt: number;
}

/** A value, and those of its labels. */
type Series = readonly [value: number, ...labels: readonly string[]];

/** The values of a label: those that exist from the start, all forms or destinations among them; null for any. */
type LabelValues = 'forms' | 'destinations' | readonly (string | number)[] | null;

/** A metric: a histogram has buckets, a counter a name that ends with `_total`, anything else is a gauge. */
interface MetricRow {
  readonly help: string;
  readonly labels?: Readonly<Record<string, LabelValues>>;
  readonly buckets?: number[];
  /** Of a gauge, at each request of the page. */
  show?(this: void, figures: Figures): number | readonly Series[] | null | undefined;
}

/** A figure of each form, from the failures of the API that concern it. */
const ofForms = ({ forms, failures }: Figures, isOne: (ofForm: readonly FailingEvent[]) => boolean) =>
  forms.map((form): Series => {
    const ofForm = failures.filter((each) => each.what === 'api' && each.forms.includes(form));
    return [Number(isOne(ofForm)), form];
  });

const isRefused =
  (...statuses: readonly (number | null | undefined)[]) =>
  (ofForm: readonly FailingEvent[]): boolean =>
    ofForm.some(({ status }) => statuses.includes(status));

/** Every metric, by its name without the first part. */
const table = {
  signups_total: {
    help: 'Posts kept and answered with 202 or 303, by form and result: kept, held (its mail waits for an hour with room), or review where something is suspected.',
    labels: { form: 'forms', result: ['kept', 'held', 'review'] },
  },
  review_total: {
    help: 'Posts kept for review, by form and cause: honeypot (also filled in by password managers), no-proof (no JavaScript), turnstile (no answer), mail-domain (receives no mail), blocked-domain (on RELAY_BLOCKED_DOMAINS), mails-per-hour (no hour of a day has room for its mail) or mailbox-limit.',
    labels: { form: 'forms', cause: Object.keys(suspicions) },
  },
  refusals_total: {
    help: 'Posts refused, by form, status, first error code and, with 429, the limit. Status 503: the visitor was asked to try again; after a lost answer of PostgreSQL the signup may have been kept.',
    labels: { form: 'forms', status: [503], code: ['UNAVAILABLE'], limit: null },
  },
  acknowledgement_seconds: {
    help: 'Time from a post to its 202, sync to disk included.',
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
  },
  delivery_attempts_total: {
    help: 'Deliveries attempted, one for each signup, by form and result: delivered, waiting (to be tried again) or dead.',
    labels: { form: 'forms', result: ['delivered', 'waiting', 'dead'] },
  },
  delivery_age_seconds: {
    help: 'Age of a signup at its delivery: time from the 202, or from the click in a confirmation mail, until the API had it.',
    labels: { form: 'forms' },
    buckets: [0.1, 0.5, 1, 5, 15, 60, 300, 900, 3600, 21_600, 86_400, 604_800],
  },
  subscriptions_total: {
    help: 'What the API says of the subscriptions of delivered signups, by form and status: its word, other for one that its specification lacks, or unknown. Counted once, after the second question where the first answer was validating or pending.',
    labels: { form: 'forms', status: [...subscriptionStatuses, 'other', 'unknown'] },
  },
  backlog: {
    help: 'Signups that are waiting or sent and not known to be at the API, by form.',
    labels: { form: null },
    show: ({ stored }) => stored?.backlogs.map(({ form, open }) => [open, form]),
  },
  oldest_waiting_seconds: {
    help: 'Age of the oldest signup in the backlog, by form; 0 where there is none.',
    labels: { form: null },
    show: ({ stored, now }) =>
      stored?.backlogs.map(({ form, oldestSince }) => [
        oldestSince === null ? 0 : Math.max(0, now - oldestSince) / 1000,
        form,
      ]),
  },
  unclear_consents: {
    help: 'Signups of the last 30 days whose consent is a text that is neither yes nor no, by form, while no sentence is named in RELAY_CONSENT_SENTENCES; of the newest 1000 of all forms.',
    labels: { form: null },
    show: ({ stored }) => stored?.unclear.map(({ form, count }) => [count, form]),
  },
  queue: {
    help: 'Signups in the store, by state.',
    labels: { state: null },
    show: ({ stored }) => stored && Object.entries(stored.counts).map(([state, count]) => [count, state]),
  },
  held_mails: {
    help: 'Unconfirmed signups whose confirmation mail waits, for an hour with room or for the mail server; of the 20 most frequent reasons.',
    show: ({ stored }) => stored && heldMails(stored),
  },
  api_deviations_total: {
    help: 'Fields in which the API differs from its specification, by operation and field; deliveries went on.',
    labels: { operation: null, field: null },
  },
  api_up: {
    help: '0 while deliveries of this form fail because of the API, the key or the publication; otherwise 1.',
    labels: { form: null },
    show: (figures) => ofForms(figures, (failures) => failures.length === 0),
  },
  key_refused: {
    help: '1 while the API answers deliveries of this form with 401 or 403; otherwise 0.',
    labels: { form: null },
    show: (figures) => ofForms(figures, isRefused(401, 403)),
  },
  publication_refused: {
    help: '1 while the API answers deliveries of this form with 404; otherwise 0.',
    labels: { form: null },
    show: (figures) => ofForms(figures, isRefused(404)),
  },
  confirmation_mails_total: {
    help: 'Confirmation mails that the mail server has taken, by form.',
    labels: { form: 'forms' },
  },
  confirmations_total: {
    help: 'Signups confirmed by a click in their confirmation mail, by form.',
    labels: { form: 'forms' },
  },
  mail_up: {
    help: '0 while the mail server takes no confirmation mails; otherwise 1.',
    show: ({ failures }) => Number(failures.every(({ what }) => what !== 'mailServer')),
  },
  webhooks_total: {
    help: 'Webhooks attempted, by destination and result: delivered, waiting (to be sent again) or dead.',
    labels: { destination: 'destinations', result: ['delivered', 'waiting', 'dead'] },
  },
  webhook_queue: {
    help: 'Webhooks in the store, by destination and state: waiting, or dead (given up).',
    labels: { destination: null, state: null },
    show: ({ stored }) =>
      stored?.webhooks.flatMap(({ destination, waiting, dead }) => [
        [waiting, destination, 'waiting'],
        [dead, destination, 'dead'],
      ]),
  },
  webhook_up: {
    help: '0 while a destination accepts no webhooks or is held; otherwise 1.',
    labels: { destination: null },
    show: ({ stored, failures }) =>
      stored?.webhooks.map(({ destination, held }) => [
        Number(held === null && failures.every(({ what, scope }) => what !== 'webhooks' || scope !== destination)),
        destination,
      ]),
  },
  store_up: {
    help: '1 while the store can be written: a signup was stored within a minute, or a small write has succeeded.',
    show: ({ works }) => Number(works === true),
  },
  store_disk_available_bytes: {
    help: 'Bytes that can still be written to the file system of an SQLite store.',
    show: ({ disk }) => disk?.availableBytes,
  },
  store_disk_size_bytes: {
    help: 'Size of the file system of an SQLite store.',
    show: ({ disk }) => disk?.sizeBytes,
  },
  store_log_bytes: {
    help: 'Size of the write-ahead log of an SQLite store; it grows while another program reads the store without end.',
    show: ({ disk }) => disk?.logBytes,
  },
  store_oldest_transaction_seconds: {
    help: 'How long the oldest open transaction of a PostgreSQL store has run, as far as the role of the relay may see; no row that it might read is cleared away.',
    show: ({ stored }) => (stored?.readerMs !== undefined ? stored.readerMs / 1000 : null),
  },
  last_erasure_timestamp_seconds: {
    help: 'When what is older than its retention was last erased, in seconds since the Unix epoch; before the first time, when the relay started.',
    show: ({ stored, startedAt }) => stored && (stored.lastErasureAt ?? startedAt) / 1000,
  },
  paused: {
    help: '1 while an operator has paused delivery.',
    show: ({ stored }) => stored && Number(stored.paused),
  },
} satisfies Readonly<Record<string, MetricRow>>;

type Name = keyof typeof table;

const prefix = 'newsletter_relay_';

const typeOf = (name: string, { buckets }: MetricRow) =>
  buckets ? Histogram : name.endsWith('_total') ? Counter : Gauge;

/** The table of metrics, for what is generated from it. */
export const metricRows = Object.entries<MetricRow>(table).map(([name, row]) => ({
  name: prefix + name,
  type: typeOf(name, row).name.toLowerCase(),
  labels: Object.keys(row.labels ?? {}),
  help: row.help,
}));

type Meters = {
  readonly [Each in Name]: (typeof table)[Each] extends { readonly buckets: number[] }
    ? Histogram
    : Each extends `${string}_total`
      ? Counter
      : Gauge;
};

/** Makes the metrics, with every series of which all values are known. */
function createMeters(registry: Registry, { forms, webhooks }: MetricsContext['config']): Meters {
  const valuesOf = (values: LabelValues): readonly (string | number)[] => {
    if (values === 'forms') return Object.keys(forms);
    return values === 'destinations' ? webhooks.map(({ name }) => name) : (values ?? []);
  };
  const meters = Object.entries<MetricRow>(table).map(([name, row]) => {
    const { help, labels = {}, buckets } = row;
    const Meter = typeOf(name, row);
    const labelNames = Object.keys(labels);
    const meter = new Meter({
      name: prefix + name,
      help,
      labelNames,
      registers: [registry],
      ...(buckets && { buckets }),
    });
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

/** Gives each gauge its values. */
function showFigures(meters: Meters, figures: Figures): void {
  for (const [name, { labels, show }] of Object.entries<MetricRow>(table)) {
    const gauge: unknown = meters[name as Name];
    if (!show || !(gauge instanceof Gauge)) continue;
    const shown = show(figures) ?? [];
    if (labels) gauge.reset();
    else gauge.remove();
    for (const [value, ...values] of typeof shown === 'number' ? [[shown] as const] : shown)
      gauge.inc(
        Object.fromEntries(Object.keys(labels ?? {}).map((label, index) => [label, values[index] ?? ''])),
        value,
      );
  }
}

/**
 * Makes the metrics of one relay; each has a registry of its own.
 *
 * @param timeoutMs - how long the store may take to answer, in milliseconds; after that it counts as failing, as it
 *   does for a visitor. Prometheus gives up on a page after ten seconds
 */
export function createMetrics(context: MetricsContext, timeoutMs = answerWithinMs): Metrics {
  const { config, events, now } = context;
  const registry = new Registry();
  // A Worker has no process of its own.
  if (config.store.kind !== 'durable-object') collectDefaultMetrics({ register: registry });
  const meters = createMeters(registry, config);
  const failures = followFailures(events);
  countEvents(events, meters);
  const readDisk = diskSpaceOf(config.store);
  const startedAt = now();
  const probe = (): Promise<true> => context.health.probe().then(() => true);
  return {
    async page() {
      const [works, stored, disk] = await Promise.all([
        // A full disk can still be read: writing and reading are checked separately.
        orNull(timeoutMs, probe()),
        orNull(timeoutMs, readStore(context)),
        readDisk().catch(() => null),
      ]);
      // No await from here on: another request may run concurrently.
      const forms = Object.keys(config.forms);
      showFigures(meters, { works, stored, disk, failures: failures(), forms, now: now(), startedAt });
      return { text: await registry.metrics(), type: registry.contentType };
    },
  };
}

/** Counts what happens. */
function countEvents(events: MetricsContext['events'], meters: Meters): void {
  const { signups_total: signups, delivery_attempts_total: attempts, subscriptions_total: statuses } = meters;
  events.on({
    accepted({ form, suspectedBecause: cause, heldUntil, tookMs }) {
      const result = cause === null ? 'kept' : heldUntil === undefined ? 'review' : 'held';
      signups.inc({ form, result });
      if (cause !== null && result === 'review') meters.review_total.inc({ form, cause });
      meters.acknowledgement_seconds.observe(tookMs / 1000);
    },
    refused: ({ form, status, codes: [code = 'none'], limit, times }) =>
      meters.refusals_total.inc({ ...(form !== null && { form }), status, code, ...(limit && { limit }) }, times),
    delivered({ form, waitedMs, status }) {
      attempts.inc({ form, result: 'delivered' });
      meters.delivery_age_seconds.observe({ form }, waitedMs / 1000);
      if (!isUnconfirmed(status)) statuses.inc({ form, status: statusLabel(status) });
    },
    statusKnown: ({ form, status }) => statuses.inc({ form, status: statusLabel(status) }),
    retryScheduled: ({ form }) => attempts.inc({ form, result: 'waiting' }),
    deadLetter({ form, ofMail = false }) {
      if (!ofMail) attempts.inc({ form, result: 'dead' });
    },
    confirmationSent: ({ form }) => meters.confirmation_mails_total.inc({ form }),
    confirmed: ({ form }) => meters.confirmations_total.inc({ form }),
    apiDeviated: ({ operation, field }) => meters.api_deviations_total.inc({ operation, field }),
    webhookAttempted: ({ destination, result }) => meters.webhooks_total.inc({ destination, result }),
  });
}

/** The label of a status: words of the API are many, labels are few. */
function statusLabel(status: string | null): string {
  return status === null ? 'unknown' : isUnknownStatus(status) ? 'other' : status;
}

/** What the page shows of the store. */
async function readStore({ store, now, config: { forms } }: MetricsContext) {
  const [overview, paused, webhooks, readerMs] = await Promise.all([
    store.overview(now()),
    store.paused(),
    store.webhooks.overview(),
    store.oldestReaderMs?.(),
  ]);
  const none = Object.keys(forms).map((form) => ({ form, open: 0, oldestSince: null, count: 0 }));
  const backlogs = [...none, ...overview.forms];
  return { ...overview, backlogs, unclear: [...none, ...unclearConsents(overview, forms)], paused, webhooks, readerMs };
}

/** The promise's value; null if it fails or takes longer than `ms` milliseconds. */
function orNull<T>(ms: number, promise: Promise<T>): Promise<T | null> {
  return within(ms, promise).catch(() => null);
}
