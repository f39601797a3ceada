/**
 * The file of an export: its formats, which are CSV for spreadsheets and NDJSON with every field, and the unfinished
 * file with the position from which the same command continues.
 */
import { open, readFile, rename, rm, stat, truncate } from 'node:fs/promises';
import { isRecord, type Subscription } from '@newsletter-kit/core';
import { secondsOf } from '@newsletter-kit/core/facts';
import { replaceFile } from '@newsletter-kit/core/node';
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

export function ndjson(): Format {
  return {
    head: '',
    lost: new Set(),
    lines: (subscriptions) => subscriptions.map((each) => `${JSON.stringify(each)}\n`).join(''),
  };
}

/** A column: its heading, and where its value comes from. */
interface ExportColumn {
  readonly heading: string;
  readonly value: (subscription: Subscription) => unknown;
}

const plain = [
  'id',
  'email',
  'status',
  'subscription_tier',
  'subscription_premium_tier_names',
  'utm_source',
  'utm_medium',
  'utm_channel',
  'utm_campaign',
  'utm_term',
  'utm_content',
  'referring_site',
  'referral_code',
] as const;

const always: readonly ExportColumn[] = [
  ...plain.map((heading): ExportColumn => ({ heading, value: (subscription) => subscription[heading] })),
  { heading: 'created', value: ({ created }) => timeText(created) },
];

/** The columns that come with each expansion; those of custom fields depend on the publication. */
const expanded: Readonly<Partial<Record<string, readonly ExportColumn[]>>> = {
  stats: (['emails_received', 'open_rate', 'click_through_rate'] as const).map((name) => ({
    heading: `stats.${name}`,
    value: ({ stats }) => stats?.[name],
  })),
  subscription_premium_tiers: [
    {
      heading: 'subscription_premium_tiers',
      value: ({ subscription_premium_tiers: tiers }) => namesOf(tiers, 'name'),
    },
  ],
  newsletter_lists: [{ heading: 'newsletter_list_ids', value: ({ newsletter_list_ids: ids }) => ids }],
  tags: [{ heading: 'tags', value: ({ tags }) => tags }],
  referrals: [{ heading: 'referrals', value: ({ referrals }) => namesOf(referrals, 'id') }],
};

/** The heading of a custom field's column; an import understands it as the target of a column. */
const customHeading = (name: string): string => `custom:${name}`;

/**
 * @param customFields - names of the publication's custom fields, where they are requested
 * @param raw - leaves cells unchanged that a spreadsheet would run as a formula
 */
export function csv(expand: readonly string[], customFields: readonly string[], raw: boolean): Format {
  const lost = new Set<string>();
  const custom = customFields.map((name): ExportColumn => ({
    heading: customHeading(name),
    value: ({ custom_fields: fields }) => records(fields).find((field) => field['name'] === name)?.['value'],
  }));
  const columns = [...always, ...expand.flatMap((name) => expanded[name] ?? []), ...custom];
  const options = { escape_formulas: !raw, record_delimiter: '\r\n' } as const;
  const known = new Set(customFields);
  return {
    head: stringify([columns.map(({ heading }) => heading)], options),
    lost,
    lines(subscriptions) {
      for (const { custom_fields: fields } of subscriptions) {
        for (const { name } of records(fields))
          if (typeof name === 'string' && name && !known.has(name)) lost.add(name);
      }
      return stringify(
        subscriptions.map((each) => columns.map(({ value }) => cell(value(each)))),
        options,
      );
    },
  };
}

/** The time of creation (ISO 8601); as it came where it is no time. */
function timeText(value: unknown): unknown {
  const time = secondsOf(value);
  return time === undefined ? value : new Date(time * 1000).toISOString();
}

/** The objects of a list. */
function records(list: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(list) ? list.filter(isRecord) : [];
}

/** One field of each object of a list; as it came where it is no list of objects. */
function namesOf(list: unknown, field: string): unknown {
  return Array.isArray(list) && list.every(isRecord) ? records(list).map((each) => each[field]) : list;
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return value.map(cell).join(', ');
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** The position in an export from which it continues. */
export interface ExportPosition {
  /** Describes the export: one with another description under the same name starts over. */
  readonly description: string;
  /** The cursor of the next page. */
  readonly cursor: string;
  /** Bytes of the file up to the cursor; later bytes are cut off. */
  readonly bytes: number;
  readonly subscriptions: number;
}

export interface PartFile {
  /** The position of an interrupted run of the same export; null where there is none. */
  readonly resumed: ExportPosition | null;
  write(text: string): Promise<void>;
  /** Sets the position. It is saved every two seconds, for processes that are killed. */
  reached(cursor: string, subscriptions: number): Promise<void>;
  /** Starts over. */
  restart(): Promise<void>;
  /** Renames the complete file to its final name. */
  finish(): Promise<void>;
  /** Without `finish`: saves the position, or deletes the file where there is none. */
  close(): Promise<void>;
}

/** Milliseconds between two saves: each waits for the disk. */
const saveEvery = 2000;

export async function openPartFile(path: string, description: string): Promise<PartFile> {
  const [part, positionFile] = [`${path}.part`, `${path}.part.json`];
  const saved = await readPosition(positionFile, description);
  const size = (await stat(part).catch(() => null))?.size ?? 0;
  const resumed = saved && size >= saved.bytes ? saved : null;
  let bytes = resumed?.bytes ?? 0;
  if (resumed) await truncate(part, bytes);
  // The file holds addresses: only its owner may read it.
  const file = await open(part, resumed ? 'r+' : 'w', 0o600);
  let position: ExportPosition | null = resumed;
  let savedAt = Date.now();
  let finished = false;

  async function save(): Promise<void> {
    savedAt = Date.now();
    await file.sync();
    await replaceFile(positionFile, JSON.stringify(position), 0o600);
  }

  return {
    resumed,
    async write(text) {
      const buffer = Buffer.from(text);
      await file.write(buffer, 0, buffer.length, bytes);
      bytes += buffer.length;
    },
    async reached(cursor, subscriptions) {
      position = { description, cursor, bytes, subscriptions };
      if (Date.now() - savedAt >= saveEvery) await save();
    },
    async restart() {
      position = null;
      await rm(positionFile, { force: true });
      await file.truncate(0);
      bytes = 0;
    },
    async finish() {
      await file.sync();
      await rename(part, path);
      finished = true;
      await rm(positionFile, { force: true });
    },
    async close() {
      try {
        if (!finished && position) await save();
      } finally {
        await file.close();
      }
      if (!finished && !position) await rm(part, { force: true });
    },
  };
}

async function readPosition(path: string, description: string): Promise<ExportPosition | null> {
  try {
    const position: unknown = JSON.parse(await readFile(path, 'utf8'));
    return isPosition(position) && position.description === description ? position : null;
  } catch {
    return null; // missing or cut off: the export starts over, which loses nothing
  }
}

function isPosition(value: unknown): value is ExportPosition {
  if (typeof value !== 'object' || value === null) return false;
  const { description, cursor, bytes, subscriptions }: Readonly<Partial<Record<keyof ExportPosition, unknown>>> = value;
  return (
    typeof description === 'string' &&
    typeof cursor === 'string' &&
    Number.isSafeInteger(bytes) &&
    Number.isSafeInteger(subscriptions)
  );
}
