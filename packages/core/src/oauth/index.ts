/**
 * Signing in with OAuth 2.0: authorization code with PKCE, refresh, revocation, introspection, and a source of tokens
 * for `createClient`.
 *
 * @packageDocumentation
 */
export {
  AccessDeniedError,
  LoginRequiredError,
  OAuthError,
  StateMismatchError,
  type LoginRequiredReason,
} from './errors.ts';
export {
  createOAuth,
  type Authorization,
  type AuthorizeOptions,
  type Introspection,
  type OAuth,
  type OAuthOptions,
  type TokenInfo,
} from './oauth.ts';
export { scopesFor } from './scopes.ts';
export { createMemoryTokenStore, type TokenStore } from './store.ts';
export { createTokenSource, type TokenSourceOptions } from './token-source.ts';
export { readTokenSet, type TokenSet } from './tokens.ts';
