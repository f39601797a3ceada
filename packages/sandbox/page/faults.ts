/** `<faults-view>`: the faults that are set, and a form that sets one. */
import { button, emptyState, field, formatCount, type Renderable } from '@newsletter-kit/pages';
import { html, type TemplateResult } from 'lit';
import type { Fault, FaultRequest } from '../src/control/faults.ts';
import { ask, summaries } from './control.ts';
import { valueOf, View, type ViewBadge } from './view.ts';

/** What the form offers; a request to `/_sandbox/faults` can set others. */
const effects: readonly (readonly [title: string, effect: FaultRequest['effect']])[] = [
  ['Answer 503', { status: 503 }],
  ['Answer 500', { status: 500 }],
  ['Answer 429 with Retry-After: 2', { status: 429, retryAfter: 2 }],
  ['Answer 502 with an HTML page, as a proxy would', { status: 502, body: 'html' }],
  ['Delay the answer by 3 seconds', { latency: 3000 }],
  ['Break the connection before anything is stored', 'reset'],
  ['Apply the request, but lose the answer', 'lostResponse'],
  ['Cut the answer off in the middle', 'truncate'],
  ['Apply the request twice, as if it had arrived twice', 'duplicate'],
];

/** Which requests a fault concerns. */
const occasions: readonly (readonly [title: string, rule: Omit<FaultRequest, 'effect'>])[] = [
  ['the next request', { times: 1 }],
  ['every request', {}],
  ['the second request from now on', { nth: 2 }],
  ['about 3 of 10 requests', { probability: 0.3 }],
];

/** Whether it has happened as often as it should, and does nothing any more. */
const isUsedUp = ({ times, fired }: Fault): boolean => times !== null && fired >= times;

class FaultsView extends View<readonly Fault[]> {
  readonly name = 'faults';
  readonly heading = 'Faults';

  protected async read(): Promise<readonly Fault[]> {
    return (await ask<{ data: readonly Fault[] }>('/faults')).data;
  }

  protected override badgeOf(faults: readonly Fault[]): ViewBadge {
    const active = faults.filter((fault) => !isUsedUp(fault)).length;
    return active > 0 ? { text: `${active} set`, mood: 'wait' } : { text: '' };
  }

  #add(event: SubmitEvent): void {
    event.preventDefault();
    const chosen = <Value>(id: string, choices: readonly (readonly [string, Value])[]) =>
      choices[Number(valueOf(this, id))]?.[1];
    const body = {
      match: valueOf(this, '#fault-match'),
      effect: chosen('#fault-effect', effects),
      ...chosen('#fault-occasion', occasions),
    };
    const added = ask<{ data: Fault }>('/faults', { method: 'POST', body });
    void this.change(added, ({ data }) => `Fault ${data.id} is set.`);
  }

  protected content(faults: readonly Fault[]): Renderable {
    return html`<p class="soft">
        Make requests fail on purpose, to see how your client copes. A fault acts until you remove it or it has happened
        as often as it should.
      </p>
      <form class="form" id="add-fault" @submit=${(event: SubmitEvent) => this.#add(event)}>
        ${field(
          'fault-match',
          'Operation',
          html`<select id="fault-match">
            <option value="*">every operation</option>
            ${[...summaries.keys()].map((id) => html`<option value=${id}>${id}</option>`)}
          </select>`,
        )}
        ${field('fault-effect', 'What happens', html`<select id="fault-effect">${options(effects)}</select>`)}
        ${field('fault-occasion', 'Which requests', html`<select id="fault-occasion">${options(occasions)}</select>`)}
        <button class="primary">Set fault</button>
      </form>
      <ol class="entries" aria-label="Faults that are set">${faults.map((fault) => this.#item(fault))}</ol>
      ${faults.length === 0 ? emptyState('No fault is set: every request is answered as usual.') : ''}`;
  }

  #item(fault: Fault): TemplateResult {
    const { id, match, effect, nth, probability, times, seen, fired } = fault;
    const rules = { effect, match, nth, probability, times };
    const set = Object.fromEntries(Object.entries(rules).filter(([, value]) => value !== null));
    const remove = () => this.change(ask(`/faults/${encodeURIComponent(id)}`, { method: 'DELETE' }));
    return html`<li>
      <code>${JSON.stringify(set)}</code>
      <p class="soft">${id}: matched ${formatCount(seen, 'request')}, happened ${formatCount(fired, 'time')}${isUsedUp(fault) ? ': used up' : ''}.</p>
      ${button({ label: 'Remove', name: `Remove ${id}`, onClick: remove })}
    </li>`;
  }
}

function options(choices: readonly (readonly [title: string, value: unknown])[]): readonly TemplateResult[] {
  return choices.map(([title], index) => html`<option value=${index}>${title}</option>`);
}

customElements.define('faults-view', FaultsView);
