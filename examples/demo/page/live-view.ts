/** `<live-view>`: each subscription when the sandbox stores it, and the time since the form was submitted. */
import { badge, dateTime, emptyState, facts, PageElement, type Mood } from '@newsletter-kit/pages';
import { html, nothing, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';

/** The fields of the API's subscription that are shown. */
interface Subscription {
  readonly email: string;
  readonly status: string;
  readonly custom_fields?: readonly { readonly name: string; readonly value: unknown }[];
  readonly [field: string]: unknown;
}

interface ArrivedSubscription {
  readonly subscription: Subscription;
  readonly change: string;
  readonly at: Date;
  /** From the submit of the form to the event, in milliseconds; undefined where another page submitted it. */
  readonly took: number | undefined;
}

/** The labels of a subscription's attribution, in the order that they are shown. */
const attributionLabels = {
  utm_source: 'Source',
  utm_medium: 'Medium',
  utm_campaign: 'Campaign',
  utm_term: 'Term',
  utm_content: 'Content',
  referring_site: 'Referring site',
};

const connections = {
  connecting: ['neutral', 'Connecting to the sandbox …'],
  open: ['good', 'Watching the sandbox'],
  away: ['bad', 'The sandbox does not answer. The relay keeps what you send and delivers it when the sandbox is back.'],
} as const satisfies Readonly<Record<string, readonly [Mood, string]>>;

const longCampaign = `${'From the harbour wall to the outer mole – '.repeat(8).slice(0, 299)}🌊`;

/** Campaigns to arrive from: the query of this page's address. */
const campaigns: readonly (readonly [title: string, query: Readonly<Record<string, string>>])[] = [
  ['A newsletter swap', { utm_source: 'newsletter exchange', utm_medium: 'email', utm_campaign: 'Autumn swap' }],
  [
    'Umlauts and a wave',
    { utm_source: 'Küstenblatt', utm_medium: 'print', utm_campaign: 'Frühjahr & Flut', utm_content: '🌊 Titelseite' },
  ],
  ['A campaign name of 300 characters', { utm_source: 'long names', utm_medium: 'test', utm_campaign: longCampaign }],
  ['A search advertisement', { utm_source: 'search', utm_medium: 'cpc', utm_term: 'tide tables north sea' }],
  ['No campaign', {}],
];

/** How many arrivals are shown, newest first. */
const shownLimit = 20;
const reconnectMs = 1000;

class LiveView extends PageElement {
  static override properties = { connection: { state: true }, arrivals: { state: true } };
  declare connection: keyof typeof connections;
  declare arrivals: readonly ArrivedSubscription[];
  /** When the form was submitted, in milliseconds of `performance.now()`; undefined once its arrival is shown. */
  #submittedAt: number | undefined;

  constructor() {
    super();
    this.connection = 'connecting';
    this.arrivals = [];
  }

  override connectedCallback(): void {
    super.connectedCallback();
    document.addEventListener('newsletter-submit', () => (this.#submittedAt = performance.now()));
    this.#watch();
  }

  #watch(): void {
    const events = new EventSource('/events');
    events.addEventListener('connected', () => (this.connection = 'open'));
    events.addEventListener('away', () => (this.connection = 'away'));
    events.addEventListener('error', () => {
      if (this.connection === 'open') this.connection = 'connecting';
      // After an error status the browser does not reconnect by itself.
      if (events.readyState === EventSource.CLOSED) setTimeout(() => this.#watch(), reconnectMs);
    });
    events.addEventListener('reset', () => (this.arrivals = []));
    events.addEventListener('subscription', ({ data }: MessageEvent<string>) => {
      const { change, subscription } = JSON.parse(data) as Pick<ArrivedSubscription, 'change' | 'subscription'>;
      this.#receive(change, subscription);
    });
  }

  /** An update of a shown subscription, for example after its validation, keeps its place and its time. */
  #receive(change: string, subscription: Subscription): void {
    const isSame = (arrival: ArrivedSubscription): boolean => arrival.subscription.email === subscription.email;
    if (change === 'updated' && this.arrivals.some(isSame)) {
      this.arrivals = this.arrivals.map((arrival) => (isSame(arrival) ? { ...arrival, subscription } : arrival));
      return;
    }
    // An update can have any cause. Only a new subscription certainly comes from this page's form.
    const isOwn = change === 'created' && this.#submittedAt !== undefined;
    const took = isOwn ? Math.round(performance.now() - (this.#submittedAt ?? 0)) : undefined;
    if (isOwn) this.#submittedAt = undefined;
    const others = this.arrivals.filter((arrival) => !isSame(arrival));
    this.arrivals = [{ subscription, change, at: new Date(), took }, ...others].slice(0, shownLimit);
  }

  protected override render(): TemplateResult {
    const [mood, words] = connections[this.connection];
    const visit = [...new URLSearchParams(location.search)].map(([name, value]) => `${name} = ${value}`);
    return html`<div class="heading">
        <h2 id="live-title">What the API received</h2>
        <p id="connection" data-state=${this.connection} role="status">${badge(words, mood)}</p>
      </div>
      <p class="soft prose">
        The form posts to the relay, which keeps the signup on disk, answers, and delivers it to the newsletter API. Here
        that API is the sandbox on this machine; each subscription appears below when it is stored.
      </p>
      <h3>Arrive from a campaign</h3>
      <ul class="actions">
        ${campaigns.map(([title, query]) => campaignLink(title, new URLSearchParams(query).toString()))}
      </ul>
      <p id="visit" class="soft">
        ${visit.length > 0 ? `This visit: ${visit.join(' · ')}` : 'This visit has no campaign in its address.'}
      </p>
      <ol id="arrivals" aria-live="polite" aria-label="Stored subscriptions, newest first">
        ${repeat(
          this.arrivals,
          ({ subscription, at }) => `${subscription.email} ${at.getTime()}`,
          (arrival) => arrivalItem(arrival),
        )}
      </ol>
      ${this.arrivals.length === 0 ? emptyState('No subscription yet. Subscribe above, and it appears here.') : nothing}`;
  }
}

function campaignLink(title: string, query: string): TemplateResult {
  const isCurrent = new URLSearchParams(location.search).toString() === query;
  return html`<li>
    <a class="button" href=${query ? `/?${query}` : '/'} aria-current=${isCurrent ? 'page' : nothing}>${title}</a>
  </li>`;
}

function arrivalItem({ subscription, change, at, took }: ArrivedSubscription): TemplateResult {
  const attribution = Object.entries(attributionLabels).map(([name, label]) => [label, subscription[name]] as const);
  const fields = (subscription.custom_fields ?? []).map(({ name, value }) => [name, value] as const);
  return html`<li class="arrival" data-email=${subscription.email} data-took=${took ?? nothing}>
    <p class="heading">
      <strong>${subscription.email}</strong>
      <span class="status">${badge(subscription.status, subscription.status === 'active' ? 'good' : 'neutral')}</span>
    </p>
    <p class="soft">
      ${change === 'created' ? 'New' : 'Known already, updated'}, ${dateTime(at, { short: true })}
      ${took === undefined ? nothing : `– stored ${took} ms after the button was pressed`}
    </p>
    ${facts([...attribution, ...fields].map(([name, value]) => [name, toText(value)] as const))}
  </li>`;
}

function toText(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (Array.isArray(value)) return value.join(', ');
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

customElements.define('live-view', LiveView);
