/** Starting over: everything is replaced by a seed. Asked for in a dialog, for nothing comes back. */
import { ask } from './control.js';
import { fill, find, h } from './dom.js';
import { counted } from './format.js';
import { complain, notify } from './pieces.js';

const seeds = [
  ['', 'The one it was started with'],
  ['demo', 'demo – a publication that has lived for three years'],
  ['empty', 'empty – a publication without subscribers'],
];

export function createReset() {
  const dialog = find('reset', HTMLDialogElement);
  const seed = h('select', { id: 'reset-seed' }, ...seeds.map(([value, text]) => h('option', { value }, text)));
  fill(
    dialog,
    h('h2', { id: 'reset-title' }, 'Start over?'),
    h(
      'form',
      { method: 'dialog', on: { submit: () => void reset() } },
      h(
        'p',
        { class: 'soft' },
        'Every subscriber, job, mail, fault and request of this sandbox is forgotten, and the clock goes back to real time.',
      ),
      h('div', { class: 'field' }, h('label', { for: 'reset-seed' }, 'Start with'), seed),
      h(
        'div',
        { class: 'buttons' },
        h('button', { type: 'button', on: { click: () => dialog.close() } }, 'Cancel'),
        h('button', { class: 'primary' }, 'Reset'),
      ),
    ),
  );
  find('open-reset', HTMLButtonElement).addEventListener('click', () => dialog.showModal());

  async function reset() {
    try {
      const { subscriptions } = await ask('/reset', { method: 'POST', body: seed.value ? { seed: seed.value } : {} });
      notify(`Started over with ${counted(subscriptions, 'subscriber')}.`);
    } catch (error) {
      complain(error);
    }
  }
}
