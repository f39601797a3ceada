/** One request in full: why it was answered as it was, both messages, and what to do with it next. */
import { ask } from './control.js';
import { curlOf, keyVariable } from './curl.js';
import { h } from './dom.js';
import { codeTag, moment, words } from './format.js';
import { bodyView } from './json-view.js';
import { complain, copyButton, facts } from './pieces.js';

/**
 * @typedef {{ headers: Record<string, string>, body: string | null, cutFrom: number | null }} Message
 *
 * @typedef {object} Example
 * @property {string} method
 * @property {string} target
 * @property {boolean} authorized
 * @property {string | null} contentType
 * @property {string | null} body
 *
 * @typedef {{ request: string, change: { field: string, to: unknown }[], example?: Example | null }} Nearest
 *
 * @typedef {object} Messages
 * @property {string} target
 * @property {Message | null} request
 * @property {Message | null} response
 * @property {Nearest | null} nearest
 *
 * @typedef {import('./requests.js').Entry & Messages} Exchange
 */

/**
 * @typedef {object} Surroundings
 * @property {string} title - what the operation does, in words
 * @property {number | undefined} later - number of the request that repeats this one
 * @property {readonly { key: string, title: string }[]} keys - to send it again with
 * @property {(n: number) => void} open - shows another request
 * @property {() => void} close
 */

/** @param {Exchange} exchange @param {Surroundings} around */
export function detailOf(exchange, { title, later, keys, open, close }) {
  const { n, method, target, status, milliseconds, time, operation, reasons, nearest, request, response, repeats } =
    exchange;
  const link = (/** @type {number} */ other, /** @type {string} */ text) =>
    h('button', { type: 'button', class: 'link', on: { click: () => open(other) } }, text);
  const refused = status === 0 || status >= 400;
  return [
    h(
      'div',
      { class: 'head' },
      h('h3', { id: 'request-title' }, `Request ${n}`, h('span', { class: 'soft' }, ` ${title}`)),
      h('button', { type: 'button', class: 'quiet', on: { click: close } }, 'Close'),
    ),
    h('p', { class: 'mono target', dir: 'ltr' }, h('b', {}, method), ' ', target),
    h(
      'p',
      { class: 'outcome' },
      codeTag(status),
      ' ',
      status === 0 ? '' : phrase(status),
      h('small', {}, `${milliseconds} ms · `, moment(new Date(time)), operation && ` · ${operation}`),
    ),
    (repeats !== null || later !== undefined) &&
      h(
        'p',
        {},
        repeats !== null && link(repeats, `Sends request ${repeats} again`),
        repeats !== null && later !== undefined && ' · ',
        later !== undefined && link(later, `Was sent again as request ${later}`),
      ),
    reasons.length > 0 &&
      h(
        'div',
        { class: 'reasons-box', 'data-mood': status === 0 || status >= 500 ? 'bad' : refused ? 'wait' : 'calm' },
        h('h4', {}, refused ? 'Why it was refused' : 'Good to know'),
        h('ul', {}, ...reasons.map((reason) => h('li', {}, reason))),
      ),
    actions(exchange, keys, open),
    nearest && nearest.change.length > 0 && nearestOf(nearest),
    request ? message('Request', 'request', request) : gone('request'),
    response
      ? message('Answer', 'answer', response)
      : status === 0
        ? h('section', {}, h('h4', {}, 'Answer'), h('p', { class: 'soft' }, 'None: the connection was broken first.'))
        : request && gone('answer'),
  ];
}

