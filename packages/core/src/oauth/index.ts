/**
 * What belongs to `client.oauth`: token stores, a source of tokens, scopes and the errors of a login.
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
export type { Authorization, AuthorizeOptions, Introspection, LoginOptions, OAuthLogin, TokenInfo } from './login.ts';
export { scopesFor } from './scopes.ts';
export { createMemoryTokenStore, type TokenStore } from './store.ts';
export { readTokenSet, type TokenSet } from './tokens.ts';
