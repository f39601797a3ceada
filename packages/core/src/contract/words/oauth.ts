/** Reference documentation of the OAuth 2.0 endpoints. */
import type { OperationId } from '../operations.ts';
import { type OperationWords, type ParametersWords, type ParameterWords } from './shared.ts';

const clientId = { text: "The OAuth client's ID (uid)." } as const satisfies ParameterWords;

const clientSecret = {
  text: "The OAuth client's secret. Required for confidential clients; public clients leave it out.",
} as const satisfies ParameterWords;

const oauthSection = 'Authentication, OAuth 2.0 authorization code flow';

const tokenParameters = {
  token: { text: 'The access token or refresh token.' },
  token_type_hint: { text: 'Kind of the token. A wrong hint does not make the call fail.' },
  client_id: clientId,
  client_secret: clientSecret,
} as const satisfies ParametersWords;

/** Documentation of every operation in this file. */
export const oauthWords = {
  'oauth.authorize': {
    description:
      'Returns the address to send a person to. After login and consent the browser is redirected to `redirect_uri` with `code` and `state`. No request is sent.',
    returns: 'The address.',
    section: oauthSection,
    parameters: {
      client_id: clientId,
      redirect_uri: { text: 'Address the code is sent to, exactly as registered.' },
      response_type: { text: 'Always `code`.' },
      scope: { text: 'The scopes asked for, separated by spaces.', default: 'identify:read' },
      state: { text: 'Value that comes back unchanged; protects against cross-site request forgery. Recommended.' },
      code_challenge: { text: 'PKCE code challenge (RFC 7636). Required for public clients.' },
      code_challenge_method: {
        text: 'How the code challenge was derived from the verifier. Required for public clients.',
      },
    },
    example:
      "{ client_id: 'sandbox-app', redirect_uri: 'http://localhost:8080/callback', response_type: 'code', state: 'xyz' }",
  },
  'oauth.exchange': {
    description: 'Exchanges an authorization code for tokens. A code can be used once.',
    returns: 'Access token, its lifetime, and a refresh token when available.',
    section: oauthSection,
    parameters: {
      grant_type: { text: 'Always `authorization_code`.' },
      code: { text: 'The code that came to the `redirect_uri`.' },
      redirect_uri: { text: 'The same address as in the authorization request.' },
      client_id: clientId,
      client_secret: clientSecret,
      code_verifier: { text: 'PKCE code verifier (RFC 7636). Required for public clients.' },
    },
    example:
      "{ grant_type: 'authorization_code', code: 'the code', redirect_uri: 'http://localhost:8080/callback', client_id: 'sandbox-app', client_secret: 'sandbox-secret' }",
  },
  'oauth.refresh': {
    description: 'Exchanges a refresh token for new tokens. Store the new refresh token when the answer has one.',
    returns: 'Access token, its lifetime, and a refresh token when available.',
    section: oauthSection,
    parameters: {
      grant_type: { text: 'Always `refresh_token`.' },
      refresh_token: { text: 'The refresh token.' },
      client_id: clientId,
      client_secret: clientSecret,
    },
    example:
      "{ grant_type: 'refresh_token', refresh_token: 'the refresh token', client_id: 'sandbox-app', client_secret: 'sandbox-secret' }",
  },
  'oauth.revoke': {
    description: 'Revokes an access token or refresh token. An unknown token is not an error (RFC 7009).',
    returns: 'An empty object.',
    section: oauthSection,
    parameters: tokenParameters,
    example: "{ token: 'the token', client_id: 'sandbox-app', client_secret: 'sandbox-secret' }",
  },
  'oauth.introspect': {
    description: 'Checks whether a token is active, and reads its metadata (RFC 7662). The client must authenticate.',
    returns: 'Whether the token is active, and its metadata if it is.',
    section: oauthSection,
    parameters: tokenParameters,
    example: "{ token: 'the token', client_id: 'sandbox-app', client_secret: 'sandbox-secret' }",
  },
  'oauth.tokenInfo': {
    description: 'Reads the metadata of the bearer token in use.',
    returns: 'Owner, scopes, application and remaining lifetime of the token.',
    section: oauthSection,
    parameters: {},
  },
} as const satisfies Readonly<Partial<Record<OperationId, OperationWords>>>;

/** What the specification leaves open about these operations, and how it is filled here. */
export const oauthAssumptions = {
  'oauth.authorize': [
    'code_challenge_method is not shown: S256 and plain.',
    'An unknown client or redirect_uri is answered in place, never redirected; other errors go to the redirect_uri.',
  ],
  'oauth.exchange': [
    'Lifetimes are not shown: access token 7200 s, code 600 s.',
    'The answer also carries scope and created_at.',
  ],
  'oauth.refresh': ['The refresh token rotates; where none comes back the old one stays in use.'],
  'oauth.revoke': [
    'token_type_hint is not shown: access_token and refresh_token.',
    'An unknown token answers 200 as well (RFC 7009).',
  ],
  'oauth.introspect': ['Fields are not shown: as RFC 7662; an unusable token answers {"active": false}.'],
  'oauth.tokenInfo': [
    'Fields are not shown: resource_owner_id, scope (string or list), expires_in or expires_in_seconds, application, created_at.',
  ],
} as const satisfies Readonly<Partial<Record<OperationId, readonly string[]>>>;
