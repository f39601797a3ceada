/** The live request log: what was asked, how it was answered, and why. */
import { ask } from './control.js';
import { fill, h } from './dom.js';
import { codeTag, moment, words } from './format.js';
import { panel } from './pieces.js';

/**
 * @typedef {{ n: number, time: string, method: string, path: string, query: Record<string, string>, operation: string |
 *   null, status: number, milliseconds: number, reasons: string[], nearest: { request: string, change: { field: string,
 *   to: unknown }[] } | null }} Entry
 */

/** Entries shown; the sandbox keeps a thousand. */
const mostShown = 500;

/**
 * @param {import('./window.js').Badge} badge
 * @returns {import('./window.js').View}
 */
export function createRequests(badge) {
  const search = h('input', {
    type: 'search',
    placeholder: 'Filter by operation, path or reason',
    'aria-label': 'Filter requests',
    spellcheck: 'false',
    autocomplete: 'off',
  });
  const errors = h('input', { type: 'checkbox', id: 'only-errors' });
  const list = h('ol', { class: 'entries' });
  const empty = h('p', { class: 'empty' });
  const element = panel(
    'requests',
    'Requests',
    h('div', { class: 'tools' }, search, h('label', { class: 'check', for: 'only-errors' }, errors, 'Errors only')),
    h('div', { class: 'scroll', tabindex: 0, role: 'log', 'aria-label': 'Requests', 'aria-live': 'off' }, list, empty),
  );

  /** Newest first. @type {{ entry: Entry, item: HTMLLIElement }[]} */
  let shown = [];
  let last = 0;

  /** @param {Entry} entry */
  const passes = (entry) => {
    if (errors.checked && entry.status > 0 && entry.status < 400) return false;
    const part = search.value.trim().toLowerCase();
    return (
      part === '' ||
      [entry.operation ?? '', entry.method, entry.path, String(entry.status), ...entry.reasons].some((text) =>
        text.toLowerCase().includes(part),
      )
    );
  };

  function narrow() {
    for (const { entry, item } of shown) item.hidden = !passes(entry);
    note();
  }

  function note() {
    const refused = shown.filter(({ entry }) => entry.status === 0 || entry.status >= 400).length;
    badge('requests', refused === 0 ? '' : `${refused} failed`, refused === 0 ? undefined : 'wait');
    empty.hidden = shown.some(({ item }) => !item.hidden);
    fill(
      empty,
      shown.length > 0 ? 'No request matches.' : 'No request yet. Send one to ',
      shown.length === 0 && h('code', {}, `${location.origin}/v2`),
      shown.length === 0 && '.',
    );
  }

  /**
   * @param {Entry} entry
   * @param {boolean} fresh
   */
  function add(entry, fresh) {
    if (entry.n <= last) return;
    last = entry.n;
    const item = itemOf(entry, fresh);
    item.hidden = !passes(entry);
    list.prepend(item);
    shown.unshift({ entry, item });
    for (const { item: old } of shown.splice(mostShown)) old.remove();
  }

  search.addEventListener('input', narrow);
  errors.addEventListener('change', narrow);

  return {
    name: 'requests',
    title: 'Requests',
    element,
    async refresh() {
      const { data } = await ask('/requests');
      last = 0;
      shown = [];
      fill(list);
      for (const entry of data) add(entry, false);
      note();
    },
    take(event) {
      if (event.type !== 'request') return;
      add(event.request, true);
      note();
    },
  };
}

/**
 * @param {Entry} entry
 * @param {boolean} fresh
 */
function itemOf({ time, method, path, query, operation, status, milliseconds, reasons, nearest }, fresh) {
  const asked = Object.entries(query)
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
  return h(
    'li',
    { class: fresh ? 'fresh' : '' },
    h(
      'div',
      { class: 'line' },
      codeTag(status),
      ' ',
      h('b', {}, operation ?? 'unknown operation'),
      ' ',
      h('small', {}, `${milliseconds} ms`),
      ' ',
      moment(new Date(time)),
    ),
    h('div', { class: 'path mono' }, `${method} ${path.replace(/pub_[0-9a-f-]+/, 'pub_…')}${asked && `?${asked}`}`),
    reasons.length > 0 && h('ul', { class: 'reasons' }, ...reasons.map((reason) => h('li', {}, reason))),
    nearest && nearestOf(nearest),
  );
}

/** What would have been answered. @param {NonNullable<Entry['nearest']>} nearest */
function nearestOf({ request, change }) {
  const changes = change.map(({ field, to }) => h('li', {}, h('code', {}, field), ': ', words(to)));
  return h(
    'details',
    { class: 'reasons' },
    h('summary', {}, 'Nearest valid request'),
    h('code', {}, request),
    h('ul', {}, ...changes),
  );
}
