/** Templates of a message's body: JSON as a tree that folds, any other text as it is. */
import { html, nothing, type TemplateResult } from 'lit';

/** Lists and objects with more entries than this are folded at first. */
const longest = 30;
/** Lists and objects deeper than this are folded at first. */
const deepest = 4;
/** Entries of one list or object that are rendered. */
const mostEntries = 500;

/** @param label - the accessible name of the body */
export function bodyView(text: string, label: string): TemplateResult {
  const value = parse(text);
  if (typeof value !== 'object' || value === null)
    return html`<pre tabindex="0" role="group" aria-label=${label} dir="ltr">${text}</pre>`;
  return html`<div class="json mono" tabindex="0" role="group" aria-label=${label} dir="ltr">${node(null, value, '', 0)}</div>`;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** @param after - the comma behind the value */
function node(key: string | null, value: unknown, after: string, depth: number): TemplateResult {
  const name = key === null ? nothing : html`<span class="json-key">${JSON.stringify(key)}</span>: `;
  if (typeof value !== 'object' || value === null)
    return html`<div class="json-line">${name}${leaf(value)}${after}</div>`;
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  const entries: readonly (readonly [string | null, unknown])[] = Array.isArray(value)
    ? value.map((item: unknown) => [null, item] as const)
    : Object.entries(value);
  if (entries.length === 0) return html`<div class="json-line">${name}${open}${close}${after}</div>`;
  const left = entries.length - mostEntries;
  return html`<details ?open=${depth === 0 || (entries.length <= longest && depth < deepest)}>
    <summary>${name}${open}<small class="json-count"> ${entries.length} ${close}${after}</small></summary>
    <div class="json-inner">
      ${entries
        .slice(0, mostEntries)
        .map(([inner, item], index) => node(inner, item, index < entries.length - 1 ? ',' : '', depth + 1))}
      ${left > 0 ? html`<div class="json-line soft">… ${left} more</div>` : nothing}
    </div>
    <div class="json-line">${close}${after}</div>
  </details>`;
}

function leaf(value: unknown): TemplateResult {
  return html`<span class="json-${value === null ? 'null' : typeof value}">${JSON.stringify(value)}</span>`;
}
