/** Reads `--field` and `--raw-field` of `newsletter api` into the arguments of a call. */
import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import process from 'node:process';
import { UsageError, quote } from '#command-line';
import type { Shape } from '@newsletter-kit/core/contract';
import { requireJson } from '../../require-json.ts';

/** One `-f key=value` or `-F key=value`. */
export interface FieldOption {
  readonly key: string;
  readonly value: string;
  /** `-F`: `true`, `false`, `null`, numbers and `@FILE` have a meaning. */
  readonly isTyped: boolean;
}

type Container = Record<string, unknown> | unknown[];
/** A key of an object, an index of an array, or `[]`. */
type KeyPart = string | number | typeof append;
const append = Symbol('append');

/** @throws UsageError where it has no `=` */
export function readField(text: string, isTyped: boolean): FieldOption {
  const at = text.indexOf('=');
  if (at > 0) return { key: text.slice(0, at), value: text.slice(at + 1), isTyped };
  throw new UsageError(
    `A field is written KEY=VALUE, for example ${isTyped ? '-F limit=10' : '-f email=ada@example.com'}, not ${quote(text)}.`,
  );
}

/**
 * Builds the arguments of a call. Keys nest: `a[b]=1` sets a key of an object, `a[0]=1` an element of an array, `a[]=1`
 * appends one; `a[][b]=1` begins a new element where the last one has that key.
 *
 * @param shape - of the arguments; values take the types it names. Left out for a path
 * @throws UsageError for a key that cannot be read, or that contradicts an earlier one
 */
export async function fieldsToArguments(
  fields: readonly FieldOption[],
  shape?: Shape,
): Promise<Record<string, unknown>> {
  const result: Record<string, unknown> = {};
  for (const field of fields) {
    const steps = stepsOf(field.key);
    let shapes = alternatives(shape);
    for (const step of steps) shapes = shapes.flatMap((each) => alternatives(child(each, step)));
    // A list that is given without brackets takes one value each time.
    const types = new Set(shapes.map(({ is }) => is));
    const isList = types.has('array') && !types.has('string') && !/^\s*\[/.test(field.value);
    const leaf = isList ? shapes.flatMap((each) => (each.is === 'array' ? alternatives(each.of) : [])) : shapes;
    set(result, isList ? [...steps, append] : steps, await valueOf(field, leaf), field.key);
  }
  return result;
}

function stepsOf(key: string): readonly KeyPart[] {
  const match = /^([^[\]]+)((?:\[[^[\]]*\])*)$/.exec(key);
  const [, first = '', rest = ''] = match ?? [];
  const steps = [first, ...[...rest.matchAll(/\[([^[\]]*)\]/g)].map(([, inner = '']) => inner)];
  if (!match || steps.includes('__proto__'))
    throw new UsageError(`The key ${quote(key)} cannot be read. Keys nest as in custom_fields[0][name]=City.`);
  return steps.map((step, index) =>
    index === 0 ? step : step === '' ? append : /^\d{1,6}$/.test(step) ? Number(step) : step,
  );
}

function child(shape: Shape, step: KeyPart): Shape | undefined {
  if (isArrayStep(step)) return shape.is === 'array' ? shape.of : undefined;
  return shape.is === 'object' && Object.hasOwn(shape.of, step) ? shape.of[step] : undefined;
}

/** The shapes that a value may have. */
export function alternatives(shape: Shape | undefined): readonly Shape[] {
  if (!shape) return [];
  return [...(shape.is === 'union' ? shape.of.flatMap(alternatives) : [shape]), ...(shape.nullable ? [nothing] : [])];
}

const nothing: Shape = { is: 'null' };

function set(target: Container, [step = '', ...rest]: readonly KeyPart[], value: unknown, key: string): void {
  const contradiction = (): UsageError => new UsageError(`The key ${quote(key)} contradicts an earlier one.`);
  if (isArrayStep(step) !== Array.isArray(target)) throw contradiction();
  const at = Array.isArray(target) ? indexIn(target, step, rest, key) : String(step);
  const members: Record<string, unknown> = target as Record<string, unknown>;
  if (rest.length === 0) members[at] = value;
  else {
    if (!Object.hasOwn(members, at)) members[at] = containerFor(rest[0]);
    const next = members[at];
    if (!isContainer(next)) throw contradiction();
    set(next, rest, value, key);
  }
}

/** Where the value belongs in an array: `[]` is a new element where the last one has the key that follows. */
function indexIn(list: readonly unknown[], step: KeyPart, [next]: readonly KeyPart[], key: string): number {
  const last = list.at(-1);
  const isNew = next === undefined || !isContainer(last) || has(last, next);
  const index = step === append ? list.length - Number(!isNew) : Number(step);
  if (index > list.length) throw new UsageError(`The key ${quote(key)} leaves out an element of the array.`);
  return index;
}

const isArrayStep = (step: KeyPart | undefined): step is number | typeof append =>
  typeof step === 'number' || step === append;

const containerFor = (step: KeyPart | undefined): Container => (isArrayStep(step) ? [] : {});

function has(container: Container, step: KeyPart | undefined): boolean {
  if (Array.isArray(container)) return typeof step === 'number' && step < container.length;
  return typeof step === 'string' && Object.hasOwn(container, step);
}

function isContainer(value: unknown): value is Container {
  return typeof value === 'object' && value !== null;
}

async function valueOf({ key, value, isTyped }: FieldOption, shapes: readonly Shape[]): Promise<unknown> {
  const types = new Set(shapes.map(({ is }) => is));
  if (isTyped && value.startsWith('@')) return await readInput(value.slice(1));
  const isAny = shapes.length === 0;
  // A field that takes strings and other types: -f sends a string, -F the type that the value looks like.
  if (types.has('string') && !(isTyped && types.size > 1)) return value;
  if (isAny && !isTyped) return value;
  if ((value === 'true' || value === 'false') && (isAny || types.has('boolean'))) return value === 'true';
  if (value === 'null' && (isAny || types.has('null'))) return null;
  if (/^-?(0|[1-9]\d*)(\.\d+)?$/.test(value) && (isAny || types.has('number') || types.has('integer')))
    return Number(value);
  if (/^\s*[[{]/.test(value) && (types.has('array') || types.has('object'))) return requireJson(value, key);
  return value;
}

/** The content of a file, or of stdin for `-`. */
export async function readInput(path: string, signal?: AbortSignal): Promise<string> {
  if (path !== '-') return await readFile(path, { encoding: 'utf8', ...(signal && { signal }) });
  signal?.addEventListener('abort', () => process.stdin.destroy(new DOMException('Interrupted.', 'AbortError')));
  return await text(process.stdin);
}
