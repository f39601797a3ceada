/**
 * Shapes: the answers of a service as `newsletter probe --out` describes them, without values. The sandbox answers in
 * these shapes: the same statuses, the same fields, of the same types.
 */
import { isRecord } from '@newsletter-kit/core/engine';
import { operations, type Operation, type OperationId } from '@newsletter-kit/core/contract';
import { fieldsIn, schemas } from '@newsletter-kit/core/schema';
import * as z from 'zod';
import type { AssumptionChoice } from '../gaps.ts';
import { fraction } from '../world/ids.ts';
import type { Refuse } from './faults.ts';

const type = z.enum(['string', 'number', 'integer', 'boolean', 'null', 'object', 'list']);
type Type = z.output<typeof type>;

const field = z.object({
  /** Number of objects that had the field, or of lists that had an element. */
  in: z.int().min(0),
  /** Number of objects or lists that could have had it. */
  of: z.int().min(1),
  /** The most frequent first. */
  types: z.array(type),
  words: z.array(z.string()).optional(),
});
type FieldShape = z.output<typeof field>;

const head = z.object({
  /** Number of answers by status. */
  statuses: z.record(z.string().regex(/^[2-5]\d\d$/), z.int().min(1)),
  headers: z.array(z.string()).optional(),
});

const operationShape = head.extend({
  /** Types of the bodies of successes. */
  body: z.array(type),
  /** By path, such as `data[].utm_source`; `*` stands for any name. */
  fields: z.record(z.string(), field),
});
type OperationShape = z.output<typeof operationShape>;

export const shapesSchema = z.object({
  format: z.literal('newsletter-kit shapes 1').optional(),
  about: z.string().optional(),
  /** What a path is answered that the contract does not have. */
  unknown_path: head.optional(),
  operations: z.record(z.string(), operationShape),
});

/** The shapes of the answers of a service, by operation. `newsletter probe --out FILE` writes them. */
export type AnswerShapes = z.input<typeof shapesSchema>;

/** Shapes that cannot be used. The message says where they are wrong. */
export class ShapesError extends Error {
  override readonly name = 'ShapesError';
}

/** @throws {@link ShapesError} */
export function readShapes(value: unknown): z.output<typeof shapesSchema> {
  const read = shapesSchema.safeParse(value);
  if (!read.success) {
    const [issue] = read.error.issues;
    const place = issue?.path.join(' > ') ?? '';
    throw new ShapesError(
      place === '' ? 'must hold one JSON object.' : `is wrong at ${place}: ${issue?.message ?? ''}.`,
    );
  }
  const known = new Set<string>(operations.map(({ id }) => id));
  const unknown = Object.keys(read.data.operations).find((id) => !known.has(id));
  if (unknown !== undefined) throw new ShapesError(`has an operation that there is not: "${unknown.slice(0, 60)}".`);
  return read.data;
}

