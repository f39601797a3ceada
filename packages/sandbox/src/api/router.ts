/** Finds the operations of the contract at a method and path, with Hono's router. */
import type { Operation } from '@newsletter-kit/core/contract';
import { METHOD_NAME_ALL, type Result } from 'hono/router';
import { RegExpRouter } from 'hono/router/reg-exp-router';
import { SmartRouter } from 'hono/router/smart-router';
import { TrieRouter } from 'hono/router/trie-router';

/** Path parameters by name, decoded. */
export type PathParams = Readonly<Record<string, string>>;

export type Match =
  /** Several operations share a method and path only where the body tells them apart (the two OAuth grants). */
  | { readonly kind: 'found'; readonly operations: readonly Operation[]; readonly params: PathParams }
  /** The path is known, but not with this method. */
  | { readonly kind: 'method'; readonly allowed: readonly string[] }
  | { readonly kind: 'path' };

export type Router = (method: string, path: string) => Match;

/** The operations at one path, by method. */
type Methods = Map<string, Operation[]>;

/** @param prefix - where each base lies, without a trailing slash: `{ api: '/v2', app: '' }` */
export function createRouter(
  operations: readonly Operation[],
  prefix: Readonly<Record<Operation['base'], string>>,
): Router {
  const paths = new Map<string, Methods>();
  for (const operation of operations) {
    const path = (prefix[operation.base] + operation.path).replaceAll(/\{(\w+)\}/g, ':$1');
    const methods: Methods = paths.get(path) ?? new Map<string, Operation[]>();
    methods.set(operation.method, [...(methods.get(operation.method) ?? []), operation]);
    paths.set(path, methods);
  }
  const router = new SmartRouter<Methods>({ routers: [new RegExpRouter(), new TrieRouter()] });
  // Of several routes that match, Hono's routers name the one that was added first: words go before parameters.
  for (const [path, methods] of [...paths].toSorted(([a], [b]) => wordsFirst(a, b)))
    router.add(METHOD_NAME_ALL, path, methods);

  return (method, path) => {
    const match = firstMatch(router.match(METHOD_NAME_ALL, path));
    if (!match) return { kind: 'path' };
    // A HEAD is a GET whose body is not sent.
    const found = match.methods.get(method === 'HEAD' ? 'GET' : method);
    if (!found) return { kind: 'method', allowed: [...match.methods.keys()] };
    return { kind: 'found', operations: found, params: match.params };
  };
}

function wordsFirst(a: string, b: string): number {
  const shape = (path: string): string => path.replaceAll(/\/:\w+/g, '/\u{10FFFF}');
  return shape(a) < shape(b) ? -1 : 1;
}

/** The first route of a result; its parameters lie in an array beside it, or are strings already. */
function firstMatch([routes, values]: Result<Methods>): { methods: Methods; params: PathParams } | undefined {
  const [route] = routes;
  if (!route) return undefined;
  const [methods, places] = route;
  const params: Record<string, string> = {};
  const entries: readonly [string, string | number][] = Object.entries(places);
  for (const [name, place] of entries)
    params[name] = decode(typeof place === 'number' ? (values?.[place] ?? '') : place);
  return { methods, params };
}

/** A segment whose percent-encoding is broken stays as it is. */
function decode(segment: string): string {
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
