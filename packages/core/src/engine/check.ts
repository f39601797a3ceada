/** Checks requests and answers by their shapes. Problems name the field, never the value: it may be an address. */
import type { OperationId } from '../contract/index.ts';
import type { ObjectShape, Shape, ValueShape } from '../contract/shape.ts';
import { shapes } from '../contract/shapes.ts';
import { fieldOf, fieldPath } from '../field-path.ts';
import { isRecord } from '../is-record.ts';
import { isAddress, normalizeAddress } from '../signup/address.ts';
import { answerChecks } from './answer-checks.ts';
import type { FieldDeviation } from './deviations.ts';
import { misspelt, nearMiss, unknownTexts } from './near-miss.ts';
import type { CheckedRequest, RequestParts } from './options.ts';

type Key = string | number;

/** A name, or a value of an open list, that is not known. */
export interface Unknown {
  readonly as: 'name' | 'value';
  readonly path: readonly Key[];
  readonly given: string;
  /** Those that are known in its place. */
  readonly known: readonly string[];
}

/** What a reading of a value finds. */
interface Findings {
  /** The place in the value; changes while it is read. */
  readonly at: Key[];
  problem(shape: Shape, value: unknown, text?: string): void;
  /** Only of requests: answers may hold more than is known. */
  readonly unknown: ((as: Unknown['as'], given: string, known: readonly string[]) => void) | undefined;
}

/**
 * The request as it should be sent (addresses normalised) and what in it is not known, or what is wrong with it. A name
 * that is not known is sent, and so is a value where the specification shows none; one that is nearly known is wrong.
 */
export function checkRequest(id: OperationId, { query, body }: Pick<RequestParts, 'query' | 'body'>): CheckedRequest {
  const given = shapes[id];
  const unknown = new Map<string, FieldDeviation>();
  const all: string[] = [];
  const read = (shape: ObjectShape | undefined, part: Readonly<Record<string, unknown>>) => {
    if (!shape) return part;
    const found = readObject(shape, part);
    for (const { as, path, given, known } of found.unknown) {
      const meant = nearMiss(given, known);
      if (meant !== undefined) all.push(misspelt(fieldPath(path), meant, as));
      else unknown.set(fieldOf(path), { field: fieldOf(path), problem: unknownTexts[as] });
    }
    all.push(...found.problems);
    return found.value;
  };
  const value = { query: read(given.query, query), body: body && read(given.body, body) };
  return all.length > 0 ? { problems: all } : { value, unknown: [...unknown.values()] };
}

/** An object of a request as it should be sent, everything that is wrong with it, and what is not known. */
export function readObject(shape: ObjectShape, object: Readonly<Record<string, unknown>>) {
  const problems: string[] = [];
  const unknown: Unknown[] = [];
  const at: Key[] = [];
  const value = read(shape, object, {
    at,
    problem: (wrong, _, text = wrongText(wrong)) => problems.push(`"${fieldPath(at)}" ${text}`),
    unknown: (as, given, known) => unknown.push({ as, path: as === 'name' ? [...at, given] : [...at], given, known }),
  });
  return { value: isRecord(value) ? value : object, problems, unknown };
}

/** What in an answer is not as a client takes it: each field once, with the number of its records. */
export function checkAnswer(id: OperationId, value: unknown): readonly FieldDeviation[] {
  if (answerChecks[id](value)) return [];
  const found = new Map<string, { readonly problem: string; readonly records: Set<Key> }>();
  const at: Key[] = [];
  read(shapes[id].answer, value, {
    at,
    problem(shape, wrong) {
      const field = fieldOf(at);
      const expected = shape.is === 'union' ? shape.of.map(({ is }) => is).join(' or ') : shape.is;
      const known = found.get(field) ?? {
        problem: `expected ${expected}, received ${kindOf(wrong)}`,
        records: new Set<Key>(),
      };
      found.set(field, known);
      known.records.add(at[0] === 'data' && typeof at[1] === 'number' ? at[1] : 0);
    },
    unknown: undefined,
  });
  return [...found].map(([field, { problem, records }]) => ({ field, problem, records: records.size }));
}

const kindOf = (value: unknown): string =>
  value === null ? 'null' : Array.isArray(value) ? 'array' : Number.isNaN(value) ? 'NaN' : typeof value;

