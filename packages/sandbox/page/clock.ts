/** `<clock-view>`: shows the sandbox's clock, moves it forward and stops it. */
import { button, facts, formatCount, type Renderable } from '@newsletter-kit/pages';
import { html } from 'lit';
import type { ClockState } from '../src/control/clock.ts';
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

/** Changes of the clock. */
type ClockChange = { readonly advance: string } | { readonly freeze: boolean };

/** Its event `clock-tick` says that the time in words is another. */
export class ClockView extends View<ClockState> {
  static override properties = { ...View.properties, text: { state: true } };
  readonly name = 'clock';
  readonly heading = 'Clock';
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

  protected async read(): Promise<ClockState> {
    const state = await ask<ClockState>('/clock');
    this.#ahead = Date.parse(state.now) - Date.now();
    return state;
  }

  #tick(): void {
    if (!this.state) return;
    const { now, frozen } = this.state;
    const date = new Date(frozen ? now : Date.now() + this.#ahead);
    const text = date.toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
    this.text = frozen ? `${text} (stopped)` : text;
    this.dispatchEvent(new Event('clock-tick', { bubbles: true }));
  }

  #move(body: ClockChange): Promise<void> {
    const moved = ask<{ happened: Record<string, number> }>('/clock', { method: 'POST', body });
    return this.change(moved, ({ happened }) => {
      const events = Object.entries(happened).map(([kind, count]) => `${count} × ${kind}`);
      return events.length === 0 ? 'The clock was moved; nothing was due.' : `Events that ran: ${events.join(', ')}.`;
    });
  }

  protected content({ frozen, due }: ClockState): Renderable {
    const advance = (event: SubmitEvent): void => {
      event.preventDefault();
      void this.#move({ advance: valueOf(this, 'input').trim() });
    };
    return html`<p class="soft">
        The sandbox has a clock of its own. Move it forward, and everything that is due by then happens, in order:
        addresses are checked, jobs run, automations send their next e-mail, tokens expire, deletions are carried out.
      </p>
      <p class="clock-face" id="clock-face">${this.text}</p>
      <p class="soft">in your time zone</p>
      <div class="tools">
        ${steps.map(([duration, text]) =>
          button({ label: `+ ${text}`, onClick: () => this.#move({ advance: duration }) }),
        )}
        ${button({
          label: frozen ? 'Start the clock' : 'Stop the clock',
          onClick: () => this.#move({ freeze: !frozen }),
        })}
      </div>
      <form class="tools" @submit=${advance}>
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
        ['Scheduled', due.count === 0 ? 'nothing' : formatCount(due.count, 'event')],
        ['Next', due.next && `${due.next.kind}, ${new Date(due.next.at).toLocaleString()}`],
      ])}`;
  }
}

customElements.define('clock-view', ClockView);
