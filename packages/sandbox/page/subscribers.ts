/** `<subscribers-view>`: the newest subscribers, searched and filtered by the sandbox. */
import {
  button,
  emptyState,
  formatCount,
  formatNumber,
  table,
  throttle,
  toastError,
  type Renderable,
} from '@newsletter-kit/pages';
import { html, nothing, type TemplateResult } from 'lit';
import { ask } from './control.ts';
import { address, moment, statusBadge, valueText } from './format.ts';
import { showSubscriber } from './subscriber.ts';
import { valueOf, View, type ViewBadge } from './view.ts';

const statuses = ['active', 'validating', 'pending', 'inactive', 'invalid', 'needs_attention', 'paused'] as const;
/** How many more a click shows, and the most that the sandbox lists. */
const pageSize = 50;
const mostRows = 200;
/** Pause between two searches while a person types, in milliseconds. */
const searchPause = 200;

interface Subscription {
  readonly id: string;
  readonly email: string;
  readonly status: string;
  readonly created: number;
  readonly custom_fields?: readonly { readonly name: string; readonly value: unknown }[];
  readonly utm_source?: string;
  readonly utm_medium?: string;
  readonly utm_campaign?: string;
  readonly utm_channel?: string;
}

interface SubscribersState {
  readonly data: readonly Subscription[];
  readonly total: number;
  readonly matching: number;
  readonly more_match: boolean;
}

class SubscribersView extends View<SubscribersState> {
  readonly name = 'subscribers';
  readonly heading = 'Subscribers';
  #limit = pageSize;
  readonly #read = (): void => void this.refresh().catch(toastError);
  readonly #readSoon = throttle(this.#read, searchPause);

  protected read(): Promise<SubscribersState> {
    const parameters = new URLSearchParams({
      limit: String(this.#limit),
      ...(this.#search() && { search: this.#search() }),
      ...(this.#status() && { status: this.#status() }),
    });
    return ask<SubscribersState>(`/subscriptions?${parameters.toString()}`);
  }

  protected override badgeOf({ total }: SubscribersState): ViewBadge {
    return { text: formatNumber(total) };
  }

  #search(): string {
    return valueOf(this, 'input').trim();
  }

  #status(): string {
    return valueOf(this, 'select');
  }

  #showMore(): Promise<void> {
    this.#limit += pageSize;
    return this.refresh().catch(toastError);
  }

  protected content({ data, matching, more_match: isMore, total }: SubscribersState): Renderable {
    const isFiltered = this.#search() !== '' || this.#status() !== '';
    const shown = data.length < matching ? `${formatNumber(data.length)} of ` : '';
    const found = `${shown}${isMore ? 'more than ' : ''}${formatCount(matching, 'subscriber')}`;
    return html`<div class="tools">
        <input
          type="search"
          placeholder="Search address, source, campaign or id"
          aria-label="Search subscribers"
          spellcheck="false"
          autocomplete="off"
          @input=${this.#readSoon}
        />
        <select aria-label="Status" @change=${this.#read}>
          <option value="">every status</option>
          ${statuses.map((status) => html`<option value=${status}>${status.replaceAll('_', ' ')}</option>`)}
        </select>
      </div>
      ${table<Subscription>({
        columns: [
          { title: 'Subscriber', cell: subscriberCell },
          { title: 'Status', cell: ({ status }) => statusBadge(status) },
          { title: 'Custom fields', className: 'fields', cell: fieldsCell },
          { title: 'Created', className: 'created', cell: ({ created }) => moment(created) },
        ],
        rows: data,
        key: ({ id }) => id,
      })}
      ${
        data.length > 0
          ? nothing
          : emptyState(
              isFiltered
                ? 'No subscriber matches.'
                : 'No subscribers yet. Create one through the API, and it shows up here.',
            )
      }
      <div class="tools">
        <p class="soft" role="status" id="found">${
          data.length === 0 ? nothing : isFiltered ? `${found} of ${formatNumber(total)}` : found
        }</p>
        ${
          data.length < matching && this.#limit < mostRows
            ? button({ label: 'Show more', onClick: () => this.#showMore() })
            : nothing
        }
      </div>`;
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
  return fields.map(({ name, value }) => html`<span><i>${name}</i> ${valueText(value)}</span> `);
}

customElements.define('subscribers-view', SubscribersView);
