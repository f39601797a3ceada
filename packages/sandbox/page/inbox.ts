/** `<inbox-view>`: the e-mails the service would have sent, with buttons for their links. */
import { button, dateTime, formatNumber, toast, toastError, type Renderable } from '@newsletter-kit/pages';
import { html, nothing, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import type { MessageSummary } from '../src/control/inbox.ts';
import { ask } from './control.ts';
import { statusBadge } from './format.ts';
import { View } from './view.ts';

type Link = 'confirm' | 'unsubscribe';

interface Message extends MessageSummary {
  readonly links: Partial<Record<Link, string>>;
  readonly subscriber_status?: string | null;
}

class InboxView extends View {
  static override properties = { ...View.properties, messages: { state: true }, opened: { state: true } };
  readonly name = 'inbox';
  readonly heading = 'Inbox';
  override readonly follows = true;
  declare messages: readonly Message[];
  /** Ids of the e-mails that are shown in full. */
  declare opened: ReadonlySet<string>;

  constructor() {
    super();
    this.messages = [];
    this.opened = new Set();
  }

  async refresh(): Promise<void> {
    const { data, total } = await ask<{ data: readonly Message[]; total: number }>('/inbox');
    this.messages = data;
    this.badge = { text: total > 0 ? formatNumber(total) : '' };
  }

  protected content(): Renderable {
    return html`<p class="lead">The e-mails that the service would send. None of them leaves this machine.</p>
      <div class="tools" ?hidden=${this.messages.length === 0}>
        ${button({
          label: 'Delete all',
          onClick: () =>
            ask('/inbox', { method: 'DELETE' })
              .then(() => this.refresh())
              .catch(toastError),
        })}
      </div>
      <div class="scroll" tabindex="0" role="group" aria-label="E-mails">
        <ol class="entries">
          ${repeat(
            this.messages,
            ({ id }) => id,
            (message) => this.#item(message),
          )}
        </ol>
        ${
          this.messages.length === 0
            ? html`<p class="empty">
              No e-mail yet. Confirmation, welcome and automation e-mails arrive here instead of at your subscribers.
            </p>`
            : nothing
        }
      </div>`;
  }

  #item({ id, to, kind, subject, sent, links, subscriber_status: status }: Message): TemplateResult {
    const path = `/inbox/${encodeURIComponent(id)}`;
    const follow = (link: Link) => async (): Promise<void> => {
      try {
        const answer = await ask<{ data: { status: string } }>(`${path}/${link}`, { method: 'POST' });
        toast(`The subscription is ${answer.data.status} now.`);
        await this.refresh();
      } catch (error) {
        toastError(error);
      }
    };
    const toggle = ({ currentTarget }: Event): void => {
      const opened = new Set(this.opened);
      if (currentTarget instanceof HTMLDetailsElement && currentTarget.open) opened.add(id);
      else opened.delete(id);
      this.opened = opened;
    };
    const confirmable = links.confirm !== undefined && (status === undefined || status === 'pending');
    return html`<li>
      <div class="line">
        <b>${subject}</b> ${status ? statusBadge(status) : nothing} ${dateTime(Date.parse(sent), { short: true })}
      </div>
      <p class="soft">${kind.slice(0, 1).toUpperCase()}${kind.slice(1)} e-mail to ${to}</p>
      <div class="actions">
        ${
          confirmable
            ? button({ label: 'Confirm', kind: 'primary', name: `Confirm for ${to}`, onClick: follow('confirm') })
            : nothing
        }
        ${
          links.unsubscribe !== undefined && status !== 'inactive'
            ? button({ label: 'Unsubscribe', name: `Unsubscribe ${to}`, onClick: follow('unsubscribe') })
            : nothing
        }
      </div>
      <details @toggle=${toggle}>
        <summary>Show the e-mail</summary>
        ${
          this.opened.has(id)
            ? html`<iframe
              src="/_sandbox${path}/html"
              title=${subject}
              sandbox="allow-popups allow-popups-to-escape-sandbox"
            ></iframe>`
            : nothing
        }
      </details>
    </li>`;
  }
}

customElements.define('inbox-view', InboxView);
