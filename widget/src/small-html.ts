/**
 * The part of Lit's templates that our elements use, for the one-file script: text, templates and lists of them between tags,
 * and whole attributes (`name=${…}`, `?name=${…}`). What is the same as before is not touched, so that what was typed, the
 * focus and live regions stay as they are. No listeners, properties, directives, SVG. That is a fifth of the script.
 */

/** A template with the values to put into it. */
interface Template {
  readonly strings: TemplateStringsArray;
  readonly values: readonly unknown[];
}

/** Puts a value into its place. */
type Place = (value: unknown) => void;

/** As an attribute: none at all. */
export const nothing = Symbol('nothing');

/** Stands in markup for the value of an attribute. No page and no text of ours holds this character. */
const hole = '\uE000';

interface Policy {
  createHTML(markup: string): string;
}

const { trustedTypes }: { readonly document: Document; readonly trustedTypes?: { createPolicy(name: string, rules: Policy): Policy } } = globalThis;

// The name that Lit gives to its policy, so that pages need one line for both builds.
const policy = trustedTypes?.createPolicy('lit-html', { createHTML: (markup) => markup });

const prepared = new WeakMap<TemplateStringsArray, HTMLTemplateElement>();

export function html(strings: TemplateStringsArray, ...values: readonly unknown[]): Template {
  return { strings, values };
}

/** The markup, with comments where something goes between tags. The strings are the program's own; values never get here. */
function prepare(strings: TemplateStringsArray): HTMLTemplateElement {
  const template = document.createElement('template');
  const markup = strings.reduce((before, after) => before + (before.lastIndexOf('<') > before.lastIndexOf('>') ? hole : '<!---->') + after);
  // Where the page demands trusted types, a plain string would be refused.
  Reflect.set(template, 'innerHTML', policy?.createHTML(markup) ?? markup);
  prepared.set(strings, template);
  return template;
}

/** The places of a copy, in the order of their values. */
function placesIn(content: Node): Place[] {
  const places: Place[] = [];
  for (const nodes = document.createTreeWalker(content, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_COMMENT); nodes.nextNode(); ) {
    const node = nodes.currentNode;
    if (node instanceof Comment) places.push(placeBefore(node));
    else if (node instanceof Element) {
      for (const name of node.getAttributeNames()) if (node.getAttribute(name) === hole) places.push(attributePlace(node, name));
    }
  }
  return places;
}

function attributePlace(element: Element, name: string): Place {
  let last: unknown = hole;
  return (value) => {
    if (value === last) return;
    last = value;
    if (name.startsWith('?')) element.toggleAttribute(name.slice(1), !!value);
    else if (value === nothing) element.removeAttribute(name);
    else element.setAttribute(name, [value].join());
  };
}

/** A place between tags, before `end`. */
export function placeBefore(end: Comment): Place {
  const range = new Range();
  const start = new Comment();
  end.before(start);
  /** What is there: the strings of a template, an array whatever it holds, or a text. */
  let last: unknown;
  let places: Place[] = [];
  return (value) => {
    const template = isTemplate(value) ? value : undefined;
    const list = Array.isArray(value) ? value : undefined;
    const now = template?.strings ?? (list ? Array : value);
    if (now !== last) {
      range.setStartAfter(start);
      range.setEndBefore(end);
      range.deleteContents();
      places = [];
      last = now;
      if (template) {
        const { content } = prepared.get(template.strings) ?? prepare(template.strings);
        const copy = document.importNode(content, true);
        places = placesIn(copy);
        end.before(copy);
      } else if (!list && value !== nothing) end.before([value].join());
    }
    // Items that are no more leave their places empty behind, for others to come.
    while (list && places.length < list.length) {
      const next = new Comment();
      end.before(next);
      places.push(placeBefore(next));
    }
    places.forEach((place, position) => place((list ?? template?.values)?.[position]));
  };
}

function isTemplate(value: unknown): value is Template {
  return typeof value === 'object' && value !== null && 'strings' in value;
}
