/**
 * What every OAuth endpoint shares: the call it gets, how it answers, and the parameters of query and body (RFC 6749
 * §3).
 */
import type { World } from '../world/world.ts';
import { readText } from '../api/read-request.ts';
import { missing, OauthError } from './errors.ts';

export interface OauthCall {
  readonly world: World;
  readonly request: Request;
  /** The query with its question mark, or empty. */
  readonly search: string;
  /** Says which operation of the contract this is, where method and path leave it open. */
  readonly name: (operation: 'oauth.exchange' | 'oauth.refresh') => void;
  /** Adds a sentence to the request log. No addresses, no tokens. */
  readonly explain: (reason: string) => void;
}

export type Endpoint = (call: OauthCall) => Response | Promise<Response>;

/** No answer of OAuth may be kept (RFC 6749 §5.1). */
export const uncached = { 'Cache-Control': 'no-store, no-cache', Pragma: 'no-cache' } as const;

export function json(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(JSON.stringify(body), {
    status,
    headers: { 'Content-Type': 'application/json; charset=utf-8', ...uncached, ...headers },
  });
}

/** Notes the parameters that mean nothing here. */
export function explainIgnored(call: OauthCall, ignored: readonly string[]): void {
  // A name can be anything, a token in the wrong place too.
  for (const name of ignored)
    call.explain(
      /^[\w.-]{1,30}$/.test(name)
        ? `The parameter "${name}" is not known here and was ignored.`
        : 'A parameter that is not known here was ignored.',
    );
}

export interface Parameters {
  /** The value of a known parameter; undefined where it is left out or blank. */
  get(name: string): string | undefined;
  /** As `get`. @throws OauthError invalid_request, which names it */
  require(name: string): string;
  /** Known parameters that were given more than once. */
  readonly repeated: readonly string[];
  /** Names that mean nothing here. */
  readonly ignored: readonly string[];
}

/** Reads name-value pairs; what is not in `known` is ignored. */
export function readPairs(pairs: Iterable<readonly [string, string]>, known: readonly string[]): Parameters {
  const values = new Map<string, string>();
  const repeated = new Set<string>();
  const ignored = new Set<string>();
  for (const [name, value] of pairs) {
    if (!known.includes(name)) ignored.add(name);
    else if (values.has(name)) repeated.add(name);
    else values.set(name, value);
  }
  const get = (name: string): string | undefined => {
    const value = values.get(name);
    return value === undefined || value.trim() === '' ? undefined : value;
  };
  return {
    get,
    require(name) {
      const value = get(name);
      if (value === undefined) throw missing(name);
      return value;
    },
    repeated: [...repeated],
    ignored: [...ignored],
  };
}

/**
 * Reads a form-urlencoded body (specification, OAuth 2.0).
 *
 * @throws OauthError invalid_request where it is something else, or names a known parameter twice
 */
export async function readBody(request: Request, known: readonly string[]): Promise<Parameters> {
  const type = request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() ?? '';
  const text = await readText(request);
  if (type !== 'application/x-www-form-urlencoded' && text.trim() !== '')
    throw malformed('The Content-Type must be application/x-www-form-urlencoded.');
  const parameters = readPairs(new URLSearchParams(text), known);
  const [twice] = parameters.repeated;
  if (twice !== undefined) throw malformed(`"${twice}" is given more than once.`);
  return parameters;
}

const malformed = (reason: string) => new OauthError('invalid_request', { reason });
