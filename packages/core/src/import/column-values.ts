/** Counts the values of a column, to find by their shape the columns by which people may leave. Pure. */
import type { ProposedMeanings, ValueMeaning } from './headings.ts';
import { anyOther, blankCell } from './left-by.ts';
import {
  denyingWords,
  grantingParts,
  headingKey,
  refusingParts,
  statusParts,
  statusWords,
  type ColumnReading,
} from './services.ts';
import { yesOrNo } from '../facts/yes-no.ts';

/** Most different values of a column by which people leave: a status has few. */
const mostValues = 12;

/** From so many rows on, each value stands in five rows on average. */
const manyRows = 60;
const rowsPerValue = 5;

/** Longest value that a question repeats. */
export const longestShown = 40;

/** Longest list of values in a question, which may be about many columns. */
const longestList = 150;

/** What databases write into a file where they hold nothing. */
const emptyValue = /^(?:NULL|\\N|\[\]|0000-00-00(?:[ T]00:00(?::00(?:\.0+)?)?)?)$/;

/** A cell's text; none where a database wrote it for nothing. */
export const filledText = (cell: string | undefined): string =>
  cell === undefined || emptyValue.test(cell) ? '' : cell.trim();

/** Matches every text in which something refuses: most cells are done with one look at them. */
const perhaps = new RegExp(
  [
    refusingParts.source,
    ...[...statusWords].filter(([, said]) => said === 'left').map(([word]) => [...word].join('[^\\p{L}\\p{N}]*')),
  ].join('|'),
  'iu',
);

/**
 * Whether a cell refuses in known words, as a whole, as one of several words, or in a remark: `left`. One that denies
 * it, as in "not unsubscribed", is `unclear`.
 */
export function refusalIn(text: string): 'left' | 'unclear' | undefined {
  if (!perhaps.test(text)) return undefined;
  const isLeft = (word: string): boolean => statusWords.get(headingKey(word)) === 'left';
  if (statusWords.has(headingKey(text))) return isLeft(text) ? 'left' : undefined;
  const { index } = refusingParts.exec(text) ?? {};
  if (index !== undefined) return denyingWords.test(text.slice(0, index)) ? 'unclear' : 'left';
  return /[,;|/]/.test(text) && text.split(/[,;|/]/).some(isLeft) ? 'left' : undefined;
}

/**
 * Whether it may be a time: it holds a year in any notation and language, or is a day with a year of two digits, one of
 * a spreadsheet, or seconds or milliseconds since 1970.
 */
