/** OAuth 2.0 on the wire: RFC 6749, 7009, 7636 and 7662 in the shape the service gives them. */
import * as z from 'zod';
import * as shape from './shapes.ts';

const clientId = z.string().min(1);
const secret = z.string().optional();
const hint = z.enum(['access_token', 'refresh_token']).optional();

export const authorizeQuery = z.strictObject({
  client_id: clientId,
  redirect_uri: z.string().min(1),
  response_type: z.literal('code'),
  scope: z.string().optional(),
  state: z.string().optional(),
  code_challenge: z.string().optional(),
  code_challenge_method: z.enum(['S256', 'plain']).optional(),
});

export const exchangeBody = z.strictObject({
  grant_type: z.literal('authorization_code'),
  code: z.string(),
  redirect_uri: z.string(),
  client_id: clientId,
  client_secret: secret,
  code_verifier: z.string().optional(),
});

export const refreshBody = z.strictObject({
  grant_type: z.literal('refresh_token'),
  refresh_token: z.string(),
  client_id: clientId,
  client_secret: secret,
});

export const tokenBody = z.strictObject({
  token: z.string(),
  token_type_hint: hint,
  client_id: clientId.optional(),
  client_secret: secret,
});

export const tokens = z.looseObject({
  access_token: z.string(),
  token_type: z.string(),
  expires_in: shape.optional(z.number()),
  refresh_token: shape.optional(z.string()),
  scope: shape.optional(z.string()),
  created_at: shape.optional(shape.unixSeconds),
});

export const revoked = z.looseObject({});

export const introspection = z.looseObject({
  active: z.boolean(),
  scope: shape.optional(z.string()),
  client_id: shape.optional(z.string()),
  token_type: shape.optional(z.string()),
  exp: shape.optional(z.number()),
  iat: shape.optional(z.number()),
});

/** Both forms seen: `scope` as text or list, the time left under either name. */
export const tokenInfo = z.looseObject({
  resource_owner_id: shape.optional(z.union([z.string(), z.number()])),
  scope: shape.optional(z.union([z.string(), z.array(z.string())])),
  expires_in: shape.optional(z.number()),
  expires_in_seconds: shape.optional(z.number()),
  application: shape.optional(z.looseObject({ uid: z.string() })),
  created_at: shape.optional(shape.unixSeconds),
});

/** Error body of the OAuth endpoints. */
export const oauthError = z.looseObject({ error: z.string(), error_description: shape.optional(z.string()) });
