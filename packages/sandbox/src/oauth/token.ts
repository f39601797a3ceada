/** `POST /oauth/token`: a code, or a refresh token, for tokens. */
import { operation } from '@newsletter-kit/core/contract';
import type { IssuedToken } from '../store/oauth.ts';
import type { OauthClientRow } from '../store/workspace.ts';
import { authenticateClient, readCredentials } from './client.ts';
import { explainIgnored, json, type Endpoint, type OauthCall } from './endpoint.ts';
import { OauthError } from './errors.ts';
import { accessTokenLifetime, mayUse, redeemCode, rotate } from './grants.ts';
import { readBody, type Parameters } from './parameters.ts';
import { readScopes } from './scopes.ts';

/** What one grant type does. */
interface Grant {
  readonly operation: 'oauth.exchange' | 'oauth.refresh';
  readonly issue: (call: OauthCall, client: OauthClientRow, parameters: Parameters) => IssuedToken;
}

const grants: ReadonlyMap<string, Grant> = new Map<string, Grant>([
  [
    'authorization_code',
    {
      operation: 'oauth.exchange',
      issue: ({ world }, client, parameters) =>
        redeemCode(world, {
          client,
          code: parameters.require('code'),
          redirectUri: parameters.require('redirect_uri'),
          verifier: parameters.get('code_verifier'),
        }),
    },
  ],
  [
    'refresh_token',
    {
      operation: 'oauth.refresh',
      issue: ({ world }, client, parameters) => {
        const asked = parameters.get('scope');
        return rotate(world, client, parameters.require('refresh_token'), (granted) =>
          readScopes(asked, granted, granted),
        );
      },
    },
  ],
]);

/** `scope` narrows a refresh (RFC 6749 §6); the specification leaves it out. */
const known = [
  ...new Set([
    'grant_type',
    'scope',
    ...operation('oauth.exchange').body.fields,
    ...operation('oauth.refresh').body.fields,
  ]),
];

export const token: Endpoint = async (call) => {
  const parameters = await readBody(call.request, known);
  explainIgnored(call, parameters.ignored);
  const grantType = parameters.require('grant_type');
  const grant = grants.get(grantType);
  if (!grant)
    throw new OauthError('unsupported_grant_type', {
      reason: `grant_type must be ${[...grants.keys()].join(' or ')}.`,
    });
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
