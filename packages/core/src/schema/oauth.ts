/** OAuth 2.0 on the wire: RFC 6749, 7009, 7636 and 7662 in the shape the service gives them. */
import * as z from 'zod/mini';
import { words } from '../contract/words/index.ts';
import * as shape from './shapes.ts';
import { accepting, field, lenient } from './tolerant.ts';

const clientId = z.string().check(z.minLength(1));
const secret = z.optional(z.string());

export const authorizeQuery = shape.request(words['oauth.authorize'].parameters, {
  client_id: clientId,
  redirect_uri: z.string().check(z.minLength(1)),
  response_type: z.literal('code'),
  scope: z.optional(z.string()),
  state: z.optional(z.string()),
  code_challenge: z.optional(z.string()),
  code_challenge_method: z.optional(z.enum(['S256', 'plain'])),
});

export const exchangeBody = shape
  .request(words['oauth.exchange'].parameters, {
    grant_type: z.literal('authorization_code'),
    code: z.string(),
    redirect_uri: z.string(),
    client_id: clientId,
    client_secret: secret,
    code_verifier: z.optional(z.string()),
  })
  .register(z.globalRegistry, {
    id: 'OAuthCodeExchange',
    description: 'The exchange of an authorization code for tokens.',
  });

export const refreshBody = shape
  .request(words['oauth.refresh'].parameters, {
    grant_type: z.literal('refresh_token'),
    refresh_token: z.string(),
    client_id: clientId,
    client_secret: secret,
  })
  .register(z.globalRegistry, { id: 'OAuthRefresh', description: 'The exchange of a refresh token for new tokens.' });

export const tokenBody = shape.request(words['oauth.revoke'].parameters, {
  token: z.string(),
  token_type_hint: z.optional(z.enum(['access_token', 'refresh_token'])),
  client_id: z.optional(clientId),
  client_secret: secret,
});

export const tokens = shape.record('Tokens', 'An access token and what belongs to it.', {
  access_token: field(z.string(), 'The access token.'),
  token_type: field(z.string(), 'Type of the token: `Bearer`.'),
  expires_in: lenient(z.int().check(z.minimum(0)), 'Lifetime of the access token, in seconds.'),
  refresh_token: field(z.optional(z.string()), 'The refresh token, when available.'),
  scope: lenient(z.string(), 'The granted scopes, separated by spaces.'),
  created_at: lenient(shape.unixSeconds, 'When the access token was issued, in Unix seconds.'),
});

export const revoked = z.strictObject({});

export const introspection = shape.record('Introspection', 'Whether a token is active, and its metadata if it is.', {
  active: field(z.boolean(), 'Whether the token can be used.'),
  scope: field(z.optional(z.string()), 'The granted scopes, separated by spaces.'),
  client_id: field(z.optional(z.string()), 'ID of the client the token was issued to.'),
  token_type: field(z.optional(z.string()), 'Type of the token: `Bearer`.'),
  exp: field(z.optional(z.int()), 'When the token expires, in Unix seconds.'),
  iat: field(z.optional(z.int()), 'When the token was issued, in Unix seconds.'),
});

/** Both forms seen: `scope` as text or list, the time left under either name. */
export const tokenInfo = shape.record('TokenInfoAnswer', 'Metadata of the bearer token in use.', {
  resource_owner_id: lenient(z.union([z.string(), z.number()]), 'ID of the person who granted the token.'),
  scope: lenient(z.union([z.string(), z.array(z.string())]), 'The granted scopes, separated by spaces or as a list.'),
  expires_in: field(z.optional(z.nullable(z.int())), 'Remaining lifetime, in seconds. Some services name it so.'),
  expires_in_seconds: field(z.optional(z.nullable(z.int())), 'Remaining lifetime, in seconds.'),
  application: lenient(
    shape.record('OAuthApplication', 'An OAuth client.', {
      uid: field(z.string(), "The client's ID."),
      name: lenient(z.string(), "The client's name."),
    }),
    'The client the token was issued to.',
  ),
  created_at: lenient(accepting(shape.unixSeconds, z.number()), 'When the token was issued, in Unix seconds.'),
});

/** Error body of the OAuth endpoints. */
export const oauthError = shape.record('OAuthError', 'Error body of the OAuth endpoints (RFC 6749, section 5.2).', {
  error: field(z.string(), 'Code of the error, for example `invalid_grant`.'),
  error_description: lenient(z.string(), 'What is wrong, in words.'),
  error_uri: field(z.optional(z.string()), 'Address of a page about the error.'),
  state: field(
    z.optional(z.string()),
    'The `state` of the request, or `unauthorized` for a bearer token that is refused.',
  ),
});
