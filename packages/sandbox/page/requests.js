/** The live request log: rows that can be scanned, and one request in full beside or below its row. */
import { ask } from './control.js';
import { fill, h } from './dom.js';
import { codeTag, counted, moment } from './format.js';
import { calmly, complain, notify, panel } from './pieces.js';
import { detailOf } from './request-detail.js';
import { summaries } from './operations.js';

/**
 * @typedef {{ n: number, time: string, method: string, path: string, query: Record<string, string>, operation: string |
 *   null, status: number, milliseconds: number, reasons: string[], faults: string[], repeats: number | null }} Entry
 */

/** Rows shown; the sandbox keeps a thousand. */
const mostShown = 500;
/** Width of the panel from which a request stands beside the rows, in pixels. */
const roomBeside = 860;

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
const outcomes = {
  '': 'every answer',
  '2xx,3xx': 'accepted',
  '4xx,5xx,0xx': 'failed',
  '4xx': 'refused (4xx)',
  '5xx': 'server errors (5xx)',
  '0xx': 'without an answer',
};

/**
 * @param {import('./window.js').Badge} badge
 * @returns {import('./window.js').View}
 */
export function createRequests(badge) {
  const search = h('input', {
    type: 'search',
    placeholder: 'Search path, body, reason …',
    'aria-label': 'Search requests',
    spellcheck: 'false',
    autocomplete: 'off',
  });
  const outcome = h(
    'select',
    { id: 'request-outcome', 'aria-label': 'Answers' },
    ...Object.entries(outcomes).map(([value, text]) => h('option', { value }, text)),
  );
  const method = h(
    'select',
    { id: 'request-method', 'aria-label': 'Method' },
    h('option', { value: '' }, 'every method'),
    ...methods.map((name) => h('option', { value: name }, name)),
  );
  const clear = h(
    'button',
    {
      type: 'button',
      on: {
        click: () =>
          void ask('/requests', { method: 'DELETE' })
            .then(({ removed }) => notify(`Cleared ${counted(removed, 'request')}.`))
            .catch(complain),
      },
    },
    'Clear',
  );
  const list = h('ol', { class: 'rows', 'aria-label': 'Requests, newest first' });
  const empty = h('p', { class: 'empty' });
  const detail = h('aside', { class: 'detail', id: 'request-detail', 'aria-labelledby': 'request-title' });
  detail.hidden = true;
  const rows = h('div', { class: 'scroll' }, list, empty);
  const split = h('div', { class: 'split' }, rows, detail);
  const element = panel('requests', 'Requests', h('div', { class: 'tools' }, search, outcome, method, clear), split);

  /** Newest first. @type {{ entry: Entry, item: HTMLLIElement, button: HTMLButtonElement }[]} */
  let shown = [];
  let last = 0;
  /** Requests and failures since the log was cleared, whatever the filter. */
  let failed = 0;
  /** Number of the request in full. @type {number | null} */
  let opened = null;
  /** @type {readonly { key: string, title: string }[]} */
  let keys = [];
  /** @type {Map<string, string>} */
  let titles = new Map();

  const filtered = () => search.value.trim() !== '' || outcome.value !== '' || method.value !== '';

  function note() {
    badge('requests', failed === 0 ? '' : `${failed} failed`, failed === 0 ? undefined : 'wait');
    empty.hidden = shown.length > 0;
    clear.hidden = last === 0;
    fill(
      empty,
      filtered() ? 'No request matches.' : 'No request yet. Send one to ',
      !filtered() && h('code', { dir: 'ltr' }, `${location.origin}/v2`),
      !filtered() && ' and it shows up here.',
    );
    // One stop of the Tab key; the arrow keys move between the rows.
    const stop = rowFor(opened)?.button ?? shown[0]?.button;
    for (const { button } of shown) button.tabIndex = button === stop ? 0 : -1;
  }

  /** @param {Entry} entry @param {boolean} fresh */
  function add(entry, fresh) {
    if (shown.some((row) => row.entry.n === entry.n)) return;
    const button = rowOf(entry, titles.get(entry.operation ?? '') ?? '');
    const item = h('li', { class: fresh ? 'fresh' : '' }, button);
    button.setAttribute('aria-expanded', String(entry.n === opened));
    button.addEventListener('click', () => (opened === entry.n ? close() : void open(entry.n)));
    list.prepend(item);
    shown.unshift({ entry, item, button });
    for (const { item: old } of shown.splice(mostShown)) old.remove();
  }

  const rowFor = (/** @type {number | null} */ n) => shown.find(({ entry }) => entry.n === n);

  /** Puts the request in full where there is room for it: beside the rows, or below its own. */
  function place() {
    const row = rowFor(opened);
    const beside = element.clientWidth >= roomBeside;
    element.classList.toggle('beside', beside && opened !== null);
    const home = beside || !row ? split : row.item;
    if (detail.parentElement !== home) home.append(detail);
  }

  /** @param {number} n */
  async function open(n) {
    try {
      const { data } = await ask(`/requests/${n}`);
      rowFor(opened)?.button.setAttribute('aria-expanded', 'false');
      opened = n;
      const later = shown.find(({ entry }) => entry.repeats === n)?.entry.n;
      fill(
        detail,
        ...detailOf(data, {
          title: titles.get(data.operation ?? '') ?? 'No such operation',
          later,
          keys,
          open: (other) => void open(other),
          close,
        }),
      );
      detail.hidden = false;
      detail.scrollTop = 0;
      const row = rowFor(n);
      row?.button.setAttribute('aria-expanded', 'true');
      place();
      row?.button.scrollIntoView({ block: element.classList.contains('beside') ? 'nearest' : 'start' });
      note();
    } catch (error) {
      complain(error);
    }
  }

  function close() {
    const row = rowFor(opened);
    const inside = detail.contains(document.activeElement);
    opened = null;
    detail.hidden = true;
    split.append(detail);
    element.classList.remove('beside');
    row?.button.setAttribute('aria-expanded', 'false');
    if (inside) (row?.button ?? search).focus();
  }

  list.addEventListener('keydown', (event) => {
    const from = shown.findIndex(({ button }) => button === event.target);
    if (from < 0) return;
    const to = { ArrowDown: from + 1, ArrowUp: from - 1, Home: 0, End: shown.length - 1 }[event.key];
    const next = to === undefined ? undefined : shown[to];
    if (!next) return;
    event.preventDefault();
    for (const { button } of shown) button.tabIndex = -1;
    next.button.tabIndex = 0;
    next.button.focus();
    if (opened !== null) void open(next.entry.n);
  });
  element.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape' || opened === null || event.target === search) return;
    event.preventDefault();
    close();
  });
  new ResizeObserver(place).observe(element);

  async function read() {
    const query = new URLSearchParams({
      text: search.value.trim(),
      status: statuses(outcome.value),
      method: method.value,
    });
    const [{ data }, all] = await Promise.all([ask(`/requests?${query}`), filtered() ? ask('/requests') : undefined]);
    /** @type {Entry[]} */
    const everything = all?.data ?? data;
    failed = everything.filter(({ status }) => status === 0 || status >= 400).length;
    last = everything.at(-1)?.n ?? 0;
    const focused = document.activeElement instanceof HTMLElement ? document.activeElement.dataset['n'] : undefined;
    if (detail.parentElement !== split) split.append(detail);
    shown = [];
    fill(list);
    for (const entry of data) add(entry, false);
    if (opened !== null && !everything.some(({ n }) => n === opened)) close();
    else if (opened !== null) place();
    note();
    if (focused !== undefined) rowFor(Number(focused))?.button.focus();
  }

  const readCalmly = calmly(() => void read().catch(complain), 200);
  search.addEventListener('input', readCalmly);
  for (const select of [outcome, method]) select.addEventListener('change', () => void read().catch(complain));

  return {
    name: 'requests',
    title: 'Requests',
    element,
    async refresh() {
      const [known, connection] = await Promise.all([summaries(), ask('/connection')]);
      titles = known;
      keys = connection.keys.map((/** @type {any} */ { key, publications }) => ({
        key,
        title: publications === null ? key : `${key} (restricted)`,
      }));
      await read();
    },
    take(event) {
      if (event.type === 'control' && event.path === '/_sandbox/requests') return readCalmly();
      if (event.type !== 'request') return;
      if (filtered()) return readCalmly();
      /** @type {Entry} */
      const entry = event.request;
      if (entry.n <= last) return;
      last = entry.n;
      if (entry.status === 0 || entry.status >= 400) failed += 1;
      add(entry, true);
      note();
    },
  };
}

