/** Reads a request for authorization, and tells which of its mistakes may be sent back to the app. */
import { operation } from '@newsletter-kit/core/contract';
import type { Oauth } from '../store/oauth.ts';
import type { OauthClientRow } from '../store/workspace.ts';
import { OauthError } from './errors.ts';
import { mayUse, type Consent } from './grants.ts';
import type { Parameters } from './parameters.ts';
import { isChallenge, isChallengeMethod } from './pkce.ts';
import { isRegistered } from './redirect.ts';
import { readScopes } from './scopes.ts';

/** The parameters of the request, as the contract names them. */
export const authorizeParameters: readonly string[] = operation('oauth.authorize').query;

/** Where the answer goes: known before everything else is looked at. */
export interface Return {
  readonly client: OauthClientRow;
  readonly redirectUri: string;
  readonly state: string | undefined;
}

/**
 * Finds the client and the address it may be answered at. Whatever is wrong here is shown in place: sending the browser
 * to an address that is not the client's would make the server an open redirector (RFC 6749 §3.1.2.4).
 *
 * @throws OauthError
 */
export function readReturn(oauth: Oauth, parameters: Parameters): Return {
  const twice = parameters.repeated.find((name) => name === 'client_id' || name === 'redirect_uri');
  if (twice !== undefined) throw new OauthError('invalid_request', { reason: `"${twice}" is given more than once.` });
  const client = oauth.client(parameters.require('client_id'));
  if (!client) throw new OauthError('invalid_client', { reason: 'There is no client with this client_id.' });
  const redirectUri = parameters.get('redirect_uri');
  if (redirectUri === undefined)
    throw new OauthError('invalid_redirect_uri', { reason: 'The redirect_uri is missing.' });
  if (!isRegistered(redirectUri, JSON.parse(client.redirect_uris) as string[])) {
    throw new OauthError('invalid_redirect_uri', {
      reason: 'The redirect_uri is not one that this client has registered; it has to be the same to the letter.',
    });
  }
  return { client, redirectUri, state: parameters.repeated.includes('state') ? undefined : parameters.get('state') };
}

/**
 * Reads the rest of the request: what the person is to consent to.
 * @throws OauthError, to be sent to the redirect URI
 */
export function readConsent({ client, redirectUri }: Return, parameters: Parameters): Consent {
  const [twice] = parameters.repeated;
  if (twice !== undefined) throw new OauthError('invalid_request', { reason: `"${twice}" is given more than once.` });
  if (!mayUse(client, 'authorization_code')) {
    throw new OauthError('unauthorized_client', {
      reason: 'This client is not registered for the grant type authorization_code.',
    });
  }
  if (parameters.require('response_type') !== 'code')
    throw new OauthError('unsupported_response_type', { reason: 'response_type must be code.' });
  const scopes = readScopes(parameters.get('scope'));
  const { challenge, challengeMethod } = readChallenge(client, parameters);
  return { client, redirectUri, scopes, challenge, challengeMethod };
}

function readChallenge(client: OauthClientRow, parameters: Parameters): Pick<Consent, 'challenge' | 'challengeMethod'> {
  const challenge = parameters.get('code_challenge');
  if (challenge === undefined) {
    if (client.secret === null) throw new OauthError('invalid_request', { description: 'Code challenge is required.' });
    return { challenge: null, challengeMethod: null };
  }
  const challengeMethod = parameters.get('code_challenge_method');
  if (!isChallengeMethod(challengeMethod)) throw new OauthError('invalid_code_challenge_method');
  if (!isChallenge(challenge, challengeMethod)) {
    throw new OauthError('invalid_request', {
      reason:
        'No code_verifier could answer this code_challenge: with S256 it has 43 characters, with plain 43 to 128.',
    });
  }
  return { challenge, challengeMethod };
}
