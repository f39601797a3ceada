/** OAuth 2.0 on the wire: RFC 6749, 7009, 7636 and 7662 in the shape the service gives them. */
import * as z from 'zod';
import { words } from '../contract/words/index.ts';
import * as shape from './shapes.ts';
import { accepting, lenient } from './tolerant.ts';

const clientId = z.string().min(1);
const secret = z.string().optional();

export const authorizeQuery = shape.request(words['oauth.authorize'].parameters, {
  client_id: clientId,
  redirect_uri: z.string().min(1),
  response_type: z.literal('code'),
  scope: z.string().optional(),
  state: z.string().optional(),
  code_challenge: z.string().optional(),
  code_challenge_method: z.enum(['S256', 'plain']).optional(),
});

export const exchangeBody = shape
  .request(words['oauth.exchange'].parameters, {
    grant_type: z.literal('authorization_code'),
    code: z.string(),
    redirect_uri: z.string(),
    client_id: clientId,
    client_secret: secret,
    code_verifier: z.string().optional(),
  })
  .meta({ id: 'OAuthCodeExchange', description: 'The exchange of an authorization code for tokens.' });

export const refreshBody = shape
  .request(words['oauth.refresh'].parameters, {
    grant_type: z.literal('refresh_token'),
    refresh_token: z.string(),
    client_id: clientId,
    client_secret: secret,
  })
  .meta({ id: 'OAuthRefresh', description: 'The exchange of a refresh token for new tokens.' });

export const tokenBody = shape.request(words['oauth.revoke'].parameters, {
  token: z.string(),
  token_type_hint: z.enum(['access_token', 'refresh_token']).optional(),
  client_id: clientId.optional(),
  client_secret: secret,
});

export const tokens = shape.record('Tokens', 'An access token and what belongs to it.', {
  access_token: z.string().describe('The access token.'),
  token_type: z.string().describe('Type of the token: `Bearer`.'),
  expires_in: lenient(z.int().min(0).describe('Lifetime of the access token, in seconds.')),
  refresh_token: z.string().optional().describe('The refresh token, when available.'),
  scope: lenient(z.string().describe('The granted scopes, separated by spaces.')),
  created_at: lenient(shape.unixSeconds.describe('When the access token was issued, in Unix seconds.')),
});

export const revoked = z.strictObject({});

export const introspection = shape.record('Introspection', 'Whether a token is active, and its metadata if it is.', {
  active: z.boolean().describe('Whether the token can be used.'),
  scope: z.string().optional().describe('The granted scopes, separated by spaces.'),
  client_id: z.string().optional().describe('ID of the client the token was issued to.'),
  token_type: z.string().optional().describe('Type of the token: `Bearer`.'),
  exp: z.int().optional().describe('When the token expires, in Unix seconds.'),
  iat: z.int().optional().describe('When the token was issued, in Unix seconds.'),
});

/** Both forms seen: `scope` as text or list, the time left under either name. */
export const tokenInfo = shape.record('TokenInfoAnswer', 'Metadata of the bearer token in use.', {
  resource_owner_id: lenient(z.union([z.string(), z.number()]).describe('ID of the person who granted the token.')),
  scope: lenient(
    z.union([z.string(), z.array(z.string())]).describe('The granted scopes, separated by spaces or as a list.'),
  ),
  expires_in: z.int().nullable().optional().describe('Remaining lifetime, in seconds. Some services name it so.'),
  expires_in_seconds: z.int().nullable().optional().describe('Remaining lifetime, in seconds.'),
  application: lenient(
    shape
      .record('OAuthApplication', 'An OAuth client.', {
        uid: z.string().describe("The client's ID."),
        name: lenient(z.string().describe("The client's name.")),
      })
      .describe('The client the token was issued to.'),
  ),
  created_at: lenient(accepting(shape.unixSeconds.describe('When the token was issued, in Unix seconds.'), z.number())),
});

/** Error body of the OAuth endpoints. */
export const oauthError = shape.record('OAuthError', 'Error body of the OAuth endpoints (RFC 6749, section 5.2).', {
  error: z.string().describe('Code of the error, for example `invalid_grant`.'),
  error_description: lenient(z.string().describe('What is wrong, in words.')),
  error_uri: z.string().optional().describe('Address of a page about the error.'),
  state: z
    .string()
    .optional()
    .describe('The `state` of the request, or `unauthorized` for a bearer token that is refused.'),
});
