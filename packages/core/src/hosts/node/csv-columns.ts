/** What the columns of a table mean: from the header to a function that makes a subscription of each row. Pure. */
import type { customFieldKinds } from '../../contract/values.ts';
import { isRequestField, requestFields, type RequestField } from '../../import/request.ts';

/** A field of the API by its name, a custom field by its display text, or null for a column to leave out. */
export type ColumnTarget = Exclude<RequestField, 'custom_fields'> | `custom:${string}` | null;

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

type Cell = (text: string) => unknown;
type Reader = {
  readonly at: number;
  readonly column: string;
  readonly target: string;
  readonly custom: boolean;
  readonly read: Cell;
  readonly expected: string;
};

/** How a cell is read, and what it should have held; undefined is "not that". */
const cells: Readonly<
  Record<Exclude<(typeof customFieldKinds)[number], 'list'>, { readonly read: Cell; readonly expected: string }>
> = {
  string: { read: (text) => text, expected: 'a text' },
  integer: {
    read: (text) => (/^[+-]?\d+$/.test(text) && Number.isSafeInteger(Number(text)) ? Number(text) : undefined),
    expected: 'a whole number',
  },
  double: {
    read: (text) =>
      /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) && Number.isFinite(Number(text)) ? Number(text) : undefined,
    expected: 'a number such as 1.5',
  },
  boolean: { read: (text) => truths.get(text.toLowerCase()), expected: 'true or false' },
  date: { read: (text) => (isDay(text) ? text : undefined), expected: 'a day such as 2026-01-31' },
  datetime: {
    read: (text) => (isDay(text.slice(0, 10)) && !Number.isNaN(Date.parse(text)) ? text : undefined),
    expected: 'a time such as 2026-01-31T12:00:00Z',
  },
};

const truths: ReadonlyMap<string, boolean> = new Map([
  ...['true', 'yes', 'y', '1'].map((word) => [word, true] as const),
  ...['false', 'no', 'n', '0'].map((word) => [word, false] as const),
]);

/** The header does not say what is needed; the text says what to do. */
export class HeaderError extends Error {
  override readonly name = 'HeaderError';
}

/**
 * Understands a header.
 *
 * @returns reads the cells of a row; empty cells are not set
 * @throws HeaderError
 */
export function understand(header: readonly string[], options: ColumnOptions): (cells: readonly string[]) => ReadCells {
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
      const value = reader.read(text);
      if (value === undefined) return { problem: `column "${reader.column}" must hold ${reader.expected}` };
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

  const splitting = {
    read: (text: string): unknown => split(text, listSeparator),
    expected: `texts with "${listSeparator}" between them`,
  };
  const fields = new Map(customFields?.map((field) => [field.display.toLowerCase(), field]));
  const unknown: string[] = [];
  const readers = header.flatMap((column, at): Reader[] => {
    const target: string | null | undefined = Object.hasOwn(columns, column)
      ? columns[column]
      : (byName(column, fields) ?? (others === 'custom' ? (`custom:${column}` as const) : undefined));
    if (target === undefined && column !== '' && others === 'refuse') unknown.push(column);
    if (target === undefined || target === null || target === 'custom:') return [];
    if (target.startsWith('custom:')) {
      const field = fieldOf(target.slice('custom:'.length).trim(), fields, customFields !== undefined);
      return [
        {
          at,
          column,
          target: field.display,
          custom: true,
          ...(field.kind === 'list' ? splitting : isCellKind(field.kind) ? cells[field.kind] : cells.string),
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
        ...(kind === 'texts' ? splitting : kind === 'boolean' ? cells.boolean : cells.string),
      },
    ];
  });
  if (unknown.length > 0) {
    throw new HeaderError(
      `It is not known what to do with column ${list(unknown)}. Say so for each, for example columns: { "${unknown[0]}": "custom:${unknown[0]}" } or { "${unknown[0]}": null }, or for all of them with others: "ignore" or "custom".`,
    );
  }
  const filled = readers.map(({ target, custom }) => `${custom ? 'custom:' : ''}${target}`);
  const twice = filled.find((target, index) => filled.indexOf(target) < index);
  if (twice !== undefined)
    throw new HeaderError(`Two columns fill "${twice}". Leave one out with columns: { "…": null }.`);
  return readers;
}

/** Headers of the API's own names, in any case and with spaces or hyphens for underscores; and of custom fields. */
function byName(column: string, fields: ReadonlyMap<string, KnownCustomField>): ColumnTarget | undefined {
  if (/^custom:/i.test(column)) return `custom:${column.slice('custom:'.length)}`;
  const name = column.toLowerCase().replaceAll(/[\s-]+/g, '_');
  if (name === 'email' || name === 'e_mail' || name === 'email_address' || name === 'e_mail_address') return 'email';
  if (isRequestField(name) && name !== 'custom_fields') return name;
  const field = fields.get(column.toLowerCase());
  return field && `custom:${field.display}`;
}

function fieldOf(display: string, fields: ReadonlyMap<string, KnownCustomField>, complete: boolean): KnownCustomField {
  const field = fields.get(display.toLowerCase());
  if (field) return field;
  if (!complete) return { display, kind: 'string' };
  throw new HeaderError(
    `The publication has no custom field "${display}". It has ${list([...fields.values()].map((known) => known.display))}.`,
  );
}

function isCellKind(kind: string): kind is keyof typeof cells {
  return Object.hasOwn(cells, kind);
}

/** The items of a cell; a JSON list is read as one. */
function split(text: string, separator: string): readonly string[] | undefined {
  if (text.startsWith('[')) {
    const items = parse(text);
    if (Array.isArray(items) && items.every((item) => typeof item === 'string')) return items;
  }
  const items = text
    .split(separator)
    .map((item) => item.trim())
    .filter(Boolean);
  return items.length > 0 ? items : undefined;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function isDay(text: string): boolean {
  const time = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(text) : Number.NaN;
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

function list(names: readonly string[]): string {
  return names.length === 0 ? 'none' : names.map((name) => `"${name}"`).join(', ');
}
