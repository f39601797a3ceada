/** The body of a message: JSON as a tree that folds, everything else as it came. */
import { h } from './dom.js';

/** Lists and objects with more entries than this are folded at first. */
const most = 30;
/** Entries written out of one list or object. */
const written = 500;

/**
 * @param {string} text
 * @param {string} label - what this is, for those who hear the page
 */
export function bodyView(text, label) {
  let value;
  try {
    value = JSON.parse(text);
  } catch {
    return h('pre', { tabindex: 0, role: 'group', 'aria-label': label, dir: 'ltr' }, text);
  }
  if (typeof value !== 'object' || value === null)
    return h('pre', { tabindex: 0, role: 'group', 'aria-label': label, dir: 'ltr' }, text);
  return h(
    'div',
    { class: 'json mono', tabindex: 0, role: 'group', 'aria-label': label, dir: 'ltr' },
    node(null, value, '', 0),
  );
}

/**
 * @param {string | null} key
 * @param {unknown} value
 * @param {string} after - the comma behind it
 * @param {number} depth
 * @returns {HTMLElement}
 */
function node(key, value, after, depth) {
  const name = key === null ? [] : [h('span', { class: 'json-key' }, JSON.stringify(key)), ': '];
  if (typeof value !== 'object' || value === null) return h('div', { class: 'json-line' }, ...name, leaf(value), after);
  const list = Array.isArray(value);
  const [open, close] = list ? ['[', ']'] : ['{', '}'];
  /** @type {[string | null, unknown][]} */
  const entries = list ? value.map((item) => [null, item]) : Object.entries(value);
  if (entries.length === 0) return h('div', { class: 'json-line' }, ...name, open + close + after);
  const shown = entries.slice(0, written);
  const left = entries.length - shown.length;
  return h(
    'details',
    { open: depth === 0 || (entries.length <= most && depth < 4) },
    h('summary', {}, ...name, open, h('small', { class: 'json-count' }, ` ${entries.length} ${close}${after}`)),
    h(
      'div',
      { class: 'json-inner' },
      ...shown.map(([inner, item], index) => node(inner, item, index < entries.length - 1 ? ',' : '', depth + 1)),
      left > 0 && h('div', { class: 'json-line soft' }, `… ${left} more`),
    ),
    h('div', { class: 'json-line' }, close + after),
  );
}

/** @param {unknown} value */
function leaf(value) {
  return h('span', { class: `json-${value === null ? 'null' : typeof value}` }, JSON.stringify(value));
}
