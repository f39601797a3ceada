/** The panels of the dashboard for Grafana. Their series come from the table of metrics. */
import { Histogram } from 'prom-client';
import { type MetricName, metricRows } from '../src/ops/metrics.ts';

/** A panel of the dashboard. */
export interface Panel {
  readonly type: 'stat' | 'timeseries' | 'state-timeline';
  readonly title: string;
  readonly about: string;
  /** Of 24. Default 8. */
  readonly width?: number;
  readonly unit?: string;
  readonly range?: { readonly min?: number; readonly max?: number; readonly decimals?: number };
  /** Text and colour of 0 and of 1. */
  readonly states?: readonly (readonly [text: string, color: string])[];
  /** Colours, each from a value on. */
  readonly steps?: readonly (readonly [color: string, from: number | null])[];
  /** Queries, each with the legend of its series. */
  readonly queries: readonly (readonly [query: string, legend: string])[];
  /** Unit of the second query, on an axis of its own. */
  readonly secondUnit?: string;
}

/** The series of a metric, of the jobs and forms that are chosen. */
function of(metric: MetricName, ...more: readonly string[]): string {
  const { name, type, labelNames = [] } = metricRows[metric];
  const labels = ['job=~"$job"', ...(labelNames.includes('form') ? ['form=~"$form"'] : []), ...more];
  return `${name}${type === Histogram ? '_bucket' : ''}{${labels.join(', ')}}`;
}

