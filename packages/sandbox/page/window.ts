/** `<sandbox-window>`: the header, the navigation and the views, which are read again after the sandbox's events. */
import {
  badge,
  field,
  formatCount,
  PageElement,
  throttle,
  toast,
  toastError,
  type ConfirmDialog,
} from '@newsletter-kit/pages';
import { html, nothing, type TemplateResult } from 'lit';
import './clock.ts';
import type { ClockView } from './clock.ts';
import { ask } from './control.ts';
import './faults.ts';
import './inbox.ts';
import './requests.ts';
import './subscriber.ts';
import type { SubscriberDialog } from './subscriber.ts';
import './subscribers.ts';
import { valueOf, type View } from './view.ts';

const eventTypes = ['request', 'subscription', 'message', 'control', 'reset'] as const;
/** Pause between an event and the reading, in milliseconds: events come in bursts. */
const readPause = 250;

/** Seeds that a reset can start with. */
const seeds = {
  '': 'the seed it was started with',
  demo: 'demo – 300 subscribers and three years of history',
  empty: 'empty – a publication without subscribers',
} as const;

class SandboxWindow extends PageElement {
  static override properties = {
    views: { state: true },
    hash: { state: true },
    connection: { state: true },
    now: { state: true },
  };
  /** Known once they are rendered. */
  declare views: readonly View[];
  declare hash: string;
  /** The state of the connection to the event stream, in words. */
  declare connection: { readonly isLive: boolean; readonly text: string };
  /** The sandbox's time in words. */
  declare now: string;
  readonly #readSoon = throttle(() => void this.#read(), readPause);

  constructor() {
    super();
    this.views = [];
    this.hash = location.hash;
    this.connection = { isLive: false, text: 'connecting' };
    this.now = '';
  }

  override connectedCallback(): void {
    super.connectedCallback();
    addEventListener('hashchange', () => {
      if (location.hash !== '#main') this.hash = location.hash;
    });
    this.addEventListener('view-read', () => this.requestUpdate());
    this.addEventListener('clock-tick', () => (this.now = this.querySelector<ClockView>('clock-view')?.text ?? ''));
  }

  protected override firstUpdated(): void {
    this.views = [...this.querySelectorAll<View>('#main > *')];
    this.#follow();
  }

  get #chosen(): View | undefined {
    return this.views.find(({ name }) => name === this.hash.slice(2)) ?? this.views[0];
  }

  protected override updated(changed: ReadonlyMap<PropertyKey, unknown>): void {
    const chosen = this.#chosen;
    if (!chosen || !(changed.has('hash') || changed.has('views'))) return;
    for (const view of this.views) view.chosen = view === chosen;
    document.title = `${chosen.heading} – Newsletter sandbox`;
  }

  async #read(): Promise<void> {
    try {
      await Promise.all([
        ...this.views.map((view) => view.refresh()),
        this.querySelector<SubscriberDialog>('subscriber-dialog')?.refresh(),
      ]);
      this.connection = { isLive: true, text: 'live' };
    } catch {
      this.connection = { isLive: false, text: 'no connection' };
    }
  }

  #follow(): void {
    const events = new EventSource('/_sandbox/events');
    events.addEventListener('open', () => void this.#read());
    events.addEventListener('error', () => {
      const refused = events.readyState === EventSource.CLOSED;
      this.connection = { isLive: false, text: refused ? 'refused' : 'no connection; trying again' };
      // A request shows the reason of the refusal, for example that the control token is missing.
      if (refused) ask('/clock').catch(toastError);
    });
    for (const type of eventTypes) events.addEventListener(type, this.#readSoon);
  }

  async #reset(): Promise<void> {
    const agreed = await this.querySelector<ConfirmDialog>('confirm-dialog')?.ask({
      title: 'Start over?',
      text: 'Every subscriber, job, e-mail, fault and logged request of this sandbox is deleted, and the clock goes back to real time.',
      yes: 'Delete and start over',
      yesKind: 'primary',
      controls: field(
        'reset-seed',
        'Start with',
        html`<select id="reset-seed">
          ${Object.entries(seeds).map(([value, text]) => html`<option value=${value}>${text}</option>`)}
        </select>`,
      ),
    });
    if (!agreed) return;
    const seed = valueOf(this, '#reset-seed');
    try {
      const { subscriptions } = await ask<{ subscriptions: number }>('/reset', {
        method: 'POST',
        body: seed === '' ? {} : { seed },
      });
      toast(`Started over with ${formatCount(subscriptions, 'subscriber')}.`);
    } catch (error) {
      toastError(error);
    }
  }

  protected override render(): TemplateResult {
    const { connection, now } = this;
    return html`<header class="top">
        <img src="/page/mark.svg" width="24" height="24" alt="" />
        <h1>Newsletter sandbox</h1>
        <p id="state" class="state" role="status" data-state=${connection.isLive ? 'live' : 'waiting'}
          >${connection.text}</p
        >
        <a id="now" class="now" href="#/clock" aria-label="The sandbox's clock: ${now}">${now}</a>
        <button type="button" id="open-reset" @click=${() => void this.#reset()}>Reset …</button>
      </header>
      <nav class="views" aria-label="Views">
        <ul id="views">
          ${this.views.map((view) => this.#link(view))}
        </ul>
        <a href="/docs">API documentation</a>
      </nav>
      <main id="main" tabindex="-1">
        <subscribers-view></subscribers-view>
        <requests-view></requests-view>
        <inbox-view></inbox-view>
        <clock-view></clock-view>
        <faults-view></faults-view>
      </main>
      <subscriber-dialog></subscriber-dialog>
      <confirm-dialog name="reset"></confirm-dialog>`;
  }

  #link(view: View): TemplateResult {
    const { text, mood } = view.badge;
    return html`<li>
      <a href="#/${view.name}" aria-current=${view === this.#chosen ? 'page' : nothing}
        >${view.heading}${text === '' ? nothing : html` ${badge(text, mood)}`}</a
      >
    </li>`;
  }
}

customElements.define('sandbox-window', SandboxWindow);
