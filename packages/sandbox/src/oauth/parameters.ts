/**
 * The parameters of an OAuth request, from its query or its body: blanks count as left out, none may come twice (RFC
 * 6749 §3).
 */
import { readText } from '../api/reading.ts';
import { missing, OauthError } from './errors.ts';

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