/** What the sandbox calls a request without an answer. @param {string} outcome */
const statuses = (outcome) => outcome.replace('0xx', '0');

/** @param {Entry} entry @param {string} title - what its operation does */
function rowOf({ n, time, method, path, query, operation, status, milliseconds, reasons, repeats }, title) {
  const asked = Object.entries(query)
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
  const [why = title || (operation ?? ''), ...more] = reasons;
  return h(
    'button',
    { type: 'button', class: 'request', 'aria-controls': 'request-detail', 'data-n': n },
    codeTag(status),
    h('span', { class: 'method mono' }, method),
    h('span', { class: 'path mono', dir: 'ltr', title: path }, short(path) + (asked && `?${asked}`)),
    h(
      'span',
      { class: reasons.length > 0 ? 'why' : 'why soft' },
      repeats !== null && h('span', { class: 'tag' }, `repeats ${repeats}`),
      repeats !== null && ' ',
      why,
      more.length > 0 && h('span', { class: 'soft' }, ` and ${counted(more.length, 'more note', 'more notes')}`),
    ),
    h('span', { class: 'took soft' }, `${milliseconds < 10 ? milliseconds.toFixed(1) : Math.round(milliseconds)} ms`),
    moment(new Date(time)),
  );
}

/** The path without what all of them begin with. @param {string} path */
const short = (path) => path.replace(/^\/v2\/publications\/pub_[\w-]+(?=\/)/, '…').replace(/^\/v2(?=\/)/, '');
