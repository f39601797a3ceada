/** Makes a request out of an operation, its arguments and the options of the call. Pure. */
import type { RetryClass, Operation } from '../contract/types.ts';
import { isRecord } from '../is-record.ts';
import { InvalidRequestError, type CallName, type RequestMethod } from './errors.ts';
import { redact } from './redact.ts';
import type { OperationId } from '../contract/index.ts';
import type { Answer, OperationTypes } from '../schema/types.ts';
import { normalizeAddress } from '../signup/address.ts';
import type { ListReader } from './deviations.ts';
import type { Signal } from './host.ts';
import { misspelt, nearMiss } from './near-miss.ts';
import type { RetryPolicy } from './retry.ts';

/** The parts of a request, before host and authorization. */
export interface RequestParts {
  readonly path: string;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: Readonly<Record<string, unknown>> | null;
}

const pathParameter = /\{(\w+)\}/g;
const bare = (name: string): string => name.replace(/\[\]$/, '');

/** Which argument of an operation belongs into path, query or body; computed once. */
interface ArgumentTargets {
  readonly path: ReadonlySet<string>;
  /** Bare names, with the names on the wire. */
  readonly query: ReadonlyMap<string, string>;
  readonly body: ReadonlySet<string>;
}

const known = new WeakMap<CalledOperation, ArgumentTargets>();

function targetsOf(operation: CalledOperation): ArgumentTargets {
  const before = known.get(operation);
  if (before) return before;
  const targets: ArgumentTargets = {
    path: new Set([...operation.path.matchAll(pathParameter)].map(([, name]) => name ?? '')),
    query: new Map(operation.query.map((name) => [bare(name), name])),
    body: new Set(operation.body?.fields),
  };
  known.set(operation, targets);
  return targets;
}

const isPublicationId = (id: string): boolean => /^pub_[\w-]+$/.test(id);

/**
 * Sorts flat arguments into path, query and body by the contract, and normalises an address. Names that it does not
 * know go into the body, or into the query where there is none.
 *
 * @throws InvalidRequestError where a path parameter or a required field is missing, or a name is nearly a known one
 */
export function sortArguments(
  operation: CalledOperation,
  args: Readonly<Record<string, unknown>>,
): RequestParts & { readonly unknown: readonly string[] } {
  const problems: string[] = [];
  const path = operation.path.replace(pathParameter, (_, name: string) => {
    const value = args[name];
    if (typeof value !== 'string' || value === '') problems.push(`"${name}" is missing`);
    else if (name === 'publicationId' && !isPublicationId(value)) {
      problems.push('"publicationId" must look like pub_<uuid>');
    }
    return encodeURIComponent(String(value));
  });

  const targets = targetsOf(operation);
  const query: Record<string, unknown> = {};
  const body: Record<string, unknown> = {};
  const unknown: string[] = [];
  for (const [name, given] of Object.entries(args)) {
    if (given === undefined || targets.path.has(name)) continue;
    // Blanks alone stay: without its address, the list would be that of everybody.
    const value = name === 'email' && typeof given === 'string' ? normalizeAddress(given) || given : given;
    if (targets.query.has(name)) query[name] = value;
    else if (targets.body.has(name)) body[name] = value;
    else {
      const meant = nearMiss(name, [...targets.path, ...targets.query.keys(), ...targets.body]);
      if (meant !== undefined) problems.push(misspelt(name, meant));
      unknown.push(name);
      (operation.body ? body : query)[name] = value;
    }
  }
  for (const name of operation.body?.required ?? []) {
    if (body[name] === undefined || body[name] === '') problems.push(`"${name}" is missing`);
  }
  const { anyOf = [] } = operation.body ?? {};
  if (anyOf.length > 0 && anyOf.every((name) => body[name] === undefined || body[name] === '')) {
    problems.push(`${anyOf.map((name) => `"${name}"`).join(' or ')} is missing`);
  }
  if (query['cursor'] !== undefined && query['page'] !== undefined) {
    problems.push('"cursor" and "page" cannot be combined; leave out "page", which is deprecated');
  }
  if (problems.length > 0) throw new InvalidRequestError(operation.id, problems);
  return { path, query, body: operation.body ? body : null, unknown };
}

/** `?name=value&list[]=a&list[]=b`, encoded, in the contract's order; empty where nothing is set. */
export function encodeQuery(
  operation: CalledOperation,
  query: Readonly<Record<string, unknown>>,
  extra: CallOptions['extraQuery'] = {},
): string {
  const { query: named } = targetsOf(operation);
  const pairs = Object.entries({ ...query, ...extra }).flatMap(([name, value]) => {
    const onTheWire = named.get(name) ?? name;
    const values: readonly unknown[] = Array.isArray(value) ? value : [value];
    return values
      .filter((each) => each !== undefined && each !== null && each !== '')
      .map((each) => `${encodeURIComponent(onTheWire)}=${encodeURIComponent(String(each))}`);
  });
  return pairs.length > 0 ? `?${pairs.join('&')}` : '';
}

