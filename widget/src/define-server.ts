/** What `define` and `hydrate` are on a server: registers an element that renders without a document. */
import { NewsletterSignup } from './index.ts';

/**
 * Attributes of an element, by name; `true` for one without a value. Those that are `false` or undefined are left out.
 */
export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

/** What the form asks of a `<newsletter-field>`. */
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
 * What is in the element does not reach a server's render, so its fields are told. Lit's stand-in for the DOM of a
 * server finds nothing in trees and knows no languages; this knows as much of both as the form asks for.
 */
export class ServerSignup extends NewsletterSignup {
  /** The custom fields, as the attributes of each. */
  fields: readonly Attributes[] = [];
  /** Language around the form; its own `lang` wins. */
  language = '';

  /** What stands in the shadow root. */
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
  /** `:lang(de)`, the only thing that is asked: German, of whichever country. */
  matches(this: ServerSignup, selector: string): boolean {
    const [, asked = ''] = /:lang\((.+)\)/.exec(selector) ?? [];
    return `${this.getAttribute('lang') ?? this.language}-`.toLowerCase().startsWith(`${asked}-`.toLowerCase());
  },
});

if (!customElements.get('newsletter-signup')) customElements.define('newsletter-signup', ServerSignup);
