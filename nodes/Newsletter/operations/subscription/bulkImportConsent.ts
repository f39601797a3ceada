/** Bulk Import: reads in the input items who may get emails, and who is kept out. */
import { isRecord } from '@newsletter-kit/core/engine';
import {
  type ColumnTarget,
  ConsentSurvey,
  headingReader,
  type Refusal,
  type TableError,
  type TableRemedy,
} from '@newsletter-kit/core/import';
import { addressKey } from '@newsletter-kit/core/signup';
import { type INode, type INodeProperties, NodeOperationError } from 'n8n-workflow';
import { quoted } from '../../parameters/properties.ts';
import { ParameterMismatch } from '../../parameters/read.ts';
import { type ConsentAnswers, consentColumns, keepOut, statusWords } from './bulkImportOptions.ts';

/** The fields of an item. */
export type Json = Readonly<Record<string, unknown>>;

/** Reads who may get emails, as core does in the rows of a file. Every item is seen before the first is sent. */
export class ItemConsent {
  readonly #items: readonly Json[];
  readonly #headings: readonly string[];
  readonly #survey: ConsentSurvey;
  readonly #emails: (string | undefined)[] = [];
  /** Input fields that fill nothing, because they speak of consent or belong to a service alone. */
  readonly unused: ReadonlySet<string>;
  /** Input fields that speak of consent. */
  readonly columns: readonly string[];

  /**
   * @param emailOf - the address of the item at this index; called once for each
   * @throws TableError, and ParameterMismatch where another table begins
   */
  constructor(
    items: readonly Json[],
    emailOf: (index: number) => string | undefined,
    { columns: answers, words }: ConsentAnswers,
  ) {
    this.#items = items;
    this.#headings = headingsOf(items);
    const columns: Record<string, ColumnTarget> = {};
    for (const heading of this.#headings) {
      const answer = answers.get(heading.trim());
      if (answer !== undefined) columns[heading] = answer;
    }
    this.#survey = new ConsentSurvey(this.#headings, { columns, words });
    const { needsRows } = this.#survey;
    for (const [index, json] of items.entries()) {
      const email = (this.#emails[index] = emailOf(index));
      if (email !== undefined && isHeading(email, json))
        throw new ParameterMismatch(
          `Item ${index + 1} names columns, and others than the first row of the table: two files were put into one. Divide it there, and import each by itself. Nothing was sent`,
        );
      if (needsRows) this.#survey.see(this.#cells(index), index + 1, email);
    }
    this.#survey.finish();
    this.columns = this.#survey.columns;
    this.unused = new Set(
      this.#headings.filter((heading) => columns[heading] !== null && this.#survey.isUnused(heading)),
    );
  }

  /** The service of which the items are an export. */
  get service(): string | undefined {
    return this.#survey.service?.name;
  }

  /** The address of an item. */
  emailOf(index: number): string | undefined {
    return this.#emails[index];
  }

  /** Why the person of an item gets no emails; undefined where they may get some. */
  refusalOf(index: number): Refusal | undefined {
    return this.columns.length === 0 ? undefined : this.#survey.read(this.#cells(index), this.#emails[index]);
  }

  #cells(index: number): readonly unknown[] {
    const json = this.#items[index] ?? {};
    return this.#headings.map((heading) => cellOf(json[heading]));
  }
}

/** Items of one run often lack fields that others have. */
function headingsOf(items: readonly Json[]): readonly string[] {
  const headings = new Set<string>();
  for (const json of items) for (const name of Object.keys(json)) headings.add(name);
  return [...headings];
}

/** Dates of spreadsheets and of n8n as texts: core tells times from other values. */
function cellOf(value: unknown): unknown {
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? '' : value.toISOString();
  return isRecord(value) && typeof value['toISO'] === 'function' ? String(value) : value;
}

const meaningOf = headingReader([]);

/** Whether an input field of this name holds the address. */
export const meansEmail = (name: string): boolean => {
  const meaning = meaningOf(name);
  return meaning !== undefined && 'target' in meaning && meaning.target === 'email';
};

/** Whether the item is the heading of another table; it may repeat its own. */
const isHeading = (email: string, json: Json): boolean =>
  !email.includes('@') && meansEmail(email) && Object.entries(json).some(([name, value]) => name !== value);

/**
 * Creates the reader of the address in fields named like one, whatever a publication calls its custom fields. Thousands
 * of items have the same few names.
 */
export function addressReader(): (json: Json) => string | undefined {
  const known = new Map<string, boolean>();
  const isEmail = (name: string): boolean => {
    const read = known.get(name) ?? meansEmail(name);
    known.set(name, read);
    return read;
  };
  return (json) => {
    for (const name of Object.keys(json)) {
      const value = isEmail(name) ? json[name] : undefined;
      if (typeof value === 'string' && value.trim() !== '') return value;
    }
    return undefined;
  };
}

