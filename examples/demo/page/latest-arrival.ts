/** `<latest-arrival>`: the newest subscription in the sandbox, beside the form that sent it. */
import { PageElement } from '@newsletter-kit/pages';
import { html, nothing, type TemplateResult } from 'lit';
import { keyed } from 'lit/directives/keyed.js';
import { arrivalContent, arrivalFeed, arrivalKey, connectionStatus } from './arrivals.ts';

class LatestArrival extends PageElement {
  #opened = '';

  override connectedCallback(): void {
    super.connectedCallback();
    arrivalFeed.addHost(this);
  }

  /** Opens for each subscription that arrives while the page is shown. */
  protected override updated(): void {
    const [latest] = arrivalFeed.arrivals;
    const details = this.querySelector('details');
    if (!details || !latest?.isLive || arrivalKey(latest) === this.#opened) return;
    this.#opened = arrivalKey(latest);
    details.open = true;
  }

  /** The region has a tab stop because it scrolls in a low window. */
  protected override render(): TemplateResult {
    const [latest] = arrivalFeed.arrivals;
    return html`<details open>
      <summary>
        <h2>The API received</h2>
        <span class="soft"><bdi>${latest?.subscription.email ?? 'nothing yet'}</bdi></span>
      </summary>
      <div role="region" aria-label="Newest subscription" aria-live="polite" tabindex="0">
        ${
          latest
            ? keyed(
                arrivalKey(latest),
                html`<div class="arrival" data-email=${latest.subscription.email} data-took=${latest.took ?? nothing}>
                  ${arrivalContent(latest)}
                </div>`,
              )
            : html`<p class="soft">Nothing yet. Subscribe, and it appears here.</p>`
        }
      </div>
      ${connectionStatus('latest-connection')}
    </details>`;
  }
}

customElements.define('latest-arrival', LatestArrival);
