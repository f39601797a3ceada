/** Reads what the browser came back with. */
import * as oauth4webapi from 'oauth4webapi';
import { redact } from '../engine/index.ts';
import { AccessDeniedError, OAuthError, StateMismatchError } from './errors.ts';

/**
 * The parameters of the callback, checked.
 *
 * @throws StateMismatchError, AccessDeniedError, OAuthError
 */
export function checkCallback(
  server: oauth4webapi.AuthorizationServer,
  client: oauth4webapi.Client,
  callback: URL,
  state: string,
): URLSearchParams {
  // Before anything else: an error that somebody else planted must not end this login either.
  if (callback.searchParams.getAll('state').join('\n') !== state) throw new StateMismatchError();
  try {
    return oauth4webapi.validateAuthResponse(server, client, callback, state);
  } catch (error) {
    if (!(error instanceof oauth4webapi.AuthorizationResponseError)) throw error;
    if (error.error === 'access_denied') throw new AccessDeniedError('oauth.authorize');
    throw new OAuthError('oauth.authorize', redact(error.error), {
      description: redact(error.error_description ?? ''),
    });
  }
}
