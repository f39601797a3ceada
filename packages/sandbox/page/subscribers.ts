/** `<subscribers-view>`: the newest subscribers, searched and filtered by the sandbox. */
import { subscriptionStatuses } from '@newsletter-kit/core/contract';
import { button, emptyState, formatCount, formatNumber, toastError, type Renderable } from '@newsletter-kit/pages';
import { html, nothing, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import type { FoundSubscriptions } from '../src/control/overview.ts';
import { ask } from './control.ts';
import { address, moment, statusBadge, valueText } from './format.ts';
import { showSubscriber } from './subscriber.ts';
import { valueOf, View, type ViewBadge } from './view.ts';

/** How many more a click shows, and the most that the sandbox lists. */
const pageSize = 50;
const mostRows = 200;

type Found = FoundSubscriptions['data'][number];

class SubscribersView extends View<FoundSubscriptions> {
  readonly name = 'subscribers';
  readonly heading = 'Subscribers';
  #limit = pageSize;

  protected read(): Promise<FoundSubscriptions> {
    const parameters = new URLSearchParams({
      limit: String(this.#limit),
      ...(this.#search() && { search: this.#search() }),
      ...(this.#status() && { status: this.#status() }),
    });
    return ask<FoundSubscriptions>(`/subscriptions?${parameters.toString()}`);
  }

  protected override badgeOf({ total }: FoundSubscriptions): ViewBadge {
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

  protected content({ data, matching, more_match: isMore, total }: FoundSubscriptions): Renderable {
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
          @input=${this.readSoon}
        />
        <select aria-label="Status" @change=${this.readNow}>
          <option value="">every status</option>
          ${subscriptionStatuses.map((status) => html`<option value=${status}>${status.replaceAll('_', ' ')}</option>`)}
        </select>
      </div>
      <table>
        <thead>
          <tr>
            ${['Subscriber', 'Status', 'Custom fields', 'Created'].map((title) => html`<th scope="col">${title}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${repeat(data, ({ id }) => id, row)}
        </tbody>
      </table>
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

function row(subscription: Found): TemplateResult {
  const { id, email, status, created, custom_fields, utm_source, utm_medium, utm_campaign, utm_channel } = subscription;
  const open = button({ label: address(email), kind: 'link', onClick: () => showSubscriber(id).catch(toastError) });
  const origin = [utm_source, utm_medium, utm_campaign].filter(Boolean).join(' · ') || utm_channel.replaceAll('_', ' ');
  return html`<tr>
    <td>${open}<small>${origin}</small></td>
    <td>${statusBadge(status)}</td>
    <td class="fields">${custom_fields.map(({ name, value }) => html`<span><i>${name}</i> ${valueText(value)}</span> `)}</td>
    <td class="created">${moment(created)}</td>
  </tr>`;
}

customElements.define('subscribers-view', SubscribersView);
