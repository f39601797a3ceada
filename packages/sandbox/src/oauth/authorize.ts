/**
 * `/oauth/authorize`: checks the authorization request, shows the consent page and takes the answer (RFC 6749 §4.1).
 */
import { operation } from '@newsletter-kit/core/contract';
import type { Oauth } from '../store/oauth.ts';
import type { OauthClientRow } from '../store/workspace.ts';
import {
  OauthError,
  type Endpoint,
  errorAnswer,
  type OauthCall,
  type Parameters,
  readBody,
  readParameters,
  refuseRepeated,
  uncached,
} from './endpoint.ts';
import { challengeMethods, type GrantedConsent, issueCode, mayUse } from './grants.ts';
import { isRegistered, withParameters } from './clients.ts';
import { readScopes } from './scopes.ts';
import { requireOwnForm, tokenField, tokenFor, consentPage, errorPage } from './consent-page.ts';

/** The parameters of the request, as the contract names them. */
const authorizeParameters: readonly string[] = operation('oauth.authorize').query;

/** The client and its redirect URI, which are checked before everything else. */
interface Return {
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
function readReturn(oauth: Oauth, parameters: Parameters): Return {
  refuseRepeated(parameters.repeated.filter((name) => name === 'client_id' || name === 'redirect_uri'));
  const client = oauth.client(parameters.require('client_id'));
  if (!client) throw new OauthError('invalid_client', { reason: 'There is no client with this client_id.' });
  const redirectUri = parameters.get('redirect_uri');
  if (redirectUri === undefined)
    throw new OauthError('invalid_redirect_uri', { reason: 'The redirect_uri is missing.' });
  if (!isRegistered(redirectUri, JSON.parse(client.redirect_uris) as string[])) {
    throw new OauthError('invalid_redirect_uri', {
      reason: 'The redirect_uri is not one that this client has registered; it must be exactly the same.',
    });
  }
  return { client, redirectUri, state: parameters.repeated.includes('state') ? undefined : parameters.get('state') };
}

/**
 * Reads the rest of the request: what the person is to consent to.
 * @throws OauthError, to be sent to the redirect URI
 */
function readConsent({ client, redirectUri }: Return, parameters: Parameters): GrantedConsent {
  refuseRepeated(parameters.repeated);
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

function readChallenge(
  client: OauthClientRow,
  parameters: Parameters,
): Pick<GrantedConsent, 'challenge' | 'challengeMethod'> {
  const challenge = parameters.get('code_challenge');
  if (challenge === undefined) {
    if (client.secret === null) throw new OauthError('invalid_request', { description: 'Code challenge is required.' });
    return { challenge: null, challengeMethod: null };
  }
  const challengeMethod = parameters.get('code_challenge_method') ?? '';
  const method = challengeMethods.get(challengeMethod);
  if (!method) throw new OauthError('invalid_code_challenge_method');
  if (!method.pattern.test(challenge)) {
    throw new OauthError('invalid_request', {
      reason: 'The code_challenge is not valid: with S256 it has 43 characters, with plain 43 to 128.',
    });
  }
  return { challenge, challengeMethod };
}

/**
 * Handles an authorization request: `GET` asks the person, `POST` takes the answer. Errors are shown in place until the
 * redirect URI is known to be the client's; later ones are sent to the app.
 */
export const authorize: Endpoint = async (call) => {
  const isAnswer = call.request.method === 'POST';
  let to: Return | undefined;
  try {
    const parameters = isAnswer ? await readForm(call) : readParameters(call, call.search, authorizeParameters);
    to = readReturn(call.world.store.oauth, parameters);
    const consent = readConsent(to, parameters);
    if (!isAnswer) return await askConsent(call, consent, parameters);
    requireConsent(parameters);
    return redirect(to, { code: issueCode(call.world, consent) });
  } catch (error) {
    if (!(error instanceof OauthError)) throw error;
    call.explain(error.reason);
    return to ? redirect(to, error.body) : inPlace(call.request, error);
  }
};

/** The form: the answer, and the parameters of the request again, which need not come from our page. */
async function readForm(call: OauthCall): Promise<Parameters> {
  const parameters = await readBody(call, [...authorizeParameters, tokenField, 'decision']);
  requireOwnForm(call.request, parameters.get(tokenField));
  return parameters;
}

function askConsent({ world, request }: OauthCall, consent: GrantedConsent, parameters: Parameters): Promise<Response> {
  const { token, headers } = tokenFor(world, request);
  const fields = authorizeParameters.flatMap((name) => {
    const value = parameters.get(name);
    return value === undefined ? [] : [[name, value] as const];
  });
  return consentPage(consent, [...fields, [tokenField, token]], headers);
}

/** @throws OauthError where the person did not allow it */
function requireConsent(parameters: Parameters): void {
  const decision = parameters.get('decision');
  if (decision === 'deny') throw new OauthError('access_denied');
  if (decision !== 'allow') throw new OauthError('invalid_request', { reason: 'decision must be allow or deny.' });
}

function redirect(to: Return, parameters: Readonly<Record<string, string>>): Response {
  return new Response(null, {
    status: 302,
    headers: { Location: withParameters(to.redirectUri, { ...parameters, state: to.state }), ...uncached },
  });
}

/** A browser gets a page, a program gets JSON. */
function inPlace(request: Request, error: OauthError): Response | Promise<Response> {
  return request.headers.get('accept')?.includes('text/html') ? errorPage(error) : errorAnswer(error);
}
