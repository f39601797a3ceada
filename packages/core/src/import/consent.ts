/**
 * Reads in the rows of a table who may get mails. A survey sees every row before the first is sent, because a later row
 * can say that somebody has left. Pure.
 */
import { AddressSet } from './address-set.ts';
import { booleanWords } from './field-value.ts';
import { TableError, type ColumnTarget, type TableRemedy } from './headings.ts';
import * as services from './services.ts';
import { headingKey, type ConsentColumn, type ServiceExport, type Standing } from './services.ts';

/** What the user says of a word in a column that tells by words. */
export type WordMeaning = Extract<Standing, 'subscribed' | 'unconfirmed' | 'left'>;

/** What the user says of a table that does not tell by itself. */
export interface ConsentOptions {
  /** By heading, as it is written. */
  readonly columns?: Readonly<Record<string, ColumnTarget>> | undefined;
  /** By word; the empty text stands for blank cells. A word that is known to say no keeps its meaning. */
  readonly words?: Readonly<Record<string, WordMeaning>> | undefined;
  /** Name of the file. */
  readonly fileName?: string | undefined;
}

/** That a row's person may not get mails, and the words of the table that say so. */
export interface Refusal {
  readonly standing: Exclude<Standing, 'subscribed'>;
  /** How the row is rejected: all who refused mails have left. */
  readonly kind: 'left' | 'unconfirmed' | 'unclear';
  /** Holds headings and words of consent, and no other cell. */
  readonly reason: string;
}

/** A column that speaks of consent. */
interface Column extends ConsentColumn {
  readonly at: number;
  readonly heading: string;
  /** Whether it speaks of consent is decided by its words. */
  readonly perhaps: boolean;
}

/** A heading that may speak of consent. */
interface Doubt {
  readonly at: number;
  readonly heading: string;
  /** Whether only times stand below it, so far. */
  dated: boolean;
}

/** Most words that are asked for. */
const mostWords = 10;

const rankOf = (standing: Standing): number => services.standings.indexOf(standing);

/** From here on a person has refused mails, and no other row of theirs brings them in. */
const refused = rankOf('never');

/** Reads a table's consent: first every row by {@link see}, then {@link finish}, then each row by {@link read}. */
export class ConsentSurvey {
  /** The export of a service that the table is, by its headings. */
  readonly service: ServiceExport | undefined;
  readonly #words: ReadonlyMap<string, Standing>;
  readonly #file: Refusal | undefined;
  readonly #unused: (key: string) => boolean;
  #columns: readonly Column[];
  readonly #doubts: Doubt[] = [];
  /** Words of a column that are not understood, by its position. */
  readonly #unknown = new Map<number, Set<string>>();
  /** Positions of columns that may speak of consent, and do. */
  readonly #certain = new Set<number>();
  readonly #refusals = new AddressSet();

