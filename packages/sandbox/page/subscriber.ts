/** `<subscriber-drawer>`: everything the sandbox stores about one subscriber, in a drawer. */
import { button, facts, formatNumber, PageElement, toast, toastError, type Renderable } from '@newsletter-kit/pages';
import { html, nothing, type TemplateResult } from 'lit';
import { live } from 'lit/directives/live.js';
import type { JourneyOverview } from '../src/store/overview.ts';
import { ask } from './control.ts';
import { copyable, moment, statusBadge, valueText } from './format.ts';
import type { SandboxEvent } from './view.ts';

interface OtherSubscriber {
  readonly id: string;
  readonly email: string;
  readonly status: string;
}

interface CustomField {
  readonly name: string;
  readonly kind: string;
  readonly value: unknown;
}

interface Subscriber extends OtherSubscriber {
  readonly created: number;
  readonly publication_name: string;
  readonly subscription_tier: string;
  readonly subscription_premium_tier_names: readonly string[];
  readonly newsletter_list_ids: readonly string[];
  readonly tags: readonly string[];
  readonly payments_customer_id: string | null;
  readonly custom_fields: readonly CustomField[];
  readonly stats: {
    readonly emails_received: number;
    readonly open_rate: number;
    readonly click_through_rate: number;
  };
  readonly journeys: readonly JourneyOverview[];
  readonly referral_code: string | null;
  readonly referred_by: OtherSubscriber | null;
  readonly referrals: readonly OtherSubscriber[];
}

const attribution = {
  utm_source: 'Source',
  utm_medium: 'Medium',
  utm_campaign: 'Campaign',
  utm_term: 'Term',
  utm_content: 'Content',
  utm_channel: 'Channel',
  referring_site: 'Referring site',
} as const;

/** Opens the page's drawer. @param id - of the subscription */
export async function showSubscriber(id: string): Promise<void> {
  await document.querySelector<SubscriberDrawer>('subscriber-drawer')?.show(id);
}

export class SubscriberDrawer extends PageElement {
  static override properties = { subscriber: { state: true } };
  declare subscriber: (Subscriber & Partial<Record<keyof typeof attribution, string>>) | undefined;

  async show(id: string): Promise<void> {
    await this.#read(id);
    await this.updateComplete;
    const drawer = this.#dialog();
    if (!drawer) return;
    if (!drawer.open) drawer.showModal();
    drawer.scrollTop = 0;
  }

  /** Keeps what is shown current. */
  receive(event: SandboxEvent): void {
    const { id } = this.subscriber ?? {};
    if (event.type === 'subscription' && event.subscription.id === id && this.#dialog()?.open)
      this.#read(id).catch(toastError);
  }

  async #read(id: string): Promise<void> {
    this.subscriber = (await ask<{ data: Subscriber }>(pathOf(id))).data;
  }

  async #change(body: object, done: string): Promise<void> {
    const { id = '' } = this.subscriber ?? {};
    try {
      this.subscriber = (await ask<{ data: Subscriber }>(pathOf(id), { method: 'PUT', body })).data;
      toast(done);
    } catch (error) {
      toastError(error);
    }
  }

  #dialog(): HTMLDialogElement | null {
    return this.querySelector('dialog');
  }

  /** Closes the drawer by a click beside it. */
  #clicked({ target, currentTarget, clientX }: MouseEvent): void {
    if (!(currentTarget instanceof HTMLDialogElement) || target !== currentTarget) return;
    const { left, right } = currentTarget.getBoundingClientRect();
    if (clientX < left || clientX > right) currentTarget.close();
  }

  protected override render(): TemplateResult {
    return html`<dialog
      id="subscriber"
      class="drawer"
      aria-labelledby="subscriber-title"
      @click=${(event: MouseEvent) => this.#clicked(event)}
      >${this.subscriber ? this.#content(this.subscriber) : nothing}</dialog
    >`;
  }

  #content(data: NonNullable<SubscriberDrawer['subscriber']>): TemplateResult {
    const { stats } = data;
    return html`<div class="head">
        <h2 id="subscriber-title">${data.email}</h2>
        ${
          data.status === 'inactive'
            ? nothing
            : button({ label: 'Unsubscribe', onClick: () => this.#change({ unsubscribe: true }, 'Unsubscribed.') })
        }
        ${button({ label: 'Close', onClick: () => this.#dialog()?.close() })}
      </div>
      ${facts([
        ['Status', statusBadge(data.status)],
        ['Since', moment(data.created)],
        ['Id', copyable(data.id, 'id')],
        ['Publication', data.publication_name],
        ['Tier', [data.subscription_tier, ...data.subscription_premium_tier_names].join(' · ')],
        ['Newsletter lists', list(data.newsletter_list_ids.map((id) => html`<code>${id}</code>`))],
        ['Tags', valueText(data.tags)],
        ['Payments customer', data.payments_customer_id],
      ])}
      ${
        data.custom_fields.length > 0
          ? part('Custom fields', facts(data.custom_fields.map((field) => [field.name, this.#field(field)] as const)))
          : nothing
      }
      ${part(
        'Came from',
        facts(
          Object.entries(attribution).map(([name, title]) => [title, data[name as keyof typeof attribution]] as const),
        ),
      )}
      ${part(
        'Statistics',
        facts([
          ['E-mails received', formatNumber(stats.emails_received)],
          ['Opened', `${stats.open_rate} %`],
          ['Clicked', `${stats.click_through_rate} %`],
        ]),
      )}
      ${data.journeys.length > 0 ? part('Journeys', list(data.journeys.map(journeyLine))) : nothing}
      ${part(
        'Referrals',
        facts([
          ['Referral code', data.referral_code && copyable(data.referral_code, 'referral code')],
          ['Referred by', data.referred_by && this.#link(data.referred_by)],
          ['Referred', list(data.referrals.map((other) => html`${this.#link(other)} ${statusBadge(other.status)}`))],
        ]),
      )}`;
  }

  /** A text can be changed: Enter, or leaving the input, saves it. */
  #field({ name, kind, value }: CustomField): Renderable {
    const text = value === null ? '' : valueText(value);
    if (kind !== 'string') return text;
    const save = ({ currentTarget }: Event): void => {
      if (!(currentTarget instanceof HTMLInputElement)) return;
      void this.#change({ custom_fields: [{ name, value: currentTarget.value }] }, `“${name}” is saved.`);
    };
    return html`<input aria-label=${name} .value=${live(text)} autocomplete="off" @change=${save} />`;
  }

  #link({ id, email }: OtherSubscriber): TemplateResult {
    return button({ label: email, kind: 'link', onClick: () => this.show(id).catch(toastError) });
  }
}

const pathOf = (id: string): string => `/subscriptions/${encodeURIComponent(id)}`;

function journeyLine({ automation_name: name, status, created, completed }: JourneyOverview): TemplateResult {
  const until = completed === null ? nothing : html` until ${moment(completed)}`;
  return html`${statusBadge(status)} ${name}<small> since ${moment(created)}${until}</small>`;
}

function part(title: string, body: Renderable): TemplateResult {
  return html`<section><h3>${title}</h3>${body}</section>`;
}

function list(items: readonly TemplateResult[]): TemplateResult | null {
  return items.length > 0 ? html`<ul>${items.map((item) => html`<li>${item}</li>`)}</ul>` : null;
}

customElements.define('subscriber-drawer', SubscriberDrawer);
