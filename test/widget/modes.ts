/**
 * The two ways to write the tag: without content, it renders its own form; around a form of the page, it uses that.
 */

/** A custom field. */
export interface AskedField {
  readonly name: string;
  readonly autocomplete?: string;
}

export interface Mode {
  readonly title: string;
  readonly markup: (endpoint: string, fields?: readonly AskedField[], attributes?: string) => string;
  /** The root of the form's controls, as an expression in the page. */
  readonly root: string;
}

const completion = ({ autocomplete }: AskedField): string => (autocomplete ? ` autocomplete="${autocomplete}"` : '');

export const modes: readonly Mode[] = [
  {
    title: 'the form of the element',
    root: `document.querySelector('newsletter-signup').shadowRoot`,
    markup: (endpoint, fields = [], attributes = '') => `<newsletter-signup endpoint="${endpoint}" ${attributes}>
      ${fields.map((field) => `<newsletter-field name="${field.name}"${completion(field)}></newsletter-field>`).join('\n')}
    </newsletter-signup>`,
  },
  {
    title: 'the form of the page',
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

/** Whether the element has rendered, as an expression in the page. */
export const isRendered = `Boolean(document.querySelector('newsletter-signup')?.shadowRoot?.querySelector('[role=status]'))`;

/** A page with this content, and the built script as in the documentation. */
export function pageWith(markup: string, script = '<script src="/signup-form.js" async></script>'): string {
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>A page</title>${script}<main>${markup}<p>After the form.</p></main></html>`;
}
