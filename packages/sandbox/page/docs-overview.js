/** What to know before the first operation: where the API is, how to be let in, what errors look like. */
import { h } from './dom.js';
import { copyButton, facts } from './pieces.js';
import { schemaView } from './docs-schema.js';

/** @param {import('./docs.js').Description} description */
export function overview(description) {
  const { info, servers, components } = description;
  const [server] = servers;
  const flow = components.securitySchemes.oauth2.flows.authorizationCode;
  const copyable = (/** @type {string} */ text, /** @type {string} */ what) =>
    h('span', {}, h('code', {}, text), ' ', copyButton(text, what));
  return h(
    'article',
    { class: 'intro' },
    h(
      'header',
      {},
      h('h2', {}, info.title),
      h(
        'p',
        {},
        'Every operation can be read and tried here; what you send goes to this sandbox and changes it. Where the specification leaves something open, the operation says what is assumed.',
      ),
    ),
    h('section', {}, h('h3', {}, 'Address'), h('p', {}, server && copyable(server.url, 'base URL'))),
    h(
      'section',
      {},
      h('h3', {}, 'Authentication'),
      h(
        'p',
        {},
        'Send ',
        h('code', {}, 'Authorization: Bearer sandbox-key'),
        ', or an OAuth access token with the scope that the operation names.',
      ),
      facts([
        ['Authorize', h('code', {}, flow.authorizationUrl)],
        ['Token', h('code', {}, flow.tokenUrl)],
        ['Scopes', h('ul', {}, ...Object.keys(flow.scopes).map((scope) => h('li', {}, h('code', {}, scope))))],
      ]),
    ),
    h(
      'section',
      {},
      h('h3', {}, 'Errors'),
      h('p', {}, 'Every error of the API has this body.'),
      schemaView({ $ref: '#/components/schemas/ErrorBody' }, description),
    ),
  );
}
