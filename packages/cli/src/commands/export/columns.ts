/** The formats of an export: CSV for spreadsheets, of which the record of the API gives the columns, and NDJSON. */
import { isRecord, type Subscription } from '@newsletter-kit/core';
import { answerRecords, operation, shapes, type Shape } from '@newsletter-kit/core/contract';
import { secondsOf } from '@newsletter-kit/core/facts';
import { listOf } from '@newsletter-kit/core/import';
import { stringify } from 'csv-stringify/sync';

export interface Format {
  /** The text before the first subscription. */
  readonly head: string;
  /** The lines of some subscriptions. */
  lines(subscriptions: readonly Subscription[]): string;
  /** Names of values that had no column. */
  readonly lost: ReadonlySet<string>;
}

export const formatNames = ['csv', 'ndjson'] as const;

/** A column: its heading, and the text of a cell. */
export interface ExportColumn {
  readonly heading: string;
  readonly cell: (subscription: Subscription) => string;
}

const { times }: { readonly times: readonly string[] } = answerRecords['subscriptions.list'];
const expandable: readonly string[] = operation('subscriptions.list').expand;

/**
 * The columns of an export: each field of a subscription, but for those that only an expansion adds, and each custom
 * field. The heading of a custom field's column is understood by an import.
 *
 * @param customFields - names of the publication's custom fields, where they are requested
 */
export function columnsOf(expand: readonly string[], customFields: readonly string[]): readonly ExportColumn[] {
  const fields = Object.entries(recordIn(shapes['subscriptions.list'].answer)).flatMap(
    ([name, shape]): readonly ExportColumn[] => {
      const expansion = name === 'newsletter_list_ids' ? 'newsletter_lists' : name;
      if (name === 'custom_fields' || (expandable.includes(expansion) && !expand.includes(expansion))) return [];
      if (shape.is !== 'object') return [column(name, (subscription) => shownOf(name, subscription[name]))];
      return Object.keys(shape.of).map((part) =>
        column(`${name}.${part}`, ({ [name]: value }) => (isRecord(value) ? value[part] : undefined)),
      );
    },
  );
  return [...fields, ...customFields.map((name) => column(`custom:${name}`, (each) => customValue(each, name)))];
}

/** The fields of the records in a list. */
function recordIn(answer: Shape): Readonly<Record<string, Shape>> {
  const list = answer.is === 'object' ? answer.of['data'] : undefined;
  return list?.is === 'array' && list.of.is === 'object' ? list.of.of : {};
}

const column = (
  heading: string,
  value: (subscription: Readonly<Record<string, unknown>>) => unknown,
): ExportColumn => ({
  heading,
  cell: (subscription) => textOf(value({ ...subscription })),
});

/** Times in ISO 8601, and of a list of records their names; anything else, also what is neither, as it came. */
function shownOf(name: string, value: unknown): unknown {
  const time = times.includes(name) ? secondsOf(value) : undefined;
  if (time !== undefined) return new Date(time * 1000).toISOString();
  return Array.isArray(value) && value.every(isRecord) ? value.map((each) => each['name'] ?? each['id']) : value;
}

function customValue({ custom_fields: fields }: Readonly<Record<string, unknown>>, name: string): unknown {
  return listOf(fields).find((field) => field['name'] === name)?.['value'];
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return value.map(textOf).join(', ');
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** @param columns - undefined for the records as they came */
export function ndjson(columns: readonly ExportColumn[] | undefined): Format {
  const chosen = (subscription: Subscription): object =>
    columns ? Object.fromEntries(columns.map(({ heading, cell }) => [heading, cell(subscription)])) : subscription;
  return {
    head: '',
    lost: new Set(),
    lines: (subscriptions) => subscriptions.map((each) => `${JSON.stringify(chosen(each))}\n`).join(''),
  };
}

/**
 * @param customFields - names of the publication's custom fields, where they are requested
 * @param raw - leaves cells unchanged that a spreadsheet would run as a formula
 */
export function csv(columns: readonly ExportColumn[], customFields: readonly string[], raw: boolean): Format {
  const lost = new Set<string>();
  const options = { escape_formulas: !raw, record_delimiter: '\r\n' } as const;
  const known = new Set(customFields);
  return {
    head: stringify([columns.map(({ heading }) => heading)], options),
    lost,
    lines(subscriptions) {
      for (const { custom_fields: fields } of subscriptions) {
        for (const { name } of listOf(fields)) if (typeof name === 'string' && name && !known.has(name)) lost.add(name);
      }
      return stringify(
        subscriptions.map((each) => columns.map(({ cell }) => cell(each))),
        options,
      );
    },
  };
}
