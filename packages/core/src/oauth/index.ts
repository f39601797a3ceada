/**
 * OAuth 2.0 beside `client.oauth`: token stores, scopes and the errors of a login.
 *
 * @packageDocumentation
 */
export * from './errors.ts';
export type { Authorization, AuthorizeOptions, Introspection, LoginOptions, OAuthLogin, TokenInfo } from './types.ts';
export { scopesFor } from './login.ts';
export { readTokenSet, type TokenSet, createMemoryTokenStore, type TokenStore } from './tokens.ts';
