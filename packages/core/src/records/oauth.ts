/** OAuth 2.0, authorization code flow: RFC 6749, 7009, 7636 and 7662 in the shape the service gives them. */
import * as z from 'zod/mini';
import { accepting, field, lenient, open } from '../schema/marks.ts';
import type { ResourceRecord } from './operation.ts';
import * as shape from './shapes.ts';

const nonEmpty = z.string().check(z.minLength(1));
const clientId = field(nonEmpty, "The OAuth client's ID (uid).");
const clientSecret = shape.optional(
  z.string(),
  "The OAuth client's secret. Required for confidential clients; public clients leave it out.",
);

const tokens = shape.record('Tokens', 'An access token and what belongs to it.', {
  access_token: field(z.string(), 'The access token.'),
  token_type: field(z.string(), 'Type of the token: `Bearer`.'),
  expires_in: lenient(shape.count, 'Lifetime of the access token, in seconds.'),
  refresh_token: shape.optional(z.string(), 'The refresh token, when available.'),
  scope: lenient(z.string(), 'The granted scopes, separated by spaces.'),
  created_at: lenient(shape.unixSeconds, 'When the access token was issued, in Unix seconds.'),
});
const tokensReturned = 'Access token, its lifetime, and a refresh token when available.';

/** A token to revoke or to describe. */
const token = z.strictObject({
  token: field(z.string(), 'The access token or refresh token.'),
  token_type_hint: shape.optional(
    open(['access_token', 'refresh_token']),
    'Kind of the token. A wrong hint does not make the call fail.',
  ),
  client_id: shape.optional(nonEmpty, "The OAuth client's ID (uid)."),
  client_secret: clientSecret,
});

/** Error body of the OAuth endpoints. */
export const oauthError = shape.record('OAuthError', 'Error body of the OAuth endpoints (RFC 6749, section 5.2).', {
  error: field(z.string(), 'Code of the error, for example `invalid_grant`.'),
  error_description: lenient(z.string(), 'What is wrong, in words.'),
  error_uri: shape.optional(z.string(), 'Address of a page about the error.'),
  state: shape.optional(
    z.string(),
    'The `state` of the request, or `unauthorized` for a bearer token that is refused.',
  ),
});

