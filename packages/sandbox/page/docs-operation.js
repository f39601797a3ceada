/** One operation to read: where, who may, what it takes, what it answers, what is assumed. */
import { find, h } from './dom.js';
import { codeTag } from './format.js';
import { schemaView, typeLine, words } from './docs-schema.js';
import { tryIt } from './docs-try.js';

/** @typedef {import('./docs.js').Description} Description */

/**
 * @param {import('./docs.js').Operation} operation
 * @param {Description} description
 */
export function operationView(operation, description) {
  const { method, path, server, object } = operation;
  const [type, content] = Object.entries(object.requestBody?.content ?? {})[0] ?? [];
  const scopes = object.security.flatMap((/** @type {any} */ way) => way.oauth2 ?? []);
  return h(
    'article',
    {},
    h(
      'header',
      {},
      h('h2', {}, object.summary),
      h(
        'p',
        { class: 'address' },
        h('span', { class: 'method', 'data-method': method }, method.toUpperCase()),
        h('code', {}, server + path),
        h('button', { type: 'button', class: 'quiet', on: { click: toTry } }, 'Try it'),
      ),
      h(
        'p',
        { class: 'facts-line' },
        h('span', {}, h('code', {}, object.operationId)),
        h(
          'span',
          {},
          object.security.length === 0
            ? 'no bearer token'
            : scopes.length > 0
              ? `scope ${scopes.join(', ')}`
              : 'no scope named',
        ),
        h('span', {}, retries[/** @type {keyof typeof retries} */ (object['x-retry'])]),
      ),
      ...String(object.description)
        .split('\n\n')
        .map((paragraph) => words(paragraph)),
      h('p', { class: 'soft' }, h('small', {}, `Specification: ${object['x-specification']}`)),
    ),
    assumptions(object['x-assumed'] ?? []),
    object.parameters.length > 0 &&
      h(
        'section',
        {},
        h('h3', {}, 'Parameters'),
        h('ul', { class: 'schema' }, ...object.parameters.map((/** @type {any} */ one) => parameter(one))),
      ),
    content && h('section', {}, h('h3', {}, 'Body ', h('small', {}, type)), schemaView(content.schema, description)),
    h(
      'section',
      {},
      h('h3', {}, 'Answers'),
      h(
        'ul',
        { class: 'responses' },
        ...Object.entries(object.responses).map(([status, response]) => responseView(status, response, description)),
      ),
    ),
    tryIt(operation),
  );
}

/** Not a link: the address of the page names the operation. */
function toTry() {
  const form = find('try', HTMLElement);
  form.scrollIntoView({ behavior: 'smooth', block: 'start' });
  form.querySelector('button')?.focus({ preventScroll: true });
}

const retries = {
  safe: 'reads only: may be repeated',
  upsert: 'ends in the same state however often it arrives',
  once: 'a second arrival does harm: repeat only when the first did not happen',
};

/** @param {readonly string[]} sentences */
function assumptions(sentences) {
  return (
    sentences.length > 0 &&
    h(
      'section',
      { class: 'assumed' },
      h('h3', {}, 'Assumed here, because the specification is silent'),
      h('ul', {}, ...sentences.map((sentence) => h('li', {}, sentence))),
    )
  );
}

/** @param {any} parameter */
function parameter({ name, in: place, required, schema, description, deprecated }) {
  const where = h('small', {}, `in the ${place}`, deprecated && ', deprecated');
  return h('li', {}, ...typeLine(name, schema, required, where), words(description));
}

/**
 * @param {string} status
 * @param {any} response
 * @param {Description} description
 */
function responseView(status, response, description) {
  const {
    description: meaning,
    content,
    headers = {},
  } = response.$ref ? description.components.responses[response.$ref.split('/').at(-1)] : response;
  const schema = content?.['application/json']?.schema;
  return h(
    'li',
    {},
    codeTag(Number(status)),
    h(
      'div',
      {},
      words(meaning),
      ...Object.entries(headers).map(([name, header]) =>
        h('div', {}, h('code', {}, name), h('small', {}, ` ${header.description}`)),
      ),
      schema && h('details', { open: Number(status) < 400 }, h('summary', {}, 'Body'), schemaView(schema, description)),
    ),
  );
}