/** The error of items that do not tell who wants emails, with the options that say it. @param of - whose items */
export function consentFailure(node: INode, { message, remedies }: TableError, of = ''): NodeOperationError {
  const columns = (target: ColumnTarget): readonly string[] =>
    remedies.flatMap((remedy) => (remedy.option === 'columns' && remedy.target === target ? [remedy.column] : []));
  const doubtful = columns('subscribed');
  const perhaps = columns(null).filter((column) => !doubtful.includes(column));
  const words = remedies.filter((remedy): remedy is WordRemedy => remedy.option === 'words');
  const places = [...new Set(words.map(({ column }) => column))].map(
    (column) => `${quoted(wordsIn(words, column), 'and')} in "${column}"`,
  );
  const problems = [
    doubtful.length > 0 &&
      `${quoted(doubtful, 'and')} may say who wants emails and who has left, and it is not clear how`,
    places.length > 0 && `Not understood: ${places.join('; ')}`,
  ].filter((problem) => problem !== false);
  const description = [
    doubtful.length > 0 &&
      `Add "${consentColumns.displayName}" in Options, and choose for ${quoted(doubtful, 'and')} one of ${choicesOf(consentColumns)}.`,
    words.length > 0 &&
      `Add "${statusWords.displayName}" in Options, and choose for ${quoted(wordsIn(words), 'and')} one of ${choicesOf(statusWords)}.`,
    perhaps.length > 0 &&
      `Where ${quoted(perhaps, 'and')} is about something else, say so in "${consentColumns.displayName}".`,
    problems.length === 0 && `Correct "${consentColumns.displayName}" or "${statusWords.displayName}" in Options.`,
    'Nothing was sent.',
  ].filter((sentence) => sentence !== false);
  const problem = problems.length === 0 ? message.replace(/\.$/, '') : problems.join('. ');
  return new NodeOperationError(node, `${of && `"${of}": `}${problem}`, { description: description.join(' ') });
}

type WordRemedy = Extract<TableRemedy, { readonly option: 'words' }>;

const wordsIn = (remedies: readonly WordRemedy[], of?: string): ReadonlySet<string> =>
  new Set(remedies.flatMap(({ word, column }) => (of === undefined || column === of ? [word] : [])));

/** The choices of the second parameter in a fixed collection. */
function choicesOf({ options = [] }: INodeProperties): string {
  const [group] = options;
  const choices = group && 'values' in group ? (group.values[1]?.options ?? []) : [];
  return choices.map(({ name }) => `"${name}"`).join(', ');
}

/** Why the person of an address stays out; undefined where they may come in. */
export type KeepOut = (email: string) => Promise<string | undefined>;

/**
 * Reads the list of people to keep out.
 *
 * @returns undefined where it is empty
 * @throws ParameterMismatch where an entry can't be read, without repeating it. TableError where it is not clear which
 *   items are those of people who have left
 */
export function readKeepOut(entered: unknown, answers: ConsentAnswers): KeepOut | undefined {
  const addresses = new Set<string>();
  const hashes = new Set<string>();
  const add = (entry: unknown, number: number): void => {
    const text = typeof entry === 'string' ? entry.trim() : '';
    if (/^[\da-f]{64}$/i.test(text)) hashes.add(text.toLowerCase());
    else if (/\S@\S/.test(text)) addresses.add(addressKey(text));
    else
      throw new ParameterMismatch(
        `Entry ${number} of "${keepOut.displayName}" is neither an email address nor a SHA-256 hash of one. Nothing was sent`,
      );
  };

  const records: { readonly json: Json; readonly number: number }[] = [];
  for (const [index, entry] of entriesOf(entered).entries()) {
    const json = isRecord(entry) && isRecord(entry['json']) ? entry['json'] : entry;
    if (!isRecord(json)) add(json, index + 1);
    // Get Many with "Always Output Data" gives an empty item where it finds nobody.
    else if (Object.keys(json).length > 0) records.push({ json, number: index + 1 });
  }
  const items = records.map(({ json }) => json);
  const addressIn = addressReader();
  const consent = new ItemConsent(items, (index) => addressIn(items[index] ?? {}), answers);
  for (const [index, { json, number }] of records.entries()) {
    if (consent.columns.length === 0 || consent.refusalOf(index)?.kind === 'left')
      add(addressIn(json) ?? hashIn(json), number);
  }

  if (addresses.size + hashes.size === 0) return undefined;
  return async (email) => {
    const key = addressKey(email);
    const isKept = addresses.has(key) || (hashes.size > 0 && hashes.has(await sha256(key)));
    return isKept ? `"${keepOut.displayName}" says that this person stays out` : undefined;
  };
}

function entriesOf(entered: unknown): readonly unknown[] {
  if (typeof entered === 'string') {
    const entries = entered.split(/[\s,;]+/).filter(Boolean);
    // The content of a file may begin with the heading of its column.
    return entries.slice(entries[0] !== undefined && isKeepOutHeading(entries[0]) ? 1 : 0);
  }
  if (Array.isArray(entered)) return entered.flatMap(entriesOf);
  return entered === undefined ? [] : [entered];
}

const hashHeading = /^(?:e-?mail[ _]?)?(?:hash|sha-?256)$/i;

const isKeepOutHeading = (text: string): boolean => hashHeading.test(text) || meansEmail(text);

const hashIn = (json: Json): unknown => Object.entries(json).find(([name]) => hashHeading.test(name))?.[1];

/** In lower-case hex. */
async function sha256(text: string): Promise<string> {
  const bytes = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
