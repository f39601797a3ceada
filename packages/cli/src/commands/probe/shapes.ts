/**
 * The shapes of the answers of a service: statuses, names of headers, and the presence and type of every field. Holds
 * no value, and no name that may be a value. The sandbox reads the format: `packages/sandbox/src/control/shapes.ts`.
 */
import { isRecord } from '@newsletter-kit/core/engine';
import { operations, type OperationId } from '@newsletter-kit/core/contract';
import { fieldsIn, schemas, type DeclaredField } from '@newsletter-kit/core/schema';
import type { RecordedAnswer } from './read-everything.ts';

export type ShapeType = 'string' | 'number' | 'integer' | 'boolean' | 'null' | 'object' | 'list';

export interface FieldShape {
  /** Number of objects that had the field, or of lists that had an element. */
  readonly in: number;
  /** Number of objects or lists that could have had it. */
  readonly of: number;
  /** Its types, the most frequent first. */
  readonly types: readonly ShapeType[];
  /** The words seen, where the specification declares an enumeration; left out where there are none. */
  readonly words?: readonly string[];
}

export interface OperationShape {
  /** Number of answers by status. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Names in lower case; `name: value` only where the value is a number or a media type. */
  readonly headers: readonly string[];
  /** Types of the bodies of successes. */
  readonly body: readonly ShapeType[];
  /** Fields of successes by path, such as `data[].utm_source`; `*` stands for names that are not shown. */
  readonly fields: Readonly<Record<string, FieldShape>>;
}

export interface AnswerShapes {
  readonly format: 'newsletter-kit shapes 1';
  readonly about: string;
  /** What a path is answered that the contract does not have. */
  readonly unknown_path: Pick<OperationShape, 'statuses' | 'headers'>;
  readonly operations: Readonly<Partial<Record<OperationId, OperationShape>>>;
}

const about =
  'Shapes of the answers of a service: statuses, names of headers, and for each field in how many records it was and of which type. No values, addresses, ids or names of custom fields.';

/** Both names of one field: that of the specification, and that of published clients of the service. */
const customerIds = ['stripe_customer_id', 'payments_customer_id'] as const;

/** The names of the customer id that subscriptions were answered with. */
export function customerIdsIn({ operations: found }: AnswerShapes): readonly string[] {
  return customerIds.filter((name) =>
    Object.values(found).some(({ fields }) =>
      Object.entries(fields).some(([path, field]) => path.endsWith(`.${name}`) && field.in > 0),
    ),
  );
}

/** The shapes of all answers. */
export function shapesOf(answers: readonly RecordedAnswer[]): AnswerShapes {
  const values = textsIn(answers.map(({ body }) => body));
  const byOperation = Map.groupBy(answers, ({ operation }) => operation);
  const shapes = operations.flatMap(({ id }) => {
    const own = byOperation.get(id);
    return own ? [[id, operationShape(id, own, values)] as const] : [];
  });
  const unknown = headOf(byOperation.get(null) ?? []);
  return { format: 'newsletter-kit shapes 1', about, unknown_path: unknown, operations: Object.fromEntries(shapes) };
}

/** The shapes as JSON with one line per field. */
export function formatShapes({ operations: shapes, ...rest }: AnswerShapes): string {
  const lines = Object.entries(shapes).map(([id, { fields, ...operation }]) => {
    const parts = Object.entries(operation).map(([name, value]) => `      "${name}": ${JSON.stringify(value)},`);
    const fieldLines = Object.entries(fields).map(
      ([path, field]) => `        ${JSON.stringify(path)}: ${JSON.stringify(field)}`,
    );
    return [`    "${id}": {`, ...parts, '      "fields": {', fieldLines.join(',\n'), '      }', '    }'].join('\n');
  });
  const head = Object.entries(rest).map(([name, value]) => `  "${name}": ${JSON.stringify(value)},`);
  return ['{', ...head, '  "operations": {', lines.join(',\n'), '  }', '}', ''].join('\n');
}

function operationShape(id: OperationId, answers: readonly RecordedAnswer[], values: ReadonlySet<string>) {
  const successes = answers.filter(({ status }) => status >= 200 && status < 300);
  const reading: Reading = {
    declared: fieldsIn(schemas[id].answer),
    values,
    objects: new Map(),
    lists: new Map(),
    found: new Map(),
  };
  const body = new Map<ShapeType, number>();
  for (const answer of successes) {
    count(body, typeOf(answer.body));
    read(answer.body, '', reading);
  }
  return {
    ...headOf(answers),
    body: byFrequency(body),
    fields: Object.fromEntries(fieldsOf(reading)),
  } satisfies OperationShape;
}

function headOf(answers: readonly RecordedAnswer[]): AnswerShapes['unknown_path'] {
  const statuses = new Map<number, number>();
  for (const { status } of answers) count(statuses, status);
  return { statuses: Object.fromEntries(statuses), headers: headersOf(answers) };
}

/** What was counted in the successes of an operation. */
interface Reading {
  readonly declared: ReadonlyMap<string, DeclaredField>;
  /** Texts of all answers, see {@link textsIn}. */
  readonly values: ReadonlySet<string>;
  /** Number of objects at a path. */
  readonly objects: Map<string, number>;
  /** Number of lists at a path. */
  readonly lists: Map<string, number>;
  readonly found: Map<string, { in: number; readonly types: Map<ShapeType, number>; readonly words: Set<string> }>;
}