export const oauth = {
  title: 'OAuth 2.0',
  description: 'Authorization code flow with refresh, revocation and introspection of tokens.',
  section: 'Authentication, OAuth 2.0 authorization code flow',
  base: 'app',
  scope: null,
  errors: [400, 401],
  operations: {
    authorize: {
      request: 'GET /oauth/authorize',
      success: 302,
      doc: 'Send the person to sign in and consent; the code comes back to the redirect_uri',
      description:
        'Returns the address to send a person to. After login and consent the browser is redirected to `redirect_uri` with `code` and `state`. No request is sent.',
      returns: 'The address.',
      example:
        "{ client_id: 'sandbox-app', redirect_uri: 'http://localhost:8080/callback', response_type: 'code', state: 'xyz' }",
      open: [
        'code_challenge_method is not shown: S256 and plain.',
        'An unknown client or redirect_uri is answered in place, never redirected; other errors go to the redirect_uri.',
      ],
      query: z.strictObject({
        client_id: clientId,
        redirect_uri: field(nonEmpty, 'Address the code is sent to, exactly as registered.'),
        response_type: field(z.literal('code'), 'Always `code`.'),
        scope: shape.optional(z.string(), 'The scopes asked for, separated by spaces.', 'identify:read'),
        state: shape.optional(
          z.string(),
          'Value that comes back unchanged; protects against cross-site request forgery. Recommended.',
        ),
        code_challenge: shape.optional(z.string(), 'PKCE code challenge (RFC 7636). Required for public clients.'),
        code_challenge_method: shape.optional(
          open(['S256', 'plain']),
          'How the code challenge was derived from the verifier. Required for public clients.',
        ),
      }),
      answer: shape.empty,
    },
    exchange: {
      request: 'POST /oauth/token',
      retry: 'once',
      doc: 'Exchange a code for tokens',
      description: 'Exchanges an authorization code for tokens. A code can be used once.',
      returns: tokensReturned,
      example:
        "{ grant_type: 'authorization_code', code: 'the code', redirect_uri: 'http://localhost:8080/callback', client_id: 'sandbox-app', client_secret: 'sandbox-secret' }",
      open: [
        'Lifetimes are not shown: access token 7200 s, code 600 s.',
        'The answer also carries scope and created_at.',
      ],
      body: shape.record('OAuthCodeExchange', 'The exchange of an authorization code for tokens.', {
        grant_type: field(z.literal('authorization_code'), 'Always `authorization_code`.'),
        code: field(z.string(), 'The code that came to the `redirect_uri`.'),
        redirect_uri: field(z.string(), 'The same address as in the authorization request.'),
        client_id: clientId,
        client_secret: clientSecret,
        code_verifier: shape.optional(z.string(), 'PKCE code verifier (RFC 7636). Required for public clients.'),
      }),
      answer: tokens,
    },
    refresh: {
      request: 'POST /oauth/token',
      retry: 'once',
      doc: 'Exchange a refresh token for new tokens',
      description: 'Exchanges a refresh token for new tokens. Store the new refresh token when the answer has one.',
      returns: tokensReturned,
      example:
        "{ grant_type: 'refresh_token', refresh_token: 'the refresh token', client_id: 'sandbox-app', client_secret: 'sandbox-secret' }",
      open: ['The refresh token rotates; where none comes back the old one stays in use.'],
      body: shape.record('OAuthRefresh', 'The exchange of a refresh token for new tokens.', {
        grant_type: field(z.literal('refresh_token'), 'Always `refresh_token`.'),
        refresh_token: field(z.string(), 'The refresh token.'),
        client_id: clientId,
        client_secret: clientSecret,
      }),
      answer: tokens,
    },
    revoke: {
      request: 'POST /oauth/revoke',
      retry: 'upsert',
      errors: [401, 403],
      doc: 'Revoke an access or refresh token',
      description: 'Revokes an access token or refresh token. An unknown token is not an error (RFC 7009).',
      returns: 'An empty object.',
      example: "{ token: 'the token', client_id: 'sandbox-app', client_secret: 'sandbox-secret' }",
      open: [
        'token_type_hint is not shown: access_token and refresh_token.',
        'An unknown token answers 200 as well (RFC 7009).',
      ],
      body: token,
      answer: z.strictObject({}),
    },
    introspect: {
      request: 'POST /oauth/introspect',
      retry: 'safe',
      doc: 'Ask whether a token is active, and for its metadata',
      description: 'Checks whether a token is active, and reads its metadata (RFC 7662). The client must authenticate.',
      returns: 'Whether the token is active, and its metadata if it is.',
      example: "{ token: 'the token', client_id: 'sandbox-app', client_secret: 'sandbox-secret' }",
      open: ['Fields are not shown: as RFC 7662; an unusable token answers {"active": false}.'],
      body: token,
      answer: shape.record('Introspection', 'Whether a token is active, and its metadata if it is.', {
        active: field(z.boolean(), 'Whether the token can be used.'),
        scope: shape.optional(z.string(), 'The granted scopes, separated by spaces.'),
        client_id: shape.optional(z.string(), 'ID of the client the token was issued to.'),
        token_type: shape.optional(z.string(), 'Type of the token: `Bearer`.'),
        exp: shape.optional(z.int(), 'When the token expires, in Unix seconds.'),
        iat: shape.optional(z.int(), 'When the token was issued, in Unix seconds.'),
      }),
    },
    tokenInfo: {
      request: 'GET /oauth/token/info',
      errors: [401],
      doc: 'Read the metadata of the bearer token in use',
      description: 'Reads the metadata of the bearer token in use.',
      returns: 'Owner, scopes, application and remaining lifetime of the token.',
      open: [
        'Fields are not shown: resource_owner_id, scope (string or list), expires_in or expires_in_seconds, application, created_at.',
      ],
      // Both forms seen: `scope` as text or list, the time left under either name.
      answer: shape.record('TokenInfoAnswer', 'Metadata of the bearer token in use.', {
        resource_owner_id: lenient(z.union([z.string(), z.number()]), 'ID of the person who granted the token.'),
        scope: lenient(
          z.union([z.string(), z.array(z.string())]),
          'The granted scopes, separated by spaces or as a list.',
        ),
        expires_in: shape.optional(z.nullable(z.int()), 'Remaining lifetime, in seconds. Some services name it so.'),
        expires_in_seconds: shape.optional(z.nullable(z.int()), 'Remaining lifetime, in seconds.'),
        application: lenient(
          shape.record('OAuthApplication', 'An OAuth client.', {
            uid: field(z.string(), "The client's ID."),
            name: lenient(z.string(), "The client's name."),
          }),
          'The client the token was issued to.',
        ),
        created_at: lenient(accepting(shape.unixSeconds, z.number()), 'When the token was issued, in Unix seconds.'),
      }),
    },
  },
} satisfies ResourceRecord;
