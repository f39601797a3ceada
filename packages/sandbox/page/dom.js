/**
 * Builds and finds elements. Whatever data is put in becomes text or an attribute: nothing here turns it into markup.
 */

/**
 * @typedef {Node | string | number | null | undefined | false} Child
 * @typedef {{ class?: string, on?: Record<string, (event: Event) => void>, [attribute: string]: unknown }} Attributes
 */

/**
 * An element with attributes and children. `true` sets an attribute without value; `false`, null and undefined leave it
 * out; `on` holds listeners by event.
 *
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Attributes} [attributes]
 * @param {...Child} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function h(tag, { on = {}, ...attributes } = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) element.setAttribute(name, '');
    else if (typeof value === 'string' || typeof value === 'number') element.setAttribute(name, String(value));
  }
  for (const [type, listener] of Object.entries(on)) element.addEventListener(type, listener);
  element.append(...present(children));
  return element;
}

/**
 * Puts `children` in the place of what an element holds.
 *
 * @param {Element} element
 * @param {...Child} children
 */
export function fill(element, ...children) {
  element.replaceChildren(...present(children));
}

/**
 * @template {Element} Kind
 * @param {string} id
 * @param {new () => Kind} kind
 * @returns {Kind}
 */
export function find(id, kind) {
  const element = document.getElementById(id);
  if (element instanceof kind) return element;
  throw new Error(`The page has no #${id}.`);
}

/**
 * @param {readonly Child[]} children
 * @returns {(Node | string)[]}
 */
function present(children) {
  return children.flatMap((child) => {
    if (child === null || child === undefined || child === false) return [];
    return child instanceof Node ? child : String(child);
  });
}