/** The panels, row by row. */
export const rows: readonly { readonly title: string; readonly panels: readonly Panel[] }[] = [
  {
    title: 'Now',
    panels: [
      {
        type: 'stat',
        title: 'Posts kept, last hour',
        about: 'Posts kept, of those kept and those answered with 503. No data: no posts.',
        width: 4,
        unit: 'percentunit',
        range: { min: 0, max: 1, decimals: 2 },
        steps: [
          ['red', null],
          ['orange', 0.95],
          ['green', 0.999],
        ],
        queries: [
          [
            `sum (rate(${of('signups')}[1h])) / (sum (rate(${of('signups')}[1h])) + sum (rate(${of('refusals', 'status=~"5.."')}[1h])))`,
            'kept',
          ],
        ],
      },
      {
        type: 'stat',
        title: 'Backlog',
        about: 'Signups waiting or sent and not known to be at the API.',
        width: 4,
        unit: 'short',
        steps: [
          ['green', null],
          ['orange', 1000],
        ],
        queries: [[`sum(max by (job, form) (${of('backlog')}))`, 'backlog']],
      },
      {
        type: 'stat',
        title: 'Oldest waiting',
        about: 'Age of the oldest signup in the backlog.',
        width: 4,
        unit: 's',
        steps: [
          ['green', null],
          ['orange', 300],
          ['red', 900],
        ],
        queries: [[`max(${of('oldest')})`, 'oldest']],
      },
      {
        type: 'stat',
        title: 'API',
        about: 'Whether deliveries of every form are taken.',
        width: 3,
        states: [
          ['refuses', 'red'],
          ['takes signups', 'green'],
        ],
        queries: [[`min(${of('apiUp')})`, 'API']],
      },
      {
        type: 'stat',
        title: 'Store',
        about: 'Whether every relay can write its store.',
        width: 3,
        states: [
          ['fails', 'red'],
          ['writes', 'green'],
        ],
        queries: [[`min(${of('storeUp')})`, 'store']],
      },
      {
        type: 'stat',
        title: 'Delivery',
        about: 'Whether an operator has paused delivery.',
        width: 3,
        states: [
          ['runs', 'green'],
          ['paused', 'orange'],
        ],
        queries: [[`max(${of('paused')})`, 'paused']],
      },
      {
        type: 'stat',
        title: 'Relays',
        about: 'Relays that answer Prometheus.',
        width: 3,
        steps: [
          ['red', null],
          ['green', 1],
        ],
        queries: [['count(up{job=~"$job"} == 1)', 'relays']],
      },
    ],
  },
  {
    title: 'Posts',
    panels: [
      {
        type: 'timeseries',
        title: 'Posts kept',
        about: 'Posts kept a second, by result.',
        unit: 'reqps',
        queries: [[`sum by (result) (rate(${of('signups')}[$__rate_interval]))`, '{{result}}']],
      },
      {
        type: 'timeseries',
        title: 'Posts refused',
        about: "Posts refused a second, by status and error code. 4xx: the visitor's; 5xx: the relay's.",
        unit: 'reqps',
        queries: [[`sum by (status, code) (rate(${of('refusals')}[$__rate_interval]))`, '{{status}} {{code}}']],
      },
      {
        type: 'timeseries',
        title: 'Share of posts kept',
        about: 'Of the posts kept and those answered with 503, by form.',
        unit: 'percentunit',
        range: { min: 0, max: 1 },
        queries: [
          [
            `sum by (form) (rate(${of('signups')}[$__rate_interval])) / (sum by (form) (rate(${of('signups')}[$__rate_interval])) + sum by (form) (rate(${of('refusals', 'status=~"5.."')}[$__rate_interval])))`,
            '{{form}}',
          ],
        ],
      },
      {
        type: 'timeseries',
        title: 'Kept for review',
        about: 'Posts kept for review within an hour, by cause.',
        unit: 'short',
        range: { min: 0 },
        queries: [[`sum by (cause) (increase(${of('reviews')}[1h]))`, '{{cause}}']],
      },
    ],
  },
  {
    title: 'Delivery',
    panels: [
      {
        type: 'timeseries',
        title: 'Backlog',
        about: 'Signups waiting or sent and not known to be at the API, by form.',
        unit: 'short',
        range: { min: 0 },
        queries: [[`max by (form) (${of('backlog')})`, '{{form}}']],
      },
      {
        type: 'timeseries',
        title: 'Oldest waiting',
        about: 'Age of the oldest signup in the backlog, by form.',
        unit: 's',
        range: { min: 0 },
        queries: [[`max by (form) (${of('oldest')})`, '{{form}}']],
      },
      {
        type: 'timeseries',
        title: 'Age at delivery',
        about: 'Time from a 202, or from the click in a confirmation mail, until the API had the signup, by form.',
        unit: 's',
        range: { min: 0 },
        queries: [
          [`histogram_quantile(0.5, sum by (form, le) (rate(${of('age')}[$__rate_interval])))`, '{{form}} median'],
          [`histogram_quantile(0.95, sum by (form, le) (rate(${of('age')}[$__rate_interval])))`, '{{form}} 95 %'],
        ],
      },
      {
        type: 'timeseries',
        title: 'Deliveries attempted',
        about: 'Signups a second, by result. waiting: to be tried again.',
        unit: 'short',
        queries: [[`sum by (result) (rate(${of('attempts')}[$__rate_interval]))`, '{{result}}']],
      },
      {
        type: 'timeseries',
        title: 'What became of them',
        about: 'What the API says of the subscriptions of delivered signups of the day, by status.',
        unit: 'short',
        range: { min: 0 },
        queries: [[`sum by (status) (increase(${of('statuses')}[1d]))`, '{{status}}']],
      },
      {
        type: 'timeseries',
        title: 'Signups in the store',
        about: 'By state.',
        unit: 'short',
        range: { min: 0 },
        queries: [[`max by (job, state) (${of('queue')})`, '{{state}}']],
      },
      {
        type: 'state-timeline',
        title: 'Refused by the API',
        about: 'By form: the key with 401 or 403, the publication with 404.',
        states: [
          ['accepted', 'green'],
          ['refused', 'red'],
        ],
        queries: [
          [`max by (form) (${of('keyRefused')})`, '{{form}}: key'],
          [`max by (form) (${of('publicationRefused')})`, '{{form}}: publication'],
        ],
      },
    ],
  },
  {
    title: 'Double opt-in',
    panels: [
      {
        type: 'timeseries',
        title: 'Waiting for the click',
        about: 'Signups whose person has not yet clicked the link in the confirmation mail; of some the mail is held.',
        unit: 'short',
        range: { min: 0 },
        queries: [
          [`max by (job) (${of('queue', 'state="unconfirmed"')})`, 'unconfirmed'],
          [`max by (job) (${of('held')})`, 'mail held'],
        ],
      },
      {
        type: 'timeseries',
        title: 'Mails and confirmations',
        about: 'Confirmation mails sent and links clicked a second.',
        unit: 'short',
        range: { min: 0 },
        queries: [
          [`sum(rate(${of('mails')}[$__rate_interval]))`, 'mails'],
          [`sum(rate(${of('confirmations')}[$__rate_interval]))`, 'confirmed'],
        ],
      },
      {
        type: 'timeseries',
        title: 'Share of mails confirmed',
        about:
          'Links clicked for each confirmation mail of the day, by form; 0 without mails. Few: strangers are signed up.',
        unit: 'percentunit',
        range: { min: 0 },
        queries: [
          [
            `sum by (form) (increase(${of('confirmations')}[1d])) / clamp_min(sum by (form) (increase(${of('mails')}[1d])), 1)`,
            '{{form}}',
          ],
        ],
      },
      {
        type: 'state-timeline',
        title: 'Mail server',
        about: 'Whether the mail server takes confirmation mails.',
        states: [
          ['fails', 'red'],
          ['takes mails', 'green'],
        ],
        queries: [[`min by (instance) (${of('mailUp')})`, '{{instance}}']],
      },
    ],
  },
  {
    title: 'Webhooks',
    panels: [
      {
        type: 'timeseries',
        title: 'Webhooks in the store',
        about: 'Webhooks that wait for their destination, and those given up.',
        unit: 'short',
        range: { min: 0 },
        queries: [[`max by (job, destination, state) (${of('webhookQueue')})`, '{{destination}} {{state}}']],
      },
      {
        type: 'timeseries',
        title: 'Webhooks sent',
        about: 'Attempts per second, by destination and result.',
        unit: 'short',
        range: { min: 0 },
        queries: [
          [`sum by (destination, result) (rate(${of('webhooks')}[$__rate_interval]))`, '{{destination}} {{result}}'],
        ],
      },
      {
        type: 'state-timeline',
        title: 'Destinations',
        about: 'Whether a destination accepts webhooks.',
        states: [
          ['fails', 'red'],
          ['accepts', 'green'],
        ],
        queries: [[`min by (destination) (${of('webhookUp')})`, '{{destination}}']],
      },
    ],
  },
  {
    title: 'Machine',
    panels: [
      {
        type: 'timeseries',
        title: 'Acknowledgement',
        about: 'Time from a post to its 202, sync to disk included.',
        unit: 's',
        range: { min: 0 },
        queries: [
          [`histogram_quantile(0.5, sum by (le) (rate(${of('acknowledgement')}[$__rate_interval])))`, 'median'],
          [`histogram_quantile(0.99, sum by (le) (rate(${of('acknowledgement')}[$__rate_interval])))`, '99 %'],
        ],
      },
      {
        type: 'timeseries',
        title: 'Disk of the store',
        about:
          'Room on the file system of an SQLite store, and its write-ahead log; a PostgreSQL server measures its own.',
        unit: 'bytes',
        range: { min: 0 },
        queries: [
          [of('available'), '{{instance}} available'],
          [of('size'), '{{instance}} size'],
          [of('log'), '{{instance}} log'],
        ],
      },
      {
        type: 'timeseries',
        title: 'Memory and event loop',
        about: 'Resident memory, and how long the event loop is late.',
        unit: 'bytes',
        range: { min: 0 },
        queries: [
          ['process_resident_memory_bytes{job=~"$job"}', '{{instance}} memory'],
          ['nodejs_eventloop_lag_p99_seconds{job=~"$job"}', '{{instance}} loop, 99 %'],
        ],
        secondUnit: 's',
      },
    ],
  },
];
