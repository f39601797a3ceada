/**
 * Creates an element with these attributes, named as in `dataset`. No event handlers: a person who may write `data-*`
 * attributes may not be allowed to write code.
 */
export function make(name: string, attributes: DOMStringMap): HTMLElement {
  const element = document.createElement(name);
  for (const [key, value = ''] of Object.entries(attributes))
    if (!key.startsWith('on')) element.setAttribute(key.replace(/[A-Z]/g, '-$&'), value);
  return element;
}
