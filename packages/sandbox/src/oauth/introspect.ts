/** `POST /oauth/introspect` (RFC 7662): whether a token is good, and what it is, for its own client. */
import { operation } from '@newsletter-kit/core/contract';
import type { World } from '../world/world.ts';
import { bearerOf, requireAccessToken } from './bearer.ts';
import { authenticateClient, readCredentials } from './client.ts';
import { explainIgnored, json, type Endpoint, type OauthCall } from './endpoint.ts';
import { OauthError } from './errors.ts';
import { findToken, type FoundToken } from './finding.ts';
import { accessTokenProblem } from './grants.ts';
import { readBody, type Parameters } from './parameters.ts';

const known = operation('oauth.introspect').body.fields;

export const introspect: Endpoint = async (call) => {
  const parameters = await readBody(call.request, known);
  explainIgnored(call, parameters.ignored);
  const caller = callerOf(call, parameters);
  const found = findToken(call.world.store.oauth, parameters.require('token'), parameters.get('token_type_hint'));
  const hidden = hiddenBecause(call.world, found, caller);
  if (hidden === undefined && found) return json(200, description(found));
  if (hidden !== undefined) call.explain(hidden);
  return json(200, { active: false });
};

/** Who asks: a client by its credentials, or by a good access token that is not the one it asks about. */
function callerOf({ world, request }: OauthCall, parameters: Parameters): string {
  const credentials = readCredentials(request, parameters);
  if (credentials) return authenticateClient(world.store.oauth, credentials).uid;
  const bearer = bearerOf(request.headers.get('authorization'));
  if (bearer === undefined) {
    throw new OauthError('invalid_request', {
      description:
        'Request needs to be authorized. Required parameter for authorizing the request is missing or invalid.',
    });
  }
  const own = requireAccessToken(world, bearer);
  if (bearer !== parameters.get('token')) return own.client;
  throw new OauthError('invalid_token', {
    body: { state: 'unauthorized' },
    reason: 'A token can not vouch for itself; ask with another one, or as the client.',
  });
}

/** Why the caller learns nothing. The answer itself never says. */
function hiddenBecause(world: World, found: FoundToken | undefined, caller: string): string | undefined {
  if (!found) return 'There is no such token.';
  if (found.token.client !== caller) return 'The token was issued to another client.';
  if (found.kind === 'refresh_token')
    return found.token.revoked === 1 ? 'The refresh token was used or revoked.' : undefined;
  const problem = accessTokenProblem(world, found.token);
  return problem && `The access token is ${problem}.`;
}

/** A refresh token is no bearer token, does not expire, and has the scope that was granted at first. */
function description({ kind, token }: FoundToken) {
  const common = { active: true, client_id: token.client, iat: token.created };
  if (kind === 'refresh_token') return { ...common, scope: token.granted };
  return { ...common, scope: token.scope, token_type: 'Bearer', exp: token.expires };
}
