/**
 * The part of Lit's templates that our elements use, for the one-file script: text, templates and lists of them between
 * tags, and whole attributes (`name=${…}`, `?name=${…}`). What is the same as before is not touched, so that what was
 * typed, the focus and live regions stay as they are. No listeners, properties, directives, SVG, entities; templates
 * are as `dense-templates.ts` leaves them, and attributes written out stand in quotes and hold no spaces. Elements are
 * made one by one: no text ever becomes markup, so that pages with Trusted Types need no policy.
 */

/** A list of values; with strings, a template to put them into. */
interface Values extends ReadonlyArray<unknown> {
  readonly strings?: TemplateStringsArray;
}

/** Puts a value into its place. */
type Place = (value: unknown) => void;

/** As an attribute: none at all. */
export const nothing: unknown = undefined;

/** Stands in markup for a value. No page and no text of ours holds this character. */
const hole = '\uE000';

export function html(strings: TemplateStringsArray, ...values: readonly unknown[]): Values {
  return Object.assign(values, { strings });
}

/** Builds what a template says. The strings are the program's own; values never get here. */
function build(strings: TemplateStringsArray, root: DocumentFragment): Place[] {
  const places: Place[] = [];
  let parent: ParentNode = root;
  // Each piece is what a tag says, and the text behind it; the first has no tag.
  for (const piece of ('>' + strings.join(hole)).split('<')) {
    const [said = '', text = ''] = piece.split('>');
    const [tag, ...attributes] = said.split(' ');
    if (tag?.startsWith('/')) parent = parent.parentElement ?? root;
    else if (tag) {
      const element = document.createElement(tag);
      parent.append(element);
      for (const attribute of attributes) {
        const [name = '', value = ''] = attribute.split('=');
        if (value === hole) places.push(attributePlace(element, name));
        else element.setAttribute(name, value.slice(1, -1));
      }
      // The only one of ours that holds nothing and is not closed.
      if (tag !== 'input') parent = element;
    }
    const [first = '', ...others] = text.split(hole);
    parent.append(first);
    for (const words of others) {
      places.push(placeIn(parent));
      parent.append(words);
    }
  }
  return places;
}

function attributePlace(element: Element, name: string): Place {
  let last: unknown;
  return (value) => {
    if (value === last) return;
    last = value;
    if (name.startsWith('?')) element.toggleAttribute(name.slice(1), !!value);
    else if (value === nothing) element.removeAttribute(name);
    else element.setAttribute(name, [value].join());
  };
}

/** A new place between tags, at the end of `parent`. */
export function placeIn(parent: ParentNode): Place {
  const start = new Comment();
  const end = new Comment();
  parent.append(start, end);
  /** What is there: the strings of a template, an array whatever it holds, or a text. */
  let last: unknown;
  let places: Place[] = [];
  return (value) => {
    const values: Values | undefined = Array.isArray(value) ? value : undefined;
    const now = values ? (values.strings ?? Array) : value;
    const added = new DocumentFragment();
    if (now !== last) {
      while (end.previousSibling !== start) end.previousSibling?.remove();
      last = now;
      places = values?.strings ? build(values.strings, added) : [];
      if (!values) added.append([value].join());
    }
    // Items that are no more leave their places empty behind, for others to come.
    while (values && places.length < values.length) places.push(placeIn(added));
    // Filled before it is put on the page, which the browser then has to look at once.
    places.forEach((place, position) => place(values?.[position]));
    end.before(added);
  };
}
