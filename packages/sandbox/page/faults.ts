/** `<faults-view>`: the faults that are set, and a form that sets one. */
import { button, field, formatCount, toast, toastError, type Renderable } from '@newsletter-kit/pages';
import { html, nothing, type TemplateResult } from 'lit';
import { keyed } from 'lit/directives/keyed.js';
import type { Effect, Fault, FaultRequest } from '../src/control/faults.ts';
import { ask, summaries } from './control.ts';
import { scrollingList, valueOf, View } from './view.ts';

interface EffectChoice {
  readonly title: string;
  /** The number that the effect needs. */
  readonly amount?: { readonly title: string; readonly value: number; readonly min: number; readonly max: number };
  readonly effect: (amount: number) => FaultRequest['effect'];
}

const effects = {
  status: {
    title: 'Answer with an error',
    amount: { title: 'Status', value: 503, min: 400, max: 599 },
    effect: (status) => ({ status }),
  },
  rateLimited: {
    title: 'Answer 429 with Retry-After',
    amount: { title: 'Seconds to wait', value: 2, min: 0, max: 86_400 },
    effect: (retryAfter) => ({ status: 429, retryAfter }),
  },
  gateway: {
    title: 'Answer with an HTML page, as a proxy would',
    amount: { title: 'Status', value: 502, min: 400, max: 599 },
    effect: (status) => ({ status, body: 'html' }),
  },
  latency: {
    title: 'Delay the answer',
    amount: { title: 'Milliseconds', value: 3000, min: 0, max: 300_000 },
    effect: (latency) => ({ latency }),
  },
  reset: { title: 'Break the connection before anything is stored', effect: () => 'reset' },
  lostResponse: { title: 'Apply the request, but lose the answer', effect: () => 'lostResponse' },
  truncate: { title: 'Cut the answer off in the middle', effect: () => 'truncate' },
  duplicate: { title: 'Apply the request twice, as if it had arrived twice', effect: () => 'duplicate' },
} as const satisfies Readonly<Record<string, EffectChoice>>;
type EffectName = keyof typeof effects;

/** Which requests a fault concerns. */
const occasions = {
  once: { title: 'the next request', rule: { times: 1 } },
  always: { title: 'every request', rule: {} },
  second: { title: 'the second request from now on', rule: { nth: 2 } },
  third: { title: 'the third request from now on', rule: { nth: 3 } },
  sometimes: { title: 'about 3 of 10 requests', rule: { probability: 0.3 } },
} as const satisfies Readonly<Record<string, { title: string; rule: Readonly<Record<string, number>> }>>;

class FaultsView extends View {
  static override properties = {
    ...View.properties,
    faults: { state: true },
    operations: { state: true },
    effectName: { state: true },
  };
  readonly name = 'faults';
  readonly heading = 'Faults';
  override readonly follows = true;
  declare faults: readonly Fault[];
  /** Ids of the operations. */
  declare operations: readonly string[];
  /** The effect that is chosen in the form. */
  declare effectName: EffectName;

  constructor() {
    super();
    this.faults = [];
    this.operations = [];
    this.effectName = 'status';
  }

  async refresh(): Promise<void> {
    this.faults = (await ask<{ data: readonly Fault[] }>('/faults')).data;
    this.badge = this.faults.length > 0 ? { text: `${this.faults.length} set`, mood: 'wait' } : { text: '' };
    this.operations = [...(await summaries()).keys()];
  }

  async #add(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    const body = {
      match: valueOf(this, '#fault-match'),
      effect: effects[this.effectName].effect(Number(valueOf(this, '#fault-amount'))),
      ...occasions[valueOf(this, '#fault-occasion') as keyof typeof occasions].rule,
    };
    try {
      const { data } = await ask<{ data: Fault }>('/faults', { method: 'POST', body });
      toast(`Fault ${data.id} is set.`);
      await this.refresh();
    } catch (error) {
      toastError(error);
    }
  }

  async #remove({ id }: Fault): Promise<void> {
    try {
      await ask(`/faults/${encodeURIComponent(id)}`, { method: 'DELETE' });
      await this.refresh();
    } catch (error) {
      toastError(error);
    }
  }

  protected content(): Renderable {
    const { amount }: EffectChoice = effects[this.effectName];
    return html`<p class="lead">
        Make requests fail on purpose, to see how your client copes. A fault stays until you remove it or it has happened
        as often as it should.
      </p>
      <form class="tools form" id="add-fault" @submit=${(event: SubmitEvent) => void this.#add(event)}>
        ${field(
          'fault-match',
          'Operation',
          html`<select id="fault-match">
            <option value="*">every operation</option>
            ${this.operations.map((id) => html`<option value=${id}>${id}</option>`)}
          </select>`,
        )}
        ${field(
          'fault-effect',
          'What happens',
          html`<select id="fault-effect" @change=${() => (this.effectName = valueOf(this, '#fault-effect') as EffectName)}>
            ${options(effects)}
          </select>`,
        )}
        ${
          amount
            ? keyed(
                this.effectName,
                field(
                  'fault-amount',
                  amount.title,
                  html`<input type="number" id="fault-amount" min=${amount.min} max=${amount.max} value=${amount.value} />`,
                ),
              )
            : nothing
        }
        ${field('fault-occasion', 'Which requests', html`<select id="fault-occasion">${options(occasions)}</select>`)}
        <button class="primary">Set fault</button>
      </form>
      ${scrollingList(
        'Faults that are set',
        this.faults.map((fault) => this.#item(fault)),
        'No fault is set: every request is answered as usual.',
      )}`;
  }

  #item(fault: Fault): TemplateResult {
    const { id, match, effect, nth, probability, times, seen, fired } = fault;
    const when = [
      nth !== null && `from request ${nth} on`,
      probability !== null && `with a chance of ${Math.round(probability * 100)} %`,
      times !== null && `${formatCount(times, 'time')} at most`,
    ].filter((part) => part !== false);
    return html`<li>
      <div class="line">
        <b>${effectText(effect)}</b>
        <span>${match === '*' ? 'for every operation' : `for ${match}`}</span>
        ${when.length > 0 ? html`<small>${when.join(', ')}</small>` : nothing}
      </div>
      <p class="soft">${id}: matched ${formatCount(seen, 'request')}, happened ${formatCount(fired, 'time')}.</p>
      <div class="actions">
        ${button({ label: 'Remove', name: `Remove ${id}`, onClick: () => this.#remove(fault) })}
      </div>
    </li>`;
  }
}

function options(choices: Readonly<Record<string, { readonly title: string }>>): readonly TemplateResult[] {
  return Object.entries(choices).map(([value, { title }]) => html`<option value=${value}>${title}</option>`);
}

function effectText(effect: Effect): string {
  if (typeof effect === 'string') return effects[effect].title;
  if ('latency' in effect) return `Delay the answer by ${effect.latency} ms`;
  if ('field' in effect) return `Answer with ${effect.field} ${effect.change}`;
  const { status, body, retryAfter } = effect;
  const parts = [
    `Answer ${status}`,
    body === 'html' && 'in HTML',
    body === 'empty' && 'without a body',
    retryAfter !== undefined && `Retry-After ${retryAfter} s`,
  ];
  return parts.filter((part) => part !== false).join(', ');
}

customElements.define('faults-view', FaultsView);
