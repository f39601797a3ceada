/** Requests to the OAuth endpoints that are refused, and the texts of their errors. */
import { expect, test } from 'vitest';
import { publicationId, type Sandbox } from '../../src/index.ts';
import { fresh } from '../caller.ts';
import { callback } from './app.ts';
import { asked, errorOf, post, type Fields } from './wire.ts';

export const texts = {
  malformed:
    'The request is missing a required parameter, includes an unsupported parameter value, or is otherwise malformed.',
  invalid_client:
    'Client authentication failed due to unknown client, no client authentication included, or unsupported authentication method.',
  invalid_grant:
    'The provided authorization grant is invalid, expired, revoked, does not match the redirection URI used in the authorization request, or was issued to another client.',
  unsupported_grant_type: 'The authorization grant type is not supported by the authorization server.',
  unsupported_response_type: 'The authorization server does not support this response type.',
  invalid_scope: 'The requested scope is invalid, unknown, or malformed.',
  access_denied: 'The resource owner or authorization server denied the request.',
  invalid_redirect_uri: "The requested redirect URI is malformed or doesn't match the client redirect URI.",
  invalid_code_challenge_method: 'The code_challenge_method must be one of plain, S256.',
  unauthorized_client: 'The client is not authorized to perform this request using this method.',
  revoke: 'You are not authorized to revoke this token',
  mechanisms: 'The request utilizes more than one mechanism for authenticating the client.',
  introspect: 'Request needs to be authorized. Required parameter for authorizing the request is missing or invalid.',
} as const;

export const lacks = (parameter: string) => `Missing required parameter: ${parameter}.`;

export const publicAsked: Fields = {
  ...asked,
  client_id: 'sandbox-public',
  code_challenge: 'c'.repeat(43),
  code_challenge_method: 'plain',
};

export const without = (fields: Fields, ...names: string[]): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));

/** The standard clients, and some that may do less. */
export const limited = () => {
  const client = (uid: string, ...grant_types: ('authorization_code' | 'refresh_token')[]) => ({
    uid,
    name: uid,
    secret: 's',
    redirect_uris: [callback],
    grant_types,
  });
  return fresh({
    seed: {
      publications: [{ id: publicationId, name: 'P' }],
      oauth_clients: [client('no-refresh', 'authorization_code'), client('only-refresh', 'refresh_token')],
    },
  });
};

export type Row = readonly [
  name: string,
  body: (sandbox: Sandbox) => Promise<Fields | string> | Fields | string,
  status: number,
  error: string,
  description: string,
  headers?: Fields,
];

/** One test for each row. */
export function refused(path: string, rows: readonly Row[]): void {
  for (const [name, body, status, error, error_description, headers] of rows) {
    test(`${name} is refused`, async () => {
      const sandbox = fresh();
      const answer = await post(sandbox, path, await body(sandbox), headers);
      expect([answer.status, errorOf(answer)]).toEqual([status, { error, error_description }]);
    });
  }
}
