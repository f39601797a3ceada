/**
 * Normalizes the fields of a credential: the address of the API, the key, the publication. People paste these with
 * spaces, extra slashes or partial paths. The nodes call these functions; n8n evaluates their source in expressions for
 * the credential's test, its signature and its OAuth2 addresses. So each function is self-contained: no imports, no
 * outer variables.
 */

/** The fields of a credential. Credentials of an earlier version have no service, which means `other`. */
export interface Connection {
  readonly service?: string;
  /** Entered where the service is `other`. */
  readonly baseUrl?: string;
  readonly appUrl?: string;
  readonly apiKey?: string;
  readonly publicationId?: string;
}

/**
 * The address of the API (`baseUrl`, ends with its version) or of the app where people sign in (`appUrl`), without a
 * slash at its end; empty where none is known or entered.
 */
export const addressOf = (connection: Connection, which: 'baseUrl' | 'appUrl'): string => {
  const services: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    beehiiv: { baseUrl: 'https://api.beehiiv.com/v2', appUrl: 'https://app.beehiiv.com' },
    sandbox: { baseUrl: 'http://127.0.0.1:4010/v2', appUrl: 'http://127.0.0.1:4010' },
  };
  const known = services[connection.service ?? 'other'];
  if (known) return known[which] ?? '';
  const entered = (connection[which] ?? '').trim().replace(/[?#].*$/, '');
  if (entered === '') return '';
  const local = /^(?:localhost|127\.|\[::1\])/i.test(entered);
  const scheme = /^[a-z][a-z\d+.-]*:\/\//i.test(entered) ? '' : local ? 'http://' : 'https://';
  const url = (scheme + entered).replace(/\/+$/, '');
  if (which === 'appUrl') return url.replace(/\/oauth(?:\/.*)?$/, '');
  const versioned = /^[^/]+\/\/[^/]+(?:\/[^/]+)*?\/v\d+(?=\/|$)/.exec(url);
  return versioned ? versioned[0] : `${url}/v2`;
};

/** The API key alone: a key has no white space, and "Bearer" belongs to the header it is sent in. */
export const apiKeyOf = (connection: Connection): string =>
  (connection.apiKey ?? '').replace(/^\s*bearer\s/i, '').replace(/\s+/g, '');

/** The publication of the credential; empty where it names none. */
export const publicationIdOf = (connection: Connection): string => (connection.publicationId ?? '').trim();

/**
 * A call of one of these functions, for use between `{{` and `}}` of an expression.
 *
 * @param args - expressions, for example `$credentials`
 */
export function callInExpression(
  read: typeof addressOf | typeof apiKeyOf | typeof publicationIdOf,
  ...args: readonly string[]
): string {
  // Two braces in a row would begin or end n8n's expression.
  const source = String(read).replaceAll('{{', '{ {').replaceAll('}}', '} }');
  return `(${source})(${args.join(', ')})`;
}