/** What shapes say of gaps beside the fields of records: ends of lists, words, statuses and headers. */
export function assumptionsIn({ operations: shapes, unknown_path }: z.output<typeof shapesSchema>): AssumptionChoice {
  const paging = (name: string): readonly FieldShape[] =>
    Object.values(shapes).flatMap(({ fields }) => fields[name] ?? fields[`pagination.${name}`] ?? []);
  const { fields: ofList = {} } = shapes['subscriptions.list'] ?? {};
  const answers = (id: OperationId, status: number): boolean => shapes[id]?.statuses[status] !== undefined;
  const jobs = shapes['bulkSubscriptionUpdates.list']?.fields['data[].status']?.words ?? [];
  const isNull = ([path, { types }]: [string, FieldShape]): boolean =>
    /^data\[\]\.(?:utm_(?!channel)|referring_site)/.test(path) && types.includes('null');
  const hasUnknownWords = Object.entries(shapes).some(([id, { fields }]) => {
    const declared = fieldsIn(schemas[id as OperationId].answer);
    const isUnknown = ([path, { words = [] }]: [string, FieldShape]): boolean =>
      words.some((word) => declared.get(path)?.words?.includes(word) === false);
    // No enumeration of the specification has the statuses of bulk updates, so a new word there is none of these.
    return !id.startsWith('bulkSubscriptionUpdates.') && Object.entries(fields).some(isUnknown);
  });
  const limited = Object.values(shapes).filter(({ statuses }) => statuses['429'] !== undefined);
  const waits = limited.flatMap(({ headers = [] }) => headers.filter((each) => each.startsWith('retry-after')));
  const isPaged = paging('has_more').some(({ in: seen }) => seen > 0);
  const cursors = paging('next_cursor');
  return {
    last_cursor: isPaged && !cursors.some(({ types }) => types.includes('null')) ? 'absent' : undefined,
    cursor_totals: (ofList['total_results']?.in ?? 0) > (ofList['page']?.in ?? 0) ? 'present' : undefined,
    // A key that is restricted to publications is refused for the whole workspace.
    data_deletion:
      answers('deletionRequests.list', 403) && answers('publicationFields.list', 200) ? 'not_enabled' : undefined,
    empty_texts: Object.entries(ofList).some(isNull) ? 'null' : undefined,
    bulk_done: jobs.includes('completed') ? 'completed' : undefined,
    unknown_values: hasUnknownWords ? 'some' : undefined,
    unknown_path:
      unknown_path?.statuses['404'] && !unknown_path.headers?.some((each) => each.includes('json'))
        ? 'html'
        : undefined,
    retry_after: waits.length === 0 ? undefined : waits[0]?.includes(': ') ? 'seconds' : 'date',
  };
}

/** Gives the sandbox's own answer the shape of the service's; the notes say what was changed, for the request log. */
export type Shape = (
  response: Response,
  operation: Operation | null,
  refuse: Refuse,
) => Promise<{ readonly response: Response; readonly notes: readonly string[] }>;

export function createShape({ operations: shapes }: z.output<typeof shapesSchema>): Shape {
  const compiled = new Map(Object.entries(shapes).map(([id, shape]) => [id, compile(id as OperationId, shape)]));
  const ordinals = new Map<string, number>();
  /** Numbers the records in the order they were first answered, so that each is answered the same way every time. */
  const ordinalOf = (record: unknown, index: number): number => {
    const id = isRecord(record) ? record['id'] : undefined;
    if (typeof id !== 'string') return index;
    const ordinal = ordinals.get(id) ?? ordinals.size;
    ordinals.set(id, ordinal);
    return ordinal;
  };
  return async (response, operation, refuse) => {
    const shape = operation && compiled.get(operation.id);
    if (!shape || !response.ok) return { response, notes: [] };
    const status = statusOf(shape, response.status);
    if (status >= 300) {
      if (operation.method !== 'GET') return { response, notes: [] };
      const reason = { message: 'The shape has no success of this operation.', code: 'SHAPE' };
      return { response: refuse(status, reason, {}), notes: [`Shape: the status is ${status}.`] };
    }
    const isJson = response.headers.get('content-type')?.includes('json') === true;
    const body: unknown = isJson ? await response.json() : undefined;
    for (const path of varyingIn(body, shape)) shape.varying.add(path);
    const changes: Changes = { left: new Set(), partly: new Set(), added: new Set(), typed: new Map() };
    const shaped = isRecord(body) ? inObject(body, '', { ...shape, changes, ordinalOf, root: body }, null) : body;
    const notes = notesOf(changes, status === response.status ? null : status);
    if (notes.length === 0 && !isJson) return { response, notes };
    const text = isJson && status !== 204 ? JSON.stringify(shaped) : null;
    return { response: new Response(text, { status, headers: response.headers }), notes };
  };
}

interface CompiledShape {
  readonly statuses: readonly (readonly [status: number, count: number])[];
  readonly fields: ReadonlyMap<string, FieldShape>;
  /** Paths at which the service answered objects, so that a field missing in the shape is one it never has. */
  readonly objects: ReadonlySet<string>;
  /** Paths of fields that the service has beyond the specification, by the path of their object. */
  readonly additions: ReadonlyMap<string, readonly string[]>;
  /** Paths of fields that only some records have at the service, by the path of their object. */
  readonly partial: ReadonlyMap<string, readonly string[]>;
  /** Paths of those that some records of the sandbox have, too: whether one has them depends on what it is. */
  readonly varying: Set<string>;
}

