/** Reads and checks the configuration of a sync: one JSON file. */
import { readFile } from 'node:fs/promises';
import { UsageError, quote } from '#command-line';
import { checkMapping, MappingError, type SyncMapping } from '@newsletter-kit/core/sync';
import { isRecord } from '@newsletter-kit/core/engine';
import { requireJson } from '../../require-json.ts';
import { isMissingFile } from '../../user-facing-errors.ts';

/** Name of the token in the records that the planner reads. */
export const tokenPath = 'newsletter_sync_token';

/** The configuration, with the defaults filled in. */
export interface SyncConfig {
  /** Distinguishes the syncs of one publication. Default `default`. */
  readonly name: string;
  /** Schema of the tables that belong to the sync. Default `public`. */
  readonly schema: string;
  /** Its paths are column names. */
  readonly mapping: SyncMapping;
  readonly contacts: {
    /** `table` or `schema.table`; empty where it is missing and not needed. */
    readonly table: string;
    readonly id: string;
    readonly email: string;
  };
}

/** Known keys of the file and of its contacts; `checkMapping` knows those of the mapping. */
const keys = {
  config: ['name', 'schema', 'mapping', 'contacts'],
  contacts: ['table', 'id', 'email', 'furtherAddresses', 'mergedInto'],
} as const;

/**
 * Reads the file.
 *
 * @param needsTable - whether the contacts are in PostgreSQL
 * @throws UsageError that names every problem of the file
 */
export async function readConfig(path: string, needsTable = true): Promise<SyncConfig> {
  const content = await readFile(path, 'utf8').catch((error: unknown) => {
    if (isMissingFile(error))
      throw new UsageError(`There is no file ${path}: name the configuration of the sync with --config FILE.`);
    throw error;
  });
  const problems: string[] = [];
  const config = toConfig(requireJson(content, path), needsTable, problems);
  if (problems.length > 0 || !config) throw new UsageError(problems.map((problem) => `${path}: ${problem}`));
  return config;
}

function toConfig(value: unknown, needsTable: boolean, problems: string[]): SyncConfig | null {
  const config = objectAt('the file', value, keys.config, problems);
  if (!config) return null;
  const contacts = objectAt('"contacts"', config['contacts'] ?? {}, keys.contacts, problems);
  const {
    table = needsTable ? undefined : '',
    id = 'id',
    email = 'email',
    furtherAddresses,
    mergedInto,
  } = contacts ?? {};
  if (contacts && table === undefined) problems.push('"contacts.table" is missing: name the table of the contacts.');
  const mapping = toMapping(config['mapping'], problems);
  const { name = 'default', schema = 'public' } = config;
  if (!mapping || typeof table !== 'string' || !isText(id) || !isText(email) || !isText(name) || !isText(schema))
    return null;
  const further = {
    ...(isText(furtherAddresses) && { furtherAddresses }),
    ...(isText(mergedInto) && { mergedInto }),
  };
  for (const column of columnsOf(mapping)) {
    if (column === id || column === email)
      problems.push(`"${column}" is the column of the id or the address: map another column.`);
    if (column === tokenPath) problems.push(`"${column}" belongs to the sync: map another column.`);
  }
  return {
    name,
    schema,
    mapping: { ...mapping, contact: { id, email, token: tokenPath, ...further } },
    contacts: { table, id, email },
  };
}

function toMapping(value: unknown, problems: string[]): SyncMapping | null {
  if (value === undefined) {
    problems.push('"mapping" is missing: say which fields are kept in step, for example {"fields": []}.');
    return null;
  }
  if (isRecord(value) && value['contact'] !== undefined)
    problems.push('"mapping.contact": name id and address of a contact in "contacts".');
  try {
    checkMapping(value);
    return value;
  } catch (error) {
    if (!(error instanceof MappingError)) throw error;
    problems.push(...error.problems.map((problem) => `mapping: ${problem}`));
    return null;
  }
}

/** The object, with its wrong keys and texts added to `problems`; null for anything else. */
function objectAt(
  place: string,
  value: unknown,
  known: readonly string[],
  problems: string[],
): Readonly<Record<string, unknown>> | null {
  if (!isRecord(value)) {
    problems.push(`${place} must be an object in braces.`);
    return null;
  }
  for (const [key, entry] of Object.entries(value)) {
    if (!known.includes(key)) problems.push(`${place} has no setting ${quote(key)}. There are: ${known.join(', ')}.`);
    else if (key !== 'mapping' && key !== 'contacts' && !isText(entry))
      problems.push(`${place}: ${quote(key)} must be a text that is not empty.`);
  }
  return value;
}

/** The columns of a contact that the mapping reads, beside id and address. */
export function columnsOf({ fields, optOut, consent, contact }: SyncMapping): readonly string[] {
  const named = [...fields.map((field) => field.contact), optOut?.contact, consent, ...keyColumns({ contact })];
  return [...new Set(named.filter((column) => column !== undefined))];
}

/** The columns that say whose a contact is, beside id and address. */
export function keyColumns({ contact }: Pick<SyncMapping, 'contact'>): readonly string[] {
  return [contact?.furtherAddresses, contact?.mergedInto].filter((column) => column !== undefined);
}

/** The columns of a contact that the sync writes, beside the address. */
export function writtenColumns({ fields, optOut }: SyncMapping): readonly string[] {
  const toContact = fields.filter(({ direction }) => direction !== 'to_subscription').map(({ contact }) => contact);
  return [...new Set([...toContact, ...(optOut ? [optOut.contact] : [])])];
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