const isTime = (text: string): boolean =>
  /(?<!\d)(?:19|20)\d\d(?!\d)|^\d{1,2}[-./]\d{1,2}[-./]\d\d(?!\d)|^[2-7]\d{4}$|(?:^|\()1\d{9}(?:\d{3})?(?!\d)/.test(
    text,
  );

/** The word with which a text begins: that of an answer before its date or reason, as in "yes, 4 May 2023". */
const firstWord = (text: string): string => /^[^\s,;:|/(]*/.exec(text)?.[0] ?? '';

/** The values of one column that nobody has explained. */
export class ColumnValues {
  readonly heading: string;
  readonly at: number;
  readonly #isName: boolean;
  /** Cells that refuse mails in known words. */
  refusing = 0;
  #filled = 0;
  /** Up to one more than {@link mostValues}. */
  readonly #values = new Map<string, { count: number; readonly refuses: boolean }>();
  /** The same of their first words. */
  readonly #firstWords = new Set<string>();
  #times = 0;
  /** The one value beside times, such as NULL. */
  #untimed: string | undefined;
  #isTimed = true;

  /** @param isName - whether it has names of people, which many lists have of few */
  constructor(heading: string, at: number, isName: boolean) {
    this.heading = heading;
    this.at = at;
    this.#isName = isName;
  }

  see(text: string): void {
    if (text === '') return;
    this.#filled += 1;
    const hasMany = this.#values.size > mostValues;
    const value = hasMany ? undefined : this.#values.get(text);
    const refuses = value?.refuses ?? refusalIn(text) !== undefined;
    if (value) value.count += 1;
    else if (!hasMany) this.#values.set(text, { count: 1, refuses });
    if (!value && this.#firstWords.size <= mostValues) this.#firstWords.add(firstWord(text));
    if (refuses) this.refusing += 1;
    if (this.#isTimed) this.#seeTime(text);
  }

  #seeTime(text: string): void {
    if (isTime(text)) this.#times += 1;
    else {
      this.#untimed ??= text;
      this.#isTimed = this.#untimed === text;
    }
  }

  /**
   * Whether people may leave by it: it refuses in words, has few values or first words that repeat, is a mark or a time
   * that others lack, or its heading says so and it tells some from others.
   *
   * @param rows - of the table
   */
  isAsked(rows: number): boolean {
    if (this.#filled === 0) return false;
    const hasBlank = this.#filled < rows;
    const isMark = this.#filled * 2 < rows;
    const isAnswer = this.#firstWords.size > 1 && this.#repeat(this.#firstWords.size, rows);
    const isTimeOfSome = hasBlank && this.#isTimed && this.#times > 0;
    const tellsApart = hasBlank || this.#values.size <= mostValues;
    return (
      this.refusing > 0 ||
      this.#repeat(this.#values.size, rows) ||
      isTimeOfSome ||
      (!this.#isName && (isMark || isAnswer)) ||
      (this.isLikely && tellsApart)
    );
  }

  /** Whether so many different values, or words, repeat in the rows. */
  #repeat(different: number, rows: number): boolean {
    if (different > mostValues) return false;
    if (rows >= manyRows) return rows >= rowsPerValue * (different + Number(this.#filled < rows));
    return different * 3 < this.#filled * 2;
  }

  /** Whether words say that it is likely: it stands first in a question, and is asked about sooner. */
  get isLikely(): boolean {
    return this.refusing > 0 || [refusingParts, grantingParts, statusParts].some((parts) => parts.test(this.heading));
  }

  /** Its values with their counts, the most frequent first; none that holds an address. */
  shown(rows: number): string {
    const blank = rows - this.#filled;
    const parts = this.#isListed
      ? [...this.#values].toSorted(([, a], [, b]) => b.count - a.count).map(([value, { count }]) => `${value} ${count}`)
      : [`${this.#values.size > mostValues ? 'many values' : 'filled'} ${this.#filled}`];
    if (!this.#isListed && this.refusing > 0) parts.push(`of which ${this.refusing} refuse mails in words`);
    const text = [...parts, ...(blank > 0 ? [`blank ${blank}`] : [])].join(', ');
    return text.length > longestList ? `${text.slice(0, longestList)}…` : text;
  }

  /** Whether the question can repeat its values. */
  get #isListed(): boolean {
    const values = [...this.#values.keys()];
    if (values.length > mostValues || (this.#times > 0 && this.#isTimed)) return false;
    return !values.some((value) => value.length > longestShown || value.includes('@'));
  }

  /** An answer, as far as words propose one. @param said - by an export that the table may be */
  proposal(rows: number, said: ColumnReading | undefined): ProposedMeanings {
    const refuses = refusingParts.test(this.heading);
    // A lone mark may stand below a heading that denies the word, and 1 beside 2 be the number of an answer.
    const grants = !refuses && this.#values.size > 1 && grantingParts.test(this.heading);
    const isYesNo = [...this.#values.keys()].every((value) => yesOrNo(value) !== undefined);
    const side = (yes: boolean): ValueMeaning | '?' =>
      isYesNo && (refuses || grants) ? (yes === grants ? 'subscribed' : 'left') : '?';
    const meaningOf = (value: string): ValueMeaning | '?' => {
      const word = said?.words?.get(headingKey(value)) ?? statusWords.get(headingKey(value));
      if (word !== undefined && word !== 'unclear') return word;
      const refusal = refusalIn(value);
      if (refusal !== undefined) return refusal === 'left' ? 'left' : '?';
      const yes = yesOrNo(value);
      return yes === undefined ? (refuses && this.#values.size === 1 ? 'left' : '?') : side(yes);
    };
    const values: Record<string, ValueMeaning | '?'> = {};
    if (this.#isListed) for (const value of this.#values.keys()) values[value] = meaningOf(value);
    else values[anyOther] = refuses ? 'left' : '?';
    if (this.#filled < rows) values[blankCell] = refuses ? 'subscribed' : grants && this.#isListed ? 'left' : '?';
    return values;
  }
}
