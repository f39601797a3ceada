/** Markup as a tree, and its text in HTML, JSX and the templates of Vue and Svelte. */

/** An element. An attribute that is `true` has no value. */
export interface Tag {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string | true>>;
  /** Custom properties, by name. */
  readonly styles?: Readonly<Record<string, string>>;
  /** Properties without an attribute, by name. In HTML a script sets them. */
  readonly properties?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly children: readonly (Tag | string)[];
}

/** The syntax of one language. */
export interface Dialect {
  readonly attribute: (name: string, value: string | true, tag: Tag) => string;
  readonly text: (text: string) => string;
  /** Writes custom properties into the tag. */
  readonly style: (styles: Readonly<Record<string, string>>) => string;
  /** Writes a property into the tag; undefined if a script sets it. */
  readonly property?: (name: string, value: string) => string;
  /** Whether an element without children is `<name />`. */
  readonly selfClosing: boolean;
}

/** HTML's void elements. */
const voids = new Set(['input', 'br', 'img', 'link', 'meta']);
/** The most characters of a tag on one line. */
const lineWidth = 90;

const escapeHtml = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('"', '&quot;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replace(/\s*[\r\n]\s*/g, ' ');
/** In the templates of Vue and Svelte, braces begin an expression. */
const escapeBraces = (text: string): string => escapeHtml(text).replaceAll('{', '&#123;').replaceAll('}', '&#125;');
const inline = (styles: Readonly<Record<string, string>>): string =>
  Object.entries(styles)
    .map(([name, value]) => `${name}: ${value}`)
    .join('; ');

const quoted =
  (escape: (text: string) => string) =>
  (name: string, value: string | true): string =>
    value === true ? name : `${name}="${escape(value)}"`;

/** React's names of attributes on HTML elements. Custom elements keep HTML's names. */
const reactNames: Readonly<Partial<Record<string, string>>> = {
  for: 'htmlFor',
  class: 'className',
  autocomplete: 'autoComplete',
  inputmode: 'inputMode',
  popovertarget: 'popoverTarget',
  checked: 'defaultChecked',
};

const marked = (escape: (text: string) => string): Dialect => ({
  attribute: quoted(escape),
  text: escape,
  style: (styles) => `style="${escape(inline(styles))}"`,
  selfClosing: false,
});

export const html = marked(escapeHtml);
/** HTML in a file of templates. */
export const template = marked(escapeBraces);
export const vue: Dialect = { ...template, property: (name, value) => `:${name}="${escapeHtml(value)}"` };
export const svelte: Dialect = { ...template, property: (name, value) => `${name}={${value}}` };
export const jsx: Dialect = {
  attribute: (name, value, tag) => {
    const jsxName = tag.name.includes('-') ? name : reactName(name, tag);
    if (value === true) return jsxName;
    return /["&\\{}<>\r\n]/.test(value) ? `${jsxName}={${JSON.stringify(value)}}` : `${jsxName}="${value}"`;
  },
  text: (text) => (/[{}<>&\r\n]/.test(text) ? `{${JSON.stringify(text)}}` : text),
  style: (styles) =>
    `style={{ ${Object.entries(styles)
      .map(([name, value]) => `'${name}': '${value}'`)
      .join(', ')} }}`,
  property: (name, value) => `${name}={${value}}`,
  selfClosing: true,
};

/** The `value` of a text input is its initial one: React would keep a `value` as it is. */
function reactName(name: string, { name: element, attributes: { type = 'text' } }: Tag): string {
  if (name === 'value' && element === 'input' && !/^(hidden|checkbox|radio)$/.test(String(type))) return 'defaultValue';
  return reactNames[name] ?? name;
}

/** The text of a tag, indented by `depth` levels of two spaces. */
export function write(tag: Tag, dialect: Dialect, depth = 0): string {
  const indent = '  '.repeat(depth);
  const attributes = Object.entries(tag.attributes).map(([name, value]) => dialect.attribute(name, value, tag));
  if (tag.styles && Object.keys(tag.styles).length > 0) attributes.push(dialect.style(tag.styles));
  for (const [name, value] of Object.entries(tag.properties ?? {}))
    if (dialect.property) attributes.push(dialect.property(name, literal(value)));
  const oneLine = [tag.name, ...attributes].join(' ');
  const fits = indent.length + oneLine.length <= lineWidth;
  const opening = fits
    ? `${indent}<${oneLine}`
    : [`${indent}<${tag.name}`, ...attributes.map((attribute) => `${indent}  ${attribute}`)].join('\n');
  const gap = fits ? '' : `\n${indent}`;
  // Blank text would leave a blank line, which some websites turn into a paragraph.
  const content = tag.children.some((child) => typeof child !== 'string' || child.trim() !== '') ? tag.children : [];
  if (content.length === 0) {
    if (dialect.selfClosing) return `${opening}${gap || ' '}/>`;
    return voids.has(tag.name) ? `${opening}${gap}>` : `${opening}${gap}></${tag.name}>`;
  }
  const texts = content.filter((child) => typeof child === 'string');
  const open = `${opening}${gap}>`;
  // White space beside text is part of it.
  if (texts.length > 0)
    return `${open}${content.map((child) => (typeof child === 'string' ? dialect.text(child) : write(child, dialect, depth).trimStart())).join('')}</${tag.name}>`;
  const children = content.map((child) => (typeof child === 'string' ? '' : write(child, dialect, depth + 1)));
  return `${open}\n${children.join('\n')}\n${indent}</${tag.name}>`;
}

/** The script that sets the tag's properties in HTML; empty without properties. */
export function propertyScript({ name, properties = {} }: Tag): string {
  const lines = Object.entries(properties).map(
    ([property, value]) => `  document.querySelector('${name}').${property} = ${literal(value)};`,
  );
  return lines.length > 0 ? `<script>\n${lines.join('\n')}\n</script>` : '';
}

/**
 * A JavaScript object literal of texts. Its texts cannot end the script element or the line, and begin no expression of
 * a template.
 */
function literal(texts: Readonly<Record<string, string>>): string {
  const quote = (text: string): string =>
    JSON.stringify(text).replace(
      /[<>{\u2028\u2029]/g,
      (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
    );
  const entries = Object.entries(texts).map(([name, text]) => `${name}: ${quote(text)}`);
  return `{ ${entries.join(', ')} }`;
}

/** A CSS rule; empty without declarations. */
export function rule(selector: string, styles: Readonly<Record<string, string>> = {}): string {
  const lines = Object.entries(styles).map(([name, value]) => `  ${name}: ${value};`);
  return lines.length > 0 ? `${selector} {\n${lines.join('\n')}\n}` : '';
}

/** Whether a custom property's value cannot end its declaration, its rule or the style sheet. */
export function isStyleValue(value: string): boolean {
  if (/[{};<>\\@"'\p{Cc}]|\/\*|!/u.test(value)) return false;
  let open = 0;
  for (const character of value) {
    if (character === '(') open += 1;
    if (character === ')' && (open -= 1) < 0) return false;
  }
  return open === 0;
}
