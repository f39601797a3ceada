/**
 * The endpoints for tokens: `/oauth/token`, `/oauth/token/info`, `/oauth/introspect` (RFC 7662), `/oauth/revoke` (RFC
 * 7009).
 */
import { operation } from '@newsletter-kit/core/contract';
import type { IssuedToken } from '../store/oauth.ts';
import type { OauthClientRow } from '../store/workspace.ts';
import { authenticateClient, readCredentials } from './clients.ts';
import { type Endpoint, json, type OauthCall, type Parameters, readBody, OauthError } from './endpoint.ts';
import {
  accessTokenLifetime,
  accessTokenProblem,
  mayUse,
  redeemCode,
  rotate,
  bearerOf,
  findToken,
  requireAccessToken,
  person,
} from './grants.ts';
import { grantTypes } from '../world/client-registration.ts';
import type { World } from '../world/world.ts';

/** What one grant type does. */
interface Grant {
  readonly operation: 'oauth.exchange' | 'oauth.refresh';
  readonly issue: (call: OauthCall, client: OauthClientRow, parameters: Parameters) => IssuedToken;
}

const grants: Readonly<Record<(typeof grantTypes)[number], Grant>> = {
  authorization_code: {
    operation: 'oauth.exchange',
    issue: ({ world }, client, parameters) =>
      redeemCode(world, {
        client,
        code: parameters.require('code'),
        redirectUri: parameters.require('redirect_uri'),
        verifier: parameters.get('code_verifier'),
      }),
  },
  refresh_token: {
    operation: 'oauth.refresh',
    issue: ({ world }, client, parameters) =>
      rotate(world, client, parameters.require('refresh_token'), parameters.get('scope')),
  },
};

/** `scope` narrows a refresh (RFC 6749 §6); the specification leaves it out. */
const tokenParameters = [
  'scope',
  ...operation('oauth.exchange').body.fields,
  ...operation('oauth.refresh').body.fields,
];

export const token: Endpoint = async (call) => {
  const parameters = await readBody(call, tokenParameters);
  const requested = parameters.require('grant_type');
  const grantType = grantTypes.find((known) => known === requested);
  if (!grantType)
    throw new OauthError('unsupported_grant_type', { reason: `grant_type must be ${grantTypes.join(' or ')}.` });
  const grant = grants[grantType];
  call.name(grant.operation);
  const client = authenticateClient(call.world.store.oauth, readCredentials(call.request, parameters));
  if (!mayUse(client, grantType))
    throw new OauthError('unauthorized_client', {
      reason: `This client is not registered for the grant type ${grantType}.`,
    });
  return json(200, tokenAnswer(grant.issue(call, client, parameters)));
};

function tokenAnswer(issued: IssuedToken) {
  return {
    access_token: issued.access_token,
    token_type: 'Bearer',
    expires_in: accessTokenLifetime,
    ...(issued.refresh_token !== null && { refresh_token: issued.refresh_token }),
    scope: issued.scope,
    created_at: issued.created,
  };
}

export const tokenInfo: Endpoint = ({ world, request }) => {
  const token = requireAccessToken(world, bearerOf(request.headers.get('authorization')));
  const left = token.expires - world.clock.seconds();
  return json(200, {
    resource_owner_id: person.id,
    scope: token.scope.split(' '),
    // The time left goes by two names: the one the service documents and the one it has been seen to send.
    expires_in: left,
    expires_in_seconds: left,
    application: { uid: token.client, name: world.store.oauth.client(token.client)?.name ?? '' },
    created_at: token.created,
  });
};

export const introspect: Endpoint = async (call) => {
  const parameters = await readBody(call, operation('oauth.introspect').body.fields);
  const caller = callerOf(call, parameters);
  const value = parameters.require('token');
  const token = findToken(call.world.store.oauth, value);
  const isRefresh = token?.refresh_token === value;
  const hidden = hiddenBecause(call.world, token, isRefresh, caller);
  if (hidden === undefined && token) return json(200, description(token, isRefresh));
  if (hidden !== undefined) call.explain(hidden);
  return json(200, { active: false });
};

/** Identifies the caller: a client by its credentials, or by a valid access token other than the one introspected. */
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
    reason: 'An access token cannot introspect itself. Use another one, or the credentials of the client.',
  });
}

/** The reason why the answer is `active: false`, for the request log only. */
function hiddenBecause(
  world: World,
  token: IssuedToken | undefined,
  isRefresh: boolean,
  caller: string,
): string | undefined {
  if (!token) return 'There is no such token.';
  if (token.client !== caller) return 'The token was issued to another client.';
  if (isRefresh) return token.revoked === 1 ? 'The refresh token was used or revoked.' : undefined;
  const problem = accessTokenProblem(world, token);
  return problem && `The access token is ${problem}.`;
}

/** A refresh token is no bearer token, does not expire, and has the scope that was granted at first. */
function description(token: IssuedToken, isRefresh: boolean) {
  const common = { active: true, client_id: token.client, iat: token.created };
  if (isRefresh) return { ...common, scope: token.granted };
  return { ...common, scope: token.scope, token_type: 'Bearer', exp: token.expires };
}

export const revoke: Endpoint = async (call) => {
  const { oauth } = call.world.store;
  const parameters = await readBody(call, operation('oauth.revoke').body.fields);
  const credentials = readCredentials(call.request, parameters);
  if (!credentials || !oauth.client(credentials.uid)) {
    throw forbidden(
      credentials
        ? 'There is no client with this client_id.'
        : 'The request names no client; a public one sends its client_id.',
    );
  }
  const client = authenticateClient(oauth, credentials);
  const token = findToken(oauth, parameters.require('token'));
  if (!token) call.explain('There is no such token; the answer is the same.');
  else if (token.client !== client.uid) throw forbidden('The token was issued to another client.');
  else call.world.write(() => oauth.revoke(token.seq));
  return json(200, {});
};

function forbidden(reason: string): OauthError {
  return new OauthError('unauthorized_client', {
    status: 403,
    description: 'You are not authorized to revoke this token',
    reason,
  });
}
