/** Writes `src/contract/shapes.ts`: what requests and answers of each operation are, as data. */
import * as z from 'zod/mini';
import { acceptedFor, isLenient, isOpen } from '../src/schema/marks.ts';
import { note } from './contract.ts';
import { all } from './operations.ts';
import { namedSchema, type Reading } from './typescript.ts';

/** The declarations of the objects with a name, by it. */
const declared = new Map<string, string>();

export function writeShapes(): string {
  const operations = all.map(({ operation: { id }, schemas: { query, body, answer } }) => {
    const parts = [
      ...(query ? [`query: ${objectOf(query, 'request')}`] : []),
      ...(body ? [`body: ${objectOf(body, 'request')}`] : []),
      `answer: ${shapeOf(answer, 'answer')}`,
    ];
    return `'${id}': { ${parts.join(', ')} },\n`;
  });
  return `/**
 * What requests and answers of each operation are. Requests are as the specification has them, answers as a client
 * takes them: with any words, further fields, and without what it can do without.
 *
 * ${note}
 */
import type { OperationId } from './operations.ts';
import type { ObjectShape, OperationShapes } from './shape.ts';

${[...declared.values()].join('\n')}
/** The shapes of every operation. */
export const shapes: Readonly<Record<OperationId, OperationShapes>> = { ${operations.join('')} };
`;
}

/** The code of a shape. Services send null for a field without a value, and leave out one that may be null. */
function shapeOf(schema: z.core.$ZodType, reading: Reading, more = ''): string {
  const isAnswer = reading === 'answer';
  const taken = isAnswer ? acceptedFor(schema) : schema;
  const absent = 'optional: true, nullable: true,';
  const presence = isAnswer && isLenient(schema) ? absent : more;
  if (taken !== schema) return shapeOf(taken, reading, presence);
  if (schema instanceof z.ZodMiniOptional)
    return shapeOf(schema.def.innerType, reading, isAnswer ? absent : `${presence}optional: true,`);
  if (schema instanceof z.ZodMiniNullable)
    return shapeOf(schema.def.innerType, reading, isAnswer ? absent : `${presence}nullable: true,`);
  if (schema instanceof z.ZodMiniObject) {
    const object = objectOf(schema, reading);
    return presence === '' ? object : `{ ...${object}, ${presence} }`;
  }
  return `{ ${bareShape(schema, reading)} ${presence} }`;
}

/** An object; one with a name is a constant. */
function objectOf(schema: z.ZodMiniObject, reading: Reading): string {
  const fields = (): string =>
    Object.entries(schema.shape).reduce((code, [name, inner]) => `${code}${name}: ${shapeOf(inner, reading)},`, '');
  const named = namedSchema(schema);
  if (!named) return `{ is: 'object', of: { ${fields()} } }`;
  const constant = named.id.charAt(0).toLowerCase() + named.id.slice(1);
  if (!declared.has(constant))
    declared.set(
      constant,
      `/** ${named.description} */\nexport const ${constant}: ObjectShape = { is: 'object', of: { ${fields()} } };\n`,
    );
  return constant;
}

function bareShape(schema: z.core.$ZodType, reading: Reading): string {
  const checks = reading === 'request' ? checksOf(schema) : '';
  if (schema instanceof z.ZodMiniArray) return `is: 'array', of: ${shapeOf(schema.def.element, reading)}, ${checks}`;
  if (schema instanceof z.ZodMiniRecord) {
    const value = shapeOf(schema.def.valueType, reading, 'optional: true, nullable: true,');
    return `is: 'record', of: ${value},`;
  }
  if (schema instanceof z.ZodMiniUnion) {
    const problem = reading === 'request' ? errorOf(schema._zod.def) : undefined;
    const options = schema.def.options.map((option) => shapeOf(option, reading));
    return `is: 'union', of: [${options.join(', ')}], ${problem === undefined ? '' : `problem: ${problem},`}`;
  }
  if (schema instanceof z.ZodMiniEnum || schema instanceof z.ZodMiniLiteral) {
    const words = schema instanceof z.ZodMiniEnum ? schema.options : [...schema.def.values];
    const known = `words: ${JSON.stringify(words)}, ${isOpen(schema) ? 'open: true,' : ''}`;
    return `is: 'string', ${reading === 'request' ? known : ''}`;
  }
  if (schema instanceof z.ZodMiniNumber)
    return `is: '${checks.includes('whole') ? 'integer' : 'number'}', ${checks.replace('whole', '')}`;
  if (schema instanceof z.ZodMiniUnknown) return "is: 'any',";
  if (schema instanceof z.ZodMiniString || schema instanceof z.ZodMiniBoolean || schema instanceof z.ZodMiniNull)
    return `is: '${schema._zod.def.type}', ${checks}`;
  throw new TypeError(`There is no shape of a schema of type ${schema._zod.def.type}.`);
}

/** What zod carries of a check; the library's types name no more than its kind. */
type Definition = Readonly<
  Partial<Record<'value' | 'minimum' | 'maximum', number> & Record<'pattern' | 'coerce', unknown>>
> & {
  readonly check?: string;
  readonly error?: ((issue: never) => unknown) | undefined;
  readonly checks?: readonly { readonly _zod: { readonly def: Definition } }[];
};

/** Bounds and forms of a value. */
function checksOf({ _zod: { def } }: z.core.$ZodType): string {
  const definition: Definition = def;
  const all = [definition, ...(definition.checks ?? []).map((check) => check._zod.def)];
  const has = (kind: string): boolean => all.some(({ check }) => check === kind);
  const codes = all.map((each) => {
    const { check, pattern, value, minimum, maximum } = each;
    if (check === 'greater_than' || check === 'min_length') return `min: ${value ?? minimum},`;
    if (check === 'less_than' || check === 'max_length') return `max: ${value ?? maximum},`;
    if (check === 'number_format') return 'whole';
    if (check === 'custom') return `form: 'address', problem: ${errorOf(each)},`;
    if (check !== 'string_format' || !(pattern instanceof RegExp)) return '';
    return `pattern: ${JSON.stringify(pattern.source)}, problem: ${errorOf(each)},`;
  });
  const isTrimmed = has('overwrite') && !has('custom');
  return [definition.coerce ? 'coerce: true,' : '', isTrimmed ? "form: 'trimmed'," : '', ...codes].join('');
}

/** The text of an error of one's own, as code. */
function errorOf({ error }: Pick<Definition, 'error'>): string | undefined {
  const text: unknown = error?.({} as never);
  return typeof text === 'string' ? JSON.stringify(text) : undefined;
}
