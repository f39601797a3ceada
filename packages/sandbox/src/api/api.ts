/**
 * Answers API requests: route, authenticate, count against the rate limit, find the publication, validate, run the
 * rule.
 */
import { type Operation, operations } from '@newsletter-kit/core/contract';
import { isStorageFailure } from '../store/database.ts';
import type { World } from '../world/world.ts';
import { addressOf, apiPrefix, patternOf } from './addresses.ts';
import { authenticate, reachedPublication, requireScope } from './auth.ts';
import { apiError, errorBody, toApiError } from '../http/errors.ts';
import { decoded, noteText, readJson, readQuery } from '../http/read-request.ts';
import type { Trace } from '../http/trace.ts';
import { automationRules } from './automations.ts';
import { contentRules } from './content.ts';
import { customFieldRules } from './custom-fields.ts';
import { deletionRequestRules } from './deletion-requests.ts';
import type { PathParams, Rule } from './rule.ts';
import { subscriptionRules } from './subscriptions.ts';

const allRules: readonly Rule[] = [
  ...subscriptionRules,
  ...automationRules,
  ...contentRules,
  ...customFieldRules,
  ...deletionRequestRules,
];

/** The rules by the id of their operation. */
const rules: ReadonlyMap<string, Rule> = new Map(allRules.map((each) => [each.id, each]));

/** The operations of the contract at a method and path; several only where the body decides which one is meant. */
export function operationsAt(method: string, path: string): readonly Operation[] {
  const match = route(method, path);
  return match.kind === 'found' ? match.operations : [];
}

/** Counts a request against the rate limit and returns the headers to send. @throws ApiError 429 beyond the limit */
export type CountRequest = () => Readonly<Record<string, string>>;

/** Answers one request of the API and records in the trace how. Never rejects. */
export async function answer(
  world: World,
  countRequest: CountRequest,
  request: Request,
  path: string,
  search: string,
  trace: Trace,
): Promise<Response> {
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

    const rule = rules.get(operation.id);
    if (!rule) throw new Error(`No rule answers ${operation.id}.`);
    // Read first, but its errors come later: from here on nothing is awaited, so the request has one time.
    const [body] = await Promise.allSettled([operation.body ? readJson(request) : undefined]);
    const now = world.clock.now();
    const reply = world.clock.during(now, () => {
      const bearer = authenticate(world, request.headers.get('authorization'));
      headers = countRequest();
      requireScope(bearer, operation);
      rule.admit?.(world);
      const publication = reachedPublication(world, bearer, rule, match.params);
      const { query, ignored } = readQuery(operation, search);
      for (const name of ignored)
        trace.reasons.push(`The query parameter "${name}" is not known here and was ignored.`);
      if (body.status === 'rejected') throw body.reason;
      const call = {
        world,
        publication,
        params: match.params,
        within: bearer.publications,
        explain: (reason: string) => void trace.reasons.push(reason),
      };
      settle(world);
      return rule.answer(call, query, body.value);
    });
    trace.status = operation.success;
    trace.created = reply.created ?? false;
    trace.total = reply.total ?? null;
    return respond(operation.success, reply.body, { ...headers, ...reply.headers });
  } catch (error) {
    const failure = toApiError(error);
    trace.status = failure.status;
    trace.rule = failure.details[0]?.code ?? null;
    trace.changes = failure.changes;
    trace.reasons.push(...failure.details.map((detail) => detail.message));
    return respond(failure.status, errorBody(failure.status, failure.details), { ...headers, ...failure.headers });
  }
}

/** Runs every scheduled event that is due, as far as the store can be written. */
export function settle(world: Pick<World, 'settle'>): void {
  try {
    world.settle();
  } catch (error) {
    // Events that could not be written stay due; the request itself fails if it needs to write.
    if (!isStorageFailure(error)) throw error;
  }
}

function respond(status: number, body: unknown, headers: Readonly<Record<string, string>>): Response {
  if (body === undefined) return new Response(null, { status, headers });
  const text = JSON.stringify(body);
  const response = new Response(text, {
    status,
    headers: { 'Content-Type': 'application/json; charset=utf-8', ...headers },
  });
  return noteText(response, text);
}

/** A hint for the two most frequent causes of an unknown path. */
function hint(path: string): string {
  if (/^\/(?:publications|workspaces)\b/.test(path)) return ` Every path of the API begins with ${apiPrefix}.`;
  return path.length > 1 && path.endsWith('/') ? ' Remove the slash at the end of the path.' : '';
}

type Match =
  /** Several operations share a method and path only where the body tells them apart (the two OAuth grants). */
  | { readonly kind: 'found'; readonly operations: readonly Operation[]; readonly params: PathParams }
  /** The path is known, but not with this method. */
  | { readonly kind: 'method'; readonly allowed: readonly string[] }
  | { readonly kind: 'path' };

/** Every address of the contract with its operations by method. A brace sorts behind letters: literals come first. */
const places = [...Map.groupBy<string, Operation>(operations, addressOf)]
  .toSorted(([a], [b]) => (a < b ? -1 : 1))
  .map(([address, here]) => ({
    pattern: patternOf(address),
    methods: Map.groupBy<string, Operation>(here, ({ method }) => method),
  }));

/** Finds the operations of the contract at a method and path. */
function route(method: string, path: string): Match {
  for (const { pattern, methods } of places) {
    const match = pattern.exec(path);
    if (!match) continue;
    // A HEAD is a GET whose body is not sent.
    const found = methods.get(method === 'HEAD' ? 'GET' : method);
    if (!found) return { kind: 'method', allowed: [...methods.keys()] };
    const params = Object.entries(match.groups ?? {}).map(([name, value]) => [name, decoded(value)] as const);
    return { kind: 'found', operations: found, params: Object.fromEntries(params) };
  }
  return { kind: 'path' };
}
