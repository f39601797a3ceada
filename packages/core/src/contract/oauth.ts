/**
 * OAuth 2.0, authorization code flow. Paths are relative to {app_url}; errors follow RFC 6749, not the API's error
 * body.
 */
import type { Operation } from './types.ts';

const base = { base: 'app', scope: null, expand: [], pagination: 'none' } as const;
const client = ['client_id', 'client_secret'] as const;

export const oauth = [
  {
    ...base,
    id: 'oauth.authorize',
    method: 'GET',
    path: '/oauth/authorize',
    query: ['client_id', 'redirect_uri', 'response_type', 'scope', 'state', 'code_challenge', 'code_challenge_method'],
    body: null,
    success: 302,
    errors: [400, 401],
    retry: 'safe',
    doc: 'Send the person to sign in and consent; the code comes back to the redirect_uri',
  },
  {
    ...base,
    id: 'oauth.exchange',
    method: 'POST',
    path: '/oauth/token',
    query: [],
    body: {
      encoding: 'form',
      fields: ['grant_type', 'code', 'redirect_uri', ...client, 'code_verifier'],
      required: ['grant_type', 'code', 'redirect_uri', 'client_id'],
    },
    success: 200,
    errors: [400, 401],
    retry: 'once',
    doc: 'Exchange a code for tokens',
  },
  {
    ...base,
    id: 'oauth.refresh',
    method: 'POST',
    path: '/oauth/token',
    query: [],
    body: {
      encoding: 'form',
      fields: ['grant_type', 'refresh_token', ...client],
      required: ['grant_type', 'refresh_token', 'client_id'],
    },
    success: 200,
    errors: [400, 401],
    retry: 'once',
    doc: 'Exchange a refresh token for new tokens',
  },
  {
    ...base,
    id: 'oauth.revoke',
    method: 'POST',
    path: '/oauth/revoke',
    query: [],
    body: { encoding: 'form', fields: ['token', 'token_type_hint', ...client], required: ['token'] },
    success: 200,
    errors: [401, 403],
    retry: 'upsert',
    doc: 'Revoke an access or refresh token',
  },
  {
    ...base,
    id: 'oauth.introspect',
    method: 'POST',
    path: '/oauth/introspect',
    query: [],
    body: { encoding: 'form', fields: ['token', 'token_type_hint', ...client], required: ['token'] },
    success: 200,
    errors: [400, 401],
    retry: 'safe',
    doc: 'Ask whether a token is active, and for its metadata',
  },
  {
    ...base,
    id: 'oauth.tokenInfo',
    method: 'GET',
    path: '/oauth/token/info',
    query: [],
    body: null,
    success: 200,
    errors: [401],
    retry: 'safe',
    doc: 'Read the metadata of the bearer token in use',
  },
] as const satisfies readonly Operation[];