/** The value as it is to be sent: itself, or a copy where something in it changes. */
function read(shape: Shape, value: unknown, found: Findings): unknown {
  if ((value === undefined && shape.optional) || (value === null && shape.nullable)) return value;
  switch (shape.is) {
    case 'object':
      return isRecord(value) ? readFields(shape, value, found) : wrong(shape, value, found);
    case 'record':
      if (!isRecord(value)) return wrong(shape, value, found);
      for (const key of Object.keys(value)) within(key, shape.of, value[key], found);
      return value;
    case 'array': {
      if (!Array.isArray(value)) return wrong(shape, value, found);
      if (value.length < (shape.min ?? 0)) found.problem(shape, value, 'must not be empty');
      if (value.length > (shape.max ?? Infinity)) found.problem(shape, value, `must have at most ${shape.max} members`);
      const members = value.map((member: unknown, index) => within(index, shape.of, member, found));
      return members.every((member, index) => member === value[index]) ? value : members;
    }
    case 'union':
      return shape.of.some((option) => fits(option, value)) ? value : wrong(shape, value, found);
    default:
      return readValue(shape, value, found);
  }
}

function readFields(shape: ObjectShape, value: Readonly<Record<string, unknown>>, found: Findings): unknown {
  let changed: Record<string, unknown> | undefined;
  for (const name in shape.of) {
    const field = shape.of[name];
    const given = value[name];
    if (!field || (given === undefined && field.optional)) continue;
    const taken = within(name, field, given, found);
    if (taken !== given) (changed ??= { ...value })[name] = taken;
  }
  if (found.unknown)
    for (const name of Object.keys(value))
      if (!Object.hasOwn(shape.of, name)) found.unknown('name', name, Object.keys(shape.of));
  return changed ?? value;
}

function readValue(shape: ValueShape, given: unknown, found: Findings): unknown {
  const value = shape.coerce ? Number(given) : given;
  const text = typeof value === 'string' ? spellings[shape.form ?? 'any'](value) : value;
  if (!isOfKind(shape, text)) return wrong(shape, value, found);
  const size = typeof text === 'string' ? text.length : Number(text);
  if (shape.min !== undefined && size < shape.min)
    found.problem(shape, value, typeof text === 'string' ? 'must not be empty' : `must be at least ${shape.min}`);
  if (shape.max !== undefined && size > shape.max) found.problem(shape, value, `must be at most ${shape.max}`);
  if (shape.words && typeof text === 'string' && !shape.words.includes(text)) {
    if (shape.open) found.unknown?.('value', text, shape.words);
    else found.problem(shape, value);
  }
  const isForeign = shape.form === 'address' && !isAddress(String(text));
  if (isForeign || (shape.pattern && !new RegExp(shape.pattern).test(String(text)))) found.problem(shape, value);
  return text;
}

const spellings = {
  any: (text: string): string => text,
  address: normalizeAddress,
  trimmed: (text: string): string => text.trim(),
} as const;

function isOfKind({ is }: ValueShape, value: unknown): boolean {
  if (is === 'any') return true;
  if (is === 'null') return value === null;
  if (is === 'integer') return Number.isSafeInteger(value);
  return typeof value === is && !(is === 'number' && !Number.isFinite(value));
}

function within(key: Key, shape: Shape, value: unknown, found: Findings): unknown {
  found.at.push(key);
  const taken = read(shape, value, found);
  found.at.pop();
  return taken;
}

function wrong(shape: Shape, value: unknown, found: Findings): unknown {
  found.problem(shape, value, value === undefined && found.unknown ? 'is missing' : undefined);
  return value;
}

/** Whether a value is of a shape. */
export function fits(shape: Shape, value: unknown): boolean {
  let isWrong = false;
  read(shape, value, { at: [], problem: () => (isWrong = true), unknown: undefined });
  return !isWrong;
}

/** What a value of a request must be. */
function wrongText(shape: Shape): string {
  if (shape.problem) return shape.problem;
  if (shape.is === 'union') return `must be ${shape.of.map((each) => nouns[each.is]).join(' or ')}`;
  if (shape.is === 'array')
    return `must be a list of ${shape.of.is === 'object' ? `{${Object.keys(shape.of.of).join(', ')}}` : `${nouns[shape.of.is]}s`.replace(/^an? /, '')}`;
  if ('words' in shape) return `must be one of ${shape.words?.map((word) => `"${word}"`).join(', ')}`;
  return `must be ${nouns[shape.is]}`;
}

const nouns: Readonly<Record<Shape['is'], string>> = {
  any: 'anything',
  null: 'null',
  boolean: 'true or false',
  string: 'a text',
  number: 'a number',
  integer: 'a whole number',
  object: 'an object',
  record: 'an object',
  array: 'a list',
  union: 'another value',
};
