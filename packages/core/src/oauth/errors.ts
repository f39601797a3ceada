/** The errors of a login, one class each. Texts say what to do, and hold no code, no token and no client secret. */
import { NewsletterError, type CallName } from '../engine/index.ts';

/** The OAuth endpoints refused the request. `code` is the error of RFC 6749, for example `invalid_client`. */
export class OAuthError extends NewsletterError {
  override readonly name: string = 'OAuthError';
  /** The error code of RFC 6749 and its companions; empty where the service sent none. */
  readonly code: string;
  /** The status answered; undefined where the error came back through the browser. */
  readonly status: number | undefined;

  constructor(
    operation: CallName,
    code: string,
    details: {
      readonly status?: number | undefined;
      readonly description?: string | undefined;
      /** Without secrets. */
      readonly cause?: unknown;
    } = {},
  ) {
    const { status, description, cause } = details;
    const answer = [code, description?.replace(/\.$/, '')].filter(Boolean).join(': ');
    super(
      operation,
      `the service answered ${[status, answer && `"${answer}"`].filter(Boolean).join(', ') || 'an error'}. ${remedy(code, status)}`,
      cause,
    );
    this.code = code;
    this.status = status;
  }
}

/** The person denied access, or the service did so for them. */
export class AccessDeniedError extends OAuthError {
  override readonly name = 'AccessDeniedError';

  constructor(operation: CallName) {
    super(operation, 'access_denied');
  }
}

/** The callback does not belong to this login; nothing was exchanged. */
export class StateMismatchError extends NewsletterError {
  override readonly name = 'StateMismatchError';

  constructor() {
    super(
      'oauth.authorize',
      'the "state" that came back is not the one this login began with. Somebody may have sent the person a foreign link, or an older login was finished in its place: start the login again.',
    );
  }
}

/** Why a new login is required. */
export type LoginRequiredReason = 'no-tokens' | 'no-refresh-token' | 'refused';

const reasons: Readonly<Record<LoginRequiredReason, string>> = {
  'no-tokens': 'nobody is logged in.',
  'no-refresh-token': 'the access token no longer works, and the app has no refresh token to renew it with.',
  refused: 'the refresh token no longer works: it was used, revoked or issued to another app.',
};

/** The tokens no longer work: send the person through the login again. The store was left unchanged. */
export class LoginRequiredError extends NewsletterError {
  override readonly name = 'LoginRequiredError';
  readonly reason: LoginRequiredReason;

  constructor(reason: LoginRequiredReason, cause?: OAuthError) {
    super('oauth.refresh', `${reasons[reason]} Log in again.`, cause);
    this.reason = reason;
  }
}

const remedies: Readonly<Partial<Record<string, string>>> = {
  access_denied: 'The person, or the service in their place, did not allow access: ask again only if they want it.',
  invalid_client: 'Check the client id and the client secret; a public client has no secret.',
  invalid_grant:
    'The code or refresh token was used before, has expired, or belongs to another app or redirect URI: start the login again.',
  invalid_redirect_uri: 'The redirect URI must be registered with the app, to the letter.',
  invalid_scope:
    'Ask only for scopes that the service knows and the app may have; scopesFor() names those that operations need.',
  invalid_request: 'A parameter is missing or malformed.',
  invalid_token: 'The token is unknown, expired or revoked: refresh it or log in again.',
  unauthorized_client:
    'The app may not do this, or the token was issued to another app: check the client id and secret.',
};

function remedy(code: string, status: number | undefined): string {
  if (status === 429) return 'Wait, then call less often.';
  return remedies[code] ?? 'Try again later; if the error persists, contact the operator of the service.';
}
