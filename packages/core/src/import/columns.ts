/** Reads the rows of a table: which column fills which field, and who may get mails. Pure. */
import { filledText } from './column-values.ts';
import { ConsentSurvey, type ConsentOptions } from './consent.ts';
import { fieldValueReader, type FieldValueReader } from './field-value.ts';
import {
  customPrefix,
  headingReader,
  TableError,
  type ColumnTarget,
  type HeadingMeaning,
  type HeadingTarget,
} from './headings.ts';
import { isAddress } from '../signup/address.ts';
import { ask, notationOf, type Notation, type NotationAnswers } from './notation.ts';
import { isRequestField, requestFields } from './request.ts';
import type { SourceRow } from './source.ts';

/** A custom field of the publication; the records of `customFields.list` are some. */
export interface ListedCustomField {
  readonly display?: string | null | undefined;
  readonly kind?: string | null | undefined;
}

/** How the columns of a table are read. */
export interface ColumnOptions extends ConsentOptions, NotationAnswers {
  /**
   * The field that a column fills, by the column's heading. Headings that are names of the API need no entry. A column
   * by which people leave in a known export can't be left out.
   */
  readonly columns?: Readonly<Record<string, ColumnTarget>> | undefined;
  /**
   * The publication's custom fields. Their kinds decide how cells are read (without them, as texts), and a column with
   * the name of one fills it.
   */
  readonly customFields?: readonly ListedCustomField[] | undefined;
  /**
   * Columns that match no field: `refuse` throws an error that names them, `ignore` leaves them out, `custom` fills
   * custom fields of the same name. Default `refuse`, and for the export of a known service `ignore`. It answers
   * nothing about consent.
   */
  readonly others?: 'refuse' | 'ignore' | 'custom' | undefined;
  /** Separator of the items of a list in one cell. Default `,`. */
  readonly listSeparator?: string | undefined;
  /**
   * People who never confirmed: `leave` leaves them out, `confirm` asks each of them again by a confirmation mail.
   * Default `leave`.
   */
  readonly unconfirmed?: 'leave' | 'confirm' | undefined;
}

/** What a row becomes: `subscription`, and where it can't be sent the `problem`. */
export type ReadCells = Pick<SourceRow, 'subscription' | 'problem' | 'kind'>;

interface Reader {
  readonly at: number;
  readonly column: string;
  readonly target: string;
  readonly custom: boolean;
  readonly value: FieldValueReader;
}

const custom = (name: string): `custom:${string}` => `custom:${name}`;

/** A table of which the headings are known: {@link see} every row, then {@link finish}, then {@link read} each. */
export class Table {
  readonly consent: ConsentSurvey;
  /** Columns that fill nothing, and say nothing of who has left. Known after {@link finish}. */
  unused: readonly string[] = [];
  /** Rows seen so far of people who want mails, or may be asked again. */
  wanted = 0;
  readonly #header: readonly string[];
  readonly #options: ColumnOptions;
  readonly #kinds: ReadonlyMap<string, string>;
  readonly #meaningOf: (heading: string) => HeadingMeaning | undefined;
  /** Position of the column whose cells are addresses; -1 where there is none. */
  readonly address: number;
  /** By the position of the column. */
  readonly #notations: ReadonlyMap<number, Notation>;
  #readers: readonly Reader[] = [];

