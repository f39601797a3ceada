/**
 * Finds the valid request nearest to a refused one, for the request log. Pure. A {@link Nearest} holds only the shape
 * of the request; an {@link ExampleRequest} keeps the values that were sent.
 */
import { isRecord } from '@newsletter-kit/core/engine';
import { operations, type Operation } from '@newsletter-kit/core/contract';
import { type OperationSchemas, schemas } from '@newsletter-kit/core/schema';
import { bodyExamples } from '../openapi/examples.ts';
import { ApiError, type Change } from '../http/errors.ts';
import { readQuery } from '../http/read-request.ts';
import { check, valueAt } from '../http/validation.ts';
import { publicationId } from '../world/ids.ts';
import { addressOf, patternOf } from './addresses.ts';

/** A request that would have been answered, and what to change to get there. */
export interface Nearest {
  /** Method and path, with the names of the path's parameters. */
  readonly request: string;
  readonly change: readonly Change[];
}

export interface RefusedRequest {
  readonly method: string;
  readonly path: string;
  /** The query with its question mark, or empty. */
  readonly search: string;
  readonly body: string | null;
  readonly status: number;
  /** The operation it matched. */
  readonly operation: Operation | null;
  /** Changes suggested by the operation's own validation. */
  readonly changes: readonly Change[];
}

/** Null where nothing about the request is wrong: a success, an exceeded quota, a failure of the server. */
export function nearestRequest(request: RefusedRequest): Nearest | null {
  const { method, path, status, operation, changes } = request;
  if (status < 400 || status >= 500 || status === 429) return null;
  const found = operation ?? closest(method, path);
  const moved: Change[] = [];
  if (!operation) {
    if (!patternOf(addressOf(found)).test(path)) moved.push({ field: 'path', to: addressOf(found) });
    if (found.method !== method) moved.push({ field: 'method', to: found.method });
  }
  const wrong = operation ? changes : mistakesAt(found, request);
  const suggested = wrong.length > 0 || moved.length > 0 ? wrong : (byStatus[status] ?? []);
  return { request: `${found.method} ${addressOf(found)}`, change: [...moved, ...suggested] };
}

/** What is wrong with the query and the body of a request for the operation of the API that was meant. */
function mistakesAt(found: Operation, { search, body: sent }: RefusedRequest): readonly Change[] {
  if (found.base !== 'api') return [];
  const { query, body }: Partial<OperationSchemas> = allSchemas[found.id] ?? {};
  const parsed = parse(sent);
  return [
    ...(query ? mistakes(() => check(query, readQuery(found, search).query)) : []),
    ...(body && parsed !== undefined ? mistakes(() => check(body, parsed)) : []),
  ];
}

const allSchemas: Readonly<Partial<Record<string, OperationSchemas>>> = schemas;

function mistakes(read: () => unknown): readonly Change[] {
  try {
    read();
    return [];
  } catch (error) {
    if (error instanceof ApiError) return error.changes;
    throw error;
  }
}

const byStatus: Readonly<Record<number, readonly Change[]>> = {
  401: [{ field: 'Authorization', to: 'Bearer <API key or access token>' }],
};

/** A request that can be sent unchanged. The sender adds the key. */
export interface ExampleRequest {
  readonly method: string;
  /** Path with its query. */
  readonly target: string;
  /** Whether it needs an API key or an access token. */
  readonly authorized: boolean;
  readonly contentType: string | null;
  readonly body: string | null;
}

/** The request that was sent, with the changes made that {@link Nearest} names. */
export function exampleRequest(
  { request, change }: Nearest,
  sent: { readonly target: string; readonly body: string | null },
): ExampleRequest | null {
  const found: Operation | undefined = operations.find((each) => `${each.method} ${addressOf(each)}` === request);
  if (!found) return null;
  const [path = '', search = ''] = sent.target.split('?', 2);
  const query = new URLSearchParams([...new URLSearchParams(search)].filter(([name]) => found.query.includes(name)));
  for (const { field, to } of change) {
    const name = found.query.find((known) => known === field.replace(/\[\d*\]$/, '[]'));
    if (name !== undefined) query.set(name, String(to));
  }
  const body = found.body ? exampleBody(found, sent.body, change) : null;
  const form = found.body?.encoding === 'form';
  return {
    method: found.method,
    target: filled(addressOf(found), path) + (query.size > 0 ? `?${query.toString()}` : ''),
    authorized: found.base === 'api' || found.id === 'oauth.tokenInfo',
    contentType: body && (form ? 'application/x-www-form-urlencoded' : 'application/json'),
    body: body && (form ? new URLSearchParams(body as Record<string, string>).toString() : JSON.stringify(body)),
  };
}

