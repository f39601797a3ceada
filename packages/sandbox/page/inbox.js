/** The inbox: the e-mails the service would have sent, with a button where a subscriber would click. */
import { ask } from './control.js';
import { fill, h } from './dom.js';
import { moment, number, statusTag } from './format.js';
import { complain, notify, panel } from './pieces.js';

/**
 * @typedef {{ id: string, to: string, kind: string, subject: string, sent: string, links: { confirm?: string,
 *   unsubscribe?: string }, subscriber_status?: string | null }} Message
 */

/**
 * @param {import('./window.js').Badge} badge
 * @returns {import('./window.js').View}
 */
export function createInbox(badge) {
  const list = h('ol', { class: 'entries' });
  const empty = h(
    'p',
    { class: 'empty' },
    'No e-mail yet. Confirmation, welcome and automation e-mails arrive here instead of at your subscribers.',
  );
  const clear = h(
    'button',
    {
      type: 'button',
      on: {
        click: () =>
          void act('/inbox', 'DELETE')
            .then((answer) => answer && refresh())
            .catch(complain),
      },
    },
    'Delete all',
  );
  const tools = h('div', { class: 'tools' }, clear);
  /**
   * One element per e-mail, so that an opened one stays open. @type {Map<string, { item: HTMLLIElement, state: string
   * }>}
   */
  let items = new Map();

  async function refresh() {
    /** @type {{ data: Message[], total: number }} */
    const { data, total } = await ask('/inbox');
    badge('inbox', total > 0 ? number(total) : '');
    empty.hidden = data.length > 0;
    tools.hidden = data.length === 0;
    items = new Map(
      data.map((message) => {
        const state = message.subscriber_status ?? '';
        const known = items.get(message.id);
        return [message.id, known?.state === state ? known : { item: itemOf(message, known?.item, refresh), state }];
      }),
    );
    const wanted = [...items.values()].map(({ item }) => item);
    if (wanted.length !== list.children.length || wanted.some((item, index) => item !== list.children[index]))
      fill(list, ...wanted);
  }

  return {
    name: 'inbox',
    title: 'Inbox',
    element: panel(
      'inbox',
      'Inbox',
      h('p', { class: 'lead' }, 'The e-mails that the service would send. None of them leaves this machine.'),
      tools,
      h('div', { class: 'scroll', tabindex: 0, role: 'group', 'aria-label': 'E-mails' }, list, empty),
    ),
    follows: true,
    refresh,
  };
}

/** @param {string} path @param {string} method */
async function act(path, method) {
  try {
    return await ask(path, { method });
  } catch (error) {
    complain(error);
    return null;
  }
}

/**
 * @param {Message} message
 * @param {HTMLLIElement | undefined} before - the same e-mail as it stood
 * @param {() => Promise<void>} refresh
 */
function itemOf({ id, to, kind, subject, sent, links, subscriber_status: status }, before, refresh) {
  const path = `/inbox/${encodeURIComponent(id)}`;
  const click = (/** @type {'confirm' | 'unsubscribe'} */ link) => async () => {
    const answer = await act(`${path}/${link}`, 'POST');
    if (!answer) return;
    notify(`The subscription is ${answer.data.status} now.`);
    await refresh().catch(complain);
  };
  const reading = h(
    'details',
    { open: before?.querySelector('details')?.open ?? false },
    h('summary', {}, 'Show the e-mail'),
  );
  const show = () => {
    if (reading.open && !reading.querySelector('iframe'))
      reading.append(
        h('iframe', {
          src: `/_sandbox${path}/html`,
          title: subject,
          sandbox: 'allow-popups allow-popups-to-escape-sandbox',
        }),
      );
  };
  reading.addEventListener('toggle', show);
  show();
  const confirm = links.confirm !== undefined && (status === undefined || status === 'pending');
  return h(
    'li',
    {},
    h('div', { class: 'line' }, h('b', {}, subject), ' ', status && statusTag(status), ' ', moment(new Date(sent))),
    h('p', { class: 'soft' }, `${kind[0]?.toUpperCase()}${kind.slice(1)} e-mail to ${to}`),
    h(
      'div',
      { class: 'actions' },
      confirm &&
        h(
          'button',
          {
            type: 'button',
            class: 'primary',
            'aria-label': `Confirm for ${to}`,
            on: { click: () => void click('confirm')() },
          },
          'Confirm',
        ),
      links.unsubscribe !== undefined &&
        status !== 'inactive' &&
        h(
          'button',
          { type: 'button', 'aria-label': `Unsubscribe ${to}`, on: { click: () => void click('unsubscribe')() } },
          'Unsubscribe',
        ),
    ),
    reading,
  );
}
