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
  const problems = issues.slice(0, mostDetails).map((issue) => describe(issue, input));
  return new ApiError(
    400,
    problems.map(({ detail }) => detail),
    {},
    problems.map(({ change }) => change),
  );
}

function describe(issue: z.core.$ZodIssue, input: unknown): { readonly detail: ErrorDetail; readonly change: Change } {
  const field = fieldPath(issue.path);
  const { problem, to } = explain(issue);
  const detail =
    field && valueAt(input, issue.path) === undefined
      ? { message: `"${field}" is missing.`, code: 'NOT_EXIST_REQUIRED_KEY' }
      : { message: `${field ? `"${field}"` : 'The body'} ${problem}.`, code: codes[issue.code] ?? 'VALIDATE_ERROR' };
  return { detail, change: { field: field || 'body', to } };
}

/** The service's codes are not shown in the specification; these follow the ones it has been seen to send. */
const codes: Readonly<Partial<Record<z.core.$ZodIssue['code'], string>>> = {
  invalid_value: 'NOT_ENUM_INCLUDE',
  invalid_union: 'NOT_ONE_OF',
  invalid_format: 'INVALID_PATTERN',
  too_big: 'MORE_THAN_MAXIMUM',
  too_small: 'LESS_THAN_MINIMUM',
};

/** What is wrong, and a valid value for the field; an address nobody owns, never one that was sent. */
function explain(issue: z.core.$ZodIssue): { readonly problem: string; readonly to: unknown } {
  const example = examples[String(issue.path.at(-1))];
  switch (issue.code) {
    case 'invalid_type': {
      const { name = issue.expected, example: ofType = 'text' } = types[issue.expected] ?? {};
      return { problem: `must be ${name}`, to: example ?? ofType };
    }
    case 'invalid_value': {
      const values = issue.values.map((value) => JSON.stringify(value)).join(', ');
      return { problem: `must be ${values.replace(/, (?=[^,]*$)/, ' or ')}`, to: issue.values[0] };
    }
    case 'invalid_union':
      return { problem: 'has a type that is not allowed here', to: example ?? 'another value' };
    case 'too_big':
      return {
        problem: `must be at most ${issue.maximum}${unit(issue.origin)}`,
        to: issue.origin === 'array' ? `at most ${issue.maximum} items` : Number(issue.maximum),
      };
    case 'too_small': {
      const { minimum, origin } = issue;
      const problem =
        origin === 'string' && minimum === 1 ? 'must not be empty' : `must be at least ${minimum}${unit(origin)}`;
      if (origin === 'array') return { problem, to: `at least ${minimum} items` };
      return { problem, to: origin === 'string' ? (example ?? 'text') : Number(minimum) };
    }
    default:
      return { problem: issue.message, to: example ?? 'another value' };
  }
}

const examples: Readonly<Partial<Record<string, string>>> = {
  email: 'reader@example.com',
  creation_date: '2026/11/04',
  display: 'Harbour',
};

/** What messages call each type, and a value of it. */
const types: Readonly<Partial<Record<string, { readonly name: string; readonly example?: unknown }>>> = {
  array: { name: 'an array', example: [] },
  boolean: { name: 'true or false', example: true },
  int: { name: 'a whole number', example: 1 },
  number: { name: 'a number', example: 1 },
  object: { name: 'a JSON object', example: {} },
  record: { name: 'a JSON object' },
  string: { name: 'a string' },
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
