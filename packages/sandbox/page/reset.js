/** Starting over: everything is replaced by a seed. Asked for in a dialog, for nothing comes back. */
import { ask } from './control.js';
import { fill, find, h } from './dom.js';
import { counted } from './format.js';
import { complain, notify } from './pieces.js';

const seeds = [
  ['', 'the seed it was started with'],
  ['demo', 'demo – 300 subscribers and three years of history'],
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
        'Every subscriber, job, e-mail, fault and logged request of this sandbox is deleted, and the clock goes back to real time.',
      ),
      h('div', { class: 'field' }, h('label', { for: 'reset-seed' }, 'Start with'), seed),
      h(
        'div',
        { class: 'buttons' },
        h('button', { type: 'button', on: { click: () => dialog.close() } }, 'Cancel'),
        h('button', { class: 'primary' }, 'Delete and start over'),
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
