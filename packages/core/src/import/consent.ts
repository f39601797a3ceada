/**
 * Reads in the rows of a table who may get mails. A survey sees every row before the first is sent, because a later row
 * can say that somebody has left. A column that nobody has explained, and by which people may leave, is asked for: no
 * list of words closes that question. Pure.
 */
import { AddressSet } from './address-set.ts';
import { ColumnValues, filledText, refusalIn } from './column-values.ts';
import {
  customPrefix,
  headingReader,
  TableError,
  type ColumnTarget,
  type TableRemedy,
  type ValueMeanings,
} from './headings.ts';
import { anyOther, blankCell } from './left-by.ts';
import { isRequestField } from './request.ts';
import {
  fileNames,
  headingKey,
  serviceExports,
  standings,
  statusWords,
  valueKey,
  type ColumnReading,
  type ServiceExport,
  type Standing,
} from './services.ts';
import { yesOrNo } from '../facts/yes-no.ts';

/** What the user says of a table that does not tell by itself who wants mails. */
export interface ConsentOptions {
  /** By heading, as it is written. One that is left out, by null, has nothing to do with consent. */
  readonly columns?: Readonly<Record<string, ColumnTarget>> | undefined;
  /**
   * Columns by which people leave, and what their values say. A value that is not among them keeps its person out, as
   * `unclear`.
   */
  readonly leftBy?: Readonly<Record<string, ValueMeanings>> | undefined;
  /** Columns by which nobody leaves. A cell that refuses mails in known words keeps its person out all the same. */
  readonly nobodyLeftBy?: readonly string[] | undefined;
  /** Name of the file. */
  readonly fileName?: string | undefined;
}

/** That a row's person may not get mails, and the words of the table that say so. */
export interface Refusal {
  /** How the row is rejected. */
  readonly kind: Exclude<Standing, 'subscribed'>;
  /** Holds headings and words of consent, and no other cell. */
  readonly reason: string;
}

/** A column that is explained. */
interface Column {
  readonly at: number;
  readonly heading: string;
  readonly reading: ColumnReading;
  /** What the user says, where the reading is silent. */
  readonly given: ColumnReading | undefined;
  /** What the values seen so far say. */
  readonly known: Map<string, Standing>;
}

/** Most values of a column that are kept with what they say. */
const mostKnown = 100;

/** So many columns have a remedy with their values each; of more, only those by which people are likely to leave. */
const mostExplained = 3;

/** A column by which nobody leaves, unless a cell refuses in words. */
const nobody: ColumnReading = { blank: 'subscribed', filled: 'subscribed' };

const rankOf = (standing: Standing): number => standings.indexOf(standing);

const meaningOf = headingReader(['First Name', 'Last Name']);

/** Reads a table's consent: first every row by {@link see}, then {@link finish}, then each row by {@link read}. */
export class ConsentSurvey {
  /** The export of a service that the table is, by its headings. */
  readonly service: ServiceExport | undefined;
  readonly #file: Refusal | undefined;
  readonly #columns: Column[] = [];
  readonly #unexplained: ColumnValues[] = [];
  readonly #refusals = new AddressSet();
  #rows = 0;

  /** @throws TableError where an option would leave out what says who has left */
  constructor(headings: readonly string[], { columns = {}, leftBy = {}, nobodyLeftBy = [], ...rest }: ConsentOptions) {
    const keys = headings.map(headingKey);
    this.service = serviceExports.find(({ by }) => by.every((name) => keys.includes(headingKey(name))));
    this.#file = standingOfFile(rest.fileName ?? '');
    for (const [at, heading] of headings.entries()) {
      const target = Object.hasOwn(columns, heading) ? columns[heading] : undefined;
      const given = Object.hasOwn(leftBy, heading) ? readingOf(leftBy[heading] ?? {}) : undefined;
      const said = this.service?.proposes ? undefined : this.#saidOf(heading);
      const isNobody = nobodyLeftBy.some((name) => name.trim() === heading.trim());
      if (said && (target === null || isNobody))
        throw new TableError(
          `Column "${heading}" says who has left in exports of ${this.service?.name}, so it can't be left out.`,
        );
      const isExplained = isNobody || listed(this.service?.nobodyLeftBy ?? [], heading);
      const reading = said ?? given ?? (isExplained ? nobody : undefined);
      if (reading) this.#columns.push({ at, heading, reading, given, known: new Map() });
      else if (target !== null && !isField(heading, target))
        this.#unexplained.push(new ColumnValues(heading, at, isName(heading)));
    }
  }

  /** Headings of the columns that say who has left. */
  get columns(): readonly string[] {
    return this.#columns.filter(({ reading }) => reading !== nobody).map(({ heading }) => heading);
  }

  /** Whether a column fills no field by itself, because it says who has left or belongs to the service. */
  isUnused(heading: string): boolean {
    const { nobodyLeftBy = [], otherwise = [] } = this.service ?? {};
    return this.columns.includes(heading) || listed([...nobodyLeftBy, ...otherwise], heading);
  }

