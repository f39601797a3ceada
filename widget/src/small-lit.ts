/**
 * What the one-file script takes in place of the package `lit`: the parts of its templates and of `LitElement` that our
 * elements use. No reflection, converters, controllers or fallback for browsers that cannot adopt style sheets. Without
 * it the script would be half as large again. The npm build and the sources themselves stand on Lit, and every test
 * runs on both.
 */
import { placeIn } from './small-html.ts';

export { html, nothing } from './small-html.ts';

/** Makes a style sheet of a template without values. */
export function css(strings: TemplateStringsArray): CSSStyleSheet {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(strings.join(''));
  return sheet;
}

/** Dresses a shadow root. */
export function adoptStyles(root: ShadowRoot, sheets: CSSStyleSheet[]): void {
  root.adoptedStyleSheets = sheets;
}

/**
 * A property and the attribute it is read from; `false` for none, else the property's name in lower case by default.
 */
type Properties = Readonly<Record<string, { readonly attribute?: string | false }>>;

export class LitElement extends HTMLElement {
  declare static styles: CSSStyleSheet | undefined;
  static properties: Properties = {};

  /** Asked for once, when the element is defined; the moment to turn the declared properties into accessors. */
  static get observedAttributes(): string[] {
    return Object.entries(this.properties).flatMap(([name, { attribute = name.toLowerCase() }]) => {
      Object.defineProperty(this.prototype, name, {
        configurable: true,
        get(this: LitElement) {
          return this.#values[name];
        },
        set(this: LitElement, value: unknown) {
          this.#values[name] = value;
          this.requestUpdate();
        },
      });
      return attribute || [];
    });
  }

  declare renderRoot: ShadowRoot | undefined;
  /** Resolves once what was changed so far is on the page; to false where that led to a further change. */
  updateComplete: Promise<boolean> = Promise.resolve(true);
  #isPending = false;
  #content: ((value: unknown) => void) | undefined;
  readonly #values: Record<string, unknown> = {};
  /** What a page set before this element was defined; our accessors would lie hidden behind it. */
  readonly #early: Record<string, unknown> = {};

  constructor() {
    super();
    for (const name in this.#static.properties) {
      if (!Object.hasOwn(this, name)) continue;
      this.#early[name] = Reflect.get(this, name);
      Reflect.deleteProperty(this, name);
    }
  }

  get #static(): typeof LitElement {
    return this.constructor as typeof LitElement;
  }

  /** Asks for no update: our elements ask for one whenever they are connected, not the first time alone. */
  connectedCallback(): void {
    if (this.renderRoot) return;
    const { styles } = this.#static;
    this.renderRoot = this.attachShadow({ mode: 'open' });
    if (styles) adoptStyles(this.renderRoot, [styles]);
    this.#content = placeIn(this.renderRoot);
    Object.assign(this, this.#early);
  }

  disconnectedCallback(): void {}

  attributeChangedCallback(attribute: string, _: string | null, value: string | null): void {
    Reflect.set(
      this,
      attribute.replace(/-./g, (letter) => letter.toUpperCase().slice(1)),
      value,
    );
  }

  /** Renders soon, once for any number of changes. */
  requestUpdate(): void {
    if (this.#isPending || !this.renderRoot) return;
    this.#isPending = true;
    this.updateComplete = Promise.resolve().then(() => {
      this.#isPending = false;
      this.#content?.(this.render?.());
      this.updated?.();
      return !this.#isPending;
    });
  }

  render?(): unknown;

  /** What is on the page now, is what {@link render} gave. */
  updated?(): void;
}
