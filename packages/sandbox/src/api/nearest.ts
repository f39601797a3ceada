/**
 * The valid request nearest to one that was refused, for the request log. Pure; takes nothing from the request but its
 * shape.
 */
import { operations, type Operation } from '@newsletter-kit/core/contract';

/** What to change: a field of body, query, path or header, or the method or path itself. */
export interface Change {
  readonly field: string;
  readonly to: unknown;
}

/** A request that would have been answered, and what to change to get there. */
export interface Nearest {
  /** Method and path, with the names of the path's parameters. */
  readonly request: string;
  readonly change: readonly Change[];
}

export interface Refused {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  /** The operation it matched. */
  readonly operation: Operation | null;
  /** What its own checks say to change. */
  readonly changes: readonly Change[];
}

/** Null where nothing about the request is wrong: a success, a spent quota, a failure of the server. */
export function nearestRequest(
  { method, path, status, operation, changes }: Refused,
  apiPrefix: string,
): Nearest | null {
  if (status < 400 || status >= 500 || status === 429) return null;
  const addressed = (found: Operation): string => (found.base === 'api' ? apiPrefix : '') + found.path;
  const found = operation ?? closest(method, path, addressed);
  const moved: Change[] = [];
  if (!operation) {
    if (distance(segments(addressed(found)), segments(path)) > 0) moved.push({ field: 'path', to: addressed(found) });
    if (found.method !== method) moved.push({ field: 'method', to: found.method });
  }
  const said = changes.length > 0 || moved.length > 0 ? changes : (byStatus[status] ?? []);
  return { request: `${found.method} ${addressed(found)}`, change: [...moved, ...said] };
}

const byStatus: Readonly<Record<number, readonly Change[]>> = {
  401: [{ field: 'Authorization', to: 'Bearer <API key or access token>' }],
};

/** Another method is a smaller mistake than half a word of the path. */
const methodCost = 0.4;

function closest(method: string, path: string, addressed: (operation: Operation) => string): Operation {
  const asked = segments(path);
  const cost = (operation: Operation): number =>
    distance(segments(addressed(operation)), asked) + (operation.method === method ? 0 : methodCost);
  return operations.reduce((best, operation) => (cost(operation) < cost(best) ? operation : best));
}

const segments = (path: string): string[] => path.split('/').filter(Boolean).slice(0, 20);

/** Edits between two paths, a segment at a time: 1 for one too many or too few, a share of it for a misspelt word. */
function distance(template: readonly string[], asked: readonly string[]): number {
  return edits(template, asked, (wanted, given) => (wanted.startsWith('{') ? 0 : misspelling(wanted, given)));
}

function misspelling(wanted: string, given: string): number {
  if (wanted === given) return 0;
  const letters = edits(wanted.split(''), given.toLowerCase().slice(0, 60).split(''), (a, b) => (a === b ? 0 : 1));
  return Math.min(1.5, 0.1 + (letters / wanted.length) * 2);
}

/** Levenshtein's distance with a price for each replacement. */
function edits<Part>(from: readonly Part[], to: readonly Part[], replace: (a: Part, b: Part) => number): number {
  let row = to.map((_, index) => index + 1);
  row.unshift(0);
  for (const [index, part] of from.entries()) {
    const next = [index + 1];
    for (const [column, other] of to.entries()) {
      next.push(
        Math.min((row[column] ?? 0) + replace(part, other), (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1),
      );
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