/** Names of the customer ID at the payment processor: that of the specification, and that of published clients. */
export type CustomerIdField = 'payments_customer_id' | 'stripe_customer_id';

/** The body with the customer ID under this name, in each of its `subscriptions` too. */
export function withCustomerId(
  body: RequestParts['body'],
  name: CustomerIdField = 'payments_customer_id',
): RequestParts['body'] {
  if (body === null || name === 'payments_customer_id') return body;
  const { payments_customer_id: customer, subscriptions, ...rest } = body;
  return {
    ...rest,
    ...(customer !== undefined && { [name]: customer }),
    ...(subscriptions !== undefined && {
      subscriptions: Array.isArray(subscriptions)
        ? subscriptions.map((each: unknown) => (isRecord(each) ? withCustomerId(each, name) : each))
        : subscriptions,
    }),
  };
}

/** The body as text, in the operation's encoding. */
export function encodeBody(
  { id, body: taken, method }: CalledOperation,
  body: Readonly<Record<string, unknown>> | null,
  extra?: CallOptions['extraBody'],
): string | undefined {
  if (extra && (method === 'GET' || method === 'HEAD')) {
    throw new InvalidRequestError(id, [`"extraBody" cannot be sent: a ${method} request has no body`]);
  }
  if ((!taken || !body) && !extra) return undefined;
  const all = { ...body, ...extra };
  if (taken?.encoding !== 'form') return JSON.stringify(all);
  return Object.entries(all)
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`)
    .join('&');
}

const contentTypes = { json: 'application/json', form: 'application/x-www-form-urlencoded' } as const;

/**
 * The headers of a request without its authorization.
 *
 * @param extra - those of the client, then those of the call
 * @throws InvalidRequestError where a name or value cannot be sent; the text holds no value
 */
export function requestHeaders(
  { id, body: taken }: CalledOperation,
  hasBody: boolean,
  ...extra: readonly CallOptions['extraHeaders'][]
): Readonly<Record<string, string>> {
  const headers: Record<string, string> = { accept: 'application/json' };
  if (hasBody) headers['content-type'] = contentTypes[taken?.encoding ?? 'json'];
  const problems: string[] = [];
  for (const [name, value] of extra.flatMap((each) => Object.entries(each ?? {}))) {
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name)) problems.push(`extraHeaders: ${JSON.stringify(name)} is no header name`);
    else if (!isHeaderValue(value))
      problems.push(`extraHeaders: the value of "${name}" holds characters no header may have`);
    else headers[name.toLowerCase()] = value;
  }
  if (problems.length > 0) throw new InvalidRequestError(id, problems);
  return headers;
}

/** Whether a text can be the value of a header (Fetch standard): Latin-1 without line ends and zero bytes. */
export function isHeaderValue(text: string): boolean {
  // oxlint-disable-next-line no-control-regex -- the range that fetch takes, without CR, LF and NUL
  return /^[\t\x01-\x08\x0b\x0c\x0e-\xff]*$/.test(text);
}

/** A request that the contract does not describe, as `client.request` takes it. */
export interface RawRequestOptions {
  /**
   * Parameters of the query, under the names on the wire; a list repeats its name, empty values are left out. Others
   * may stand in the path.
   */
  readonly query?: CallOptions['extraQuery'];
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Headers, in place of those of the client; `Authorization` comes from its token where it has one. */
  readonly headers?: CallOptions['extraHeaders'];
  /** The publication for `{publicationId}` in the path. Default: the client's. */
  readonly publicationId?: string | undefined;
  /**
   * Whether the request may be repeated after a failure. Default by method (RFC 9110, section 9.2.2): `safe` for GET
   * and HEAD, `upsert` for PUT and DELETE, `once` for POST and PATCH.
   */
  readonly retryClass?: RetryClass | undefined;
}

const retryClasses: Readonly<Record<RequestMethod, RetryClass>> = {
  GET: 'safe',
  HEAD: 'safe',
  PUT: 'upsert',
  DELETE: 'upsert',
  POST: 'once',
  PATCH: 'once',
};

/**
 * A raw request in the terms of the contract, and its path with the publication filled in.
 *
 * @param root - the base URL without a slash at its end
 * @throws InvalidRequestError where the method is unknown or the path would leave the base URL
 */
export function rawRequest(
  method: RequestMethod,
  path: string,
  { publicationId, retryClass, body }: RawRequestOptions,
  root: string,
): { readonly operation: CalledOperation; readonly path: string } {
  const retry = Object.hasOwn(retryClasses, method) ? (retryClass ?? retryClasses[method]) : undefined;
  const [plain = ''] = path.split(/[?#]/);
  const below = plain.replace(/^\/+/, '');
  const id: CallName = `${method} /${redact(below)}`;
  const problems: string[] = [];
  if (retry === undefined) problems.push(`the method must be one of ${Object.keys(retryClasses).join(', ')}`);
  if ((method === 'GET' || method === 'HEAD') && body !== undefined) problems.push(`a ${method} request has no body`);
  const filled = path.replace(pathParameter, (placeholder, name: string) => {
    if (name !== 'publicationId') problems.push(`"${placeholder}" in the path has no value: write the value itself`);
    else if (publicationId === undefined) problems.push('"publicationId" is missing');
    else if (!isPublicationId(publicationId)) problems.push('"publicationId" must look like pub_<uuid>');
    return encodeURIComponent(publicationId ?? '');
  });
  if (problems.length === 0 && !isBelow(root, filled)) {
    problems.push(
      'the path must begin with one "/" and stay below the base URL: no other address, no "..", no fragment',
    );
  }
  if (retry === undefined || problems.length > 0) throw new InvalidRequestError(id, problems);
  return {
    operation: {
      id,
      method,
      path: `/${below}`,
      base: 'api',
      scope: null,
      query: [],
      expand: [],
      body: { encoding: 'json', fields: [], required: [] },
      success: 200,
      errors: [],
      pagination: 'none',
      retry,
      doc: '',
    },
    path: filled,
  };
}

/** Whether a path, read as every URL parser reads it, stays below a root address. */
function isBelow(root: string, path: string): boolean {
  if (!/^\/(?!\/)[^\s#\\]*$/.test(path) || !URL.canParse(root + path)) return false;
  const [base, whole] = [new URL(root), new URL(root + path)];
  // A parser resolves "." and "..", also percent-encoded ones; the path must come through unchanged.
  const written = `${base.pathname}${path.split('?')[0] ?? ''}`;
  return whole.origin === base.origin && whole.pathname.split('/').length === written.split('/').length;
}

/** Arguments of one operation. Repeatable query parameters stand without their `[]`. */
export type Arguments<Id extends OperationId> = OperationTypes[Id]['params'];

/** Ids of the operations that answer a list. */
export type ListId = Extract<OperationId, `${string}.list${string}`>;

export function isListId(id: OperationId): id is ListId {
  return id.includes('.list');
}

/** Item of a list operation. */
export type Item<Id extends ListId> = Answer<Id>['data'][number];

/** A value of a query parameter. */
export type QueryValue = string | number | boolean | null | undefined;

/** Options of one call. */
export interface CallOptions {
  /** Aborts the call, also while it waits for a retry. */
  readonly signal?: Signal | undefined;
  /** Milliseconds until one attempt counts as lost. Default 30,000, or the client's. */
  readonly timeoutMs?: number | undefined;
  /**
   * Milliseconds until the call must have ended, all waits and retries included. Default: the client's, or no limit.
   */
  readonly totalTimeoutMs?: number | undefined;
  /**
   * Calls that name the same object wait for the quota in one line; lines take turns. Each list is a line of its own,
   * all other calls are one together unless they say otherwise.
   */
  readonly stream?: object | undefined;
  /**
   * Lets other calls of the same key go first, and spreads over the quota's window; the pages of a list too. Default
   * false.
   *
   * A background call is sent only while no other call waits, and never in the last free place of `concurrency`. Where
   * headers state the quota, background calls spread over the rest of its window and leave a reserve: 5 % of the
   * window's calls, at least two, and what other calls will use if they go on as in this window. Other calls are
   * therefore sent at once; at the start of a window they may wait for one answer, which states the new quota. While
   * other calls use up the whole quota, background calls wait.
   */
  readonly background?: boolean | undefined;
  /**
   * Fields added to the body, sent unchanged, for fields that the service accepts and the contract does not describe.
   * They replace fields of the same name.
   */
  readonly extraBody?: Readonly<Record<string, unknown>> | undefined;
  /** Parameters added to the query, sent as they are under the names given here; a list repeats its name. */
  readonly extraQuery?: Readonly<Record<string, QueryValue | readonly QueryValue[]>> | undefined;
  /** Headers added to the request. They replace those of the client, save `Authorization` where it has a token. */
  readonly extraHeaders?: Readonly<Record<string, string>> | undefined;
  /**
   * For lists: the program that reads the list. Records without the fields it needs are left out, see
   * {@link neededFields}. Default `client`, which needs `id` alone.
   */
  readonly reader?: ListReader | undefined;
  /** Retry policy of this call, over the client's; `false` for a single attempt. */
  readonly retry?: Partial<RetryPolicy> | false | undefined;
}

/** An operation of the contract, or a request of `client.request` described in the same terms. */
export interface CalledOperation extends Omit<Operation, 'id' | 'method'> {
  readonly id: CallName;
  readonly method: RequestMethod;
}
