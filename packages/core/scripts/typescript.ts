/** Writes zod schemas as TypeScript, with the words they carry as TSDoc. */
import * as z from 'zod/mini';
import { acceptedFor, isOpen } from '../src/schema/marks.ts';

/** `answer`: the tolerant reading, as the client returns it. `request`: as a caller writes it. */
export type Reading = 'answer' | 'request';

/** One property of an object type. */
export interface Property {
  readonly name: string;
  readonly type: string;
  readonly optional: boolean;
  readonly doc: string;
}

/**
 * Writes types, and collects every named record that was referred to on the way.
 *
 * @param isGuaranteed - whether the client sees to it that a field of an answer is there; others may be missing
 */
export function createTypeWriter(isGuaranteed: (object: z.ZodMiniObject, field: string) => boolean) {
  /** Declarations of the named records, by name. */
  const records = new Map<string, string>();

  function typeOf(schema: z.core.$ZodType, reading: Reading): string {
    const accepted = reading === 'answer' ? acceptedFor(schema) : schema;
    if (accepted !== schema) return typeOf(accepted, reading);
    if (schema instanceof z.ZodMiniOptional) return typeOf(schema.def.innerType, reading);
    if (schema instanceof z.ZodMiniNullable) return union(typeOf(schema.def.innerType, reading), 'null');
    if (schema instanceof z.ZodMiniObject) return objectType(schema, reading);
    if (schema instanceof z.ZodMiniArray) {
      const element = typeOf(schema.def.element, reading);
      const list = /[ |&]/.test(element) ? `Array<${element}>` : `${element}[]`;
      return reading === 'answer'
        ? list
        : list.replace(/^Array</, 'ReadonlyArray<').replace(/^(.*)\[\]$/, 'readonly $1[]');
    }
    if (schema instanceof z.ZodMiniEnum) {
      const words = schema.options.map((word) => literal(word));
      return [...words, ...(reading === 'answer' || isOpen(schema) ? ['(string & {})'] : [])].join(' | ');
    }
    if (schema instanceof z.ZodMiniLiteral) return [...schema.def.values].map((value) => literal(value)).join(' | ');
    if (schema instanceof z.ZodMiniUnion) return union(...schema.def.options.map((option) => typeOf(option, reading)));
    if (schema instanceof z.ZodMiniRecord) {
      return `Record<string, ${union(typeOf(schema.def.valueType, reading), ...(reading === 'answer' ? ['undefined'] : []))}>`;
    }
    if (schema instanceof z.ZodMiniString) return 'string';
    if (schema instanceof z.ZodMiniNumber) return 'number';
    if (schema instanceof z.ZodMiniBoolean) return 'boolean';
    if (schema instanceof z.ZodMiniNull) return 'null';
    if (schema instanceof z.ZodMiniUnknown) return 'unknown';
    throw new TypeError(`There is no TypeScript for a schema of type ${schema._zod.def.type}.`);
  }

  function objectType(schema: z.ZodMiniObject, reading: Reading): string {
    const named = namedSchema(schema);
    if (!named) {
      const properties = propertiesOf(schema, reading);
      return properties.length === 0 ? 'Record<string, never>' : objectLiteral(properties);
    }
    const { id, description } = named;
    if (!records.has(id)) {
      records.set(id, ''); // its place, in the order of first use
      records.set(id, declareInterface(id, description, propertiesOf(schema, reading)));
    }
    return id;
  }

  function propertiesOf(schema: z.ZodMiniObject, reading: Reading): Property[] {
    return Object.entries(schema.shape).map(([name, field]) => {
      const optional = reading === 'answer' ? !isGuaranteed(schema, name) : field instanceof z.ZodMiniOptional;
      const type = typeOf(field, reading);
      const missing = type === 'unknown' ? [] : reading === 'answer' ? ['null', 'undefined'] : ['undefined'];
      return { name, type: union(type, ...(optional ? missing : [])), optional, doc: docOf(field) };
    });
  }

  return { type: typeOf, properties: propertiesOf, records };
}

/** Name and description of a schema that has a name, also where a copy carries other words. */
export function namedSchema(
  schema: z.core.$ZodType,
): { readonly id: string; readonly description: string } | undefined {
  for (let each: z.core.$ZodType | undefined = schema; each; each = each._zod.parent) {
    const { id, description = '' } = z.globalRegistry.get(each) ?? {};
    if (id !== undefined) return { id, description };
  }
  return undefined;
}

/** Description and default of a field. */
function docOf(field: z.core.$ZodType): string {
  const { description, default: value } = z.globalRegistry.get(field) ?? {};
  if (description === undefined) return '';
  return value === undefined
    ? description
    : `${description} Default: \`${JSON.stringify(value).replaceAll('"', "'")}\`.`;
}

function union(...types: readonly string[]): string {
  const parts = types.flatMap((type) => type.split(' | '));
  return [...new Set(parts)].join(' | ');
}

function literal(value: unknown): string {
  return typeof value === 'string' ? `'${value}'` : String(value);
}

const lineLength = 120;

/** A TSDoc comment, its lines wrapped; those of an example stand as they are. */
export function comment(lines: readonly string[], indent = ''): string {
  const width = lineLength - indent.length - ' * '.length;
  let inExample = false;
  const text = lines.flatMap((line) => {
    if (line.startsWith('```')) inExample = !inExample;
    return inExample ? [line] : wrap(line, width);
  });
  if (text.length === 1 && (text[0] ?? '').length <= width - ' */'.length) return `${indent}/** ${text[0]} */\n`;
  return `${indent}/**\n${text.map((line) => `${indent} *${line && ` ${line}`}\n`).join('')}${indent} */\n`;
}

/** Lines of at most `width` characters; those after the first line of a tag are indented. */
function wrap(line: string, width: number): string[] {
  const wrapped: string[] = [];
  let rest = '';
  for (const word of line.split(' ')) {
    if (rest !== '' && rest.length + 1 + word.length > width) {
      wrapped.push(rest);
      rest = line.startsWith('@') ? `  ${word}` : word;
    } else rest = rest === '' ? word : `${rest} ${word}`;
  }
  return [...wrapped, rest];
}

function property({ name, type, optional, doc }: Property): string {
  return `${doc && comment([doc], '  ')}  ${name}${optional ? '?' : ''}: ${type};\n`;
}

/** An interface declaration. */
export function declareInterface(name: string, doc: string, properties: readonly Property[]): string {
  return `${comment([doc])}export interface ${name} {\n${properties.map(property).join('')}}\n`;
}

/** An object type. */
export function objectLiteral(properties: readonly Property[]): string {
  return `{\n${properties.map(property).join('')}}`;
}
