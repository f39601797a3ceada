/**
 * How OAuth clients authenticate: by HTTP Basic or by body parameters, never by both (RFC 6749 §2.3); and how the
 * redirect URI of a request is compared with the registered ones.
 */
import { decoded } from '../http/read-request.ts';
import type { Oauth } from '../store/oauth.ts';
import type { OauthClientRow } from '../store/workspace.ts';
import { isRedirectUri } from '../world/client-registration.ts';
import { bearerChallenge, OauthError, realm, type Parameters } from './endpoint.ts';

/** What a request says about its client. */
export interface Credentials {
  readonly uid: string;
  readonly secret: string | undefined;
  readonly mechanism: 'basic' | 'body';
}

/**
 * The credentials of a request, undefined where it names no client.
 * @throws OauthError invalid_request where it names one in two ways
 */
export function readCredentials(request: Request, parameters: Parameters): Credentials | undefined {
  const basic = readBasic(request.headers.get('authorization'));
  const uid = parameters.get('client_id');
  const secret = parameters.get('client_secret');
  if (!basic) return uid === undefined ? undefined : { uid, secret, mechanism: 'body' };
  if (secret !== undefined) {
    throw new OauthError('invalid_request', {
      description: 'The request utilizes more than one mechanism for authenticating the client.',
    });
  }
  // A client may name itself in the body as well, as long as it is the same one.
  if (uid !== undefined && uid !== basic.uid)
    throw invalidClient('basic', 'The Authorization header and client_id name two different clients.');
  return basic;
}

/** The client that these credentials belong to. @throws OauthError invalid_client */
export function authenticateClient(oauth: Oauth, credentials: Credentials | undefined): OauthClientRow {
  if (!credentials) throw invalidClient('body', 'The request names no client.');
  const { uid, secret, mechanism } = credentials;
  const client = oauth.client(uid);
  if (!client) throw invalidClient(mechanism, 'There is no client with this client_id.');
  if (client.secret === null ? secret === undefined : secret === client.secret) return client;
  throw invalidClient(mechanism, secretProblem(client, secret));
}

function secretProblem(client: OauthClientRow, secret: string | undefined): string {
  if (client.secret === null) return 'This client is a public one and has no client_secret.';
  return secret === undefined
    ? 'This client is a confidential one: it has to send its client_secret.'
    : 'The client_secret is wrong.';
}

/** A failed Basic authentication gets a Basic challenge as well (RFC 6749 §5.2). */
function invalidClient(mechanism: Credentials['mechanism'], reason: string): OauthError {
  const plain = new OauthError('invalid_client', { reason });
  if (mechanism === 'body') return plain;
  return new OauthError('invalid_client', {
    reason,
    headers: { 'WWW-Authenticate': `Basic realm="${realm}", ${bearerChallenge('invalid_client', plain.description)}` },
  });
}

/** Name and secret are form-encoded before they are joined (RFC 6749 §2.3.1). */
function readBasic(authorization: string | null): Credentials | undefined {
  const encoded = /^Basic +(\S+) *$/i.exec(authorization ?? '')?.[1];
  if (encoded === undefined) return undefined;
  const [, uid = '', secret = ''] = /^([^:]*):?(.*)$/s.exec(Buffer.from(encoded, 'base64').toString('utf8')) ?? [];
  // Some clients omit the encoding: what cannot be decoded is used unchanged.
  return { uid: decoded(uid, 'form'), secret: decoded(secret, 'form') || undefined, mechanism: 'basic' };
}

/**
 * Whether the URI is one of the registered ones, to the letter; on the loopback interface any port will do (RFC 8252
 * §7.3).
 */
export function isRegistered(uri: string, registered: readonly string[]): boolean {
  return isRedirectUri(uri) && registered.some((known) => withoutLoopbackPort(known) === withoutLoopbackPort(uri));
}

/** The URI with these parameters added to its query. */
export function withParameters(uri: string, parameters: Readonly<Record<string, string | undefined>>): string {
  const url = new URL(uri);
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) url.searchParams.append(name, value);
  return url.href;
}

/** Compared as text: a parser would normalize different spellings to one URI. */
function withoutLoopbackPort(uri: string): string {
  return uri.replace(/^(http:\/\/(?:localhost|127\.0\.0\.1|\[::1\])):\d{1,5}/, '$1');
}
