/** `<assumptions-view>`: each gap of the specification as a choice, and the profile of the rate limit. */
import { toastError, type Renderable } from '@newsletter-kit/pages';
import { html, type TemplateResult } from 'lit';
import { live } from 'lit/directives/live.js';
import { repeat } from 'lit/directives/repeat.js';
import type { AssumptionState } from '../src/control/assumptions.ts';
import type { Profile } from '../src/control/rate-limit.ts';
import { ask } from './control.ts';
import { View } from './view.ts';

const profiles: Readonly<Record<Profile, string>> = {
  spec: 'spec: no limit (the specification names none)',
  service: 'service: 180 requests a minute, with RateLimit headers',
  unlimited: 'unlimited: no limit',
};

class AssumptionsView extends View {
  static override properties = { ...View.properties, assumptions: { state: true }, profile: { state: true } };
  readonly name = 'assumptions';
  readonly heading = 'Assumptions';
  override readonly follows = true;
  declare assumptions: readonly AssumptionState[];
  declare profile: string;

  constructor() {
    super();
    this.assumptions = [];
    this.profile = '';
  }

  async refresh(): Promise<void> {
    const [{ data }, { profile }] = await Promise.all([
      ask<{ data: readonly AssumptionState[] }>('/assumptions'),
      ask<{ profile: string }>('/profile'),
    ]);
    this.assumptions = data;
    this.profile = profile;
    const changed = data.filter((each) => each.value !== each.default).length;
    this.badge = changed > 0 ? { text: `${changed} changed`, mood: 'wait' } : { text: '' };
  }

  /** Those that are not sent would go back to their default. */
  #choose({ id }: AssumptionState, value: string): Promise<void> {
    const values = this.assumptions.map((each) => [each.id, each.id === id ? value : each.value] as const);
    return this.#put('/assumptions', Object.fromEntries(values));
  }

  async #put(path: string, body: unknown): Promise<void> {
    try {
      await ask(path, { method: 'PUT', body });
      await this.refresh();
    } catch (error) {
      toastError(error);
    }
  }

  protected content(): Renderable {
    return html`<p class="lead">
        The specification of the API leaves some details open. Here you choose how the sandbox reads each of them, and
        see whether your client still works.
      </p>
      <div class="tools">
        <label for="profile">Rate limit</label>
        ${select('profile', profiles, this.profile, (profile) => this.#put('/profile', { profile }))}
      </div>
      <div class="scroll" tabindex="0" role="group" aria-label="Assumptions">
        <ol class="entries">
          ${repeat(
            this.assumptions,
            ({ id }) => id,
            (assumption) => this.#item(assumption),
          )}
        </ol>
      </div>`;
  }

  #item(assumption: AssumptionState): TemplateResult {
    const { id, silent, values, value, default: usual } = assumption;
    const titles = values.map((each) => [each, each === usual ? `${each} (default)` : each] as const);
    return html`<li class="switch">
      <label for="assumption-${id}"><b>${id}</b><span class="soft">${silent}</span></label>
      ${select(`assumption-${id}`, Object.fromEntries(titles), value, (chosen) => this.#choose(assumption, chosen))}
    </li>`;
  }
}

function select(
  id: string,
  titles: Readonly<Record<string, string>>,
  value: string,
  choose: (value: string) => Promise<void>,
): TemplateResult {
  const changed = ({ currentTarget }: Event): void => {
    if (currentTarget instanceof HTMLSelectElement) void choose(currentTarget.value);
  };
  return html`<select id=${id} @change=${changed}>
    ${Object.entries(titles).map(
      ([each, title]) => html`<option value=${each} .selected=${live(each === value)}>${title}</option>`,
    )}
  </select>`;
}

customElements.define('assumptions-view', AssumptionsView);
