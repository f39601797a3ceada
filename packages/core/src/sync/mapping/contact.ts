/** Contacts of a CRM: records whose fields are named by dotted paths. Pure. */
import { isRecord } from '../../is-record.ts';

/** A contact as the planner reads it. */
export interface SyncContact {
  /** The CRM's own id, by which writes name the contact. */
  readonly id: string;
  readonly email: string;
  /** The value of the opt-out field; undefined where it was not delivered. */
  readonly optOut?: unknown;
  /** The value of the consent field; undefined where it was not delivered. */
  readonly consent?: unknown;
  /** The sync token; undefined or empty where the contact has none. */
  readonly token?: unknown;
  /** The mapped fields by their paths; undefined for a field that was not delivered. */
  readonly values: Readonly<Record<string, unknown>>;
  /** Mapped fields that the record lacks and others of the run have: they are empty, and a box is not ticked. */
  readonly lacks?: readonly string[] | undefined;
  /** Number of the row it came in, counted from 1. */
  readonly row: number;
}

/**
 * Where the parts of a contact stand in its record: a property's name, or dotted names for nested ones
 * (`properties.email`). A property whose own name has dots is found first.
 */
export interface ContactPaths {
  /** Default `id`. */
  readonly id?: string | undefined;
  /** Default `email`. */
  readonly email?: string | undefined;
  /** A text field of at least 255 characters that belongs to the sync alone. Default `newsletter_sync_token`. */
  readonly token?: string | undefined;
  /**
   * Further addresses of the contact: a list of texts or of objects with `value`, or one text with `;` or `,` between
   * them. Default: a contact has one address.
   */
  readonly furtherAddresses?: string | undefined;
  /**
   * The id of the contact that this one was merged into: such a record is no contact any more, and its address is a
   * further one of that contact. Default: no record is one.
   */
  readonly mergedInto?: string | undefined;
}

/** The paths with their defaults. */
export function contactPaths(paths: ContactPaths = {}) {
  const { id = 'id', email = 'email', token = 'newsletter_sync_token', furtherAddresses, mergedInto } = paths;
  return { id, email, token, furtherAddresses, mergedInto };
}

/** The addresses in a field that holds several. */
export function addressesIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return value.split(/[;,]/).flatMap((part) => part.trim() || []);
  if (!Array.isArray(value)) return [];
  return (value as unknown[]).flatMap((entry) => addressesIn(isRecord(entry) ? entry['value'] : entry));
}

/** The value at a dotted path; undefined without one. */
export function readPath(record: unknown, path: string): unknown {
  if (!isRecord(record)) return undefined;
  if (Object.hasOwn(record, path)) return record[path];
  if (!path.includes('.')) return undefined;
  let at: unknown = record;
  const names = namesOf(path);
  for (let index = 0; index < names.length; index += 1) {
    const name = names[index] ?? '';
    if (!isRecord(at) || !Object.hasOwn(at, name)) return undefined;
    at = at[name];
  }
  return at;
}

/** Most names that {@link pathsOf} gives. */
const mostPaths = 40;

/** The paths of the values in a record, objects in it included. */
export function pathsOf(record: unknown): readonly string[] {
  if (!isRecord(record)) return [];
  const paths = Object.entries(record).flatMap(([name, value]) =>
    isRecord(value) ? Object.keys(value).map((inner) => `${name}.${inner}`) : [name],
  );
  return paths.slice(0, mostPaths);
}

/** The names of each path, split once: a run reads every path of every contact. */
const names = new Map<string, readonly string[]>();

function namesOf(path: string): readonly string[] {
  const known = names.get(path);
  if (known) return known;
  const split = path.split('.');
  names.set(path, split);
  return split;
}

/**
 * A record with the given values at their dotted paths.
 *
 * @param like - a record of the same CRM: a path that is a property's whole name there stays one
 */
export function recordOf(
  values: Iterable<readonly [path: string, value: unknown]>,
  like?: unknown,
): Record<string, unknown> {
  const record: Record<string, unknown> = {};
  for (const [path, value] of values) {
    const outer = isRecord(like) && Object.hasOwn(like, path) ? [path] : path.split('.');
    const last = outer.pop() ?? path;
    let at = record;
    for (const name of outer) {
      const next = Object.hasOwn(at, name) ? at[name] : undefined;
      const inner: Record<string, unknown> = isRecord(next) ? next : {};
      define(at, name, inner);
      at = inner;
    }
    define(at, last, value);
  }
  return record;
}

/** Sets an own property also where the name is one that every object has, such as `__proto__`. */
function define(record: Record<string, unknown>, name: string, value: unknown): void {
  Object.defineProperty(record, name, { value, enumerable: true, configurable: true, writable: true });
}

/** Whether the token field has a value, whole or damaged. */
export function hasToken(token: unknown): boolean {
  return token !== undefined && token !== null && token !== '';
}

/** An id or address as text; empty where there is none. */
export function textOf(value: unknown): string {
  return typeof value === 'string'
    ? value.trim()
    : typeof value === 'number' || typeof value === 'bigint'
      ? String(value)
      : '';
}
