// @ts-check
/** Shows how the relay is doing, every few seconds, and does what its operator asks. */

/** @typedef {import('../src/ops/operator.ts').Status} Status */
/** @typedef {import('../src/store/signup-store.ts').StoredSignup} StoredSignup */
/** @typedef {import('../src/store/signup-store.ts').ConsentRecord} ConsentRecord */
/** @typedef {import('../src/store/signup-store.ts').HeldAboutPerson} HeldAboutPerson */
/** @typedef {import('../src/ops/operator.ts').Minute} Minute */

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
const find = /** @type {HTMLFormElement} */ (at('find'));
const address = /** @type {HTMLInputElement} */ (at('address'));
const dialog = /** @type {HTMLDialogElement} */ (at('confirm'));
const keepConsent = /** @type {HTMLInputElement} */ (at('keep-consent'));

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
  return ['good', counts.waiting + counts.sent > 0 ? 'delivering' : 'nothing waits'];
}

/** @param {Status} now */
function showStatus(now) {
  status = now;
  const [feeling, words] = mood(now);
  at('state').dataset['mood'] = feeling;
  if (at('state').textContent !== words) at('state').textContent = words;
  const open = now.counts.waiting + now.counts.sent;
  document.title = `${open > 0 ? `(${number.format(open)}) ` : ''}Newsletter relay`;
  pause.textContent = now.paused ? 'Resume delivery' : 'Pause delivery';

  const trouble = now.running?.storeTrouble ?? now.running?.trouble ?? '';
  at('trouble').hidden = !trouble;
  if (at('trouble').textContent !== trouble) at('trouble').textContent = trouble;

  const oldest = now.oldestWaitingSince === null ? 'none' : age(Math.max(0, Date.now() - now.oldestWaitingSince));
  /** @type {[string, string, string][]} */
  const tiles = [
    ['Waiting', number.format(now.counts.waiting), ''],
    ['Sent, unanswered', number.format(now.counts.sent), ''],
    [
      'Oldest waiting',
      oldest,
      now.oldestWaitingSince !== null && Date.now() - now.oldestWaitingSince > 900_000 ? 'wait' : '',
    ],
    ['Delivered', number.format(now.counts.delivered), ''],
    ['Unconfirmed', number.format(now.counts.unconfirmed), ''],
    ['Review', number.format(now.counts.review), now.counts.review > 0 ? 'wait' : ''],
    ['Dead letters', number.format(now.counts.dead), now.counts.dead > 0 ? 'bad' : ''],
  ];
  at('tiles').replaceChildren(
    ...tiles.map(([name, value, feeling]) =>
      make('div', { 'data-mood': feeling }, make('dt', {}, name), make('dd', {}, value)),
    ),
  );
  showHour(now.running?.minutes ?? []);
  showForms(now);
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
function showForms({ forms }) {
  at('forms').hidden = forms.length === 0;
  at('backlogs').replaceChildren(
    ...forms.map(({ form, open, oldestSince }) =>
      make(
        'li',
        {},
        make('span', {}, make('strong', {}, number.format(open)), ` form ${form}`),
        oldestSince === null
          ? ''
          : make('span', { class: 'soft' }, `the oldest for ${age(Math.max(0, Date.now() - oldestSince))}`),
      ),
    ),
  );
}

/** @param {Status} now */
function showReasons({ deadByReason, counts }) {
  at('dead').hidden = counts.dead === 0;
  at('review').hidden = counts.review === 0;
  at('unconfirmed').hidden = counts.unconfirmed === 0;
  // Left alone while nothing changed, so that focus and scroll stay where they are.
  const key = JSON.stringify(deadByReason);
  if (at('reasons').dataset['key'] !== key) {
    at('reasons').dataset['key'] = key;
    at('reasons').replaceChildren(
      ...deadByReason.map(({ reason, count }) => {
        const filter = { state: 'dead', reason };
        const text = `This deletes the dead letters whose reason contains “${reason}”, ${number.format(count)} at present. They are never delivered. The consent ledger keeps its entries.`;
        return make(
          'li',
          {},
          make('span', {}, make('strong', {}, `${number.format(count)} × `), reason),
          // Without a reason the filter would mean every dead letter.
          ...(reason === ''
            ? []
            : [
                make(
                  'div',
                  { class: 'actions' },
                  redriveButton('Redrive all of these', filter),
                  discardButton('Discard all of these…', filter, text),
                ),
              ]),
        );
      }),
    );
  }
  showList('letters', 'dead', counts.dead);
  showList('suspects', 'review', counts.review);
  showList('unclicked', 'unconfirmed', counts.unconfirmed);
}

/**
 * The signups themselves, opened when somebody wants to see them.
 *
 * @param {string} place
 * @param {'dead' | 'review' | 'unconfirmed'} state
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
function row(signup) {
  const { form, state, submission, receivedAt, attempts, reason } = signup;
  const said = reason ?? (state === 'review' ? 'suspected' : state);
  return make(
    'article',
    {},
    make('p', { class: 'address' }, make('bdi', {}, submission?.email ?? '(erased)')),
    make(
      'p',
      { class: 'soft' },
      moment(receivedAt),
      ` · form ${form} · ${attempts} ${attempts === 1 ? 'attempt' : 'attempts'} · ${said}`,
    ),
    actionsOf(signup),
  );
}

/** What can be done with one signup. @param {StoredSignup} signup */
function actionsOf({ id, state, submission }) {
  const who = submission?.email ?? id;
  const text = `This deletes the signup of ${who}. It is never delivered. The consent ledger keeps its entry.`;
  const buttons = [
    ...(state === 'dead' || state === 'review'
      ? [redriveButton(state === 'review' ? 'Let through' : 'Redrive', { id }, true)]
      : []),
    ...(state === 'dead' || state === 'review' || state === 'unconfirmed'
      ? [discardButton('Discard…', { id, state }, text, true)]
      : []),
  ];
  return buttons.length > 0 ? make('div', { class: 'actions' }, ...buttons) : '';
}

/** @param {number} at */
function moment(at) {
  return make('time', { datetime: new Date(at).toISOString() }, new Date(at).toLocaleString());
}

/**
 * A button that is busy while its work lasts.
 *
 * @param {string} label
 * @param {(button: HTMLElement) => Promise<void>} work
 * @param {Record<string, string>} [attributes]
 */
function actionButton(label, work, attributes = {}) {
  const button = make('button', { type: 'button', ...attributes }, label);
  button.addEventListener('click', () => {
    void act(async () => {
      if (button.getAttribute('aria-disabled')) return;
      button.setAttribute('aria-disabled', 'true');
      try {
        await work(button);
      } finally {
        button.removeAttribute('aria-disabled');
      }
    });
  });
  return button;
}

/**
 * @param {string} label
 * @param {Record<string, string>} filter
 * @param {boolean} [single] whether it stands beside one signup, which then leaves the list
 */
function redriveButton(label, filter, single = false) {
  return actionButton(label, async (button) => {
    const { redriven } = await ask(`redrive?${new URLSearchParams(filter)}`, { method: 'POST' });
    say(redriven === 1 ? '1 signup waits for delivery.' : `${number.format(redriven)} signups wait for delivery.`);
    await leaveList(button, single);
  });
}

/**
 * @param {string} label
 * @param {Record<string, string>} filter
 * @param {string} text what happens, for the confirmation
 * @param {boolean} [single] whether it stands beside one signup, which then leaves the list
 */
function discardButton(label, filter, text, single = false) {
  return actionButton(label, async (button) => {
    if (!(await confirmed({ title: 'Delete for good?', text, yes: 'Delete' }))) return;
    const { discarded } = await ask(`discard?${new URLSearchParams(filter)}`, { method: 'POST' });
    say(discarded === 1 ? '1 signup deleted.' : `${number.format(discarded)} signups deleted.`);
    await leaveList(button, single);
  });
}

/**
 * After a signup left its state: takes it from the list, and the focus to where the list begins.
 *
 * @param {HTMLElement} button
 * @param {boolean} single
 */
async function leaveList(button, single) {
  const section = button.closest('section');
  const inPerson = button.closest('#person') !== null;
  if (single) button.closest('article')?.remove();
  else at('letters').replaceChildren();
  await refresh();
  if (inPerson) await search();
  else if (section && !section.hidden) focusOn(section.querySelector('summary, h2'));
  else at('main').focus();
}

/** @param {Element | null} element */
function focusOn(element) {
  if (!(element instanceof HTMLElement)) return;
  if (element.tabIndex < 0) element.tabIndex = -1;
  element.focus();
}

/**
 * Asks before something is deleted. Escape and Cancel mean no; the focus goes back to where it was.
 *
 * @param {{ title: string, text: string, yes: string, keep?: boolean }} question `keep`: offers to keep the ledger
 * @returns {Promise<boolean>}
 */
function confirmed({ title, text, yes, keep = false }) {
  at('confirm-title').textContent = title;
  at('confirm-text').textContent = text;
  at('confirm-yes').textContent = yes;
  at('keep').hidden = !keep;
  keepConsent.checked = false;
  dialog.returnValue = '';
  dialog.showModal();
  at('confirm-no').focus();
  return new Promise((resolve) => {
    dialog.addEventListener('close', () => resolve(dialog.returnValue === 'yes'), { once: true });
  });
}

/** @param {number} signups @param {number} entries */
function counted(signups, entries) {
  return `${number.format(signups)} ${signups === 1 ? 'signup' : 'signups'} and ${number.format(entries)} ${entries === 1 ? 'entry' : 'entries'} of the consent ledger`;
}

/** Shows everything held about the address that was entered. */
async function search() {
  const email = address.value.trim();
  if (email === '') return;
  /** @type {HeldAboutPerson} */
  const held = await ask('person', { method: 'POST', body: JSON.stringify({ address: email }) });
  const { signups, consents } = held;
  const none = signups.length + consents.length === 0;
  const title = make(
    'h3',
    { tabindex: '-1' },
    make('bdi', {}, email),
    none ? ': nothing is held' : `: ${counted(signups.length, consents.length)}`,
  );
  at('person').hidden = false;
  at('person').replaceChildren(
    title,
    ...(none
      ? []
      : [
          make(
            'div',
            { class: 'actions' },
            actionButton('Download everything', async () => download(held, 'held-about-person.json')),
            actionButton('Erase…', () => erase(email, held), { class: 'danger' }),
          ),
          ...signups.map(personSignup),
          ...consents.map(personConsent),
        ]),
  );
  title.focus();
}

/** @param {string} email @param {HeldAboutPerson} held */
async function erase(email, { signups, consents }) {
  const undelivered = signups.filter(({ state }) => state !== 'delivered').length;
  const text = `This deletes ${counted(signups.length, consents.length)} of ${email}. ${
    undelivered === 0
      ? ''
      : `${undelivered === 1 ? 'One signup that is' : `${number.format(undelivered)} signups that are`} not yet delivered never will be. `
  }What the newsletter service has of this person is not erased here.`;
  if (!(await confirmed({ title: 'Erase this person?', text, yes: 'Erase', keep: consents.length > 0 }))) return;
  const body = JSON.stringify({ address: email, keepConsent: keepConsent.checked });
  const erased = await ask('erase', { method: 'POST', body });
  say(`Erased: ${counted(erased.signups, erased.consents)}.`);
  await refresh();
  await search();
}

/** What was sent; all else has the API's names. @type {Readonly<Record<string, string | undefined>>} */
const sentNames = { email: 'E-mail address', consent: 'Consent' };

/** @param {StoredSignup} signup */
function personSignup(signup) {
  const { state, form, submission, origin, receivedAt, settledAt, reason, attempts } = signup;
  const { custom_fields: fields = [], ...rest } = submission ?? {};
  return make(
    'article',
    {},
    make('h4', {}, `Signup: ${state}`),
    facts([
      ['Received', moment(receivedAt)],
      ['Form', form],
      ['Site', origin],
      ['Attempts', String(attempts)],
      ['Settled', settledAt === null ? null : moment(settledAt)],
      ['Reason', reason],
      ...Object.entries(rest).map(
        ([name, value]) => /** @type {[string, string]} */ ([sentNames[name] ?? name, String(value)]),
      ),
      ...fields.map(({ name, value }) => /** @type {[string, string]} */ ([`Field “${name}”`, String(value)])),
    ]),
    actionsOf(signup),
  );
}

/** @param {ConsentRecord} entry */
function personConsent({ kind, at: given, form, sentence, version, page, visitor }) {
  return make(
    'article',
    {},
    make('h4', {}, kind === 'given' ? 'Consent: given with the form' : 'Consent: confirmed by the link in a mail'),
    facts([
      ['Given', moment(given)],
      ['Form', form],
      ['Sentence', sentence],
      ['Version', version],
      ['Page', page],
      ['Visitor', visitor],
    ]),
  );
}

/** What is known, as a list of terms. @param {readonly [string, string | Node | null][]} known */
function facts(known) {
  return make(
    'dl',
    { class: 'facts' },
    ...known
      .filter(([, value]) => value !== null)
      .map(([name, value]) => make('div', {}, make('dt', {}, name), make('dd', {}, make('bdi', {}, value ?? '')))),
  );
}

/** @param {unknown} value @param {string} name */
function download(value, name) {
  const url = URL.createObjectURL(new Blob([JSON.stringify(value, null, 2)], { type: 'application/json' }));
  const link = /** @type {HTMLAnchorElement} */ (make('a', { href: url, download: name }));
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
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
  for (const id of ['board', 'pause', 'leave', 'person']) at(id).hidden = true;
  // No address stays behind.
  for (const id of ['person', 'letters', 'suspects', 'unclicked']) at(id).replaceChildren();
  address.value = '';
  dialog.close();
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
find.addEventListener('submit', (event) => {
  event.preventDefault();
  void act(search);
});
at('confirm-yes').addEventListener('click', () => dialog.close('yes'));
at('confirm-no').addEventListener('click', () => dialog.close());
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
