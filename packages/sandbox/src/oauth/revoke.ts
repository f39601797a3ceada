/** `POST /oauth/revoke` (RFC 7009): ends an access token or a refresh token, and the other one with it. */
import { operation } from '@newsletter-kit/core/contract';
import { authenticateClient, readCredentials } from './client.ts';
import { explainIgnored, json, type Endpoint } from './endpoint.ts';
import { OauthError } from './errors.ts';
import { findToken } from './finding.ts';
import { readBody } from './parameters.ts';

const known = operation('oauth.revoke').body.fields;

export const revoke: Endpoint = async (call) => {
  const { oauth } = call.world.store;
  const parameters = await readBody(call.request, known);
  explainIgnored(call, parameters.ignored);
  const credentials = readCredentials(call.request, parameters);
  if (!credentials || !oauth.client(credentials.uid)) {
    throw forbidden(
      credentials
        ? 'There is no client with this client_id.'
        : 'The request names no client; a public one sends its client_id.',
    );
  }
  const client = authenticateClient(oauth, credentials);
  const found = findToken(oauth, parameters.require('token'), parameters.get('token_type_hint'));
  if (!found) call.explain('There is no such token; the answer is the same.');
  else if (found.token.client !== client.uid) throw forbidden('The token was issued to another client.');
  else call.world.write(() => oauth.revoke(found.token.seq));
  return json(200, {});
};

function forbidden(reason: string): OauthError {
  return new OauthError('unauthorized_client', {
    status: 403,
    description: 'You are not authorized to revoke this token',
    reason,
  });
}
