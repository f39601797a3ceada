/** Bulk Import: reads in the input items who may get emails, and who is kept out. */
import { isRecord } from '@newsletter-kit/core/engine';
import {
  ConsentSurvey,
  headingReader,
  leftByText,
  namesText,
  type Refusal,
  type TableError,
  yesNoText,
} from '@newsletter-kit/core/import';
import { addressKey } from '@newsletter-kit/core/signup';
import { type INode, NodeOperationError } from 'n8n-workflow';
import { quoted } from '../../parameters/properties.ts';
import { ParameterMismatch } from '../../parameters/read.ts';
import { remembered } from '../../remembered.ts';
import {
  type ConsentAnswers,
  dateOrder,
  decimalMark,
  keepOut,
  leftBy,
  nobodyLeftBy,
  yesNo,
} from './bulkImportOptions.ts';

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
    answers: ConsentAnswers,
    of: 'people' | 'others' = 'people',
  ) {
    this.#items = items;
    this.#headings = headingsOf(items);
    this.#survey = new ConsentSurvey(this.#headings, answers);
    for (const [index, json] of items.entries()) {
      const email = (this.#emails[index] = emailOf(index));
      if (email !== undefined && isHeading(email, json))
        throw new ParameterMismatch(
          `Item ${index + 1} names columns, and others than the first row of the table: two files were put into one. Divide it there, and import each by itself. Nothing was sent`,
        );
      this.#survey.see(this.#cells(index), index + 1, email);
    }
    this.#survey.finish(of);
    this.columns = this.#survey.columns;
    this.unused = new Set(this.#headings.filter((heading) => this.#survey.isUnused(heading)));
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
    return this.#survey.read(this.#cells(index), this.#emails[index]);
  }

  #cells(index: number): readonly unknown[] {
    const json = this.#items[index] ?? {};
    return this.#headings.map((heading) => cellOf(json[heading]));
  }
}

/** Items of one run often lack fields that others have. */
export function headingsOf(items: readonly Json[]): readonly string[] {
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
  const isEmail = remembered(meansEmail);
  return (json) => {
    for (const name of Object.keys(json)) {
      const value = isEmail(name) ? json[name] : undefined;
      if (typeof value === 'string' && value.trim() !== '') return value;
    }
    return undefined;
  };
}

/** The error of items that do not tell how to read them, with the values to enter. @param of - whose items */
export function tableFailure(node: INode, { message, remedies }: TableError, of = ''): NodeOperationError {
  const told = remedies.flatMap((remedy) =>
    remedy.option === 'leftBy' ? [leftByText(remedy.column, remedy.values)] : [],
  );
  const others = remedies.flatMap((remedy) => (remedy.option === 'nobodyLeftBy' ? remedy.columns : []));
  const unnamed = others.filter(
    (column) => !remedies.some((each) => each.option === 'leftBy' && each.column === column),
  );
  const words = remedies.flatMap((remedy) => (remedy.option === 'yesNo' ? [yesNoText(remedy.values)] : []));
  const description = [
    told.length > 0 &&
      `Add "${leftBy.displayName}" in Options, paste \`${told.join('; ')}\`, and write left, subscribed or unconfirmed for each "?". A field by which nobody leaves belongs into "${nobodyLeftBy.displayName}" instead${others.length > 0 ? `: \`${namesText(others)}\`` : ''}.`,
    unnamed.length > 0 &&
      `If nobody leaves by ${quoted(unnamed, 'and')}, add "${nobodyLeftBy.displayName}" in Options, and paste \`${namesText(unnamed)}\`${told.length > 0 ? '' : `; if somebody does, add "${leftBy.displayName}" with a line such as \`${leftByText(unnamed[0] ?? 'Status', { gone: 'left', here: 'subscribed' })}\``}.`,
    words.length > 0 &&
      `Add "${yesNo.displayName}" in Options, paste \`${words.join(', ')}\`, and write yes or no for each "?".`,
    ...[dateOrder, decimalMark].map(
      ({ name, displayName }) => remedies.some(({ option }) => option === name) && `Add "${displayName}" in Options.`,
    ),
    remedies.length === 0 && `Correct "${leftBy.displayName}" or "${nobodyLeftBy.displayName}" in Options.`,
    'Nothing was sent.',
  ].filter((sentence) => sentence !== false);
  return new NodeOperationError(node, `${of && `"${of}": `}${message.replace(/\.$/, '')}`, {
    description: description.join(' '),
  });
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
  const consent = new ItemConsent(items, (index) => addressIn(items[index] ?? {}), answers, 'others');
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
