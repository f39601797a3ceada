/**
 * The subscriptions that arrived in the sandbox: those of the last day when the page is opened, then each new one. All
 * elements of a page share one stream of events.
 */
import { badge, dateTime, facts, type Mood, type PageElement } from '@newsletter-kit/pages';
import { html, nothing, type TemplateResult } from 'lit';
import { receiver } from './receiver.ts';

/** The fields of the API's subscription that are shown. */
interface Subscription {
  readonly id: string;
  readonly email: string;
  readonly status: string;
  /** Seconds since the epoch. */
  readonly created: number;
  readonly custom_fields?: readonly { readonly name: string; readonly value: unknown }[];
  readonly [field: string]: unknown;
}

export interface Arrival {
  readonly subscription: Subscription;
  readonly change: string;
  readonly at: Date;
  /** From the submit of the form to the event, in milliseconds; undefined where another page submitted it. */
  readonly took: number | undefined;
  /** Whether it arrived while the page was shown. */
  readonly isLive: boolean;
}

/** Differs for each arrival, also of the same subscription. */
export function arrivalKey({ subscription, at }: Arrival): string {
  return `${subscription.id} ${at.getTime()}`;
}

const connections = {
  connecting: ['neutral', 'Connecting to the sandbox …'],
  open: ['good', 'Watching the sandbox'],
  away: ['bad', `The sandbox does not answer. ${receiver.whileAway}`],
} as const satisfies Readonly<Record<string, readonly [Mood, string]>>;

/** The labels of a subscription's attribution, in the order that they are shown. */
const attributionLabels = {
  utm_source: 'Source',
  utm_medium: 'Medium',
  utm_campaign: 'Campaign',
  utm_term: 'Term',
  utm_content: 'Content',
  referring_site: 'Referring site',
};

/** How many arrivals are kept, newest first. */
const keptLimit = 20;
const reconnectMs = 1000;

/** The state that the elements of a page show. */
class ArrivalFeed {
  connection: keyof typeof connections = 'connecting';
  arrivals: readonly Arrival[] = [];
  readonly #hosts = new Set<PageElement>();
  /** When a form was submitted, in milliseconds of `performance.now()`; undefined once its arrival is shown. */
  #submittedAt: number | undefined;

  /** Updates the element at every change. */
  addHost(host: PageElement): void {
    if (this.#hosts.size === 0) this.#watch();
    this.#hosts.add(host);
  }

  /** Measures the time from the submits in this document. */
  measureSubmits(document: Document): void {
    document.addEventListener('newsletter-submit', () => (this.#submittedAt = performance.now()));
  }

  #change(changed: Partial<Pick<ArrivalFeed, 'connection' | 'arrivals'>>): void {
    Object.assign(this, changed);
    for (const host of this.#hosts) host.requestUpdate();
  }

  #watch(): void {
    const events = new EventSource('/events');
    events.addEventListener('connected', ({ data }: MessageEvent<string>) => {
      const { arrivals } = JSON.parse(data) as { readonly arrivals: readonly Subscription[] };
      this.#change({ connection: 'open', arrivals: arrivals.map((subscription) => this.#stored(subscription)) });
    });
    events.addEventListener('away', () => this.#change({ connection: 'away' }));
    events.addEventListener('error', () => {
      if (this.connection === 'open') this.#change({ connection: 'connecting' });
      // After an error status the browser does not reconnect by itself.
      if (events.readyState === EventSource.CLOSED) setTimeout(() => this.#watch(), reconnectMs);
    });
    events.addEventListener('reset', () => this.#change({ arrivals: [] }));
    events.addEventListener('subscription', ({ data }: MessageEvent<string>) => {
      const { change, subscription } = JSON.parse(data) as Pick<Arrival, 'change' | 'subscription'>;
      this.#receive(change, subscription);
    });
  }

  /** A subscription that the sandbox has already; one that is shown keeps its time. */
  #stored(subscription: Subscription): Arrival {
    const shown = this.arrivals.find((arrival) => arrival.subscription.id === subscription.id);
    return shown
      ? { ...shown, subscription }
      : { subscription, change: 'created', at: new Date(subscription.created * 1000), took: undefined, isLive: false };
  }

  /** An update of a shown subscription, for example after its validation, keeps its place and its time. */
  #receive(change: string, subscription: Subscription): void {
    const isSame = (arrival: Arrival): boolean => arrival.subscription.id === subscription.id;
    if (change === 'updated' && this.arrivals.some(isSame)) {
      this.#change({
        arrivals: this.arrivals.map((arrival) => (isSame(arrival) ? { ...arrival, subscription } : arrival)),
      });
      return;
    }
    // An update can have any cause. Only a new subscription certainly comes from this page's form.
    const isOwn = change === 'created' && this.#submittedAt !== undefined;
    const took = isOwn ? Math.round(performance.now() - (this.#submittedAt ?? 0)) : undefined;
    if (isOwn) this.#submittedAt = undefined;
    const others = this.arrivals.filter((arrival) => !isSame(arrival));
    const arrival = { subscription, change, at: new Date(), took, isLive: true };
    this.#change({ arrivals: [arrival, ...others].slice(0, keptLimit) });
  }
}

export const arrivalFeed = new ArrivalFeed();

/** Whether the page is connected to the sandbox. @param id - of the paragraph */
export function connectionStatus(id: string): TemplateResult {
  const [mood, words] = connections[arrivalFeed.connection];
  return html`<p id=${id} data-state=${arrivalFeed.connection} role="status">${badge(words, mood)}</p>`;
}

/** The address, status, time, attribution and custom fields of a subscription that arrived. */
export function arrivalContent({ subscription, change, at, took }: Arrival): TemplateResult {
  const attribution = Object.entries(attributionLabels).map(([name, label]) => [label, subscription[name]] as const);
  const fields = (subscription.custom_fields ?? []).map(({ name, value }) => [name, value] as const);
  return html`<p class="heading">
      <strong><bdi>${subscription.email}</bdi></strong>
      <span class="status">${badge(subscription.status, subscription.status === 'active' ? 'good' : 'neutral')}</span>
    </p>
    <p class="soft">
      ${change === 'created' ? 'New' : 'Known already, updated'}, ${dateTime(at, { short: true })}
      ${took === undefined ? nothing : `– stored ${took} ms after the button was pressed`}
    </p>
    ${facts([...attribution, ...fields].map(([name, value]) => [name, toText(value)] as const))}`;
}

function toText(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (Array.isArray(value)) return value.join(', ');
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
