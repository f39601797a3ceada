/** JSON Schema as a person reads it: names, types in words, what is allowed, nested parts on demand. */
import { h } from './dom.js';

/** @typedef {import('./docs.js').Description} Description */

/**
 * The properties of a schema as a list; a schema without properties as one line.
 *
 * @param {any} schema
 * @param {Description} description
 * @param {number} [depth]
 * @returns {HTMLElement}
 */
export function schemaView(schema, description, depth = 0) {
  const plain = resolve(schema, description);
  if (plain.oneOf)
    return h(
      'div',
      {},
      ...plain.oneOf.flatMap((/** @type {any} */ one, /** @type {number} */ index) => [
        index > 0 && h('p', { class: 'soft' }, 'or'),
        schemaView(one, description, depth),
      ]),
    );
  if (!plain.properties) return h('p', { class: 'type' }, typeOf(plain));
  const required = new Set(plain.required ?? []);
  const items = Object.entries(plain.properties).map(([name, property]) => {
    const inner = innerObject(property, description);
    return h(
      'li',
      {},
      ...typeLine(name, property, required.has(name)),
      words(property.description),
      inner && depth < 4 && h('details', {}, h('summary', {}, 'Fields'), schemaView(inner, description, depth + 1)),
    );
  });
  return items.length > 0 ? h('ul', { class: 'schema' }, ...items) : h('p', { class: 'type' }, 'an object');
}

/**
 * Name, type, whether it is required, its default, and what it may hold.
 *
 * @param {string} name
 * @param {any} schema
 * @param {boolean} required
 * @param {import('./dom.js').Child} [aside]
 */
export function typeLine(name, schema, required, aside) {
  const values = valuesOf(schema);
  return [
    h('span', { class: 'name' }, name),
    h('span', { class: 'type' }, typeOf(schema)),
    required && h('span', { class: 'required' }, 'required'),
    schema.default !== undefined && h('small', {}, 'default ', h('code', {}, JSON.stringify(schema.default))),
    aside,
    values &&
      h(
        'div',
        { class: 'values' },
        ...values.words.flatMap((/** @type {string} */ word) => [h('code', {}, word === '' ? '(empty)' : word), ' ']),
        values.open && 'or another',
      ),
  ];
}

/**
 * A description, with its names as code.
 *
 * @param {string | undefined} text
 */
export function words(text) {
  return (
    text !== undefined &&
    h('div', { class: 'soft' }, ...text.split('`').map((part, index) => (index % 2 === 1 ? h('code', {}, part) : part)))
  );
}

/**
 * @param {any} schema
 * @param {Description} description
 * @returns {any}
 */
export function resolve(schema, description) {
  return schema.$ref ? description.components.schemas[schema.$ref.split('/').at(-1)] : schema;
}

/** @param {any} schema @returns {string} */
function typeOf(schema) {
  if (schema.$ref) return schema.$ref.split('/').at(-1);
  if (schema.anyOf) return [...new Set(schema.anyOf.map((/** @type {any} */ one) => typeOf(one)))].join(' or ');
  if (Array.isArray(schema.type)) return schema.type.join(' or ');
  if (schema.type === 'array') return `list of ${typeOf(schema.items ?? {})}`;
  if (schema.const !== undefined) return `“${schema.const}”`;
  const bounds = [schema.minimum, schema.maximum].every((bound) => bound !== undefined)
    ? ` ${schema.minimum}–${schema.maximum}`
    : '';
  return `${schema.type ?? 'anything'}${bounds}${schema.format ? ` (${schema.format === 'idn-email' ? 'e-mail address' : schema.format})` : ''}`;
}

/**
 * The words a schema allows; `open` where others may come.
 * @param {any} schema
 * @returns {{ words: string[], open: boolean } | null}
 */
function valuesOf(schema) {
  if (schema.enum) return { words: schema.enum, open: false };
  if (schema.items) return valuesOf(schema.items);
  const listed = schema.anyOf?.find((/** @type {any} */ one) => one.enum);
  return listed
    ? { words: listed.enum, open: schema.anyOf.some((/** @type {any} */ one) => one.type === 'string' && !one.enum) }
    : null;
}

/**
 * The object a property holds, by itself, in a list, or as one choice.
 * @param {any} schema
 * @param {Description} description
 * @returns {any}
 */
function innerObject(schema, description) {
  const plain = resolve(schema, description);
  if (plain.properties) return plain;
  if (plain.items) return innerObject(plain.items, description);
  return plain.anyOf?.map((/** @type {any} */ one) => innerObject(one, description)).find(Boolean) ?? null;
}
