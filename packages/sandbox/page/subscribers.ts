/** `<subscribers-view>`: the subscribers, searched and filtered by the sandbox, a page at a time, live. */
import { button, formatCount, formatNumber, table, throttle, toastError, type Renderable } from '@newsletter-kit/pages';
import { html, nothing, type TemplateResult } from 'lit';
import { ask } from './control.ts';
import { address, moment, statusBadge, valueText } from './format.ts';
import { showSubscriber } from './subscriber.ts';
import { valueOf, View, type SandboxEvent, type Subscription } from './view.ts';

const statuses = ['active', 'validating', 'pending', 'inactive', 'invalid', 'needs_attention', 'paused'] as const;
const pageSize = 50;
/** Rows that are kept while new ones arrive on top. */
const mostRows = 500;
/** Pause between two searches while a person types, in milliseconds. */
const searchPause = 200;

interface SubscriptionPage {
  readonly data: readonly Subscription[];
  readonly next_before: number | null;
  readonly total: number;
  readonly matching: number;
  readonly more_match: boolean;
}

interface Row {
  readonly subscription: Subscription;
  /** Changes since the row was read. */
  readonly changes: number;
}

class SubscribersView extends View {
  static override properties = { ...View.properties, rows: { state: true }, page: { state: true } };
  readonly name = 'subscribers';
  readonly heading = 'Subscribers';
  declare rows: readonly Row[];
  /** The last page that was read. */
  declare page: Omit<SubscriptionPage, 'data'> | undefined;
  /** The number of the latest query; answers to earlier ones are dropped. */
  #query = 0;
  readonly #readSoon = throttle(() => void this.refresh().catch(toastError), searchPause);

  constructor() {
    super();
    this.rows = [];
  }

  refresh(): Promise<void> {
    return this.#read(null);
  }

  override receive(event: SandboxEvent): void {
    if (event.type !== 'subscription' || !this.page) return;
    const { subscription, change } = event;
    const known = this.rows.find((row) => row.subscription.id === subscription.id);
    const isNew = !known && change === 'created';
    if (isNew) this.page = { ...this.page, total: this.page.total + 1 };
    this.#announce();
    // Only the sandbox can tell whether it still matches.
    if (this.#isFiltered()) return this.#readSoon();
    if (!known && !isNew) return;
    this.page = { ...this.page, matching: this.page.total, more_match: false };
    if (known) this.rows = this.rows.map((row) => (row === known ? { subscription, changes: row.changes + 1 } : row));
    else this.rows = [{ subscription, changes: 1 }, ...this.rows];
    if (this.rows.length > mostRows) this.#readSoon();
  }

  #isFiltered(): boolean {
    return this.#search() !== '' || this.#status() !== '';
  }

  #search(): string {
    return valueOf(this, 'input').trim();
  }

  #status(): string {
    return valueOf(this, 'select');
  }

  /** Reads one page. @param before - where the page before ended; null for the first page */
  async #read(before: number | null): Promise<void> {
    const query = (this.#query += 1);
    const parameters = new URLSearchParams({
      limit: String(pageSize),
      ...(this.#search() && { search: this.#search() }),
      ...(this.#status() && { status: this.#status() }),
      ...(before !== null && { before: String(before) }),
    });
    const { data, ...page } = await ask<SubscriptionPage>(`/subscriptions?${parameters.toString()}`);
    if (query !== this.#query) return;
    const read = data.map((subscription) => ({ subscription, changes: 0 }));
    this.rows = before === null ? read : [...this.rows, ...read];
    this.page = page;
    this.#announce();
  }

  #announce(): void {
    this.badge = { text: formatNumber(this.page?.total ?? 0) };
  }

  protected content(): Renderable {
    const next = this.page?.next_before ?? null;
    return html`<div class="tools">
        <input
          type="search"
          placeholder="Search address, source, campaign or id"
          aria-label="Search subscribers"
          spellcheck="false"
          autocomplete="off"
          @input=${this.#readSoon}
        />
        <select aria-label="Status" @change=${() => void this.refresh().catch(toastError)}>
          <option value="">every status</option>
          ${statuses.map((status) => html`<option value=${status}>${status.replaceAll('_', ' ')}</option>`)}
        </select>
      </div>
      <div class="scroll" tabindex="0" role="group" aria-label="Subscribers">
        ${table<Row>({
          columns: [
            { title: 'Subscriber', cell: ({ subscription }) => subscriberCell(subscription) },
            { title: 'Status', cell: ({ subscription }) => statusBadge(subscription.status) },
            { title: 'Custom fields', className: 'fields', cell: ({ subscription }) => fieldsCell(subscription) },
            { title: 'Created', className: 'created', cell: ({ subscription }) => moment(subscription.created) },
          ],
          rows: this.rows,
          key: ({ subscription }) => subscription.id,
          changes: ({ changes }) => changes,
        })}
        ${
          this.page && this.rows.length === 0
            ? html`<p class="empty">
              ${
                this.#isFiltered()
                  ? 'No subscriber matches.'
                  : 'No subscribers yet. Create one through the API, and it shows up here.'
              }
            </p>`
            : nothing
        }
        <div class="more">
          <p class="soft" role="status" id="found">${this.#found()}</p>
          ${next === null ? nothing : button({ label: 'Show more', onClick: () => this.#read(next).catch(toastError) })}
        </div>
      </div>`;
  }

  /** How many subscribers are shown, match and exist. */
  #found(): string {
    if (!this.page || this.rows.length === 0) return '';
    const { matching, more_match: isMore, total } = this.page;
    const shown = this.rows.length < matching ? `${formatNumber(this.rows.length)} of ` : '';
    const all = this.#isFiltered() ? ` of ${formatNumber(total)}` : '';
    return `${shown}${isMore ? 'more than ' : ''}${formatCount(matching, 'subscriber')}${all}`;
  }
}

function subscriberCell(subscription: Subscription): TemplateResult {
  const { utm_source: source, utm_medium: medium, utm_campaign: campaign, utm_channel: channel = '' } = subscription;
  return html`${button({
    label: address(subscription.email),
    kind: 'link',
    onClick: () => showSubscriber(subscription.id).catch(toastError),
  })}<small>${[source, medium, campaign].filter(Boolean).join(' · ') || channel.replaceAll('_', ' ')}</small>`;
}

function fieldsCell({ custom_fields: fields = [] }: Subscription): Renderable {
  return fields.map(({ name, value }) => html`<span><i>${name}</i>${valueText(value)}</span>`);
}

customElements.define('subscribers-view', SubscribersView);
