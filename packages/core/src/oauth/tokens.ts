/** What a login gives: tokens as plain data that a store keeps as JSON. */

/** The tokens of one login. Times are absolute, so that they survive a restart. */
export interface TokenSet {
  /** Sent as the bearer token of each call. */
  readonly accessToken: string;
  /** Exchanged for new tokens; null where the app is not registered for refresh tokens. */
  readonly refreshToken: string | null;
  /** When the access token was given, in milliseconds since the Unix epoch. */
  readonly issuedAt: number;
  /** When the access token stops working, in milliseconds since the Unix epoch; null where the service does not say. */
  readonly expiresAt: number | null;
  /** What the access token may do; empty where the service does not say. */
  readonly scopes: readonly string[];
}

/** Tokens in the form a store kept them, or null where this is something else. Unknown keys are dropped. */
export function readTokenSet(value: unknown): TokenSet | null {
  if (typeof value !== 'object' || value === null) return null;
  const { accessToken, refreshToken, issuedAt, expiresAt, scopes }: Readonly<Partial<Record<keyof TokenSet, unknown>>> =
    value;
  if (typeof accessToken !== 'string' || accessToken === '') return null;
  if (refreshToken !== null && typeof refreshToken !== 'string') return null;
  if (typeof issuedAt !== 'number' || (expiresAt !== null && typeof expiresAt !== 'number')) return null;
  if (!Array.isArray(scopes) || !scopes.every((scope) => typeof scope === 'string')) return null;
  return { accessToken, refreshToken, issuedAt, expiresAt, scopes };
}

/** Whether the access token has stopped working by the clock. */
export function isExpired({ expiresAt }: TokenSet, now: number): boolean {
  return expiresAt !== null && now >= expiresAt;
}

/**
 * Whether the access token should be renewed before it is used: `aheadMs` before it ends, but never in the first half
 * of its life, or a short-lived one would be renewed by every call.
 */
export function isDue({ issuedAt, expiresAt }: TokenSet, now: number, aheadMs: number): boolean {
  return expiresAt !== null && now >= expiresAt - Math.min(aheadMs, (expiresAt - issuedAt) / 2);
}

/** Scopes in both forms services send: a text with blanks between, or a list. */
export function readScopes(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.filter((scope) => typeof scope === 'string');
  return typeof value === 'string' ? value.split(/\s+/).filter(Boolean) : [];
}
