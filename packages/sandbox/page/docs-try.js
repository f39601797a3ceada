/** Trying an operation: a form that really sends to the sandbox, and the answer as it came. */
import { curlOf, keyVariable } from './curl.js';
import { fill, h } from './dom.js';
import { codeTag } from './format.js';
import { complain, copyButton } from './pieces.js';

/**
 * @typedef {{ name: string, in: string, required?: boolean, schema: any, example?: string }} Parameter
 * @typedef {{ url: string, method: string, headers: Record<string, string>, body: string | null }} Composed
 */

/** Everyone's key; forgotten with the page. */
let bearer = 'sandbox-key';

/** @param {import('./docs.js').Operation} operation */
export function tryIt(operation) {
  const { object } = operation;
  /** @type {readonly Parameter[]} */
  const parameters = object.parameters;
  const [type, content] = Object.entries(object.requestBody?.content ?? {})[0] ?? ['', null];
  const key = h('input', {
    id: 'try-key',
    value: bearer,
    autocomplete: 'off',
    spellcheck: 'false',
    on: { input: () => (bearer = key.value) },
  });
  const fields = parameters.map(field);
  const body = bodyField(type, content);
  const answer = h('div', { class: 'answer', role: 'status', 'aria-live': 'polite' });
  const curl = h('code');

  const compose = () =>
    composed(operation, fields, object.security.length > 0 ? key.value.trim() : '', type, body?.read() ?? null);
  const redirects = '302' in object.responses;
  const form = h(
    'form',
    {
      on: {
        submit(event) {
          event.preventDefault();
          if (redirects) return void window.open(compose().url, '_blank', 'noopener');
          send(compose(), answer).catch(complain);
        },
        input: () => fill(curl, curlOf(compose())),
      },
    },
    h(
      'div',
      { class: 'grid' },
      object.security.length > 0 && labelled('try-key', 'Bearer token', key),
      ...fields.filter(({ wide }) => !wide).map(({ element }) => element),
    ),
    ...fields.filter(({ wide }) => wide).map(({ element }) => element),
    body?.element,
    h(
      'div',
      { class: 'row' },
      h('button', { class: 'primary' }, redirects ? 'Open in a new tab' : 'Send'),
      h(
        'small',
        {},
        redirects ? 'The page asks you to sign in and consent.' : 'This changes the sandbox as any other request does.',
      ),
    ),
    h(
      'details',
      {},
      h('summary', {}, 'As curl'),
      h('small', {}, `The key stands in it as ${keyVariable}.`),
      h('pre', { tabindex: 0 }, curl),
    ),
  );
  fill(curl, curlOf(compose()));
  return h(
    'section',
    { class: 'try', id: 'try', 'aria-labelledby': 'try-title' },
    h('h3', { id: 'try-title' }, 'Try it'),
    form,
    answer,
  );
}

/**
 * @param {Composed} request
 * @param {HTMLElement} answer
 */
async function send({ url, method, headers, body }, answer) {
  const started = performance.now();
  fill(answer, h('p', { class: 'soft' }, 'Sending …'));
  /** @type {Response} */
  let response;
  let text = '';
  try {
    response = await fetch(url, { method, headers, ...(body !== null && { body }) });
    text = await response.text();
  } catch {
    fill(answer, h('p', {}, 'No whole answer came: the connection broke. If a fault is set, this is its work.'));
    return;
  }
  const milliseconds = Math.round(performance.now() - started);
  const sent = [...response.headers].map(([name, value]) => `${name}: ${value}`).join('\n');
  fill(
    answer,
    h(
      'div',
      { class: 'row' },
      codeTag(response.status),
      ' ',
      h('small', {}, `${milliseconds} ms`),
      text !== '' && copyButton(pretty(text), 'answer'),
    ),
    h('pre', { tabindex: 0, 'aria-label': 'Answer' }, text === '' ? '(no body)' : pretty(text)),
    h('details', {}, h('summary', {}, 'Headers'), h('pre', { tabindex: 0 }, sent)),
  );
}

/** @param {string} text */
function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

/** @typedef {{ parameter: Parameter, element: HTMLElement, wide: boolean, read: () => string[] }} Field */

