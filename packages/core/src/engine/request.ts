/** Makes a request out of an operation and its arguments. Pure. */
import type { Operation, OperationId } from '../contract/index.ts';
import { InvalidRequestError } from './errors.ts';

/** The parts of a request, before host and authorization. */
export interface RequestParts {
  readonly path: string;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: Readonly<Record<string, unknown>> | null;
}

const pathParameter = /\{(\w+)\}/g;
const bare = (name: string): string => name.replace(/\[\]$/, '');

/** Where an operation's arguments belong, worked out once. */
interface Places {
  readonly path: ReadonlySet<string>;
  /** Bare names, with the names on the wire. */
  readonly query: ReadonlyMap<string, string>;
  readonly body: ReadonlySet<string>;
}

const known = new WeakMap<Operation, Places>();

function placesOf(operation: Operation): Places {
  const before = known.get(operation);
  if (before) return before;
  const places: Places = {
    path: new Set([...operation.path.matchAll(pathParameter)].map(([, name]) => name ?? '')),
    query: new Map(operation.query.map((name) => [bare(name), name])),
    body: new Set(operation.body?.fields),
  };
  known.set(operation, places);
  return places;
}

/**
 * Sorts flat arguments into path, query and body by the contract.
 *
 * @throws InvalidRequestError where a path parameter or a required field is missing, or a name is unknown
 */
export function sortArguments(
  operation: Operation & { readonly id: OperationId },
  args: Readonly<Record<string, unknown>>,
): RequestParts {
  const problems: string[] = [];
  const path = operation.path.replace(pathParameter, (_, name: string) => {
    const value = args[name];
    if (typeof value !== 'string' || value === '') problems.push(`"${name}" is missing`);
    else if (name === 'publicationId' && !/^pub_[\w-]+$/.test(value)) {
      problems.push('"publicationId" must look like pub_<uuid>');
    }
    return encodeURIComponent(String(value));
  });

  const places = placesOf(operation);
  const query: Record<string, unknown> = {};
  const body: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(args)) {
    if (value === undefined || places.path.has(name)) continue;
    if (places.query.has(name)) query[name] = value;
    else if (places.body.has(name)) body[name] = value;
    else
      problems.push(
        `"${name}" is not known here (${[...places.path, ...places.query.keys(), ...places.body].join(', ') || 'no arguments'})`,
      );
  }
  for (const name of operation.body?.required ?? []) {
    if (body[name] === undefined || body[name] === '') problems.push(`"${name}" is missing`);
  }
  if (problems.length > 0) throw new InvalidRequestError(operation.id, problems);
  return { path, query, body: operation.body ? body : null };
}

/** `?name=value&list[]=a&list[]=b`, encoded, in the contract's order; empty where nothing is set. */
export function encodeQuery(operation: Operation, query: Readonly<Record<string, unknown>>): string {
  const { query: named } = placesOf(operation);
  const pairs = Object.entries(query).flatMap(([name, value]) => {
    const onTheWire = named.get(name) ?? name;
    const values: readonly unknown[] = Array.isArray(value) ? value : [value];
    return values
      .filter((each) => each !== undefined && each !== null && each !== '')
      .map((each) => `${encodeURIComponent(onTheWire)}=${encodeURIComponent(String(each))}`);
  });
  return pairs.length > 0 ? `?${pairs.join('&')}` : '';
}

/** The body as text, in the operation's encoding. */
export function encodeBody(
  operation: Pick<Operation, 'body'>,
  body: Readonly<Record<string, unknown>> | null,
): string | undefined {
  if (!operation.body || !body) return undefined;
  if (operation.body.encoding === 'json') return JSON.stringify(body);
  return Object.entries(body)
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`)
    .join('&');
}

export const contentTypes = { json: 'application/json', form: 'application/x-www-form-urlencoded' } as const;
