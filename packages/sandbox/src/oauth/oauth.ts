/**
 * `/oauth/…`: every request goes to its endpoint by method and path, and always gets an answer in the format of OAuth.
 */
import { operation } from '@newsletter-kit/core/contract';
import { toApiError } from '../http/errors.ts';
import type { Trace } from '../http/trace.ts';
import type { World } from '../world/world.ts';
import { authorize } from './authorize.ts';
import { type Endpoint, errorAnswer, type OauthCall, OauthError, type OauthErrorName } from './endpoint.ts';
import { introspect, revoke, token, tokenInfo } from './token-endpoints.ts';

/** Path prefix of OAuth. */
export const oauthPrefix = '/oauth';

/** Each endpoint with the operation it is; the form of the consent page comes back to where the page was. */
const endpoints = [
  { id: 'oauth.authorize', method: 'GET', endpoint: authorize },
  { id: 'oauth.authorize', method: 'POST', endpoint: authorize },
  { id: 'oauth.exchange', method: 'POST', endpoint: token },
  { id: 'oauth.revoke', method: 'POST', endpoint: revoke },
  { id: 'oauth.introspect', method: 'POST', endpoint: introspect },
  { id: 'oauth.tokenInfo', method: 'GET', endpoint: tokenInfo },
] as const satisfies readonly { readonly id: string; readonly method: string; readonly endpoint: Endpoint }[];

/** Answers one request of OAuth and records in the trace how. Never rejects. */
export async function answerOauth(
  world: World,
  request: Request,
  path: string,
  search: string,
  trace: Trace,
): Promise<Response> {
  const call: OauthCall = {
    world,
    request,
    search,
    name: (id) => void (trace.operation = operation(id)),
    explain: (reason) => void trace.reasons.push(reason),
  };
  try {
    const { id, endpoint } = find(request.method, path);
    trace.operation = operation(id);
    const response = await endpoint(call);
    trace.status = response.status;
    return response;
  } catch (error) {
    const failure = toOauthError(error);
    trace.status = failure.status;
    trace.reasons.push(failure.reason);
    return errorAnswer(failure);
  }
}

/** An answer of any status with OAuth's error body. */
export function oauthRefusal(
  status: number,
  { message }: { readonly message: string },
  headers: Readonly<Record<string, string>> = {},
): Response {
  return errorAnswer(ofStatus(status, message, headers));
}

function find(method: string, path: string) {
  const here = endpoints.filter(({ id }) => operation(id).path === path);
  // A HEAD is a GET whose body is not sent.
  const found = here.find((endpoint) => endpoint.method === (method === 'HEAD' ? 'GET' : method));
  if (found) return found;
  if (here.length === 0) {
    const all = endpoints.map((endpoint) => `${endpoint.method} ${operation(endpoint.id).path}`).join(', ');
    throw new OauthError('invalid_request', { status: 404, description: `There is no such path. There are ${all}.` });
  }
  const allow = here.map((endpoint) => endpoint.method).join(', ');
  const description = `This path takes ${allow}, not ${/^[A-Z]{1,20}$/.test(method) ? method : 'this method'}.`;
  throw new OauthError('invalid_request', { status: 405, description, headers: { Allow: allow } });
}

/** Converts every error to one of OAuth; an unexpected one has been printed and becomes server_error. */
function toOauthError(error: unknown): OauthError {
  if (error instanceof OauthError) return error;
  const { status, message } = toApiError(error);
  return ofStatus(status, message);
}

const namesByStatus: Readonly<Record<number, OauthErrorName>> = {
  401: 'invalid_client',
  403: 'unauthorized_client',
  500: 'server_error',
  503: 'temporarily_unavailable',
};

function ofStatus(status: number, description: string, headers: Readonly<Record<string, string>> = {}): OauthError {
  return new OauthError(namesByStatus[status] ?? (status > 500 ? 'server_error' : 'invalid_request'), {
    status,
    description,
    headers,
  });
}