function compile(id: OperationId, { statuses, body, fields }: OperationShape): CompiledShape {
  const declared = fieldsIn(schemas[id].answer);
  const seen = Object.entries(fields).filter(([, { in: present }]) => present > 0);
  const objects = seen.filter(([, { types }]) => types.includes('object')).map(([path]) => path);
  const [additions, partial] = [new Map<string, string[]>(), new Map<string, string[]>()];
  for (const [path, { in: present, of }] of seen) {
    const group = !declared.has(path) ? additions : present < of ? partial : undefined;
    if (!path.endsWith('[]')) group?.set(parentOf(path), [...(group.get(parentOf(path)) ?? []), path]);
  }
  return {
    statuses: Object.entries(statuses)
      .map(([status, count]) => [Number(status), count] as const)
      .toSorted(([, a], [, b]) => b - a),
    fields: new Map(seen),
    objects: new Set(body.includes('object') ? ['', ...objects] : objects),
    additions,
    partial,
    varying: new Set(),
  };
}

const parentOf = (path: string): string => path.slice(0, Math.max(path.lastIndexOf('.'), 0));
const nameOf = (path: string): string => path.slice(path.lastIndexOf('.') + 1);
const join = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`);

/** The status of a success; an error status where the service answered nothing else. */
function statusOf({ statuses }: CompiledShape, own: number): number {
  const successes = statuses.filter(([status]) => status < 300);
  if (successes.some(([status]) => status === own)) return own;
  return (successes[0] ?? statuses.find(([status]) => status >= 400))?.[0] ?? own;
}

/** Fields that some records of the sandbox's own answer have and others lack, such as the options of lists alone. */
function varyingIn(body: unknown, { partial }: CompiledShape): readonly string[] {
  const [having, lacking] = [new Set<string>(), new Set<string>()];
  const read = (value: unknown, path: string): void => {
    if (Array.isArray(value)) for (const each of value as unknown[]) read(each, `${path}[]`);
    else if (isRecord(value)) {
      for (const field of partial.get(path) ?? []) (Object.hasOwn(value, nameOf(field)) ? having : lacking).add(field);
      for (const [name, inner] of Object.entries(value)) read(inner, join(path, name));
    }
  };
  if (partial.size > 0) read(body, '');
  return [...having].filter((path) => lacking.has(path));
}

interface Changes {
  readonly left: Set<string>;
  readonly partly: Set<string>;
  readonly added: Set<string>;
  readonly typed: Map<string, Type>;
}

interface Context extends CompiledShape {
  readonly changes: Changes;
  readonly ordinalOf: (record: unknown, index: number) => number;
  /** The whole body as the sandbox made it. */
  readonly root: Json;
}

type Json = Readonly<Record<string, unknown>>;

/**
 * An object in the shape of the one at its path.
 *
 * @param ordinal - number of the record that it is in; null beside the records, where the request and not chance
 *   decides which paging fields there are
 */
function inObject(value: Json, path: string, context: Context, ordinal: number | null): Json {
  const { fields, objects, additions, varying, changes, root } = context;
  const entries = Object.entries(value).flatMap(([name, inner]): [string, unknown][] => {
    const own = join(path, name);
    const at = fields.has(own) ? own : join(path, '*');
    const shape = fields.get(at);
    if (!shape && objects.has(path)) changes.left.add(own);
    else if (shape && !varying.has(at) && !isPresent(shape, at, ordinal)) changes.partly.add(own);
    else return [[name, inField(inner, shape ? at : own, context, ordinal)]];
    return [];
  });
  for (const addition of additions.get(path) ?? []) {
    const name = nameOf(addition) === '*' ? 'unnamed' : nameOf(addition);
    const shape = fields.get(addition);
    if (!shape || Object.hasOwn(value, name)) continue;
    // Fields may have moved, as paging fields into "pagination".
    const moved = [value, root].find((source) => Object.hasOwn(source, name));
    if (ordinal === null && !moved && shape.in < shape.of) continue;
    if (!isPresent(shape, addition, ordinal)) continue;
    changes.added.add(addition);
    entries.push([name, inField(moved ? moved[name] : sample(addition, fields), addition, context, ordinal)]);
  }
  return Object.fromEntries(entries);
}

/** A field, or an element of a list, in the shape of the one at its path. */
function inField(value: unknown, path: string, context: Context, ordinal: number | null): unknown {
  const isEnvelope = ordinal === null && path !== 'data';
  const isKept = isEnvelope && (value === null || nameOf(path) === 'next_cursor');
  const target = isKept ? null : targetOf(value, context.fields.get(path));
  // Beside the records null is what the last page has, and says nothing about others.
  const converts = target !== null && !(isEnvelope && target === 'null');
  if (converts) context.changes.typed.set(path, target);
  const typed = converts ? convert(value, target) : value;
  if (Array.isArray(typed)) {
    return typed.map((each: unknown, index) => {
      const inner = ordinal === null ? null : ordinal + index;
      return inField(each, `${path}[]`, context, path === 'data' ? context.ordinalOf(each, index) : inner);
    });
  }
  if (!isRecord(typed)) return typed;
  return inObject(typed, path, context, path === 'data' ? context.ordinalOf(typed, 0) : ordinal);
}

/** Whether this record is one of those that have the field: of each `of` records in a row, `in` have it. */
function isPresent({ in: present, of }: FieldShape, path: string, ordinal: number | null): boolean {
  if (present >= of || ordinal === null) return true;
  // Other fields are missing in other records.
  const at = ordinal + Math.floor(fraction(1, path, 0) * of);
  return Math.floor(((at + 1) * present) / of) > Math.floor((at * present) / of);
}

/** The type that a value takes on; null where its own is one of the shape's. */
function targetOf(value: unknown, shape: FieldShape | undefined): Type | null {
  if (!shape) return null;
  const own = typeOf(value);
  const { types } = shape;
  if (types.includes(own) || (own === 'integer' && types.includes('number'))) return null;
  return types.find((each) => each !== 'null') ?? types[0] ?? null;
}

function typeOf(value: unknown): Type {
  if (value === null || value === undefined) return 'null';
  if (Array.isArray(value)) return 'list';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return isRecord(value) ? 'object' : typeof value === 'boolean' ? 'boolean' : 'string';
}

/** A value for a field that only the service has; its own fields are added where it is an object. */
function sample(path: string, fields: CompiledShape['fields']): unknown {
  const type = fields.get(path)?.types.find((each) => each !== 'null') ?? 'null';
  const elements = `${path}[]`;
  return type === 'list' && fields.has(elements) ? [sample(elements, fields)] : convert(null, type);
}

/** What a value becomes in each type. Different values stay different where they can. */
const conversions: Readonly<Record<Type, (value: unknown) => unknown>> = {
  null: () => null,
  boolean: () => true,
  object: () => ({}),
  list: (value) => (value === null ? [] : [value]),
  string: (value) => (value === null ? 'text' : typeof value === 'string' ? value : JSON.stringify(value)),
  integer: (value) => Math.round(numberOf(value)),
  number: (value) => (value === null ? 0.5 : numberOf(value)),
};

const convert = (value: unknown, target: Type): unknown => conversions[target](value);

function numberOf(value: unknown): number {
  if (typeof value === 'number') return value;
  if (typeof value !== 'string') return 1;
  if (/^\d{1,15}(?:\.\d{1,6})?$/.test(value)) return Number(value);
  const time = /^\d{4}-\d\d-\d\dT/.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(time) ? Math.floor(fraction(1, value, 0) * 1e9) : Math.floor(time / 1000);
}

function notesOf({ left, partly, added, typed }: Changes, status: number | null): readonly string[] {
  const list = (paths: Iterable<string>): string => [...paths].map((path) => `"${path}"`).join(', ');
  return [
    ...(status === null ? [] : [`Shape: the status is ${status}.`]),
    ...(left.size > 0 ? [`Shape: left out ${list(left)}.`] : []),
    ...(partly.size > 0 ? [`Shape: left out of some records ${list(partly)}.`] : []),
    ...(added.size > 0 ? [`Shape: added ${list(added)}.`] : []),
    ...[...typed].map(([path, target]) => `Shape: "${path}" is of type ${target}.`),
  ];
}
