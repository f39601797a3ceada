/** Templates without state: button, badge, field, facts, notice, empty state. */
import { html, nothing, type TemplateResult } from 'lit';

/** Anything a template can hold as a child. */
export type Renderable = TemplateResult | string | number | typeof nothing | null | undefined | readonly Renderable[];

/** The colour of a badge or a notice. */
export type Mood = 'good' | 'wait' | 'bad' | 'neutral';

/** Options of {@link button}. */
export interface ButtonOptions {
  readonly label: Renderable;
  /** Called by a click. While its promise is pending, the button is disabled and keeps the focus. */
  readonly onClick: (event: MouseEvent) => unknown;
  readonly kind?: 'plain' | 'primary' | 'danger' | 'quiet' | 'link';
  /** The accessible name where the label alone is ambiguous. */
  readonly name?: string | undefined;
  readonly disabled?: boolean;
  readonly id?: string;
}

export function button({ label, onClick, kind = 'plain', name, disabled = false, id }: ButtonOptions): TemplateResult {
  return html`<button
    type="button"
    id=${id ?? nothing}
    class=${kind === 'plain' ? nothing : kind}
    aria-label=${name ?? nothing}
    ?disabled=${disabled}
    @click=${(event: MouseEvent) => void clickOnce(event, onClick)}
    >${label}</button
  >`;
}

/** Ignores further clicks until the work of the first one has ended. */
async function clickOnce(event: MouseEvent, onClick: ButtonOptions['onClick']): Promise<void> {
  const { currentTarget: clicked } = event;
  if (!(clicked instanceof HTMLElement) || clicked.getAttribute('aria-disabled') === 'true') return;
  clicked.setAttribute('aria-disabled', 'true');
  try {
    await onClick(event);
  } finally {
    clicked.removeAttribute('aria-disabled');
  }
}

/** A word or two in a coloured pill. */
export function badge(text: Renderable, mood: Mood = 'neutral'): TemplateResult {
  return html`<span class="badge" data-mood=${mood}>${text}</span>`;
}

/** A label above its control. @param id - of the control */
export function field(id: string, label: Renderable, control: Renderable): TemplateResult {
  return html`<div class="field"><label for=${id}>${label}</label>${control}</div>`;
}

/** Names and values as a description list. Entries without a value are left out. */
export function facts(entries: readonly (readonly [name: string, value: Renderable])[]): TemplateResult {
  const shown = entries.filter(
    ([, value]) => value !== '' && value !== null && value !== undefined && value !== nothing,
  );
  return html`<dl class="facts">
    ${shown.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}
  </dl>`;
}

/** An error message in a box, hidden if empty. It is announced when its text changes. */
export function notice(id: string, text: string): TemplateResult {
  return html`<p id=${id} class="notice" role="alert" ?hidden=${text === ''}>${text}</p>`;
}

/** A paragraph in place of an empty list. */
export function emptyState(content: Renderable): TemplateResult {
  return html`<p class="empty">${content}</p>`;
}

/**
 * Returns a function that calls `work` once for all calls within a pause, at its end.
 *
 * @param pause - in milliseconds
 */
export function throttle(work: () => void, pause: number): () => void {
  let scheduled = false;
  return () => {
    if (scheduled) return;
    scheduled = true;
    setTimeout(() => {
      scheduled = false;
      work();
    }, pause);
  };
}
