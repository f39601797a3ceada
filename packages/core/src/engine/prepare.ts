/** Makes requests out of operations, their arguments and the options of calls. */
import { operation as operationById, type OperationId } from '../contract/index.ts';
import { isRecord } from '../is-record.ts';
import { normalizeAddress } from '../signup/address.ts';
import type { Deviation, FieldDeviation } from './deviations.ts';
import { InvalidRequestError } from './errors.ts';
import type { HostRequest } from './host.ts';
import { misspelt, nearMiss, unknownTexts } from './near-miss.ts';
import type { CalledOperation, CallOptions, CustomerIdField, RequestParts, Validator } from './options.ts';

/** What all requests of an engine share. */
export interface RequestSettings {
  /** Addresses of the API and, for OAuth, of the app. */
  readonly roots: { readonly api: string; readonly app: string | undefined };
  readonly publicationId: string | undefined;
  readonly timeoutMs: number;
  readonly extraHeaders: CallOptions['extraHeaders'];
  readonly customerIdField: CustomerIdField | undefined;
  /** Null where nothing is checked. */
  readonly validator: Validator | null;
}

/** Arguments of any operation by name; the types of arguments are interfaces, which have no index. */
export type ArgumentValues = Readonly<Record<string, unknown>>;

/** A call that can be sent. */
export interface PreparedCall {
  readonly operation: CalledOperation;
  readonly args: ArgumentValues;
  readonly parts: Pick<RequestParts, 'path' | 'query'>;
  readonly options: CallOptions;
  /** Without authorization. */
  readonly request: HostRequest;
  /** What is sent although the specification does not know it. */
  readonly deviations: readonly Deviation[];
}

/** Prepares a call of an operation. @throws InvalidRequestError where it cannot be sent */
export function prepareCall(
  settings: RequestSettings,
  id: OperationId,
  args: ArgumentValues,
  options: CallOptions,
): PreparedCall {
  const operation: CalledOperation = operationById(id);
  const { unknown, ...parts } = sortArguments(operation, args, settings.publicationId);
  const checked = settings.validator?.request(id, parts) ?? { value: parts, unknown: [] };
  if ('problems' in checked) throw new InvalidRequestError(id, checked.problems);
  const isNew = ({ field }: FieldDeviation): boolean => !checked.unknown.some((each) => each.field === field);
  const deviations = [...unknown.filter(isNew), ...checked.unknown].map((each): Deviation => ({
    records: 1,
    ...each,
    operation: id,
    part: 'request',
  }));
  const { query, body } = checked.value;
  const text = encodeBody(operation, withCustomerId(body, settings.customerIdField), options.extraBody);
  return withRequest(settings, { operation, args, parts: { path: parts.path, query }, options, deviations }, text);
}

/** The call with its request. @param body - encoded */
export function withRequest(
  settings: RequestSettings,
  call: Omit<PreparedCall, 'request'>,
  body: string | undefined,
): PreparedCall {
  const { operation, parts, options } = call;
  const { timeoutMs = settings.timeoutMs, signal, extraQuery, extraHeaders } = options;
  const request: HostRequest = {
    method: operation.method,
    url: urlOf(settings, operation, parts, extraQuery),
    headers: requestHeaders(operation, body !== undefined, settings.extraHeaders, extraHeaders),
    ...(body !== undefined && { body }),
    timeoutMs,
    ...(signal && { signal }),
  };
  return { ...call, request };
}

/** The address of an operation, without the query that its options add. */
export function addressOf(settings: RequestSettings, id: OperationId, args: ArgumentValues): string {
  const operation: CalledOperation = operationById(id);
  return urlOf(settings, operation, sortArguments(operation, args, settings.publicationId));
}

function urlOf(
  { roots }: RequestSettings,
  operation: CalledOperation,
  { path, query }: PreparedCall['parts'],
  extra?: CallOptions['extraQuery'],
): string {
  const root = roots[operation.base];
  if (!root)
    throw new InvalidRequestError(operation.id, ['the client has no appUrl, the address of the OAuth endpoints']);
  const search = encodeQuery(operation, query, extra);
  // The path of a request that the contract does not describe may have a query.
  return root + path + (path.includes('?') ? search.replace('?', '&') : search);
}

export const pathParameter = /\{(\w+)\}/g;
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

export const isPublicationId = (id: string): boolean => /^pub_[\w-]+$/.test(id);

/**
 * Sorts flat arguments into path, query and body by the contract, and normalises an address. Names that it does not
 * know go into the body, or into the query where there is none.
 *
 * @param publicationId - where the arguments name none
 * @throws InvalidRequestError where a path parameter or a required field is missing, or a name is nearly a known one
 */
export function sortArguments(
  operation: CalledOperation,
  args: ArgumentValues,
  publicationId?: string,
): RequestParts & { readonly unknown: readonly FieldDeviation[] } {
  const problems: string[] = [];
  const path = operation.path.replace(pathParameter, (_, name: string) => {
    const value: unknown = args[name] ?? (name === 'publicationId' ? publicationId : undefined);
    if (typeof value !== 'string' || value === '') problems.push(`"${name}" is missing`);
    else if (name === 'publicationId' && !isPublicationId(value)) {
      problems.push('"publicationId" must look like pub_<uuid>');
    }
    return encodeURIComponent(String(value));
  });

  const targets = targetsOf(operation);
  const query: Record<string, unknown> = {};
  const body: Record<string, unknown> = {};
  const unknown: FieldDeviation[] = [];
  for (const [name, given] of Object.entries(args)) {
    if (given === undefined || targets.path.has(name)) continue;
    // Blanks alone stay: without its address, the list would be that of everybody.
    const value = name === 'email' && typeof given === 'string' ? normalizeAddress(given) || given : given;
    if (targets.query.has(name)) query[name] = value;
    else if (targets.body.has(name)) body[name] = value;
    else {
      const meant = nearMiss(name, [...targets.path, ...targets.query.keys(), ...targets.body]);
      if (meant !== undefined) problems.push(misspelt(name, meant));
      unknown.push({ field: name, problem: unknownTexts.name });
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
  for (const each of extra)
    for (const [name, value] of Object.entries(each ?? {})) {
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
