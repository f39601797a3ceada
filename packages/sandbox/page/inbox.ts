/** `<inbox-view>`: the e-mails the service would have sent, with buttons for their links. */
import { button, dateTime, emptyState, formatNumber, type Renderable } from '@newsletter-kit/pages';
import { html, nothing, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import type { ListedMessage } from '../src/control/inbox.ts';
import { ask } from './control.ts';
import { statusBadge } from './format.ts';
import { View, type ViewBadge } from './view.ts';

type Link = 'confirm' | 'unsubscribe';

interface InboxState {
  readonly data: readonly ListedMessage[];
  readonly total: number;
}

class InboxView extends View<InboxState> {
  readonly name = 'inbox';
  readonly heading = 'Inbox';

  protected read(): Promise<InboxState> {
    return ask<InboxState>('/inbox');
  }

  protected override badgeOf({ total }: InboxState): ViewBadge {
    return { text: total > 0 ? formatNumber(total) : '' };
  }

  protected content({ data }: InboxState): Renderable {
    return html`<p class="soft">The e-mails that the service would send. None of them leaves this machine.</p>
      <div class="tools" ?hidden=${data.length === 0}>
        ${button({ label: 'Delete all', onClick: () => this.change(ask('/inbox', { method: 'DELETE' })) })}
      </div>
      <ol class="entries" aria-label="E-mails">
        ${repeat(
          data,
          ({ id }) => id,
          (message) => this.#item(message),
        )}
      </ol>
      ${
        data.length === 0
          ? emptyState(
              'No e-mail yet. Confirmation, welcome and automation e-mails arrive here instead of at your subscribers.',
            )
          : nothing
      }`;
  }

  #item({ id, to, kind, subject, sent, links, subscriber_status: status }: ListedMessage): TemplateResult {
    const path = `/inbox/${encodeURIComponent(id)}`;
    const follow = (link: Link) => () =>
      this.change(
        ask<{ data: { status: string } }>(`${path}/${link}`, { method: 'POST' }),
        ({ data }) => `The subscription is ${data.status} now.`,
      );
    return html`<li>
      <p class="line">
        <b>${subject}</b> ${status ? statusBadge(status) : nothing} ${dateTime(Date.parse(sent), { short: true })}
      </p>
      <p class="soft">${kind.slice(0, 1).toUpperCase()}${kind.slice(1)} e-mail to ${to}</p>
      <div class="actions">
        ${
          links.confirm !== undefined && status === 'pending'
            ? button({ label: 'Confirm', kind: 'primary', name: `Confirm for ${to}`, onClick: follow('confirm') })
            : nothing
        }
        ${
          status !== 'inactive'
            ? button({ label: 'Unsubscribe', name: `Unsubscribe ${to}`, onClick: follow('unsubscribe') })
            : nothing
        }
      </div>
      <details>
        <summary>Show the e-mail</summary>
        <iframe
          src="/_sandbox${path}/html"
          title=${subject}
          loading="lazy"
          sandbox="allow-popups allow-popups-to-escape-sandbox"
        ></iframe>
      </details>
    </li>`;
  }
}

customElements.define('inbox-view', InboxView);