/** @param {Parameter} parameter @returns {Field} */
function field(parameter) {
  const { name, required = false, schema, example = '' } = parameter;
  const id = `try-${name.replace(/\W/g, '')}`;
  const words = schema.enum ?? schema.items?.enum;
  if (schema.type === 'array' && words) return checks(parameter, words);
  const control = words
    ? h(
        'select',
        { id },
        h('option', { value: '' }, '–'),
        ...words.map((/** @type {string} */ word) => h('option', { value: word }, word)),
      )
    : h('input', {
        id,
        required,
        value: example || (schema.const ?? ''),
        spellcheck: 'false',
        autocomplete: 'off',
        ...(schema.type === 'integer' && { type: 'number', min: schema.minimum, max: schema.maximum }),
        ...(schema.type === 'array' && { placeholder: 'several: separated by commas' }),
      });
  return {
    parameter,
    wide: false,
    element: labelled(id, name, control),
    read: () =>
      (schema.type === 'array' ? control.value.split(',').map((part) => part.trim()) : [control.value]).filter(Boolean),
  };
}

/**
 * A parameter that may be repeated, each value once.
 * @param {Parameter} parameter
 * @param {readonly string[]} words
 * @returns {Field}
 */
function checks(parameter, words) {
  const boxes = words.map((word) => h('input', { type: 'checkbox', value: word }));
  return {
    parameter,
    wide: true,
    element: h(
      'fieldset',
      {},
      h('legend', {}, parameter.name),
      h('div', { class: 'checks' }, ...boxes.map((box) => h('label', { class: 'check' }, box, box.value))),
    ),
    read: () => boxes.filter((box) => box.checked).map((box) => box.value),
  };
}

/**
 * The body as text to edit: JSON, or one `name=value` a line for forms.
 *
 * @param {string} type
 * @param {any} content
 */
function bodyField(type, content) {
  if (!content) return null;
  const form = type.includes('form');
  const write = (/** @type {any} */ value) =>
    form
      ? Object.entries(value ?? {})
          .map(([name, text]) => `${name}=${text}`)
          .join('\n')
      : JSON.stringify(value ?? {}, null, 2);
  const examples = Object.entries(content.examples ?? {});
  const [first] = examples;
  const area = h('textarea', { id: 'try-body', spellcheck: 'false', rows: 8 });
  area.value = write(first?.[1]?.value);
  area.rows = Math.min(24, area.value.split('\n').length + 1);
  const pick = h(
    'select',
    {
      'aria-label': 'Example',
      on: {
        change: () => {
          area.value = write(content.examples[pick.value].value);
        },
      },
    },
    ...examples.map(([name, example]) => h('option', { value: name }, example.summary)),
  );
  return {
    element: h(
      'div',
      { class: 'field' },
      h('label', { for: 'try-body' }, form ? 'Body, one name=value a line' : 'Body'),
      examples.length > 1 && pick,
      area,
    ),
    read: () =>
      form
        ? new URLSearchParams(
            area.value
              .split('\n')
              .filter(Boolean)
              .map((line) => [line.split('=')[0] ?? '', line.split('=').slice(1).join('=')]),
          ).toString()
        : area.value,
  };
}

/**
 * @param {string} id
 * @param {string} title
 * @param {HTMLElement} control
 */
function labelled(id, title, control) {
  return h('div', { class: 'field' }, h('label', { for: id }, title), control);
}

/**
 * @param {import('./docs.js').Operation} operation
 * @param {readonly Field[]} fields
 * @param {string} token
 * @param {string} type
 * @param {string | null} body
 * @returns {Composed}
 */
function composed({ method, path, server }, fields, token, type, body) {
  let filled = path;
  const query = new URLSearchParams();
  for (const { parameter, read } of fields) {
    if (parameter.in === 'path') filled = filled.replace(`{${parameter.name}}`, encodeURIComponent(read()[0] ?? ''));
    else for (const value of read()) query.append(parameter.name, value);
  }
  const search = query.size > 0 ? `?${query}` : '';
  return {
    url: server + filled + search,
    method: method.toUpperCase(),
    headers: { ...(token && { Authorization: `Bearer ${token}` }), ...(body !== null && { 'Content-Type': type }) },
    body,
  };
}
