/** Maps the columns of a table to fields: makes a function that turns a row into a subscription. Pure. */
import { fieldValueReader, type FieldValueReader } from '../../import/field-value.ts';
import { customPrefix, headingReader, type HeadingMeaning, type HeadingTarget } from '../../import/headings.ts';
import { isRequestField, requestFields } from '../../import/request.ts';

/** A field of the API by its name, a custom field by its display text, or null for a column to leave out. */
export type ColumnTarget = HeadingTarget | null;

/** A custom field of the publication; the records of `customFields.list` are some. */
export interface KnownCustomField {
  readonly display: string;
  readonly kind: string;
}

/** How columns find their meaning. */
export interface ColumnOptions {
  /** What a column fills, by its name in the header. Names that are those of the API need no mention. */
  readonly columns?: Readonly<Record<string, ColumnTarget>> | undefined;
  /**
   * The publication's custom fields. Their kinds say how cells are read (without them, as texts), and columns named
   * like one fill it.
   */
  readonly customFields?: readonly KnownCustomField[] | undefined;
  /**
   * Columns that mean nothing by all this: an error that names them, left out, or custom fields of the same name.
   * Default `refuse`.
   */
  readonly others?: 'refuse' | 'ignore' | 'custom' | undefined;
  /** What stands between the items of a list in one cell. Default `,`. */
  readonly listSeparator?: string | undefined;
}

/** A row as the header says, or what can't be read. */
export type ReadCells = { readonly subscription: Readonly<Record<string, unknown>> } | { readonly problem: string };

interface Reader {
  readonly at: number;
  readonly column: string;
  readonly target: string;
  readonly custom: boolean;
  readonly value: FieldValueReader;
}

/** The header does not say what is needed; the text says what to do. */
export class HeaderError extends Error {
  override readonly name = 'HeaderError';
}

/**
 * Reads a header.
 *
 * @returns reads the cells of a row; empty cells are not set
 * @throws HeaderError
 */
export function columnReader(
  header: readonly string[],
  options: ColumnOptions,
): (cells: readonly string[]) => ReadCells {
  const readers = readersOf(header, options);
  if (!readers.some(({ target, custom }) => target === 'email' && !custom)) {
    throw new HeaderError(
      `No column holds the e-mail address. The columns are ${list(header)}. Name one "email" in the header, or say which it is: columns: { "${header[0] ?? ''}": "email" }.`,
    );
  }
  return (row) => {
    const subscription: Record<string, unknown> = {};
    const custom: { name: string; value: unknown }[] = [];
    for (const reader of readers) {
      const text = row[reader.at] ?? '';
      if (text === '') continue;
      const value = reader.value.read(text);
      if (value === undefined) return { problem: `column "${reader.column}" must hold ${reader.value.expected}` };
      if (reader.custom) custom.push({ name: reader.target, value });
      else subscription[reader.target] = value;
    }
    if (custom.length > 0) subscription['custom_fields'] = custom;
    return { subscription };
  };
}

function readersOf(
  header: readonly string[],
  { columns = {}, customFields, others = 'refuse', listSeparator = ',' }: ColumnOptions,
): Reader[] {
  const missing = Object.keys(columns).filter((name) => !header.includes(name));
  if (missing.length > 0)
    throw new HeaderError(`The header has no column ${list(missing)}. Its columns are ${list(header)}.`);

  const meaningOf = headingReader(customFields?.map(({ display }) => display) ?? []);
  const kinds = new Map(customFields?.map(({ display, kind }) => [display, kind]));
  const unknown: string[] = [];
  const readers = header.flatMap((column, at): Reader[] => {
    const target: string | null | undefined = Object.hasOwn(columns, column)
      ? columns[column]
      : (targetOf(meaningOf(column), column) ?? (others === 'custom' ? (`custom:${column}` as const) : undefined));
    if (target === undefined && column !== '' && others === 'refuse') unknown.push(column);
    if (target === undefined || target === null || target === customPrefix) return [];
    if (target.startsWith(customPrefix)) {
      const name = (targetOf(meaningOf(target), column) ?? target).slice(customPrefix.length);
      if (customFields !== undefined && !kinds.has(name))
        throw new HeaderError(`The publication has no custom field "${name}". It has ${list([...kinds.keys()])}.`);
      return [
        {
          at,
          column,
          target: name,
          custom: true,
          value: fieldValueReader(kinds.get(name) ?? 'string', listSeparator),
        },
      ];
    }
    if (!isRequestField(target) || target === 'custom_fields')
      throw new HeaderError(
        `"${target}", which column "${column}" should fill, is no field of a subscription. A custom field is written "custom:${target}".`,
      );
    const { kind } = requestFields[target];
    return [
      {
        at,
        column,
        target,
        custom: false,
        value: fieldValueReader(kind === 'texts' ? 'list' : kind === 'boolean' ? kind : 'string', listSeparator),
      },
    ];
  });
  if (unknown.length > 0) {
    throw new HeaderError(
      `It is not known what to do with column ${list(unknown)}. Say so for each, for example columns: { "${unknown[0]}": "custom:${unknown[0]}" } or { "${unknown[0]}": null }, or for all of them with others: "ignore" or "custom".`,
    );
  }
  for (const [index, { target, custom, column }] of readers.entries()) {
    const before = readers.slice(0, index).find((other) => other.target === target && other.custom === custom);
    if (before !== undefined) {
      const field = `${custom ? customPrefix : ''}${target}`;
      throw new HeaderError(
        `Two columns fill "${field}": "${before.column}" and "${column}". Leave one out with columns: { "…": null }.`,
      );
    }
  }
  return readers;
}

/** @throws HeaderError where it could be several custom fields */
function targetOf(meaning: HeadingMeaning | undefined, column: string): HeadingTarget | undefined {
  if (meaning === undefined || 'target' in meaning) return meaning?.target;
  throw new HeaderError(
    `Column "${column}" could be the custom field ${meaning.ambiguous.map((name) => `"${name}"`).join(' or ')}. Say which, for example columns: { "${column}": "custom:${meaning.ambiguous[0]}" }.`,
  );
}

function list(names: readonly string[]): string {
  return names.length === 0 ? 'none' : names.map((name) => `"${name}"`).join(', ');
}
