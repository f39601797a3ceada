/**
 * Parts shared by all OAuth endpoints: the call, its answers, the parameters of query and body (RFC 6749 §3), and the
 * errors (RFC 6749, 6750, 7636) as the service words them.
 */
import type { World } from '../world/world.ts';
import { readText } from '../http/read-request.ts';

export interface OauthCall {
  readonly world: World;
  readonly request: Request;
  /** The query with its question mark, or empty. */
  readonly search: string;
  /** Says which operation of the contract this is, where method and path leave it open. */
  readonly name: (operation: 'oauth.exchange' | 'oauth.refresh') => void;
  /** Adds a sentence to the request log. No addresses, no tokens. */
  readonly explain: (reason: string) => void;
}

export type Endpoint = (call: OauthCall) => Response | Promise<Response>;

/** The answer with the error body. */
export const errorAnswer = ({ status, body, headers }: OauthError): Response => json(status, body, headers);

/** No answer of OAuth may be kept (RFC 6749 §5.1). */
export const uncached = { 'Cache-Control': 'no-store, no-cache', Pragma: 'no-cache' } as const;

export function json(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(JSON.stringify(body), {
    status,
    headers: { 'Content-Type': 'application/json; charset=utf-8', ...uncached, ...headers },
  });
}

export interface Parameters {
  /** The value of a known parameter; undefined where it is left out or blank. */
  get(name: string): string | undefined;
  /** As `get`. @throws OauthError invalid_request, which names it */
  require(name: string): string;
  /** Known parameters that were given more than once. */
  readonly repeated: readonly string[];
}

/** Reads the parameters of a query or form; what is not in `known` is ignored and noted. */
export function readParameters(call: OauthCall, text: string, known: readonly string[]): Parameters {
  const values = new Map<string, string>();
  const repeated = new Set<string>();
  const ignored = new Set<string>();
  for (const [name, value] of new URLSearchParams(text)) {
    if (!known.includes(name)) ignored.add(name);
    else if (values.has(name)) repeated.add(name);
    else values.set(name, value);
  }
  // A name can be anything, a token in the wrong place too.
  for (const name of ignored)
    call.explain(
      /^[\w.-]{1,30}$/.test(name)
        ? `The parameter "${name}" is not known here and was ignored.`
        : 'A parameter that is not known here was ignored.',
    );
  const get = (name: string): string | undefined => {
    const value = values.get(name);
    return value === undefined || value.trim() === '' ? undefined : value;
  };
  return {
    get,
    require(name) {
      const value = get(name);
      if (value === undefined) throw missing(name);
      return value;
    },
    repeated: [...repeated],
  };
}

/**
 * Reads a form-urlencoded body (specification, OAuth 2.0).
 *
 * @throws OauthError invalid_request where it is something else, or names a known parameter twice
 */
export async function readBody(call: OauthCall, known: readonly string[]): Promise<Parameters> {
  const type = call.request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() ?? '';
  const text = await readText(call.request);
  if (type !== 'application/x-www-form-urlencoded' && text.trim() !== '')
    throw new OauthError('invalid_request', { reason: 'The Content-Type must be application/x-www-form-urlencoded.' });
  const parameters = readParameters(call, text, known);
  refuseRepeated(parameters.repeated);
  return parameters;
}

/** @throws OauthError invalid_request, which names the first of these parameters */
export function refuseRepeated([name]: readonly string[]): void {
  if (name !== undefined) throw new OauthError('invalid_request', { reason: `"${name}" is given more than once.` });
}

/** Each error with its status and its text. */
const table = {
  invalid_request: [
    400,
    'The request is missing a required parameter, includes an unsupported parameter value, or is otherwise malformed.',
  ],
  invalid_client: [
    401,
    'Client authentication failed due to unknown client, no client authentication included, or unsupported authentication method.',
  ],
  invalid_grant: [
    400,
    'The provided authorization grant is invalid, expired, revoked, does not match the redirection URI used in the authorization request, or was issued to another client.',
  ],
  unauthorized_client: [400, 'The client is not authorized to perform this request using this method.'],
  unsupported_grant_type: [400, 'The authorization grant type is not supported by the authorization server.'],
  unsupported_response_type: [400, 'The authorization server does not support this response type.'],
  invalid_scope: [400, 'The requested scope is invalid, unknown, or malformed.'],
  access_denied: [400, 'The resource owner or authorization server denied the request.'],
  invalid_redirect_uri: [400, "The requested redirect URI is malformed or doesn't match the client redirect URI."],
  invalid_code_challenge_method: [400, 'The code_challenge_method must be one of plain, S256.'],
  invalid_token: [401, 'The access token is invalid'],
  server_error: [
    500,
    'The authorization server encountered an unexpected condition which prevented it from fulfilling the request.',
  ],
  temporarily_unavailable: [503, 'The authorization server is currently unable to handle the request.'],
} as const satisfies Record<string, readonly [status: number, description: string]>;

export type OauthErrorName = keyof typeof table;

/** What differs from the table, for one request. */
export interface OauthErrorDetails {
  readonly description?: string;
  readonly status?: number;
  /** For the request log: the rule that applied, where the text the client gets covers several. */
  readonly reason?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Members of the body beside `error` and `error_description`. */
  readonly body?: Readonly<Record<string, string>>;
}

/** Ends a request to `/oauth/…`. */
export class OauthError extends Error {
  override readonly name = 'OauthError';
  readonly error: OauthErrorName;
  readonly status: number;
  readonly description: string;
  readonly reason: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, string>>;

  constructor(error: OauthErrorName, details: OauthErrorDetails = {}) {
    const [status, text] = table[error];
    super(details.description ?? text);
    this.error = error;
    this.status = details.status ?? status;
    this.description = details.description ?? text;
    this.reason = details.reason ?? this.description;
    this.headers = {
      ...(this.status < 500 && { 'WWW-Authenticate': bearerChallenge(error, this.description) }),
      ...details.headers,
    };
    this.body = { error, error_description: this.description, ...details.body };
  }
}

/** The service names its server in the realm; clients show it, none decides by it. */
export const realm = 'Doorkeeper';

/** The value of `WWW-Authenticate` (RFC 6750 §3). `error` and the text hold no quotation marks. */
export function bearerChallenge(error: string, description: string, scope?: string): string {
  return `Bearer realm="${realm}", error="${error}", error_description="${description}"${scope === undefined ? '' : `, scope="${scope}"`}`;
}

/** The error for a parameter that has to be there. */
export function missing(parameter: string): OauthError {
  return new OauthError('invalid_request', { description: `Missing required parameter: ${parameter}.` });
}