/** @param {Exchange} exchange @param {Surroundings['keys']} keys @param {(n: number) => void} open */
function actions({ n, method, target, request }, keys, open) {
  if (!request) return null;
  const whole = request.cutFrom === null && request.body !== null;
  const secret = `${target}${request.body ?? ''}`.includes('[hidden]');
  const key = h(
    'select',
    { id: 'again-key' },
    ...keys.map((one) => h('option', { value: one.key }, one.title)),
    h('option', { value: '' }, 'no key'),
  );
  const send = h(
    'button',
    {
      type: 'button',
      class: 'primary',
      disabled: !whole || secret,
      on: {
        click: () => {
          send.disabled = true;
          ask(`/requests/${n}/send`, { method: 'POST', body: { key: key.value || null } })
            .then(({ data }) => open(data.n), complain)
            .finally(() => {
              send.disabled = false;
            });
        },
      },
    },
    'Send again',
  );
  const curl = curlOf({ url: location.origin + target, method, headers: request.headers, body: request.body });
  const notes = [
    'authorization' in request.headers &&
      (request.headers['authorization']?.startsWith('Basic')
        ? 'The curl command reads the OAuth client from $NEWSLETTER_OAUTH_CLIENT_ID and $NEWSLETTER_OAUTH_CLIENT_SECRET.'
        : `The curl command reads the key from ${keyVariable}, so that it can be shared.`),
    !whole && 'The body was too long to be kept, so it can be neither copied nor sent again.',
    whole &&
      secret &&
      'It held a secret, which the log does not keep: put it where the command says [hidden]. It can’t be sent again from here.',
  ].filter(Boolean);
  return h(
    'div',
    { class: 'again' },
    h(
      'div',
      { class: 'row' },
      whole && copyButton(curl, 'request as curl', 'Copy as curl'),
      send,
      h('label', { class: 'check', for: 'again-key' }, 'with', key),
    ),
    notes.length > 0 && h('small', {}, notes.join(' ')),
  );
}

/** @param {NonNullable<Exchange['nearest']>} nearest */
function nearestOf({ request, change, example }) {
  const curl =
    example &&
    curlOf({
      url: location.origin + example.target,
      method: example.method,
      headers: {
        ...(example.authorized && { Authorization: 'Bearer' }),
        ...(example.contentType !== null && { 'Content-Type': example.contentType }),
      },
      body: example.body,
    });
  return h(
    'section',
    { class: 'nearest' },
    h('h4', {}, 'Nearest valid request'),
    h('p', { class: 'soft' }, 'Change this, and it is accepted:'),
    h('ul', {}, ...change.map(({ field, to }) => h('li', {}, h('code', {}, field), ' → ', h('code', {}, words(to))))),
    curl
      ? [
          h('pre', { tabindex: 0, role: 'group', 'aria-label': 'Nearest valid request as curl', dir: 'ltr' }, curl),
          h('div', { class: 'row' }, copyButton(curl, 'nearest valid request', 'Copy as curl')),
        ].reduce((all, one) => (all.append(one), all), h('div', { class: 'ready' }))
      : h('code', { dir: 'ltr' }, request),
  );
}

/** @param {string} title @param {string} name @param {Message} message */
function message(title, name, { headers, body, cutFrom }) {
  const type = headers['content-type'] ?? '';
  const form = type.startsWith('application/x-www-form-urlencoded') && body ? [...new URLSearchParams(body)] : [];
  const names = Object.entries(headers);
  return h(
    'section',
    { class: 'message' },
    h(
      'div',
      { class: 'head' },
      h('h4', {}, title, type && h('small', {}, ` ${type.split(';')[0]}`)),
      body && copyButton(body, `body of the ${name}`),
    ),
    h(
      'details',
      {},
      h('summary', {}, `Headers (${names.length})`),
      facts(names.map(([header, value]) => [header, h('code', { dir: 'ltr' }, value)])),
    ),
    body === null
      ? h('p', { class: 'soft' }, 'The body was not read: it is too long, or was sent as a stream.')
      : body === ''
        ? h('p', { class: 'soft' }, 'No body.')
        : form.length > 0
          ? facts(form.map(([field, value]) => [field, h('code', { dir: 'ltr' }, value)]))
          : bodyView(body, `Body of the ${name}`),
    cutFrom !== null &&
      h(
        'p',
        { class: 'soft' },
        `Only the beginning is shown; the whole body has ${cutFrom.toLocaleString()} characters.`,
      ),
  );
}

/** @param {string} what */
const gone = (what) => h('p', { class: 'soft' }, `The ${what} is no longer kept: newer requests needed the memory.`);

/** The phrase of a status, as in RFC 9110, or nothing. @param {number} status */
function phrase(status) {
  return (
    {
      200: 'OK',
      201: 'Created',
      204: 'No content',
      302: 'Redirect',
      400: 'Bad request',
      401: 'Not authenticated',
      403: 'Not allowed',
      404: 'Not found',
      405: 'Method not allowed',
      409: 'Conflict',
      413: 'Body too large',
      429: 'Too many requests',
      500: 'Server error',
      502: 'Bad gateway',
      503: 'Not available',
      504: 'Gateway timeout',
    }[status] ?? ''
  );
}
