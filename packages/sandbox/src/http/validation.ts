/**
 * Checks a request against core's schema. Unknown keys are ignored, as the service does; every other problem is named.
 */
import type { ServiceMessage as ErrorDetail } from '@newsletter-kit/core/engine';
import { fieldPath } from '@newsletter-kit/core/schema';
import * as z from 'zod';
import { ApiError, type Change } from './errors.ts';

/** The checked value, and the paths of what was ignored. */
export interface ValidInput<Value> {
  readonly value: Value;
  readonly ignored: readonly string[];
}

type Path = readonly PropertyKey[];

/** Reads `input` by `schema`. @throws {@link ApiError} 400 with one detail per problem, each naming its field */
export function check<Schema extends z.core.$ZodType>(schema: Schema, input: unknown): ValidInput<z.output<Schema>> {
  const first = z.safeParse(schema, input);
  if (first.success) return { value: first.data, ignored: [] };
  const unknown = first.error.issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys' ? issue.keys.map((key): Path => [...issue.path, key]) : [],
  );
  if (unknown.length === 0) throw refused(first.error.issues, input);
  const second = z.safeParse(schema, without(input, unknown));
  if (!second.success) throw refused(second.error.issues, input);
  return { value: second.data, ignored: unknown.map(fieldPath) };
}

const mostDetails = 20;

function refused(issues: readonly z.core.$ZodIssue[], input: unknown): ApiError {
  const shown = issues.slice(0, mostDetails);
  return new ApiError(
    400,
    shown.map((issue) => detail(issue, input)),
    {},
    shown.map(change),
  );
}

function detail(issue: z.core.$ZodIssue, input: unknown): ErrorDetail {
  const field = fieldPath(issue.path);
  const name = field ? `"${field}"` : 'The body';
  if (field && valueAt(input, issue.path) === undefined)
    return { message: `${name} is missing.`, code: 'NOT_EXIST_REQUIRED_KEY' };
  return { message: `${name} ${problem(issue)}.`, code: codes[issue.code] ?? 'VALIDATE_ERROR' };
}

/** The service's codes are not shown in the specification; these follow the ones it has been seen to send. */
const codes: Readonly<Partial<Record<z.core.$ZodIssue['code'], string>>> = {
  invalid_value: 'NOT_ENUM_INCLUDE',
  invalid_union: 'NOT_ONE_OF',
  invalid_format: 'INVALID_PATTERN',
  too_big: 'MORE_THAN_MAXIMUM',
  too_small: 'LESS_THAN_MINIMUM',
};

function problem(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${typeNames[issue.expected] ?? issue.expected}`;
    case 'invalid_value':
      return `must be ${issue.values
        .map((value) => JSON.stringify(value))
        .join(', ')
        .replace(/, (?=[^,]*$)/, ' or ')}`;
    case 'invalid_union':
      return 'has a type that is not allowed here';
    case 'too_big':
      return `must be at most ${issue.maximum}${unit(issue.origin)}`;
    case 'too_small':
      if (issue.origin === 'string' && issue.minimum === 1) return 'must not be empty';
      return `must be at least ${issue.minimum}${unit(issue.origin)}`;
    default:
      return issue.message;
  }
}

/** A valid value for the field; an address nobody owns, never one that was sent. */
function change(issue: z.core.$ZodIssue): Change {
  const field = fieldPath(issue.path) || 'body';
  switch (issue.code) {
    case 'invalid_type':
      return { field, to: examples[String(issue.path.at(-1))] ?? typeExamples[issue.expected] ?? 'text' };
    case 'invalid_value':
      return { field, to: issue.values[0] };
    case 'too_big':
      return { field, to: issue.origin === 'array' ? `at most ${issue.maximum} items` : Number(issue.maximum) };
    case 'too_small':
      return {
        field,
        to:
          issue.origin === 'array'
            ? `at least ${issue.minimum} items`
            : issue.origin === 'string'
              ? (examples[String(issue.path.at(-1))] ?? 'text')
              : Number(issue.minimum),
      };
    default:
      return { field, to: examples[String(issue.path.at(-1))] ?? 'another value' };
  }
}

const examples: Readonly<Partial<Record<string, string>>> = {
  email: 'reader@example.com',
  creation_date: '2026/11/04',
  display: 'Harbour',
};
const typeExamples: Readonly<Partial<Record<string, unknown>>> = {
  array: [],
  boolean: true,
  int: 1,
  number: 1,
  object: {},
  string: 'text',
};

const typeNames: Readonly<Partial<Record<string, string>>> = {
  array: 'an array',
  boolean: 'true or false',
  int: 'a whole number',
  number: 'a number',
  object: 'a JSON object',
  record: 'a JSON object',
  string: 'a string',
};

function unit(origin: string): string {
  if (origin === 'array') return ' items long';
  return origin === 'string' ? ' characters long' : '';
}

/** What a value holds at a path; undefined where it has none. */
export function valueAt(input: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (value, key) => (typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined),
    input,
  );
}

/** A copy of the input without the keys at these paths. */
function without(input: unknown, paths: readonly Path[]): unknown {
  const copy = structuredClone(input);
  for (const path of paths) {
    const holder = valueAt(copy, path.slice(0, -1));
    const key = path.at(-1);
    if (typeof holder === 'object' && holder !== null && key !== undefined) Reflect.deleteProperty(holder, key);
  }
  return copy;
}
