/** What to tell a client so that it reaches this sandbox: addresses, ids, keys, OAuth clients – to copy. */
import { ask } from './control.js';
import { fill, h } from './dom.js';
import { counted } from './format.js';
import { copyButton, facts, panel } from './pieces.js';

/** @returns {import('./window.js').View} */
export function createConnection() {
  const inner = h('div', { class: 'inner' });
  return {
    name: 'connection',
    title: 'Addresses and keys',
    element: panel('connection', 'Addresses and keys', h('div', { class: 'scroll' }, inner)),
    async refresh() {
      fill(inner, ...content(await ask('/connection')));
    },
  };
}

/** @param {any} connection */
function content({ base_url, app_url, publications, keys, oauth_clients }) {
  const environment = [
    `NEWSLETTER_API_URL=${base_url}`,
    `NEWSLETTER_API_KEY=${keys[0]?.key ?? ''}`,
    `NEWSLETTER_PUBLICATION_ID=${publications[0]?.id ?? ''}`,
  ].join('\n');
  return [
    facts([
      ['Base URL', copyable(base_url, 'base URL')],
      ...publications.map((/** @type {any} */ { id, name }) => [
        `Publication “${name}”`,
        copyable(id, 'publication id'),
      ]),
      ...keys.map((/** @type {any} */ { key, publications: reach }) => [
        reach === null ? 'API key, whole workspace' : 'API key, one publication only',
        copyable(key, 'key'),
      ]),
    ]),
    part('OAuth 2.0', [
      facts([
        ['OAuth server', copyable(app_url, 'address of the OAuth server')],
        ['Authorize', copyable(`${app_url}/oauth/authorize`, 'authorization address')],
        ['Token', copyable(`${app_url}/oauth/token`, 'token address')],
      ]),
      ...oauth_clients.map((/** @type {any} */ { uid, name, secret, redirect_uris }) =>
        h(
          'div',
          { class: 'card' },
          h('b', {}, name),
          facts([
            ['Client id', copyable(uid, 'client id')],
            ['Client secret', secret === null ? 'none: a public client, with PKCE' : copyable(secret, 'client secret')],
            [
              'Allowed redirects',
              h(
                'details',
                {},
                h('summary', {}, counted(redirect_uris.length, 'address', 'addresses')),
                h('ul', {}, ...redirect_uris.map((/** @type {string} */ uri) => h('li', {}, h('code', {}, uri)))),
              ),
            ],
          ]),
        ),
      ),
    ]),
    part('As environment variables', [h('pre', {}, environment), h('div', {}, copyButton(environment, 'variables'))]),
  ];
}

/**
 * @param {string} text
 * @param {string} what
 */
const copyable = (text, what) => h('span', { class: 'copyable' }, h('code', {}, text), copyButton(text, what));

/**
 * @param {string} title
 * @param {readonly import('./dom.js').Child[]} children
 */
const part = (title, children) => h('section', { class: 'inner-part' }, h('h3', {}, title), ...children);
