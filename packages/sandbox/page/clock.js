/** The clock: what time the sandbox has, moving it, stopping it. */
import { ask } from './control.js';
import { fill, find, h } from './dom.js';
import { counted } from './format.js';
import { complain, facts, notify, panel } from './pieces.js';

const steps = [
  ['PT1M', '1 minute'],
  ['PT1H', '1 hour'],
  ['P1D', '1 day'],
  ['P14D', '14 days'],
];

/** @returns {import('./window.js').View} */
export function createClock() {
  const face = h('p', { class: 'clock-face', id: 'clock-face' });
  const due = h('div');
  const freeze = h('button', { type: 'button', on: { click: () => void move({ freeze: !frozen }) } });
  const duration = h('input', {
    name: 'duration',
    placeholder: 'P1M, PT90S …',
    title: 'ISO 8601: P1M is a month, PT90S are 90 seconds',
    'aria-label': 'Another duration, in ISO 8601: P1M is a month, PT90S are 90 seconds',
    required: true,
    size: 14,
  });
  const element = panel(
    'clock',
    'Clock',
    h(
      'p',
      { class: 'lead' },
      'The sandbox has a clock of its own. Move it forward, and everything that is due by then happens, in order: addresses are checked, jobs run, automations send their next e-mail, tokens expire, deletions are carried out.',
    ),
    h(
      'div',
      { class: 'scroll' },
      h(
        'div',
        { class: 'inner' },
        h('div', {}, face, h('p', { class: 'soft', id: 'clock-zone' }, 'in your time zone')),
        h(
          'div',
          { class: 'row' },
          ...steps.map(([advance, text]) =>
            h('button', { type: 'button', on: { click: () => void move({ advance }) } }, `+ ${text}`),
          ),
          freeze,
        ),
        h(
          'form',
          {
            class: 'row',
            on: {
              submit: (event) => {
                event.preventDefault();
                void move({ advance: duration.value.trim() });
              },
            },
          },
          duration,
          h('button', {}, 'Move forward'),
        ),
        due,
      ),
    ),
  );

  /** Between this machine's clock and the sandbox's, in milliseconds. */
  let ahead = 0;
  let now = Date.now();
  let frozen = false;

  const show = () => {
    const date = new Date(frozen ? now : Date.now() + ahead);
    const text = date.toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
    if (face.textContent === text) return;
    fill(face, text);
    fill(find('now', HTMLElement), `${text}${frozen ? ' (stopped)' : ''}`);
    find('now', HTMLElement).setAttribute('aria-label', `The sandbox's clock: ${text}`);
  };

  /** @param {any} state */
  function take(state) {
    now = Date.parse(state.now);
    ahead = now - Date.now();
    frozen = state.frozen;
    fill(freeze, frozen ? 'Start the clock' : 'Stop the clock');
    fill(face);
    show();
    fill(
      due,
      facts([
        ['Scheduled', state.due.count === 0 ? 'nothing' : counted(state.due.count, 'event')],
        ['Next', state.due.next && `${state.due.next.kind}, ${new Date(state.due.next.at).toLocaleString()}`],
      ]),
    );
  }

  /** @param {unknown} body */
  async function move(body) {
    try {
      const state = await ask('/clock', { method: 'POST', body });
      take(state);
      const happened = Object.entries(state.happened).map(([kind, count]) => `${count} × ${kind}`);
      notify(
        happened.length === 0 ? 'The clock was moved; nothing was due.' : `Happened meanwhile: ${happened.join(', ')}.`,
      );
    } catch (error) {
      complain(error);
    }
  }

  setInterval(show, 250);
  return { name: 'clock', title: 'Clock', element, follows: true, refresh: async () => take(await ask('/clock')) };
}
