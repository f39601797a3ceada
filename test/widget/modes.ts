/**
 * The two ways to write the tag into a page: empty, it brings its own form; around a form of the owner's, it takes that
 * in hand.
 */

/** A custom field as both ways ask for it. */
export interface AskedField {
  readonly name: string;
  readonly autocomplete?: string;
}

export interface Mode {
  readonly title: string;
  readonly markup: (endpoint: string, fields?: readonly AskedField[], attributes?: string) => string;
  /** Where the form's controls are found, as an expression in the page. */
  readonly root: string;
}

const completion = ({ autocomplete }: AskedField): string => (autocomplete ? ` autocomplete="${autocomplete}"` : '');

export const modes: readonly Mode[] = [
  {
    title: 'the form of the tag',
    root: `document.querySelector('newsletter-signup').shadowRoot`,
    markup: (endpoint, fields = [], attributes = '') => `<newsletter-signup endpoint="${endpoint}" ${attributes}>
      ${fields.map((field) => `<newsletter-field name="${field.name}"${completion(field)}></newsletter-field>`).join('\n')}
    </newsletter-signup>`,
  },
  {
    title: 'a form of the owner’s',
    root: `document.querySelector('newsletter-signup')`,
    markup: (
      endpoint,
      fields = [],
      attributes = '',
    ) => `<newsletter-signup ${attributes}><form action="${endpoint}" method="post">
      <p><label>Email address <input type="email" name="email" autocomplete="email" required></label></p>
      ${fields.map((field) => `<p><label>${field.name} <input name="custom_fields[${field.name}]"${completion(field)}></label></p>`).join('\n')}
      <p><button>Subscribe</button></p>
    </form></newsletter-signup>`,
  },
];

/** A page with this in it, and the built script, loaded as the README shows it. */
export function pageWith(markup: string, script = '<script src="/newsletter-signup.js" async></script>'): string {
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>A page</title>${script}<main>${markup}<p>What comes after the form.</p></main></html>`;
}
