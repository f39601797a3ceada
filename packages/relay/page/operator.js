// @ts-check
/** Shows how the relay is doing, every few seconds, and does what its operator asks. */

/** @typedef {import('../src/ops/operator.ts').Status} Status */
/** @typedef {import('../src/store/signup-store.ts').StoredSignup} StoredSignup */
/** @typedef {import('../src/ops/rates.ts').Minute} Minute */

const api = 'operator/api/';
const refreshMs = 3000;

/** Signups shown at a time. */
const shown = 25;

/** Kept in this tab only. */
const kept = 'newsletter-relay-operator';

/** @param {string} id @returns {HTMLElement} */
const at = (id) => /** @type {HTMLElement} */ (document.getElementById(id));

const enter = /** @type {HTMLFormElement} */ (at('enter'));
const token = /** @type {HTMLInputElement} */ (at('token'));
const pause = at('pause');

const number = new Intl.NumberFormat(undefined);

/** @type {Status | undefined} */
let status;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;

/**
 * An element with its texts and children; texts never become markup.
 *
 * @param {string} name
 * @param {Record<string, string>} attributes
 * @param {...(Node | string)} children
 */
function make(name, attributes, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

/**
 * @param {string} path
 * @param {RequestInit} [init]
 */
async function ask(path, init = {}) {
  const answer = await fetch(api + path, {
    ...init,
    headers: { authorization: `Bearer ${sessionStorage.getItem(kept) ?? ''}`, 'content-type': 'application/json' },
  });
  if (answer.status === 401) throw new SignedOut();
  const body = await answer.json();
  if (!answer.ok) throw new Error(body.errors?.[0]?.message ?? `The relay answered ${answer.status}.`);
  return body;
}

class SignedOut extends Error {}

/** @param {string} text */
function say(text) {
  at('notice').textContent = text;
  setTimeout(() => at('notice').textContent === text && (at('notice').textContent = ''), 6000);
}

/** @param {number} ms */
function age(ms) {
  const steps = /** @type {const} */ ([
    [86_400_000, 'd'],
    [3_600_000, 'h'],
    [60_000, 'min'],
    [1000, 's'],
  ]);
  const [size, unit] = steps.find(([size]) => ms >= size) ?? [1000, 's'];
  return `${number.format(Math.floor(ms / size))} ${unit}`;
}

/** @returns {[mood: string, words: string]} */
function mood(/** @type {Status} */ { paused, running, counts }) {
  if (running?.storeTrouble) return ['bad', 'no signup can be kept'];
  if (paused) return ['wait', 'paused'];
  if (running?.trouble) return ['bad', 'waiting for the API'];
  return ['good', counts.waiting > 0 ? 'delivering' : 'nothing waits'];
}

/** @param {Status} now */
function showStatus(now) {
  status = now;
  const [feeling, words] = mood(now);
  at('state').dataset['mood'] = feeling;
  if (at('state').textContent !== words) at('state').textContent = words;
  document.title = `${now.counts.waiting > 0 ? `(${number.format(now.counts.waiting)}) ` : ''}Newsletter relay`;
  pause.textContent = now.paused ? 'Resume delivery' : 'Pause delivery';

  const trouble = now.running?.storeTrouble ?? now.running?.trouble ?? '';
  at('trouble').hidden = !trouble;
  if (at('trouble').textContent !== trouble) at('trouble').textContent = trouble;

  const oldest = now.oldestWaitingSince === null ? 'none' : age(Math.max(0, Date.now() - now.oldestWaitingSince));
  /** @type {[string, string, string][]} */
  const tiles = [
    ['Waiting', number.format(now.counts.waiting), ''],
    [
      'Oldest waiting',
      oldest,
      now.oldestWaitingSince !== null && Date.now() - now.oldestWaitingSince > 900_000 ? 'wait' : '',
    ],
    ['Delivered', number.format(now.counts.delivered), ''],
    ['Review', number.format(now.counts.review), now.counts.review > 0 ? 'wait' : ''],
    ['Dead letters', number.format(now.counts.dead), now.counts.dead > 0 ? 'bad' : ''],
  ];
  at('tiles').replaceChildren(
    ...tiles.map(([name, value, feeling]) =>
      make('div', { 'data-mood': feeling }, make('dt', {}, name), make('dd', {}, value)),
    ),
  );
  showHour(now.running?.minutes ?? []);
  showReasons(now);
}

/** @param {readonly Minute[]} minutes */
function showHour(minutes) {
  const sum = (/** @type {'kept' | 'refused' | 'delivered'} */ rate) =>
    minutes.reduce((total, minute) => total + minute[rate], 0);
  const legend = `${number.format(sum('kept'))} taken (bars), ${number.format(sum('delivered'))} delivered (line), ${number.format(sum('refused'))} refused (red)`;
  if (at('legend').textContent !== legend) at('legend').textContent = legend;
  const most = Math.max(1, ...minutes.map(({ kept, refused, delivered }) => Math.max(kept + refused, delivered)));
  const height = (/** @type {number} */ count) => (count / most) * 110;
  const shape = (/** @type {string} */ name, /** @type {Record<string, string | number>} */ attributes) => {
    const element = document.createElementNS('http://www.w3.org/2000/svg', name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
    return element;
  };
  at('chart').replaceChildren(
    shape('line', { class: 'base', x1: 0, y1: 120, x2: 600, y2: 120 }),
    ...minutes.flatMap(({ kept, refused }, index) => [
      shape('rect', { class: 'kept', x: index * 10 + 1, width: 8, y: 120 - height(kept), height: height(kept) }),
      shape('rect', {
        class: 'refused',
        x: index * 10 + 1,
        width: 8,
        y: 120 - height(kept + refused),
        height: height(refused),
      }),
    ]),
    shape('polyline', {
      class: 'delivered',
      points: minutes.map(({ delivered }, index) => `${index * 10 + 5},${120 - height(delivered)}`).join(' '),
    }),
  );
}

/** @param {Status} now */
function showReasons({ deadByReason, counts }) {
  at('dead').hidden = counts.dead === 0;
  at('review').hidden = counts.review === 0;
  // Left alone while nothing changed, so that focus and scroll stay where they are.
  const key = JSON.stringify(deadByReason);
  if (at('reasons').dataset['key'] !== key) {
    at('reasons').dataset['key'] = key;
    at('reasons').replaceChildren(
      ...deadByReason.map(({ reason, count }) =>
        make(
          'li',
          {},
          make('span', {}, make('strong', {}, `${number.format(count)} × `), reason),
          redriveButton('Redrive all of these', { state: 'dead', reason }),
        ),
      ),
    );
  }
  showList('letters', 'dead', counts.dead);
  showList('suspects', 'review', counts.review);
}

/**
 * The signups themselves, opened when somebody wants to see them.
 *
 * @param {string} place
 * @param {'dead' | 'review'} state
 * @param {number} count
 */
function showList(place, state, count) {
  const before = at(place).querySelector('summary');
  const title = `Show ${number.format(count)} one by one`;
  if (before) {
    before.textContent = title;
    return;
  }
  const rows = make('div', {});
  const details = make('details', {}, make('summary', {}, title), rows);
  details.addEventListener('toggle', () => {
    rows.replaceChildren();
    if (details.hasAttribute('open')) void act(() => showMore(rows, state, ''));
  });
  at(place).append(details);
}

/**
 * @param {HTMLElement} rows
 * @param {string} state
 * @param {string} after
 */
async function showMore(rows, state, after) {
  /** @type {{ signups: StoredSignup[] }} */
  const { signups } = await ask(
    `signups?${new URLSearchParams({ state, limit: String(shown), ...(after && { after }) })}`,
  );
  rows.append(...signups.map(row));
  const next = signups.at(-1)?.id;
  if (signups.length < shown || !next) return;
  const more = make('button', { type: 'button' }, 'Show more');
  more.addEventListener('click', () => {
    more.remove();
    void act(() => showMore(rows, state, next));
  });
  rows.append(more);
}

/** @param {StoredSignup} signup */
function row({ id, form, state, submission, receivedAt, attempts, reason }) {
  const when = make('time', { datetime: new Date(receivedAt).toISOString() }, new Date(receivedAt).toLocaleString());
  const said = reason ?? (state === 'review' ? 'Suspected' : '');
  return make(
    'article',
    {},
    make('p', { class: 'address' }, submission?.email ?? '(erased)'),
    make(
      'p',
      { class: 'soft' },
      when,
      ` · form ${form} · ${attempts} ${attempts === 1 ? 'attempt' : 'attempts'} · ${said}`,
    ),
    redriveButton(state === 'review' ? 'Let through' : 'Redrive', { id }, true),
  );
}

/**
 * @param {string} label
 * @param {Record<string, string>} filter
 * @param {boolean} [single] whether it stands beside one signup, which then leaves the list
 */
function redriveButton(label, filter, single = false) {
  const button = make('button', { type: 'button' }, label);
  button.addEventListener('click', () => {
    void act(async () => {
      if (button.getAttribute('aria-disabled')) return;
      button.setAttribute('aria-disabled', 'true');
      try {
        const { redriven } = await ask(`redrive?${new URLSearchParams(filter)}`, { method: 'POST' });
        say(redriven === 1 ? 'Put back in line.' : `${number.format(redriven)} signups put back in line.`);
        if (single) button.closest('article')?.remove();
        else at('letters').replaceChildren();
        await refresh();
      } finally {
        button.removeAttribute('aria-disabled');
      }
    });
  });
  return button;
}

/** Does something, and says where it went wrong. @param {() => Promise<void>} work */
async function act(work) {
  try {
    await work();
  } catch (error) {
    if (error instanceof SignedOut) signOut('That token is not the one. Copy it again, without spaces.');
    else
      say(
        error instanceof TypeError
          ? 'The relay does not answer.'
          : String(error instanceof Error ? error.message : error),
      );
  }
}

async function refresh() {
  clearTimeout(timer);
  try {
    showStatus(await ask('status'));
    for (const id of ['board', 'pause', 'leave']) at(id).hidden = false;
    enter.hidden = true;
    timer = setTimeout(() => void refresh(), refreshMs);
  } catch (error) {
    if (error instanceof SignedOut)
      return signOut(sessionStorage.getItem(kept) ? 'That token is not the one. Copy it again, without spaces.' : '');
    at('state').dataset['mood'] = 'bad';
    at('state').textContent = 'no answer';
    timer = setTimeout(() => void refresh(), refreshMs);
  }
}

/** @param {string} why */
function signOut(why) {
  clearTimeout(timer);
  sessionStorage.removeItem(kept);
  for (const id of ['board', 'pause', 'leave']) at(id).hidden = true;
  enter.hidden = false;
  at('state').textContent = 'signed out';
  at('state').removeAttribute('data-mood');
  at('wrong').textContent = why;
  token.value = '';
  token.focus();
}

enter.addEventListener('submit', (event) => {
  event.preventDefault();
  sessionStorage.setItem(kept, token.value.trim());
  void refresh();
});
at('leave').addEventListener('click', () => signOut(''));
pause.addEventListener('click', () => {
  void act(async () => {
    await ask(status?.paused ? 'resume' : 'pause', { method: 'POST' });
    await refresh();
  });
});
document.addEventListener(
  'visibilitychange',
  () => document.visibilityState === 'visible' && !at('board').hidden && void refresh(),
);
void refresh();
