/** `<clock-view>`: shows the sandbox's clock, moves it forward and stops it. */
import { button, facts, formatCount, toast, toastError, type Renderable } from '@newsletter-kit/pages';
import { html } from 'lit';
import { ask } from './control.ts';
import { valueOf, View } from './view.ts';

const steps = [
  ['PT1M', '1 minute'],
  ['PT1H', '1 hour'],
  ['P1D', '1 day'],
  ['P14D', '14 days'],
] as const;

/** Pause between two looks at the time, in milliseconds. */
const tickMs = 250;

interface ClockState {
  readonly now: string;
  readonly frozen: boolean;
  readonly due: { readonly count: number; readonly next: { readonly kind: string; readonly at: string } | null };
}

/** Changes of the clock. */
type ClockChange = { readonly advance: string } | { readonly freeze: boolean };

/** A `clock-tick` event: the time that the header of the window shows. */
export class ClockTick extends Event {
  readonly text: string;
  readonly frozen: boolean;

  constructor(text: string, frozen: boolean) {
    super('clock-tick', { bubbles: true });
    this.text = text;
    this.frozen = frozen;
  }
}

class ClockView extends View {
  static override properties = { ...View.properties, state: { state: true }, text: { state: true } };
  readonly name = 'clock';
  readonly heading = 'Clock';
  override readonly follows = true;
  declare state: ClockState | undefined;
  /** The current time in words. */
  declare text: string;
  /** The sandbox's clock minus this machine's, in milliseconds. */
  #ahead = 0;

  constructor() {
    super();
    this.text = '';
  }

  override connectedCallback(): void {
    super.connectedCallback();
    setInterval(() => this.#tick(), tickMs);
  }

  async refresh(): Promise<void> {
    this.#show(await ask<ClockState>('/clock'));
  }

  #show(state: ClockState): void {
    this.state = state;
    this.#ahead = Date.parse(state.now) - Date.now();
    this.#tick();
  }

  #tick(): void {
    if (!this.state) return;
    const { now, frozen } = this.state;
    const date = new Date(frozen ? now : Date.now() + this.#ahead);
    this.text = date.toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
    this.dispatchEvent(new ClockTick(this.text, frozen));
  }

  async #change(change: ClockChange): Promise<void> {
    try {
      const { happened, ...state } = await ask<ClockState & { happened: Record<string, number> }>('/clock', {
        method: 'POST',
        body: change,
      });
      this.#show(state);
      const events = Object.entries(happened).map(([kind, count]) => `${count} × ${kind}`);
      toast(events.length === 0 ? 'The clock was moved; nothing was due.' : `Events that ran: ${events.join(', ')}.`);
    } catch (error) {
      toastError(error);
    }
  }

  protected content(): Renderable {
    const { frozen = false, due } = this.state ?? {};
    const advance = (event: SubmitEvent): void => {
      event.preventDefault();
      void this.#change({ advance: valueOf(this, 'input').trim() });
    };
    return html`<p class="lead">
        The sandbox has a clock of its own. Move it forward, and everything that is due by then happens, in order:
        addresses are checked, jobs run, automations send their next e-mail, tokens expire, deletions are carried out.
      </p>
      <div class="scroll">
        <div class="inner">
          <div>
            <p class="clock-face" id="clock-face">${this.text}</p>
            <p class="soft" id="clock-zone">in your time zone</p>
          </div>
          <div class="row">
            ${steps.map(([duration, text]) =>
              button({ label: `+ ${text}`, onClick: () => this.#change({ advance: duration }) }),
            )}
            ${button({
              label: frozen ? 'Start the clock' : 'Stop the clock',
              onClick: () => this.#change({ freeze: !frozen }),
            })}
          </div>
          <form class="row" @submit=${advance}>
            <input
              name="duration"
              placeholder="P1M, PT90S …"
              title="ISO 8601: P1M is a month, PT90S are 90 seconds"
              aria-label="Another duration, in ISO 8601: P1M is a month, PT90S are 90 seconds"
              required
              size="14"
            />
            <button>Move forward</button>
          </form>
          ${facts([
            ['Scheduled', due && (due.count === 0 ? 'nothing' : formatCount(due.count, 'event'))],
            ['Next', due?.next && `${due.next.kind}, ${new Date(due.next.at).toLocaleString()}`],
          ])}
        </div>
      </div>`;
  }
}

customElements.define('clock-view', ClockView);