const count = <Key>(counts: Map<Key, number>, key: Key): void => void counts.set(key, (counts.get(key) ?? 0) + 1);

const byFrequency = <Key>(counts: ReadonlyMap<Key, number>): readonly Key[] =>
  [...counts].toSorted(([, a], [, b]) => b - a).map(([key]) => key);

const join = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`);

/** Counts what is inside a value. */
function read(value: unknown, path: string, reading: Reading): void {
  if (Array.isArray(value)) {
    count(reading.lists, path);
    if (value.length > 0) readField(`${path}[]`, value, reading);
  } else if (isRecord(value)) {
    count(reading.objects, path);
    const named = Map.groupBy(Object.keys(value), (name) => shownName(name, path, reading));
    for (const [name, keys] of named)
      readField(
        join(path, name),
        keys.map((key) => value[key]),
        reading,
      );
  }
}

/** Counts one field of an object, or the elements of one list. */
function readField(path: string, values: readonly unknown[], reading: Reading): void {
  const { declared, found } = reading;
  const field = found.get(path) ?? { in: 0, types: new Map(), words: new Set() };
  found.set(path, field);
  field.in += 1;
  for (const value of values) {
    count(field.types, typeOf(value));
    if (declared.get(path)?.words && isWord(value)) field.words.add(value);
    read(value, path, reading);
  }
}

/** In the order of the specification, then of the answers. Fields that it declares and no answer had are among them. */
function fieldsOf({ declared, objects, lists, found }: Reading): readonly (readonly [string, FieldShape])[] {
  return [...new Set([...declared.keys(), ...found.keys()])].flatMap((path) => {
    const of = path.endsWith('[]')
      ? lists.get(path.slice(0, -'[]'.length))
      : objects.get(path.slice(0, Math.max(path.lastIndexOf('.'), 0)));
    if (of === undefined) return [];
    const { in: present = 0, types = new Map<ShapeType, number>(), words = new Set<string>() } = found.get(path) ?? {};
    const seen = [...words].toSorted();
    return [[path, { in: present, of, types: byFrequency(types), ...(seen.length > 0 && { words: seen }) }] as const];
  });
}

/** All names of fields that the contract has. */
const contractNames = new Set(
  Object.values(schemas).flatMap(({ answer }) => [...fieldsIn(answer).keys()].map((path) => lastName(path))),
);

function lastName(path: string): string {
  return path.slice(path.lastIndexOf('.') + 1).replaceAll('[]', '');
}

/**
 * A name as it is shown; `*` where it may be data. Shown are names that the contract declares at this place, words that
 * a service may have added to an object that the contract declares, and in any other object names of the contract.
 */
function shownName(name: string, path: string, { declared, values }: Reading): string {
  if (declared.has(join(path, '*'))) return '*';
  if (declared.has(join(path, name))) return name;
  if (values.has(normalized(name))) return '*';
  const isDeclaredObject = path === '' || [...declared.keys()].some((each) => each.startsWith(`${path}.`));
  return contractNames.has(name) || (isDeclaredObject && /^[a-z][A-Za-z_]{0,39}$/.test(name)) ? name : '*';
}

const normalized = (text: string): string => text.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, '_');

/** All texts of the answers. A custom field, for example, may come as a field of its own, named like its label. */
function textsIn(bodies: readonly unknown[]): ReadonlySet<string> {
  const texts = new Set<string>();
  const waiting: unknown[] = [...bodies];
  while (waiting.length > 0) {
    const value = waiting.pop();
    if (typeof value === 'string') texts.add(normalized(value));
    else if (Array.isArray(value)) for (const each of value as unknown[]) waiting.push(each);
    else if (isRecord(value)) waiting.push(...Object.values(value));
  }
  return texts;
}

/** Whether a value looks like the word of an enumeration. */
export function isWord(value: unknown): value is string {
  return typeof value === 'string' && /^[a-z][a-z_]{0,39}$/.test(value);
}

function typeOf(value: unknown): ShapeType {
  if (value === null || value === undefined) return 'null';
  if (Array.isArray(value)) return 'list';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return isRecord(value) ? 'object' : typeof value === 'boolean' ? 'boolean' : 'string';
}

/** Headers whose values are shown where they hold nothing but numbers, or a media type. */
const shownHeaders =
  /^(?:content-type|retry-after|(?:x-)?rate-?limit(?:-\w+)*|x-(?:total|page|per-page|limit)(?:-\w+)*)$/;
const harmless = /^(?:[a-z]+\/[a-z.+-]+(?:; ?charset=[\w-]{1,20})?|\d{1,12}(?:[;,] ?\w=\d{1,12})*)$/i;

function headersOf(answers: readonly RecordedAnswer[]): readonly string[] {
  // Of a header with several values the first one.
  const headers = new Map(answers.toReversed().flatMap((answer) => Object.entries(answer.headers)));
  return [...headers]
    .filter(([name]) => /^[a-z][a-z\d-]{0,59}$/.test(name))
    .map(([name, value]) => (shownHeaders.test(name) && harmless.test(value) ? `${name}: ${value}` : name))
    .toSorted();
}
