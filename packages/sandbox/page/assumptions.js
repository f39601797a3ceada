/** Assumptions: each gap of the specification as a switch, and how requests are limited. */
import { ask } from './control.js';
import { fill, h } from './dom.js';
import { complain, panel } from './pieces.js';

/** @typedef {{ id: string, silent: string, values: string[], default: string, value: string }} Assumption */

const profiles = {
  spec: 'spec: no limit (the specification names none)',
  service: 'service: 180 requests a minute, with RateLimit headers',
  unlimited: 'unlimited: no limit',
};

/**
 * @param {import('./window.js').Badge} badge
 * @returns {import('./window.js').View}
 */
export function createAssumptions(badge) {
  const list = h('ol', { class: 'entries' });
  const profile = h(
    'select',
    { id: 'profile', on: { change: () => void put('/profile', { profile: profile.value }) } },
    ...Object.entries(profiles).map(([value, text]) => h('option', { value }, text)),
  );
  /** @type {Assumption[]} */
  let known = [];

  async function refresh() {
    const [{ data }, limits] = await Promise.all([ask('/assumptions'), ask('/profile')]);
    if (limits.profile in profiles) profile.value = limits.profile;
    if (JSON.stringify(data) === JSON.stringify(known)) return;
    known = data;
    const changed = known.filter((one) => one.value !== one.default).length;
    badge('assumptions', changed > 0 ? `${changed} changed` : '', changed > 0 ? 'wait' : undefined);
    const focused = document.activeElement?.id;
    fill(list, ...known.map((one) => itemOf(one, (value) => void choose(one, value))));
    if (focused?.startsWith('assumption-')) document.getElementById(focused)?.focus();
  }

  /** Those that are not sent go back to their default. @param {Assumption} assumption @param {string} value */
  function choose(assumption, value) {
    return put(
      '/assumptions',
      Object.fromEntries(known.map((one) => [one.id, one === assumption ? value : one.value])),
    );
  }

  /** @param {string} path @param {unknown} body */
  async function put(path, body) {
    try {
      await ask(path, { method: 'PUT', body });
      await refresh();
    } catch (error) {
      complain(error);
    }
  }

  return {
    name: 'assumptions',
    title: 'Assumptions',
    element: panel(
      'assumptions',
      'Assumptions',
      h(
        'p',
        { class: 'lead' },
        'The specification of the API leaves some details open. Here you choose how the sandbox reads each of them, and see whether your client still works.',
      ),
      h('div', { class: 'tools' }, h('label', { for: 'profile' }, 'Rate limit'), profile),
      h('div', { class: 'scroll', tabindex: 0, role: 'group', 'aria-label': 'Assumptions' }, list),
    ),
    follows: true,
    refresh,
  };
}

/** @param {Assumption} assumption @param {(value: string) => void} choose */
function itemOf({ id, silent, values, default: usual, value }, choose) {
  const control = `assumption-${id}`;
  const select = h(
    'select',
    { id: control, on: { change: () => choose(select.value) } },
    ...values.map((one) =>
      h('option', { value: one, selected: one === value }, one === usual ? `${one} (default)` : one),
    ),
  );
  return h(
    'li',
    { class: 'switch' },
    h('label', { for: control }, h('b', {}, id), h('span', { class: 'soft' }, silent)),
    select,
  );
}
