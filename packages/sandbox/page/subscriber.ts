/** `<subscriber-dialog>`: everything the sandbox stores about one subscriber. */
import { button, facts, formatNumber, PageElement, toast, toastError, type Renderable } from '@newsletter-kit/pages';
import { html, nothing, type TemplateResult } from 'lit';
import type { JourneyOverview } from '../src/store/overview.ts';
import type { WholeSubscription } from '../src/control/overview.ts';
import { ask } from './control.ts';
import { copyable, moment, statusBadge, valueText } from './format.ts';

type OtherSubscriber = WholeSubscription['referrals'][number];

const attribution = {
  utm_source: 'Source',
  utm_medium: 'Medium',
  utm_campaign: 'Campaign',
  utm_term: 'Term',
  utm_content: 'Content',
  utm_channel: 'Channel',
  referring_site: 'Referring site',
} as const;

/** Opens the page's dialog. @param id - of the subscription */
export async function showSubscriber(id: string): Promise<void> {
  await document.querySelector<SubscriberDialog>('subscriber-dialog')?.show(id);
}

export class SubscriberDialog extends PageElement {
  static override properties = { subscriber: { state: true } };
  declare subscriber: WholeSubscription | undefined;

  async show(id: string): Promise<void> {
    await this.#read(id);
    await this.updateComplete;
    const dialog = this.#dialog();
    if (!dialog?.open) dialog?.showModal();
    if (dialog) dialog.scrollTop = 0;
  }

  /** Keeps what is shown current. */
  async refresh(): Promise<void> {
    if (this.subscriber && this.#dialog()?.open) await this.#read(this.subscriber.id);
  }

  async #read(id: string): Promise<void> {
    this.subscriber = (await ask<{ data: WholeSubscription }>(pathOf(id))).data;
  }

  async #change({ id }: WholeSubscription, body: object, done: string): Promise<void> {
    try {
      this.subscriber = (await ask<{ data: WholeSubscription }>(pathOf(id), { method: 'PUT', body })).data;
      toast(done);
    } catch (error) {
      toastError(error);
    }
  }

  #dialog(): HTMLDialogElement | null {
    return this.querySelector('dialog');
  }

  protected override render(): TemplateResult {
    return html`<dialog id="subscriber" aria-labelledby="subscriber-title"
      >${this.subscriber ? this.#content(this.subscriber) : nothing}</dialog
    >`;
  }

  #content(data: WholeSubscription): TemplateResult {
    const { stats } = data;
    return html`<h2 id="subscriber-title">${data.email}</h2>
      <div class="tools">
        ${
          data.status === 'inactive'
            ? nothing
            : button({
                label: 'Unsubscribe',
                onClick: () => this.#change(data, { unsubscribe: true }, 'Unsubscribed.'),
              })
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
        ...data.custom_fields.map((field) => [field.name, this.#field(data, field)] as const),
        ...Object.entries(attribution).map(([name, title]) => [title, data[name as keyof typeof attribution]] as const),
        ['E-mails received', formatNumber(stats.emails_received)],
        ['Opened', `${stats.open_rate} %`],
        ['Clicked', `${stats.click_through_rate} %`],
        ['Journeys', list(data.journeys.map(journeyLine))],
        ['Referral code', data.referral_code && copyable(data.referral_code, 'referral code')],
        ['Referred by', data.referred_by && this.#link(data.referred_by)],
        ['Referred', list(data.referrals.map((other) => html`${this.#link(other)} ${statusBadge(other.status)}`))],
      ])}`;
  }

  /** A text can be changed: Enter, or leaving the input, saves it. */
  #field(data: WholeSubscription, { name, kind, value }: WholeSubscription['custom_fields'][number]): Renderable {
    const text = value === null ? '' : valueText(value);
    if (kind !== 'string') return text;
    const save = ({ target }: Event & { target: HTMLInputElement }): Promise<void> =>
      this.#change(data, { custom_fields: [{ name, value: target.value }] }, `“${name}” is saved.`);
    return html`<input aria-label=${name} .value=${text} autocomplete="off" @change=${save} />`;
  }

  #link({ id, email }: Pick<OtherSubscriber, 'id' | 'email'>): TemplateResult {
    return button({ label: email, kind: 'link', onClick: () => this.show(id).catch(toastError) });
  }
}

const pathOf = (id: string): string => `/subscriptions/${encodeURIComponent(id)}`;

function journeyLine({ automation_name: name, status, created, completed }: JourneyOverview): TemplateResult {
  const until = completed === null ? nothing : html` until ${moment(completed)}`;
  return html`${statusBadge(status)} ${name}<small> since ${moment(created)}${until}</small>`;
}

function list(items: readonly TemplateResult[]): TemplateResult | null {
  return items.length > 0 ? html`<ul>${items.map((item) => html`<li>${item}</li>`)}</ul>` : null;
}

customElements.define('subscriber-dialog', SubscriberDialog);