/** The template with what the path that was sent holds at the same place, otherwise with ids of the right kind. */
function filled(template: string, path: string): string {
  const parts = path.split('/');
  const wanted = template.split('/');
  return wanted
    .map((part, index) => {
      if (!part.startsWith('{')) return part;
      if (part === '{publicationId}') return parts.find((one) => one.startsWith('pub_')) ?? publicationId;
      const same = parts.length === wanted.length ? parts[index] : undefined;
      return same || part;
    })
    .join('/');
}

type Json = Record<string, unknown>;

function exampleBody(found: Operation, sent: string | null, change: readonly Change[]): Json {
  const known = Object.entries(bodyExamples).find(([id]) => id === found.id)?.[1] ?? {};
  const parsed = parse(sent);
  const whole = !isRecord(parsed) || change.some(({ field }) => field === 'body');
  const body: Json = whole ? structuredClone({ ...known }) : parsed;
  for (const name of found.body?.required ?? []) body[name] ??= known[name];
  if (whole) return body;
  for (const { field, to } of change) {
    const path = field.match(/[^.[\]]+/g) ?? [];
    const last = path.pop();
    if (last === undefined || !(found.body?.fields ?? []).includes(path[0] ?? last)) continue;
    const holder = valueAt(body, path);
    if (typeof holder !== 'object' || holder === null) continue;
    const before = valueAt(holder, [last]);
    const example = valueAt(known, [...path, last]);
    const maxItems = typeof to === 'string' ? /^at most (\d+) items$/.exec(to)?.[1] : undefined;
    if (maxItems !== undefined && Array.isArray(before)) Reflect.set(holder, last, before.slice(0, Number(maxItems)));
    else Reflect.set(holder, last, isPlaceholder(to) ? (example ?? to) : to);
  }
  return body;
}

/** Whether a suggested value is a placeholder that an example should replace. */
const isPlaceholder = (to: unknown): boolean =>
  typeof to === 'string' ? /^(?:text$|another value$|at (?:most|least) )/.test(to) : typeof to === 'object';

function parse(text: string | null): unknown {
  try {
    return text === null ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** What each difference between a path and that of an operation costs; a word with nothing in common costs the most. */
const costs = {
  method: 0.4,
  /** An id that is left out: `/publications/subscriptions`. */
  missingId: 0.5,
  missingWord: 0.7,
  /** A word of the API where an id belongs. */
  wordForId: 1,
  otherWord: 1.5,
  /** The list of publications, an extension: `/subscriptions` more likely lacks a publication than means that list. */
  extendedRoot: 1,
};

function closest(method: string, path: string): Operation {
  const actual = segments(path);
  const rated = operations.map((operation: Operation) => ({
    operation,
    cost:
      distance(segments(addressOf(operation)), actual) +
      (operation.method === method ? 0 : costs.method) +
      (isExtendedRoot(operation) ? costs.extendedRoot : 0),
  }));
  return rated.reduce((best, each) => (each.cost < best.cost ? each : best)).operation;
}

/** Whether the operation is an extension at a path with which those of the specification begin. */
const isExtendedRoot = ({ extension, path }: Operation): boolean =>
  extension === true && operations.some((other: Operation) => !other.extension && other.path.startsWith(`${path}/`));

const segments = (path: string): string[] => path.split('/').filter(Boolean).slice(0, 20);

const isId = (part: string): boolean => part.startsWith('{');

const words = new Set(operations.flatMap(({ path }) => segments(path)).filter((part) => !isId(part)));

/** The cost of the edits between a template and a path, a segment at a time. */
function distance(template: readonly string[], actual: readonly string[]): number {
  return edits(template, actual, {
    missing: (wanted) => (isId(wanted) ? costs.missingId : costs.missingWord),
    replaced: (wanted, actual) =>
      isId(wanted) ? (words.has(actual) ? costs.wordForId : 0) : misspelling(wanted, actual.toLowerCase()),
  });
}

function misspelling(wanted: string, actual: string): number {
  if (wanted === actual) return 0;
  const letters = edits(wanted.split(''), actual.slice(0, 60).split(''), {
    missing: () => 1,
    replaced: (a, b) => (a === b ? 0 : 1),
  });
  return Math.min(costs.otherWord, 0.1 + (letters / wanted.length) * 2);
}

/** Levenshtein distance: what is superfluous costs 1, other edits what `cost` says. */
function edits<Part>(
  wanted: readonly Part[],
  actual: readonly Part[],
  cost: {
    readonly missing: (part: Part) => number;
    readonly replaced: (wanted: Part, actual: Part) => number;
  },
): number {
  let row = [0, ...actual.map((_, index) => index + 1)];
  for (const part of wanted) {
    const missing = cost.missing(part);
    const next = [(row[0] ?? 0) + missing];
    for (const [column, other] of actual.entries()) {
      next.push(
        Math.min(
          (row[column] ?? 0) + cost.replaced(part, other),
          (row[column + 1] ?? 0) + missing,
          (next[column] ?? 0) + 1,
        ),
      );
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
