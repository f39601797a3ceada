/** How a column writes its dates, its numbers, or yes and no: what its cells show, or else a question. Pure. */
import { dateOrderIn, isAmbiguousDate, type DateOrder } from '../facts/dates.ts';
import { decimalMarkIn, isAmbiguousNumber, type DecimalMark } from '../signup/numbers.ts';
import { longestShown } from './column-values.ts';
import { fieldValueReader, type FieldValueOptions, type FieldValueReader } from './field-value.ts';
import { TableError, type YesNoMeanings } from './headings.ts';
import { valueKey } from './services.ts';

/** What the user says of the way in which a table is written. */
export interface NotationAnswers {
  /** Order of day and month in dates such as 01/02/2026. Default: that which a date of the column shows. */
  readonly dateOrder?: DateOrder | undefined;
  /** Decimal mark of numbers such as 1.234. Default: that which a number of the column shows. */
  readonly decimalMark?: DecimalMark | undefined;
  /** Values of yes/no fields in words that not everybody knows. */
  readonly yesNo?: YesNoMeanings | undefined;
}

/** What the cells of a column show: each has to be seen before the question and the options are known. */
export interface Notation {
  see(text: string): void;
  /** Undefined where the cells show how they are to be read. */
  readonly question: TableError | undefined;
  readonly options: FieldValueOptions;
}

/**
 * The notation of a column whose cells do not each show how they are to be read.
 *
 * @param kind - of the field that it fills
 * @returns undefined where there is nothing to find out
 */
export function notationOf(kind: string, column: string, given: NotationAnswers): Notation | undefined {
  if (kind === 'boolean') return yesNoNotation(column, fieldValueReader(kind, given));
  const option = (['dateOrder', 'decimalMark'] as const).find((each) => orders[each].kinds.includes(kind));
  return option && given[option] === undefined ? orderNotation(column, option) : undefined;
}

/** @throws TableError that asks all questions at once; the order of one column is that of all */
export function ask(notations: Iterable<Notation>): void {
  const questions = [...notations].flatMap(({ question }) => question ?? []);
  const remedies = questions.flatMap((each) => each.remedies.map((one) => [JSON.stringify(one), one] as const));
  if (questions.length > 0)
    throw new TableError(questions.map(({ message }) => message).join('. '), ...new Map(remedies).values());
}

interface Order {
  readonly kinds: readonly string[];
  readonly values: readonly [string, string];
  readonly shownIn: (text: string) => string | undefined;
  readonly isAmbiguous: (text: string) => boolean;
  readonly problem: string;
}

const orders: Readonly<Record<'dateOrder' | 'decimalMark', Order>> = {
  dateOrder: {
    kinds: ['date', 'datetime'],
    values: ['dmy', 'mdy'],
    shownIn: dateOrderIn,
    isAmbiguous: isAmbiguousDate,
    problem: 'dates that can be two days, such as 01/02/2026. Name the order of day and month',
  },
  decimalMark: {
    kinds: ['integer', 'double'],
    values: ['.', ','],
    shownIn: decimalMarkIn,
    isAmbiguous: isAmbiguousNumber,
    problem: 'numbers that can be two, such as 1.234. Name the decimal mark',
  },
};

function orderNotation(column: string, option: keyof typeof orders): Notation {
  const { shownIn, isAmbiguous, problem, values } = orders[option];
  const shown = new Set<string>();
  let hasAmbiguous = false;
  return {
    see(text) {
      const one = shownIn(text);
      if (one !== undefined) shown.add(one);
      else hasAmbiguous ||= isAmbiguous(text);
    },
    get question() {
      const remedies = values.map((value) => ({ option, value }));
      return hasAmbiguous && shown.size !== 1
        ? new TableError(`Column "${column}" has ${problem}`, ...remedies)
        : undefined;
    },
    get options() {
      return { [option]: values.find((value) => shown.has(value)) };
    },
  };
}

/** Share of the rows: in fewer, values that are neither yes nor no are mistakes. */
const leastShare = 0.05;

/** Two values that fill the column, or one beside blanks, of which one at least is no yes or no that is known. */
function yesNoNotation(column: string, { read }: FieldValueReader): Notation {
  /** By key: as it was written first, and how often; up to three. */
  const values = new Map<string, { readonly text: string; count: number }>();
  let rows = 0;
  return {
    options: {},
    see(text) {
      rows += 1;
      const key = valueKey(text);
      const value = values.get(key);
      if (value) value.count += 1;
      else if (key !== '' && values.size < 3) values.set(key, { text, count: 1 });
    },
    get question() {
      const all = [...values.values()].toSorted((one, other) => (one.text < other.text ? -1 : 1));
      const unknown = all.filter(({ text }) => read(text) === undefined);
      const rowsOfThem = unknown.reduce((sum, { count }) => sum + count, 0);
      const isShown = ({ text }: { readonly text: string }): boolean =>
        text.length <= longestShown && !text.includes('@');
      if (all.length > 2 || rowsOfThem < Math.max(2, rows * leastShare) || !all.every(isShown)) return undefined;
      return new TableError(
        `Column "${column}" (${all.map(({ text, count }) => `${text} ${count}`).join(', ')}) does not show which value is yes`,
        { option: 'yesNo', values: Object.fromEntries(unknown.map(({ text }) => [text, '?'])) },
      );
    },
  };
}
