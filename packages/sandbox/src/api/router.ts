/** Finds the operations of the contract behind a method and a path. */
import type { Operation } from '@newsletter-kit/core/contract';

/** Path parameters by name, decoded. */
export type PathParams = Readonly<Record<string, string>>;

export type Match =
  /** Several operations share a method and path only where the body tells them apart (the two OAuth grants). */
  | { readonly kind: 'found'; readonly operations: readonly Operation[]; readonly params: PathParams }
  /** The path is known, but not with this method. */
  | { readonly kind: 'method'; readonly allowed: readonly string[] }
  | { readonly kind: 'path' };

export type Router = (method: string, path: string) => Match;

interface Node {
  readonly words: Map<string, Node>;
  parameter: Node | undefined;
  readonly methods: Map<string, Operation[]>;
}

/** @param prefix - where each base lies, without a trailing slash: `{ api: '/v2', app: '' }` */
export function createRouter(
  operations: readonly Operation[],
  prefix: Readonly<Record<Operation['base'], string>>,
): Router {
  const root = node();
  const parameters = new Map(
    operations.map((operation) => [operation, parametersOf(prefix[operation.base] + operation.path)]),
  );
  for (const operation of operations) {
    let at = root;
    for (const segment of segmentsOf(prefix[operation.base] + operation.path))
      at = isParameter(segment) ? (at.parameter ??= node()) : word(at, segment);
    const same = at.methods.get(operation.method);
    if (same) same.push(operation);
    else at.methods.set(operation.method, [operation]);
  }

  return (method, path) => {
    const segments = segmentsOf(path);
    const found = descend(root, segments, 0);
    if (!found) return { kind: 'path' };
    // A HEAD is a GET whose body is not sent.
    const matched = found.methods.get(method === 'HEAD' ? 'GET' : method);
    const [operation] = matched ?? [];
    if (!matched || !operation) return { kind: 'method', allowed: [...found.methods.keys()] };
    return { kind: 'found', operations: matched, params: paramsOf(parameters.get(operation) ?? [], segments) };
  };
}

/** Words win over parameters; a place counts only where an operation ends. */
function descend(at: Node, segments: readonly string[], depth: number): Node | undefined {
  const segment = segments[depth];
  if (segment === undefined) return at.methods.size > 0 ? at : undefined;
  const byWord = at.words.get(segment);
  const found = byWord && descend(byWord, segments, depth + 1);
  if (found) return found;
  return at.parameter && segment !== '' ? descend(at.parameter, segments, depth + 1) : undefined;
}

/** A parameter and the segment it stands at. */
type Parameter = readonly [name: string, index: number];

function parametersOf(template: string): Parameter[] {
  return segmentsOf(template).flatMap((segment, index): Parameter[] =>
    isParameter(segment) ? [[segment.slice(1, -1), index]] : [],
  );
}

function paramsOf(parameters: readonly Parameter[], segments: readonly string[]): PathParams {
  return Object.fromEntries(parameters.map(([name, index]) => [name, decode(segments[index] ?? '')]));
}

/** A broken percent-encoding names nothing, so it is left as it came. */
function decode(segment: string): string {
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

const segmentsOf = (path: string): string[] => path.split('/').slice(1);
const isParameter = (segment: string): boolean => segment.startsWith('{');
const node = (): Node => ({ words: new Map(), parameter: undefined, methods: new Map() });

function word(at: Node, segment: string): Node {
  const known = at.words.get(segment);
  if (known) return known;
  const made = node();
  at.words.set(segment, made);
  return made;
}
