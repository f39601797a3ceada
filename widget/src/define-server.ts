/** `define` and `hydrate` on a server: registers an element that renders without a document. */
import { NewsletterSignup } from './index.ts';

/**
 * Attributes of an element by name. `true` is an attribute without a value; `false` and undefined are left out.
 */
export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

/** The methods of a `<newsletter-field>` that the form calls. */
class ServerField {
  readonly #attributes: Attributes;

  constructor(attributes: Attributes) {
    this.#attributes = attributes;
  }

  getAttribute(name: string): string | null {
    const value = this.#attributes[name];
    return value === undefined || value === false ? null : value === true ? '' : String(value);
  }

  hasAttribute(name: string): boolean {
    return this.getAttribute(name) !== null;
  }
}

/**
 * The form on a server, where its children and its document do not exist: the fields and the language are properties.
 * Lit's DOM shim has neither queries nor `:lang()`; this class implements the calls that the form makes.
 */
export class ServerSignup extends NewsletterSignup {
  /** The custom fields, as the attributes of each. */
  fields: readonly Attributes[] = [];
  /** Language of the page. The form's own `lang` takes precedence. */
  language = '';

  /** The template of the shadow root. */
  content(): unknown {
    return this.render();
  }

  override getAttribute(name: string): string | null {
    return super.getAttribute(name.toLowerCase());
  }
}

Object.assign(ServerSignup.prototype, {
  querySelector: () => null,
  querySelectorAll(this: ServerSignup): readonly ServerField[] {
    return this.fields.map((attributes) => new ServerField(attributes));
  },
  /** Implements only `:lang(de)`, which matches `de` and `de-AT`. */
  matches(this: ServerSignup, selector: string): boolean {
    const [, language = ''] = /:lang\((.+)\)/.exec(selector) ?? [];
    return `${this.getAttribute('lang') ?? this.language}-`.toLowerCase().startsWith(`${language}-`.toLowerCase());
  },
});

if (!customElements.get('newsletter-signup')) customElements.define('newsletter-signup', ServerSignup);
