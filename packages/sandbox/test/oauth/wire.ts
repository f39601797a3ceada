/** Plain requests to OAuth, and checks for every answer. */
import { oauthError } from '@newsletter-kit/core/schema';
import { expect } from 'vitest';
import { consent, type Sandbox } from '../../src/index.ts';
import { callback, origin } from './app.ts';

export const confidential = { client_id: 'sandbox-app', client_secret: 'sandbox-secret' } as const;
export const basic = (uid: string, secret: string) => ({
  Authorization: `Basic ${Buffer.from(`${uid}:${secret}`).toString('base64')}`,
});

export type Fields = Readonly<Record<string, string>>;

/** A good request for authorization of the confidential client. */
export const asked: Fields = {
  client_id: 'sandbox-app',
  redirect_uri: callback,
  response_type: 'code',
  scope: 'subscriptions:read',
  state: 'a b&c',
};

export const authorizeUrl = (fields: Fields = asked): string =>
  `${origin}/oauth/authorize?${new URLSearchParams(fields).toString()}`;

export interface OauthAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Sends a form to an endpoint; `body` may also be a text of any kind. */
export async function post(
  sandbox: Sandbox,
  path: string,
  body: Fields | string,
  headers: Fields = {},
): Promise<OauthAnswer> {
  const answer = await sandbox.fetch(`${origin}/oauth/${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded', ...headers },
    body: typeof body === 'string' ? body : new URLSearchParams(body).toString(),
  });
  return read(answer);
}

export async function get(sandbox: Sandbox, path: string, headers: Fields = {}): Promise<OauthAnswer> {
  return read(await sandbox.fetch(`${origin}/oauth/${path}`, { headers }));
}

/** No answer of OAuth may be cached, and every JSON answer has its content type. */
async function read(answer: Response): Promise<OauthAnswer> {
  expect(answer.headers.get('cache-control')).toContain('no-store');
  expect(answer.headers.get('pragma')).toBe('no-cache');
  const text = await answer.text();
  if (text !== '') expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
  return {
    status: answer.status,
    headers: answer.headers,
    body: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>),
  };
}

/** The body of an error answer, checked to be one of RFC 6749. */
export function errorOf({ status, body, headers }: OauthAnswer) {
  const error = oauthError.parse(body);
  expect(status).toBeGreaterThanOrEqual(400);
  expect(headers.get('www-authenticate')).toContain(`error="${error.error}"`);
  return error;
}

/** A code for the fields asked. */
export async function codeFor(sandbox: Sandbox, fields: Fields = asked): Promise<string> {
  const code = (await consent(sandbox.fetch, authorizeUrl(fields))).searchParams.get('code');
  if (code === null) throw new Error('The consent gave no code.');
  return code;
}

/** Exchanges a code for tokens, as the confidential client. */
export const exchange = (sandbox: Sandbox, code: string): Promise<OauthAnswer> =>
  post(sandbox, 'token', { grant_type: 'authorization_code', code, redirect_uri: callback, ...confidential });

export interface RawTokens {
  readonly access_token: string;
  readonly refresh_token: string;
}

/** Tokens of the confidential client, with this scope. */
export async function tokensFor(
  sandbox: Sandbox,
  scope = 'subscriptions:read',
  fields: Fields = {},
): Promise<RawTokens> {
  const code = await codeFor(sandbox, { ...asked, scope, ...fields });
  const { status, body } = await exchange(sandbox, code);
  expect(status).toBe(200);
  return { access_token: String(body['access_token']), refresh_token: String(body['refresh_token']) };
}
