/** Faults: what goes wrong on purpose – listed, set, removed. */
import { ask } from './control.js';
import { fill, h } from './dom.js';
import { counted } from './format.js';
import { summaries } from './operations.js';
import { complain, notify, panel } from './pieces.js';

/**
 * @typedef {{ id: string, match: string, effect: any, nth: number | null, probability: number | null, times: number |
 *   null, seen: number, fired: number }} Fault
 */

/** Each effect: how it is called, and how it is told to the sandbox. `amount` is asked for where there is one. */
const effects = {
  status: {
    title: 'Answer with an error',
    amount: { title: 'Status', value: 503, min: 400, max: 599 },
    write: (/** @type {number} */ status) => ({ status }),
  },
  rateLimited: {
    title: 'Answer 429 with Retry-After',
    amount: { title: 'Seconds to wait', value: 2, min: 0, max: 86_400 },
    write: (/** @type {number} */ retryAfter) => ({ status: 429, retryAfter }),
  },
  gateway: {
    title: 'Answer with an HTML page, as a proxy does',
    amount: { title: 'Status', value: 502, min: 400, max: 599 },
    write: (/** @type {number} */ status) => ({ status, body: 'html' }),
  },
  latency: {
    title: 'Delay the answer',
    amount: { title: 'Milliseconds', value: 3000, min: 0, max: 300_000 },
    write: (/** @type {number} */ latency) => ({ latency }),
  },
  reset: { title: 'Break the connection before anything is stored', amount: null, write: () => 'reset' },
  lostResponse: { title: 'Carry it out, but lose the answer', amount: null, write: () => 'lostResponse' },
  truncate: { title: 'Cut the answer off in the middle', amount: null, write: () => 'truncate' },
  duplicate: { title: 'Carry it out twice, as if it had arrived twice', amount: null, write: () => 'duplicate' },
};

/** When a fault fires. */
const occasions = {
  once: { title: 'the next request', write: () => ({ times: 1 }) },
  always: { title: 'every request', write: () => ({}) },
  second: { title: 'the second request from now on', write: () => ({ nth: 2 }) },
  third: { title: 'the third request from now on', write: () => ({ nth: 3 }) },
  sometimes: { title: 'about 3 of 10 requests', write: () => ({ probability: 0.3 }) },
};

/**
 * @param {import('./window.js').Badge} badge
 * @returns {import('./window.js').View}
 */
export function createFaults(badge) {
  const match = select('match', { '*': { title: 'every operation' } });
  const effect = select('effect', effects);
  const amount = h('input', { type: 'number', id: 'fault-amount' });
  const amountTitle = h('label', { for: 'fault-amount' });
  const amountField = h('div', { class: 'field' }, amountTitle, amount);
  const occasion = select('occasion', occasions);
  const list = h('ol', { class: 'entries' });
  const empty = h('p', { class: 'empty' }, 'No fault is set: every request is answered as usual.');
  const chosen = () => effects[/** @type {keyof typeof effects} */ (effect.value)];

  function offerAmount() {
    const asked = chosen().amount;
    amountField.hidden = asked === null;
    amount.disabled = asked === null;
    if (!asked) return;
    fill(amountTitle, asked.title);
    amount.min = String(asked.min);
    amount.max = String(asked.max);
    amount.value = String(asked.value);
  }
  effect.addEventListener('change', offerAmount);
  offerAmount();

  async function refresh() {
    /** @type {{ data: Fault[] }} */
    const { data } = await ask('/faults');
    badge('faults', data.length > 0 ? `${data.length} set` : '', data.length > 0 ? 'wait' : undefined);
    empty.hidden = data.length > 0;
    fill(list, ...data.map((fault) => itemOf(fault, () => void remove(fault))));
  }

  async function add() {
    try {
      const body = {
        match: match.value,
        effect: chosen().write(amount.valueAsNumber),
        ...occasions[/** @type {keyof typeof occasions} */ (occasion.value)].write(),
      };
      const { data } = await ask('/faults', { method: 'POST', body });
      notify(`Fault ${data.id} is set.`);
      await refresh();
    } catch (error) {
      complain(error);
    }
  }

  /** @param {Fault} fault */
  async function remove({ id }) {
    try {
      await ask(`/faults/${encodeURIComponent(id)}`, { method: 'DELETE' });
      await refresh();
    } catch (error) {
      complain(error);
    }
  }

  return {
    name: 'faults',
    title: 'Faults',
    element: panel(
      'faults',
      'Faults',
      h(
        'p',
        { class: 'lead' },
        'Make requests fail on purpose, to see how your client copes. A fault stays until you remove it or it has happened as often as it should.',
      ),
      h(
        'form',
        {
          class: 'tools form',
          id: 'add-fault',
          on: {
            submit: (event) => {
              event.preventDefault();
              void add();
            },
          },
        },
        field('Operation', match),
        field('What happens', effect),
        amountField,
        field('Which requests', occasion),
        h('button', { class: 'primary' }, 'Set fault'),
      ),
      h('div', { class: 'scroll', tabindex: 0, role: 'group', 'aria-label': 'Faults that are set' }, list, empty),
    ),
    follows: true,
    async refresh() {
      await refresh();
      if (match.length === 1)
        match.append(...[...(await summaries()).keys()].map((id) => h('option', { value: id }, id)));
    },
  };
}

/**
 * @param {Fault} fault
 * @param {() => void} remove
 */
function itemOf({ id, match, effect, nth, probability, times, seen, fired }, remove) {
  const when = [
    nth !== null && `from request ${nth} on`,
    probability !== null && `with a chance of ${Math.round(probability * 100)} %`,
    times !== null && `${counted(times, 'time')} at most`,
  ]
    .filter(Boolean)
    .join(', ');
  return h(
    'li',
    {},
    h(
      'div',
      { class: 'line' },
      h('b', {}, inWords(effect)),
      h('span', {}, match === '*' ? 'for every operation' : `for ${match}`),
      when && h('small', {}, when),
    ),
    h('p', { class: 'soft' }, `${id}: matched ${counted(seen, 'request')}, happened ${counted(fired, 'time')}.`),
    h(
      'div',
      { class: 'actions' },
      h('button', { type: 'button', 'aria-label': `Remove ${id}`, on: { click: remove } }, 'Remove'),
    ),
  );
}

/** @param {any} effect */
function inWords(effect) {
  if (typeof effect === 'string') return effects[/** @type {keyof typeof effects} */ (effect)]?.title ?? effect;
  if ('latency' in effect) return `Delay the answer by ${effect.latency} ms`;
  return [
    `Answer ${effect.status}`,
    effect.body === 'html' && 'in HTML',
    effect.body === 'empty' && 'without a body',
    effect.retryAfter !== undefined && `Retry-After ${effect.retryAfter} s`,
  ]
    .filter(Boolean)
    .join(', ');
}

/**
 * @param {string} name
 * @param {Record<string, { title: string }>} options
 */
function select(name, options) {
  return h(
    'select',
    { id: `fault-${name}` },
    ...Object.entries(options).map(([value, { title }]) => h('option', { value }, title)),
  );
}

/**
 * @param {string} title
 * @param {HTMLElement} control
 */
function field(title, control) {
  return h('div', { class: 'field' }, h('label', { for: control.id }, title), control);
}
