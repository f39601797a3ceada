/**
 * Renders a form on a server: HTML that works without JavaScript, and that `@newsletter-kit/signup/hydrate` hydrates in
 * the browser.
 */
import { render } from '@lit-labs/ssr';
import { FallbackRenderer } from '@lit-labs/ssr/lib/element-renderer.js';
import { collectResultSync } from '@lit-labs/ssr/lib/render-result.js';
import { ServerSignup, type Attributes } from './define-server.ts';

export type { Attributes } from './define-server.ts';

/** The form's fields and the language of its page. */
export interface Around {
  /** The custom fields: the attributes of one `<newsletter-field>` each. Default: none. */
  readonly fields?: readonly Attributes[];
  /** Language of the page (BCP 47). Default: English. Import the language's file on the server and in the browser. */
  readonly language?: string;
}

/**
 * The HTML of one `<newsletter-signup>`. Without JavaScript the browser posts it to `endpoint` form-encoded; the
 * endpoint must accept that. The relay does, and answers with a page.
 *
 * @param attributes - attributes of the tag, `endpoint` among them
 * @returns HTML that is safe to put into a page: every value is escaped
 * @throws TypeError if a name is not the name of an attribute, or begins with `on`
 */
export function renderSignup(attributes: Attributes, { fields = [], language = '' }: Around = {}): string {
  const element = new ServerSignup();
  Object.assign(element, { fields, language });
  for (const [name, value] of present(attributes)) {
    element.setAttribute(name, value);
    if (ServerSignup.observedAttributes.includes(name)) element.attributeChangedCallback(name, null, value);
  }
  const sheets = ServerSignup.elementStyles.map((sheet) => ('cssText' in sheet ? sheet.cssText : '')).join('');
  // Lit requires a host for slots, and uses it only for event listeners on the server.
  const shadow = collectResultSync(
    render(element.content(), { customElementHostStack: [new FallbackRenderer('newsletter-signup')] }),
  );
  const inside = fields.map((field) => `${tag('newsletter-field', field)}</newsletter-field>`).join('');
  return `${tag('newsletter-signup', attributes)}<template shadowrootmode="open"><style>${sheets}</style>${shadow}</template>${inside}</newsletter-signup>`;
}

function tag(name: string, attributes: Attributes): string {
  return `<${[name, ...present(attributes).map(([attribute, value]) => `${attribute}="${value.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`)}"`)].join(' ')}>`;
}

/** The attributes that are set, with their values as text. */
function present(attributes: Attributes): [string, string][] {
  return Object.entries(attributes).flatMap(([name, value]): [string, string][] => {
    if (!/^[a-z][a-z0-9-]*$/.test(name) || name.startsWith('on'))
      throw new TypeError(`"${name}" is not an allowed attribute of a form.`);
    return value === undefined || value === false ? [] : [[name, value === true ? '' : String(value)]];
  });
}
