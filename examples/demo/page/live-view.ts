/** `<live-view>`: campaigns to arrive from, and every subscription of the last day in the sandbox, newest first. */
import { emptyState, PageElement } from '@newsletter-kit/pages';
import { html, nothing, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { arrivalContent, arrivalFeed, arrivalKey, connectionStatus } from './arrivals.ts';
import { receiver } from './receiver.ts';
import './latest-arrival.ts';

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

class LiveView extends PageElement {
  override connectedCallback(): void {
    super.connectedCallback();
    arrivalFeed.measureSubmits(document);
    arrivalFeed.addHost(this);
  }

  protected override render(): TemplateResult {
    const { arrivals } = arrivalFeed;
    const visit = [...new URLSearchParams(location.search)].map(([name, value]) => `${name} = ${value}`);
    return html`<div class="heading">
        <h2 id="live-title">What the API received</h2>
        ${connectionStatus('connection')}
      </div>
      <p class="soft prose">
        ${receiver.steps} Here that API is the sandbox on this machine; each subscription appears below when it is stored.
      </p>
      <h3>Arrive from a campaign</h3>
      <ul class="actions">
        ${campaigns.map(([title, query]) => campaignLink(title, new URLSearchParams(query).toString()))}
      </ul>
      <p id="visit" class="soft">
        ${visit.length > 0 ? `This visit: ${visit.join(' · ')}` : 'This visit has no campaign in its address.'}
      </p>
      <ol id="arrivals" aria-label="Subscriptions of the last day, newest first">
        ${repeat(
          arrivals,
          arrivalKey,
          (arrival) =>
            html`<li class="arrival" data-email=${arrival.subscription.email} data-took=${arrival.took ?? nothing}>
              ${arrivalContent(arrival)}
            </li>`,
        )}
      </ol>
      ${arrivals.length === 0 ? emptyState('No subscription yet. Subscribe above, and it appears here.') : nothing}`;
  }
}

function campaignLink(title: string, query: string): TemplateResult {
  const isCurrent = new URLSearchParams(location.search).toString() === query;
  return html`<li>
    <a class="button" href=${query ? `/?${query}` : '/'} aria-current=${isCurrent ? 'page' : nothing}>${title}</a>
  </li>`;
}

customElements.define('live-view', LiveView);
