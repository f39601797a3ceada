/**
 * Snapshots of a running sandbox; their file format; and `/_sandbox/snapshots`, which takes, lists, restores, exports
 * and imports them.
 */
import { Hono } from 'hono';
import * as z from 'zod';
import { apiError } from '../http/errors.ts';
import type { World } from '../world/world.ts';
import { readText, readBody } from '../http/read-request.ts';
import type { Feature } from './feature.ts';
import { createHash } from 'node:crypto';
import { isStorageFailure, type Bound } from '../store/database.ts';
import type { SnapshotStore } from '../store/snapshots.ts';
import { schemaVersion, type TableName, tableNames } from '../store/tables.ts';

/** The whole state at one moment: subscribers, jobs, tokens, e-mails, scheduled events, the clock. */
export interface Snapshot {
  readonly id: string;
  readonly name: string | null;
  /** ISO 8601, of the sandbox's clock. */
  readonly time: string;
  readonly rows: number;
}

export interface Snapshots {
  take(name?: string): Snapshot;
  list(): readonly Snapshot[];
  /** Restores everything from the snapshot, which is kept. @throws ApiError 404 where there is none of this id */
  restore(id: string): Snapshot;
  remove(id: string): void;
  /** The lines of a file that {@link Snapshots.import} reads. Equal worlds make equal files. */
  export(id: string): Iterable<string>;
  /**
   * Imports a file as a snapshot; nothing is restored yet. @throws SnapshotError where it is not one of this version
   */
  import(file: string, name?: string): Snapshot;
}

export function createSnapshots(world: World): Snapshots & Feature {
  const { snapshots: store } = world.store;
  const kept = new Map<string, { readonly number: number; readonly snapshot: Snapshot }>();
  let made = 0;

  const find = (id: string) => {
    const found = kept.get(id);
    if (!found)
      throw apiError(404, 'NOT_FOUND', 'There is no snapshot with this id. GET /_sandbox/snapshots lists them.');
    return found;
  };
  const keep = (number: number, name: string | undefined): Snapshot => {
    const snapshot = {
      id: `snapshot_${number}`,
      name: name ?? null,
      time: new Date(world.clock.now()).toISOString(),
      rows: store.count(number),
    };
    kept.set(snapshot.id, { number, snapshot });
    return snapshot;
  };

  const set: Snapshots & Feature = {
    take(name) {
      store.take((made += 1));
      return keep(made, name);
    },
    list: () => [...kept.values()].map(({ snapshot }) => snapshot),
    restore(id) {
      const { number, snapshot } = find(id);
      world.write((emit) => {
        store.restore(number);
        emit({ type: 'reset' });
      });
      world.clock.load();
      return snapshot;
    },
    remove(id) {
      store.drop(find(id).number);
      kept.delete(id);
    },
    export: (id) => writeSnapshot(store, find(id).number),
    import(file, name) {
      const number = (made += 1);
      world.store.transaction(() => readSnapshot(store, number, file));
      return keep(number, name);
    },
    routes: () => snapshotRoutes(set),
  };
  return set;
}

const naming = z.strictObject({ name: z.string().min(1).max(200).optional() });
const fileType = 'application/x-ndjson';
/** A publication of a million has about 300 MB. */
const fileLimit = 480 * 1024 * 1024;

function snapshotRoutes(snapshots: Snapshots): Hono {
  return new Hono()
    .get('/snapshots', (context) => context.json({ data: snapshots.list() }))
    .post('/snapshots', async (context) => {
      const request = context.req.raw;
      if (!request.headers.get('content-type')?.startsWith(fileType)) {
        const { name } = await readBody(request, naming);
        return context.json({ data: snapshots.take(name) }, 201);
      }
      try {
        return context.json(
          { data: snapshots.import(await readText(request, fileLimit), context.req.query('name')) },
          201,
        );
      } catch (error) {
        if (error instanceof SnapshotError) throw apiError(400, 'INVALID_SNAPSHOT', error.message);
        throw error;
      }
    })
    .post('/snapshots/:id/restore', (context) => context.json({ data: snapshots.restore(context.req.param('id')) }))
    .get('/snapshots/:id/export', (context) => {
      const id = context.req.param('id');
      const body = ReadableStream.from(chunks(snapshots.export(id))).pipeThrough(new TextEncoderStream());
      return context.body(body, 200, {
        'Content-Type': fileType,
        'Content-Disposition': `attachment; filename="${id.replace(/\W/g, '_')}.jsonl"`,
      });
    })
    .delete('/snapshots/:id', (context) => {
      snapshots.remove(context.req.param('id'));
      return context.json({ removed: 1 });
    });
}

