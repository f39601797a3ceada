/** Writes `src/engine/answer-checks.ts`: whether an answer is as a client takes it, as code. */
import * as z from 'zod/mini';
import { acceptedFor, isLenient } from '../src/schema/marks.ts';
import { note } from './contract.ts';
import { all, bare } from './operations.ts';
import { namedSchema } from './typescript.ts';

/** The functions that test objects: their code, by their names. */
const objects = new Map<string, string>();
/** Their names, by the name of the object, or by the schema of one that has none. */
const names = new Map<unknown, string>();

export function writeAnswerChecks(): string {
  const checks = all.map(
    ({ operation: { id }, schemas: { answer } }) => `'${id}': ${asFunction(testOf(answer, 'value'))},\n`,
  );
  return `/**
 * Whether the answer of each operation is as a client takes it: what the shapes of the contract say, as code, because
 * to walk them takes twenty times as long.
 *
 * ${note}
 */
import type { OperationId } from '../contract/index.ts';
import { isRecord } from '../is-record.ts';

type Test = (value: unknown) => boolean;

const isText: Test = (value) => typeof value === 'string';
const isFlag: Test = (value) => typeof value === 'boolean';
const isNumber: Test = (value) => Number.isFinite(value);
const isAbsent: Test = (value) => value === undefined || value === null;
const isList = (value: unknown, of: Test): boolean => Array.isArray(value) && value.every(of);
const hasOnly = (value: unknown, of: Test): boolean => isRecord(value) && Object.values(value).every(of);

${[...objects].map(([name, code]) => `const ${name}: Test = (value) => ${code};\n`).join('\n')}
export const answerChecks: Readonly<Record<OperationId, Test>> = { ${checks.join('')} };
`;
}

/** A test of `value` as a function. */
function asFunction(test: string): string {
  if (test === 'true') return '() => true';
  return `(value) => ${test}`.replace(/^\(value\) => (\w+)\(value\)$/, '$1');
}

/** The test of one value, as an expression. Objects have functions of their own. */
function testOf(schema: z.core.$ZodType, value: string): string {
  const taken = acceptedFor(schema);
  const inner = bare(taken) as z.core.$ZodType;
  const test = taken === schema && inner === taken ? plainTest(inner, value) : testOf(inner, value);
  return inner !== taken || isLenient(schema) ? `(isAbsent(${value}) || ${test})` : test;
}

function plainTest(schema: z.core.$ZodType, value: string): string {
  if (schema instanceof z.ZodMiniObject) return `${objectTest(schema)}(${value})`;
  if (schema instanceof z.ZodMiniArray) return `isList(${value}, ${asFunction(testOf(schema.def.element, 'value'))})`;
  if (schema instanceof z.ZodMiniRecord)
    return `hasOnly(${value}, (value) => isAbsent(value) || ${testOf(schema.def.valueType, 'value')})`;
  if (schema instanceof z.ZodMiniUnion)
    return `(${schema.def.options.map((option) => testOf(option, value)).join(' || ')})`;
  if (schema instanceof z.ZodMiniUnknown) return 'true';
  if (schema instanceof z.ZodMiniNull) return `${value} === null`;
  if (schema instanceof z.ZodMiniBoolean) return `isFlag(${value})`;
  return `${schema instanceof z.ZodMiniNumber ? 'isNumber' : 'isText'}(${value})`;
}

/** The name of the function that tests an object. */
function objectTest(schema: z.ZodMiniObject): string {
  const key = namedSchema(schema)?.id ?? schema;
  const name = names.get(key) ?? `is${typeof key === 'string' ? key : `Object${names.size}`}`;
  names.set(key, name);
  if (!objects.has(name)) {
    const fields = Object.entries(schema.shape).map(([field, inner]) => testOf(inner, `value['${field}']`));
    objects.set(name, ['isRecord(value)', ...fields].join(' && '));
  }
  return name;
}
