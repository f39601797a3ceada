/** Subscribers: searched and filtered by the sandbox over all of them, a page at a time, live. */
import { ask } from './control.js';
import { fill, h } from './dom.js';
import { address, counted, moment, number, secondsToDate, statusTag, words } from './format.js';
import { calmly, complain, panel } from './pieces.js';
import { showSubscriber } from './subscriber.js';

/**
 * @typedef {{ id: string, email: string, status: string, created: number, custom_fields?: { name: string, value:
 *   unknown }[], [field: string]: any }} Subscription
 */

const statuses = ['active', 'validating', 'pending', 'inactive', 'invalid', 'needs_attention', 'paused'];
const pageSize = 50;
/** Rows kept while new ones arrive on top. */
const mostRows = 500;

/**
 * @param {import('./window.js').Badge} badge
 * @returns {import('./window.js').View}
 */
export function createSubscribers(badge) {
  const search = h('input', {
    type: 'search',
    placeholder: 'Search address, source, campaign or id',
    'aria-label': 'Search subscribers',
    spellcheck: 'false',
    autocomplete: 'off',
  });
  const status = h(
    'select',
    { 'aria-label': 'Status' },
    h('option', { value: '' }, 'every status'),
    ...statuses.map((word) => h('option', { value: word }, word.replaceAll('_', ' '))),
  );
  const body = h('tbody');
  const found = h('p', { class: 'soft', role: 'status', id: 'found' });
  const more = h(
    'button',
    { type: 'button', hidden: true, on: { click: () => void read(next).catch(complain) } },
    'Show more',
  );
  const nobody = h('p', { class: 'empty', hidden: true });
  const element = panel(
    'subscribers',
    'Subscribers',
    h('div', { class: 'tools' }, search, status),
    h(
      'div',
      { class: 'scroll', tabindex: 0, role: 'group', 'aria-label': 'Subscribers' },
      h(
        'table',
        {},
        h(
          'thead',
          {},
          h(
            'tr',
            {},
            ...['Subscriber', 'Status', 'Custom fields', 'Created'].map((text) => h('th', { scope: 'col' }, text)),
          ),
        ),
        body,
      ),
      nobody,
      h('div', { class: 'more' }, found, more),
    ),
  );

  /** @type {Map<string, HTMLTableRowElement>} */
  const rows = new Map();
  /** @type {number | null} */
  let next = null;
  let total = 0;
  /** The latest question; answers to earlier ones are dropped. */
  let asked = 0;
  const narrowed = () => search.value.trim() !== '' || status.value !== '';

  /** Reads one page: the first, or the one behind `before`. @param {number | null} [before] */
  async function read(before = null) {
    const question = (asked += 1);
    const query = new URLSearchParams({ limit: String(pageSize) });
    if (search.value.trim()) query.set('search', search.value.trim());
    if (status.value) query.set('status', status.value);
    if (before !== null) query.set('before', String(before));
    const answer = await ask(`/subscriptions?${query}`);
    if (question !== asked) return;
    if (before === null) {
      rows.clear();
      fill(body);
    }
    for (const subscription of answer.data) {
      const row = rowOf(subscription, false);
      rows.set(subscription.id, row);
      body.append(row);
    }
    next = answer.next_before;
    total = answer.total;
    say(answer.matching, answer.more_match);
  }

  /**
   * @param {number} matching
   * @param {boolean} [beyond]
   */
  function say(matching, beyond = false) {
    badge('subscribers', number(total));
    more.hidden = next === null;
    nobody.hidden = rows.size > 0;
    fill(
      nobody,
      narrowed() ? 'No subscriber matches.' : 'No subscribers yet. Create one through the API, and it shows up here.',
    );
    const count = `${beyond ? 'more than ' : ''}${counted(matching, 'subscriber')}`;
    fill(
      found,
      rows.size === 0
        ? ''
        : `${rows.size < matching ? `${number(rows.size)} of ` : ''}${count}${narrowed() ? ` of ${number(total)}` : ''}`,
    );
  }

  const readCalmly = calmly(() => void read().catch(complain), 200);
  search.addEventListener('input', readCalmly);
  status.addEventListener('change', () => void read().catch(complain));

  return {
    name: 'subscribers',
    title: 'Subscribers',
    element,
    refresh: () => read(),
    take(event) {
      if (event.type !== 'subscription') return;
      /** @type {Subscription} */
      const subscription = event.subscription;
      const shown = rows.get(subscription.id);
      if (!shown && event.change === 'created') total += 1;
      // Whether it still matches only the sandbox can tell.
      if (narrowed()) return readCalmly();
      if (!shown && event.change !== 'created') return;
      const row = rowOf(subscription, true);
      if (shown) updateRow(shown, row);
      else {
        body.prepend(row);
        rows.set(subscription.id, row);
      }
      if (rows.size > mostRows) return readCalmly();
      say(total);
    },
  };
}

/**
 * @param {Subscription} subscription
 * @param {boolean} fresh
 */
function rowOf(subscription, fresh) {
  return h(
    'tr',
    { class: fresh ? 'fresh' : '' },
    h(
      'td',
      {},
      h(
        'button',
        { type: 'button', class: 'link', on: { click: () => void showSubscriber(subscription.id).catch(complain) } },
        address(subscription.email),
      ),
      h('small', {}, sourceOf(subscription)),
    ),
    h('td', {}, statusTag(subscription.status)),
    h(
      'td',
      { class: 'fields' },
      ...(subscription.custom_fields ?? []).map(({ name, value }) => h('span', {}, h('i', {}, name), words(value))),
    ),
    h('td', { class: 'created' }, moment(secondsToDate(subscription.created))),
  );
}

/**
 * Gives a row the contents of a newer one and keeps its button: a click in progress, the focus, and the element that
 * the drawer returns the focus to stay valid.
 *
 * @param {HTMLTableRowElement} shown
 * @param {HTMLTableRowElement} newer
 */
function updateRow(shown, newer) {
  const [button, newerButton] = [shown.querySelector('button'), newer.querySelector('button')];
  button?.replaceChildren(...(newerButton?.childNodes ?? []));
  button?.nextElementSibling?.replaceWith(newerButton?.nextElementSibling ?? '');
  const [, ...cells] = newer.cells;
  while (shown.cells.length > 1) shown.deleteCell(1);
  shown.append(...cells);
  // Reading the layout in between starts the animation of a changed row again.
  shown.classList.remove('fresh');
  void shown.offsetWidth;
  shown.classList.add('fresh');
}

/** @param {Subscription} subscription */
function sourceOf(subscription) {
  const named = ['utm_source', 'utm_medium', 'utm_campaign'].map((name) => subscription[name]).filter(Boolean);
  return named.join(' · ') || String(subscription['utm_channel'] ?? '').replaceAll('_', ' ');
}