/** The lines in chunks of 64 KB; sending each by itself would be slow. */
function* chunks(lines: Iterable<string>): Generator<string> {
  let chunk = '';
  for (const line of lines) {
    chunk += line;
    if (chunk.length < 65_536) continue;
    yield chunk;
    chunk = '';
  }
  yield chunk;
}

/** The file is not a snapshot of this version. The message is for the user. */
export class SnapshotError extends Error {
  override readonly name = 'SnapshotError';
}

const heading = { format: 'newsletter-sandbox-snapshot', version: schemaVersion } as const;

/**
 * The lines of the file, each with its line break: a header; for each table a line with its columns and a line for each
 * row; at the end the number of rows and a SHA-256 digest, which detects truncated and edited files.
 */
function* writeSnapshot(store: SnapshotStore, snapshot: number): Generator<string> {
  const digest = createHash('sha256');
  let rows = 0;
  const line = (value: unknown): string => {
    const text = `${JSON.stringify(value)}\n`;
    digest.update(text);
    return text;
  };
  yield line(heading);
  for (const table of tableNames) {
    yield line({ table, columns: store.columns(table) });
    for (const row of store.rows(snapshot, table)) {
      rows += 1;
      yield line(row);
    }
  }
  yield `${JSON.stringify({ rows, sha256: digest.digest('hex') })}\n`;
}

const first = z.object({ format: z.literal(heading.format), version: z.number() });
const table = z.object({ table: z.string(), columns: z.array(z.string()) });
const row = z.array(z.union([z.string(), z.number(), z.null()]));
const last = z.object({ rows: z.number(), sha256: z.string() });

/** Reads a file into an empty copy of every table. Must run in a transaction. @throws {@link SnapshotError} */
function readSnapshot(store: SnapshotStore, snapshot: number, file: string): void {
  const digest = createHash('sha256');
  const add = store.make(snapshot);
  let current: { readonly name: TableName; readonly width: number } | undefined;
  let rows = 0;
  for (const { value, text, number } of linesOf(file)) {
    const end = last.safeParse(value);
    if (number > 1 && end.success) {
      if (end.data.rows !== rows || end.data.sha256 !== digest.digest('hex'))
        throw new SnapshotError('The snapshot was changed or damaged: its digest does not match.');
      return;
    }
    digest.update(text);
    if (number === 1) {
      checkHeading(value);
      continue;
    }
    const header = table.safeParse(value);
    const cells = row.safeParse(value);
    if (header.success) current = readHeader(store, header.data, number);
    else if (cells.success && current?.width === cells.data.length) {
      insert(add, current.name, cells.data, number);
      rows += 1;
    } else throw new SnapshotError(`Line ${number} of the snapshot is neither the header nor a row of a table.`);
  }
  throw new SnapshotError('The snapshot is incomplete: its end is missing.');
}

function checkHeading(value: unknown): void {
  const format = first.safeParse(value);
  if (!format.success)
    throw new SnapshotError('This is not a snapshot of a sandbox: its first line is not the header of one.');
  if (format.data.version !== schemaVersion) {
    throw new SnapshotError(
      `The snapshot was made by another version of the sandbox (table version ${format.data.version}, this one has ${schemaVersion}).`,
    );
  }
}

function readHeader(store: SnapshotStore, { table: name, columns }: z.output<typeof table>, number: number) {
  const known = tableNames.find((one) => one === name);
  if (!known || store.columns(known).join() !== columns.join())
    throw new SnapshotError(`Line ${number} of the snapshot names a table that this sandbox does not have.`);
  return { name: known, width: columns.length };
}

function insert(
  add: (table: TableName, row: readonly Bound[]) => void,
  name: TableName,
  cells: readonly Bound[],
  number: number,
): void {
  try {
    add(name, cells);
  } catch (error) {
    if (isStorageFailure(error)) throw error;
    throw new SnapshotError(`Line ${number} of the snapshot does not fit its table.`, { cause: error });
  }
}

function parse(text: string, number: number): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new SnapshotError(`Line ${number} of the snapshot is not JSON.`, { cause: error });
  }
}

interface SnapshotLine {
  readonly text: string;
  readonly value: unknown;
  readonly number: number;
}

/** Line by line, without a copy of the whole. @throws {@link SnapshotError} where a line is not JSON */
function* linesOf(file: string): Generator<SnapshotLine, void> {
  for (let from = 0, number = 1; from < file.length; number += 1) {
    const end = file.indexOf('\n', from);
    const to = end < 0 ? file.length : end + 1;
    const text = file.slice(from, to);
    yield { text, value: parse(text, number), number };
    from = to;
  }
}