  /**
   * @param row - its number, for reasons
   * @returns what the row says, as far as it is understood
   */
  see(cells: readonly unknown[], row: number, email: string | undefined): Standing {
    this.#rows += 1;
    for (const values of this.#unexplained) values.see(textOf(cells[values.at]));
    let worst = rankOf(this.#file?.kind ?? 'subscribed');
    for (const column of this.#columns) worst = Math.max(worst, rankOf(standingOf(column, textOf(cells[column.at]))));
    const standing = standings[worst] ?? 'unclear';
    if (standing === 'left' && email) this.#refusals.add(email, row);
    return standing;
  }

  /**
   * @param of - `others`: a list of people to keep out. It is believed of all of them, unless a column is likely to
   *   tell some from others
   * @throws TableError that asks, in one question, for every column by which people may leave
   */
  finish(of: 'people' | 'others' = 'people'): void {
    const asked = this.#unexplained.filter(
      (values) => values.isAsked(this.#rows) && (of === 'people' || (values.isLikely && values.refusing < this.#rows)),
    );
    if (asked.length === 0) return;
    const first = asked.filter(({ isLikely }) => isLikely);
    const others = asked.filter(({ isLikely }) => !isLikely);
    const ordinary = others.map(({ heading }) => heading);
    const sorted = [...first, ...others];
    const named = sorted.map((values) => `"${values.heading}" (${values.shown(this.#rows)})`);
    const remedies = (asked.length <= mostExplained ? sorted : first).flatMap((values): readonly TableRemedy[] => {
      const { heading: column, refusing, isLikely } = values;
      const leftBy = { option: 'leftBy', column, values: values.proposal(this.#rows, this.#saidOf(column)) } as const;
      if (refusing > 0) return [leftBy, { option: 'columns', column, target: null }];
      return isLikely ? [leftBy, { option: 'nobodyLeftBy', columns: [column] }] : [leftBy];
    });
    throw new TableError(
      `Does anybody leave by column ${named.join('; ')}? Say so for each`,
      ...remedies,
      ...(ordinary.length > 0 ? [{ option: 'nobodyLeftBy', columns: ordinary } as const] : []),
    );
  }

  /** Why the person of a row may not get mails; undefined where they may. Every row was seen before. */
  read(cells: readonly unknown[], email: string | undefined): Refusal | undefined {
    let worst = this.#file;
    for (const column of this.#columns) {
      const text = textOf(cells[column.at]);
      const standing = standingOf(column, text);
      if (standing !== 'subscribed' && (!worst || rankOf(standing) > rankOf(worst.kind)))
        worst = { kind: standing, reason: reasonOf(column, text, standing) };
    }
    if (worst?.kind === 'left') return worst;
    const row = email && this.#refusals.rowOf(email);
    return row ? { kind: 'left', reason: `row ${row} says that this person has left` } : worst;
  }

  #saidOf(heading: string): ColumnReading | undefined {
    return Object.entries(this.service?.leftBy ?? {}).find(([name]) => listed([name], heading))?.[1];
  }
}

function standingOf({ reading, given, known }: Column, text: string): Standing {
  const before = known.get(text);
  if (before !== undefined) return before;
  const said = saidBy(reading, text);
  const standing = said === 'unclear' && given !== undefined && given !== reading ? saidBy(given, text) : said;
  if (known.size < mostKnown) known.set(text, standing);
  return standing;
}

function saidBy({ words, yes, no, blank, filled }: ColumnReading, text: string): Standing {
  if (text === '') return blank;
  const said = words?.get(valueKey(text)) ?? words?.get(headingKey(text));
  if (said !== undefined) return said;
  const isYes = yes === undefined ? undefined : yesOrNo(text);
  if (isYes !== undefined) return (isYes ? yes : no) ?? filled;
  return refusalIn(text) ?? filled;
}

function reasonOf({ heading, reading, given }: Column, text: string, standing: Standing): string {
  const named = `column "${heading}"`;
  if (text === '') return `${named} is blank`;
  const isNamed = [reading.words, given?.words, statusWords].some(
    (words) => words?.has(headingKey(text)) || words?.has(valueKey(text)),
  );
  if (isNamed || (reading.yes !== undefined && yesOrNo(text) !== undefined)) return `${named} says "${text}"`;
  if (standing === 'unclear') return `${named} holds a word that is not understood`;
  return reading.filled === 'left' ? `${named} is filled` : `${named} refuses mails in words`;
}

/** What the user says of the values of a column. */
function readingOf(values: ValueMeanings): ColumnReading {
  const { [blankCell]: blank = 'unclear', [anyOther]: filled = 'unclear', ...named } = values;
  return { words: new Map(Object.entries(named).map(([value, said]) => [valueKey(value), said])), blank, filled };
}

/** Whether a column fills a field of the API, and so speaks of something else. A custom field can hold anything. */
function isField(heading: string, target: ColumnTarget | undefined): boolean {
  const meaning = meaningOf(heading);
  const fills = target ?? (meaning !== undefined && 'target' in meaning ? meaning.target : undefined);
  return isRequestField(fills ?? heading);
}

/** Whether a column has names of people, by its heading. */
function isName(heading: string): boolean {
  const meaning = meaningOf(heading);
  return meaning !== undefined && 'target' in meaning && meaning.target.startsWith(customPrefix);
}

/** Whether a heading is one of these names, or begins with what stands before a `*`. */
function listed(names: readonly string[], heading: string): boolean {
  const key = headingKey(heading);
  return names.map(headingKey).some((name) => (name.endsWith('*') ? key.startsWith(name.slice(0, -1)) : name === key));
}

function standingOfFile(name: string): Refusal | undefined {
  const words = name
    .toLowerCase()
    .replaceAll(/[^a-z]+/g, ' ')
    .trim();
  for (const [pattern, kind] of fileNames) {
    const said = pattern.exec(words)?.[0];
    if (said !== undefined) return { kind, reason: `the name of the file says "${said}" of everybody in it` };
  }
  return undefined;
}

/** A cell as a text; records are filled. */
function textOf(cell: unknown): string {
  if (typeof cell === 'string') return filledText(cell);
  if (cell === undefined || cell === null) return '';
  if (Array.isArray(cell)) return cell.map(textOf).filter(Boolean).join(', ');
  return typeof cell === 'boolean' || typeof cell === 'number' ? String(cell) : 'set';
}
