/** The API: every request goes the same way – route, token, quota, publication, check, work – and always ends in a JSON answer. */
import { inspect } from 'node:util';
import { operations, type Operation } from '@newsletter-kit/core/contract';
import type { ErrorDetail } from '@newsletter-kit/core/schema';
import { isStorageFailure } from '../store/database.ts';
import { Refusal } from '../world/refusal.ts';
import type { World } from '../world/world.ts';
import { authenticate, findPublication, requireScope } from './auth.ts';
import { customFieldHandlers } from './custom-fields.ts';
import { apiError, ApiError, errorBody, type ErrorStatus } from './errors.ts';
import type { Handler } from './handler.ts';
import type { RateLimit } from './rate-limit.ts';
import { readJson, readQuery } from './reading.ts';
import { createRouter } from './router.ts';
import { subscriptionHandlers } from './subscriptions.ts';

/** Where the API lies below the sandbox's address. */
export const apiPrefix = '/v2';

const route = createRouter(operations, { api: apiPrefix, app: '' });
const handlers = new Map<string, Handler>([...subscriptionHandlers, ...customFieldHandlers].map((built) => [built.id, built]));

/** The operations of the contract at a method and path; several only where the body tells them apart. */
export function operationsAt(method: string, path: string): readonly Operation[] {
  const match = route(method, path);
  return match.kind === 'found' ? match.operations : [];
}

/** What the request log keeps of a request. */
export interface Trace {
  operation: Operation | null;
  status: number;
  readonly reasons: string[];
}

/** Answers one request of the API and tells the trace how. Never rejects. */
export async function answer(world: World, rateLimit: RateLimit, request: Request, path: string, search: string, trace: Trace): Promise<Response> {
  let headers: Readonly<Record<string, string>> = {};
  try {
    const match = route(request.method, path);
    if (match.kind === 'path') throw apiError(404, 'NOT_FOUND', `There is no such path.${hint(path)}`);
    if (match.kind === 'method') {
      const allow = match.allowed.join(', ');
      throw apiError(405, 'METHOD_NOT_ALLOWED', `This path takes ${allow}, not ${request.method}.`, { Allow: allow });
    }
    const [operation] = match.operations;
    if (!operation) throw new Error('The router found a path without an operation.');
    trace.operation = operation;

    const bearer = authenticate(world, request.headers.get('authorization'));
    headers = rateLimit.count();
    requireScope(bearer, operation);
    const handler = handlers.get(operation.id);
    if (!handler) throw notBuilt(operation);
    const publication = findPublication(world, bearer, match.params['publicationId'] ?? '');

    const { query, ignored } = readQuery(operation, search);
    for (const name of ignored) trace.reasons.push(`The query parameter "${name}" is not known here and was ignored.`);
    const body = operation.body ? await readJson(request) : undefined;
    const call = { world, publication, params: match.params, explain: (reason: string) => void trace.reasons.push(reason) };
    const reply = handler.answer(call, query, body);
    trace.status = operation.success;
    return respond(operation.success, reply.body, { ...headers, ...reply.headers });
  } catch (error) {
    const failure = toApiError(error);
    trace.status = failure.status;
    trace.reasons.push(...failure.details.map((detail) => detail.message));
    return respond(failure.status, errorBody(failure.status, failure.details), { ...headers, ...failure.headers });
  }
}

/** An error answer outside of the API's own paths, in the same body. */
export function errorAnswer(status: ErrorStatus, ...details: readonly ErrorDetail[]): Response {
  return respond(status, errorBody(status, details), {});
}

/** Every error as one the API can answer; what nobody foresaw is printed and answered as 500. */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof Refusal) return new ApiError(400, error.details);
  if (isStorageFailure(error)) {
    return apiError(503, 'STORAGE_UNAVAILABLE', 'The sandbox could not write its database; nothing of this request was kept. Free some disk space, then repeat it.');
  }
  process.stderr.write(`${inspect(error)}\n`);
  return apiError(500, 'INTERNAL_ERROR', 'The sandbox failed; its terminal shows why. Please report it.');
}

function respond(status: number, body: unknown, headers: Readonly<Record<string, string>>): Response {
  return new Response(JSON.stringify(body), { status, headers: { 'Content-Type': 'application/json; charset=utf-8', ...headers } });
}

function notBuilt(operation: Operation): ApiError {
  return apiError(501, 'NOT_BUILT_YET', `The sandbox knows ${operation.id}, but does not answer it yet.`);
}

/** The two mistakes that lead most people to an unknown path. */
function hint(path: string): string {
  if (/^\/(?:publications|workspaces)\b/.test(path)) return ` Every path of the API begins with ${apiPrefix}.`;
  return path.length > 1 && path.endsWith('/') ? ' A path has no slash at its end.' : '';
}
