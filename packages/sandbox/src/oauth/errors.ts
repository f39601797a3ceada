/** The errors of OAuth (RFC 6749, 6750, 7636) as the service words them, and the error that ends a request with one. */

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