  /** @throws TableError where an option would leave out what speaks of consent */
  constructor(headings: readonly string[], { columns = {}, words = {}, fileName = '' }: ConsentOptions = {}) {
    const keys = headings.map(headingKey);
    this.service = services.serviceExports.find(({ by }) => by.every((name) => keys.includes(headingKey(name))));
    this.#words = wordsOf(this.service, words);
    this.#file = standingOfFile(fileName);
    const unused = (this.service?.unused ?? []).map(headingKey);
    this.#unused = (key) => unused.some((name) => fits(name, key));
    this.#columns = keys.flatMap((key, at): readonly Column[] => {
      const heading = headings[at] ?? '';
      const target = Object.hasOwn(columns, heading) ? columns[heading] : undefined;
      const known = knownColumn(key, this.service) ?? answers[target ?? ''];
      if (known !== undefined && target === null)
        throw new TableError(
          `Column "${heading}" says who has left${this.service ? ` in exports of ${this.service.name}` : ''}, so it can't be left out.`,
        );
      if (known !== undefined) return [{ ...known, at, heading, perhaps: false }];
      if (target !== undefined) return [];
      if (services.perhapsStatus.has(key)) return [{ kind: 'status', at, heading, perhaps: true }];
      if (!this.#unused(key) && isDoubtful(key))
        this.#doubts.push({ at, heading, dated: services.signupHeadings.has(key) });
      return [];
    });
  }

  /** Headings of the columns that speak of consent. */
  get columns(): readonly string[] {
    return this.#columns.filter(({ perhaps, at }) => !perhaps || this.#certain.has(at)).map(({ heading }) => heading);
  }

  /** Whether the rows have to be seen before the first is sent. */
  get needsRows(): boolean {
    return this.#columns.length + this.#doubts.length > 0;
  }

  /** Whether a column fills no field, because it speaks of consent or belongs to the service alone. */
  isUnused(heading: string): boolean {
    return this.columns.includes(heading) || this.#unused(headingKey(heading));
  }

  /**
   * @param row - its number, for reasons
   * @returns what the row says, as far as its words are understood
   */
  see(cells: readonly unknown[], row: number, email: string | undefined): Standing {
    for (const doubt of this.#doubts) doubt.dated &&= isTimeOrBlank(textOf(cells[doubt.at]));
    let worst = rankOf(this.#file?.standing ?? 'subscribed');
    for (const column of this.#columns) {
      const text = textOf(cells[column.at]);
      const standing = this.#standingOf(column, text);
      if (!column.perhaps || standing !== 'unclear') worst = Math.max(worst, rankOf(standing));
      if (column.kind === 'status' || column.kind === 'granted') this.#note(column, text, standing);
    }
    if (worst >= refused && email) this.#refusals.add(email, row);
    return services.standings[worst] ?? 'unclear';
  }

  /** @throws TableError that asks for every column and word that is not understood */
  finish(): void {
    const asked: TableRemedy[] = [];
    const doubts = this.#doubts.filter(({ dated }) => !dated).map(({ heading }) => heading);
    for (const column of doubts)
      for (const target of ['subscribed', 'left', 'status', null] as const)
        asked.push({ option: 'columns', column, target });
    const unclear: string[] = [];
    this.#columns = this.#columns.filter(({ perhaps, at }) => !perhaps || this.#certain.has(at));
    for (const { at, heading, perhaps } of this.#columns) {
      const words = [...(this.#unknown.get(at) ?? [])];
      if (words.length > 0) unclear.push(`${list(words)} in column "${heading}"`);
      if (perhaps && words.length > 0) asked.push({ option: 'columns', column: heading, target: null });
      for (const word of words)
        for (const meaning of ['subscribed', 'left'] as const)
          asked.push({ option: 'words', word, meaning, column: heading });
    }
    const problems = [
      doubts.length > 0 &&
        `Column ${list(doubts)} may say who wants mails and who has left. Say whether it is true for those who want them ("subscribed"), filled for those who left ("left"), tells by words ("status"), or has nothing to do with it`,
      unclear.length > 0 && `Not understood: ${unclear.join('; ')}. Say what each word means`,
    ].filter((problem) => problem !== false);
    if (problems.length > 0) throw new TableError(problems.join('. '), ...asked);
  }

  /** Why the person of a row may not get mails; undefined where they may. Every row was seen before. */
  read(cells: readonly unknown[], email: string | undefined): Refusal | undefined {
    let worst = this.#file;
    for (const column of this.#columns) {
      const text = textOf(cells[column.at]);
      const standing = this.#standingOf(column, text);
      if (standing !== 'subscribed' && (!worst || rankOf(standing) > rankOf(worst.standing)))
        worst = refusal(standing, this.#reason(column, text, standing));
    }
    if (worst?.kind === 'left') return worst;
    const row = email && this.#refusals.rowOf(email);
    return row ? refusal('left', `row ${row} says that this person has left`) : worst;
  }

  #standingOf({ kind, refusal: said = 'left' }: Column, text: string): Standing {
    if (kind === 'confirmed') return text === '' ? 'never' : 'subscribed';
    if (kind === 'refused') return text === '' || booleanWords.get(text.toLowerCase()) === false ? 'subscribed' : said;
    const word = kind === 'granted' ? booleanWords.get(text.toLowerCase()) : undefined;
    if (word !== undefined) return word ? 'subscribed' : said;
    return this.#words.get(text) ?? this.#words.get(headingKey(text)) ?? 'unclear';
  }

  /** Notes what decides whether a column speaks of consent, and what has to be asked. */
  #note({ at, perhaps }: Column, text: string, standing: Standing): void {
    if (perhaps && standing !== 'unclear' && !services.ambiguousWords.has(headingKey(text))) this.#certain.add(at);
    if (text === '' || standing !== 'unclear' || this.#words.has(headingKey(text))) return;
    const words = this.#unknown.get(at) ?? new Set();
    if (words.size < mostWords) this.#unknown.set(at, words.add(text));
  }

  #reason({ kind, heading }: Column, text: string, standing: Standing): string {
    if (text === '') return `column "${heading}" is blank`;
    const isWord = kind === 'status' || kind === 'granted' || booleanWords.has(text.toLowerCase());
    if (standing === 'unclear' && !this.#words.has(headingKey(text)))
      return `column "${heading}" holds a word that is not understood`;
    return isWord ? `column "${heading}" says "${text}"` : `column "${heading}" is filled`;
  }
}

/** By {@link headingKey}: the words of every file, those of the service, and those of the user. */
function wordsOf(
  service: ServiceExport | undefined,
  words: Readonly<Record<string, WordMeaning>>,
): ReadonlyMap<string, Standing> {
  const all = new Map<string, Standing>();
  for (const [word, meaning] of Object.entries(words)) all.set(headingKey(word), meaning);
  for (const [word, meaning] of services.statusWords) {
    const said = all.get(word);
    if (said !== undefined && rankOf(said) < rankOf(meaning) && rankOf(meaning) >= refused)
      throw new TableError(`"${word}" says that a person has left, and can't be given another meaning.`);
    if (said === undefined) all.set(word, meaning);
  }
  for (const [word, meaning] of Object.entries(service?.words ?? {})) all.set(headingKey(word), meaning);
  return all;
}

const refusal = (standing: Refusal['standing'], reason: string): Refusal => ({
  standing,
  kind: standing === 'unconfirmed' || standing === 'unclear' ? standing : 'left',
  reason,
});

const answers: Readonly<Partial<Record<string, ConsentColumn>>> = {
  status: { kind: 'status' },
  subscribed: { kind: 'granted' },
  left: { kind: 'refused' },
};

function knownColumn(key: string, service: ServiceExport | undefined): ConsentColumn | undefined {
  for (const [name, column] of Object.entries(service?.consent ?? {})) if (headingKey(name) === key) return column;
  const known = services.consentColumns.get(key);
  if (known) return known;
  for (const [name, column] of services.consentColumns) if (fits(name, key)) return column;
  return undefined;
}

/** Whether a key is the name, or begins with what stands before its `*`. */
const fits = (name: string, key: string): boolean =>
  name.endsWith('*') ? key.startsWith(name.slice(0, -1)) : name === key;

function isDoubtful(key: string): boolean {
  return services.doubtfulHeadings.has(key) || (services.doubtfulParts.test(key) && !services.innocentParts.test(key));
}

function standingOfFile(name: string): Refusal | undefined {
  const words = name
    .toLowerCase()
    .replaceAll(/[^a-z]+/g, ' ')
    .trim();
  for (const [pattern, standing] of services.fileNames) {
    const said = pattern.exec(words)?.[0];
    if (said !== undefined && standing !== 'subscribed')
      return refusal(standing, `the name of the file says "${said}" of everybody in it`);
  }
  return undefined;
}

/** A cell as a text; times of n8n and lists count as filled. */
function textOf(cell: unknown): string {
  if (typeof cell === 'string') return cell.trim();
  if (cell === undefined || cell === null) return '';
  if (Array.isArray(cell)) return cell.map(textOf).join(', ');
  return typeof cell === 'boolean' || typeof cell === 'number' ? String(cell) : 'set';
}

/** A day in any order, with or without a time. */
const isTimeOrBlank = (text: string): boolean =>
  text === '' || /^(?:\d{4}[-./]\d{1,2}[-./]\d{1,2}|\d{1,2}[-./]\d{1,2}[-./]\d{2,4})(?:[ T,].*)?$/.test(text);

const list = (names: readonly string[]): string => names.map((name) => `"${name}"`).join(', ');