  /**
   * @param sample - the first rows, by which the column of the addresses is found
   * @throws TableError
   */
  constructor(header: readonly string[], options: ColumnOptions = {}, sample: readonly (readonly string[])[] = []) {
    if (header.some((cell) => /\S@\S/.test(cell)))
      throw new TableError(
        'The first row looks like data, as it holds an e-mail address. Put a row above it that names the columns, "email" among them.',
      );
    const named = [options.columns, options.leftBy].flatMap((names) => Object.keys(names ?? {}));
    const missing = named.filter((name) => !header.includes(name));
    if (missing.length > 0)
      throw new TableError(`The header has no column ${list(missing)}. Its columns are ${list(header)}.`);
    this.#header = header;
    this.#options = options;
    this.#kinds = new Map(options.customFields?.map(({ display, kind }) => [String(display), kind ?? 'string']));
    this.#meaningOf = headingReader([...this.#kinds.keys()]);
    this.address = this.#addressColumn(sample);
    const address: Record<string, 'email'> = this.address < 0 ? {} : { [header[this.address] ?? '']: 'email' };
    this.consent = new ConsentSurvey(header, { ...options, columns: { ...options.columns, ...address } });
    this.#notations = new Map(
      header.flatMap((column, at) => {
        const notation = notationOf(kindOf(this.#fills(column), this.#kinds), column, options);
        return notation && !this.#isUnused(column) ? [[at, notation] as const] : [];
      }),
    );
  }

  /** @param row - its number. @throws TableError where another table begins */
  see(cells: readonly string[], row: number): void {
    this.#checkAddress(cells, row);
    const standing = this.consent.see(cells, row, cells[this.address]);
    if (standing === 'subscribed' || (standing === 'unconfirmed' && this.#options.unconfirmed === 'confirm'))
      this.wanted += 1;
    for (const [at, notation] of this.#notations) notation.see(filledText(cells[at]));
  }

  /** @throws TableError that says which columns, or values in them, are not understood */
  finish(): void {
    this.consent.finish();
    ask(this.#notations.values());
    this.#readers = this.#readersOf();
    const used = new Set([...this.#readers.map(({ column }) => column), ...this.consent.columns]);
    this.unused = this.#header.filter(
      (column) => column !== '' && !used.has(column) && this.#options.columns?.[column] !== null,
    );
    if (this.address < 0)
      throw new TableError(
        `No column holds e-mail addresses. The columns are ${list(this.#header)}. Import the file that has them.`,
      );
  }

  /** Reads a row, after {@link finish}; empty cells set nothing. @throws TableError where another table begins */
  read(cells: readonly string[], row: number): ReadCells {
    this.#checkAddress(cells, row);
    const refusal = this.consent.read(cells, cells[this.address]);
    const asked = refusal?.kind === 'unconfirmed' && this.#options.unconfirmed === 'confirm';
    if (refusal && !asked) return { problem: refusal.reason, kind: refusal.kind };
    const subscription: Record<string, unknown> = {};
    const fields: { name: string; value: unknown }[] = [];
    const problems: string[] = [];
    for (const reader of this.#readers) {
      const text = filledText(cells[reader.at]);
      if (text === '') continue;
      const value = reader.value.read(text);
      if (value === undefined) problems.push(`column "${reader.column}" must hold ${reader.value.expected}`);
      else if (reader.custom) fields.push({ name: reader.target, value });
      else subscription[reader.target] = value;
    }
    if (fields.length > 0) subscription['custom_fields'] = fields;
    if (asked) subscription['double_opt_override'] = 'on';
    return { subscription, ...(problems.length > 0 && { problem: problems.join('; ') }) };
  }

  /** Two files in one have two headers, and what the columns of the second say would be read wrongly. */
  #checkAddress(cells: readonly string[], row: number): void {
    const address = cells[this.address] ?? '';
    if (address === '' || address.includes('@')) return;
    const isHeader = cells.length > 1 && cells.every((cell) => this.#header.includes(cell));
    if ((isHeader || this.#isAddress(address)) && !this.#header.every((column, at) => cells[at] === column))
      throw new TableError(
        `Row ${row} names columns again, and others than the first row: two files were put into one. Divide it there, and import each by itself.`,
      );
  }

  /**
   * The column that the user names; else the one most of whose filled cells are addresses; without any, the one that is
   * called so. Of several, the one that is called so.
   *
   * @throws TableError that asks for it
   */
  #addressColumn(sample: readonly (readonly string[])[]): number {
    const { columns = {} } = this.#options;
    const named = this.#header.findIndex((column) => Object.hasOwn(columns, column) && columns[column] === 'email');
    if (named >= 0) return named;
    const open = [...this.#header.keys()].filter((at) => !Object.hasOwn(columns, this.#header[at] ?? ''));
    const addresses = open.map((at) => {
      const filled = sample.map((cells) => filledText(cells[at])).filter(Boolean);
      return { at, share: filled.length === 0 ? 0 : filled.filter(isAddress).length / filled.length };
    });
    const holding = (share: number): readonly number[] =>
      addresses.filter((each) => each.share > share).map(({ at }) => at);
    const byCells = holding(0.5);
    const called = (byCells.length > 0 ? byCells : open).filter((at) => this.#isAddress(this.#header[at] ?? ''));
    const found = called.length > 0 ? called : byCells;
    if (found.length === 1) return found[0] ?? -1;
    const asked = found.length > 0 ? found : holding(0);
    if (asked.length === 0) return -1;
    const names = asked.map((at) => this.#header[at] ?? '');
    throw new TableError(
      `E-mail addresses stand in column ${list(names)}. Say which to import`,
      ...names.map((column) => ({ option: 'columns', column, target: 'email' }) as const),
    );
  }

  /** Whether a heading says that addresses stand below it. */
  #isAddress(heading: string): boolean {
    const meaning = this.#meaningOf(heading);
    return meaning !== undefined && 'target' in meaning && meaning.target === 'email';
  }

  /** What a column fills by the user's words, its cells or its heading, whether or not it speaks of consent. */
  #fills(column: string): ColumnTarget | undefined {
    const { columns = {} } = this.#options;
    if (!Object.hasOwn(columns, column)) {
      if (column === this.#header[this.address]) return 'email';
      const target = targetOf(this.#meaningOf(column), column);
      return target === 'email' ? undefined : target;
    }
    const target = columns[column];
    // In the field's own spelling.
    return target?.startsWith(customPrefix) ? (targetOf(this.#meaningOf(target), column) ?? target) : target;
  }

  #isUnused(column: string): boolean {
    const isNamed = Object.hasOwn(this.#options.columns ?? {}, column) || column === this.#header[this.address];
    return !isNamed && this.consent.isUnused(column);
  }

  #readersOf(): readonly Reader[] {
    const { others = this.consent.service ? 'ignore' : 'refuse', customFields } = this.#options;
    const unknown: string[] = [];
    const readers = this.#header.flatMap((column, at): readonly Reader[] => {
      if (this.#isUnused(column)) return [];
      const filled = this.#fills(column);
      const target: string | null | undefined = filled === undefined && others === 'custom' ? custom(column) : filled;
      if (target === undefined && column !== '' && others === 'refuse') unknown.push(column);
      if (target === undefined || target === null || target === customPrefix) return [];
      const value = fieldValueReader(kindOf(target, this.#kinds), {
        ...this.#options,
        separator: this.#options.listSeparator,
        ...this.#notations.get(at)?.options,
      });
      if (target.startsWith(customPrefix)) {
        const name = target.slice(customPrefix.length);
        if (customFields !== undefined && !this.#kinds.has(name))
          throw new TableError(
            `The publication has no custom field "${name}". It has ${list([...this.#kinds.keys()])}.`,
          );
        return [{ at, column, target: name, custom: true, value }];
      }
      if (!isRequestField(target) || target === 'custom_fields')
        throw new TableError(
          `"${target}", which column "${column}" should fill, is no field of a subscription. A custom field is written "custom:${target}".`,
        );
      return [{ at, column, target, custom: false, value }];
    });
    checkUnknown(unknown);
    checkTwice(readers);
    return readers;
  }
}

/** The kind of a field, by the names of those of custom fields. @param kinds - of custom fields, by display text */
export function kindOf(target: string | null | undefined, kinds: ReadonlyMap<string, string>): string {
  if (target?.startsWith(customPrefix)) return kinds.get(target.slice(customPrefix.length)) ?? 'string';
  const kind = target ? requestFields[target]?.is : undefined;
  return kind === 'array' ? 'list' : kind === 'boolean' ? kind : 'string';
}

function checkUnknown(unknown: readonly string[]): void {
  const [first] = unknown;
  if (first === undefined) return;
  throw new TableError(
    `No field is known for column ${list(unknown)}. Map each to a field or to nothing, or ignore or send all of them`,
    { option: 'columns', column: first, target: custom(first) },
    { option: 'columns', column: first, target: null },
    { option: 'others', value: 'ignore' },
    { option: 'others', value: 'custom' },
  );
}

function checkTwice(readers: readonly Reader[]): void {
  for (const [index, { target, custom: isCustom, column }] of readers.entries()) {
    const before = readers.slice(0, index).find((other) => other.target === target && other.custom === isCustom);
    if (before !== undefined)
      throw new TableError(
        `Two columns fill "${isCustom ? custom(target) : target}": "${before.column}" and "${column}". Leave one out`,
        { option: 'columns', column: before.column, target: null },
        { option: 'columns', column, target: null },
      );
  }
}

/** @throws TableError where it could be several custom fields */
function targetOf(meaning: HeadingMeaning | undefined, column: string): HeadingTarget | undefined {
  if (meaning === undefined || 'target' in meaning) return meaning?.target;
  throw new TableError(
    `Column "${column}" could be the custom field ${meaning.ambiguous.map((name) => `"${name}"`).join(' or ')}. Say which`,
    ...meaning.ambiguous.map((name) => ({ option: 'columns', column, target: custom(name) }) as const),
  );
}

function list(names: readonly string[]): string {
  return names.length === 0 ? 'none' : names.map((name) => `"${name}"`).join(', ');
}
