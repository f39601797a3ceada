/**
 * Snapshots of a running sandbox, and `/_sandbox/snapshots`, which takes, lists, restores, exports and imports them.
 */
import { Hono } from 'hono';
import * as z from 'zod';
import { apiError } from '../api/errors.ts';
import type { World } from '../world/world.ts';
import { readSnapshot, SnapshotError, writeSnapshot } from './snapshot-file.ts';
import { readText } from '../api/read-request.ts';
import { readBody } from './read-body.ts';

/** The whole world at one moment: subscribers, jobs, tokens, e-mails, what is due, the clock. */
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
  /** Takes everything back to the snapshot, which stays. @throws ApiError 404 where there is none of this id */
  restore(id: string): Snapshot;
  remove(id: string): void;
  /** The lines of a file that {@link Snapshots.import} reads. Equal worlds make equal files. */
  export(id: string): Iterable<string>;
  /** Takes up a file as a snapshot; nothing is restored yet. @throws SnapshotError where it is none of this version */
  import(file: string, name?: string): Snapshot;
}

export function createSnapshots(world: World): Snapshots {
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

  return {
    take(name) {
      store.take((made += 1));
      return keep(made, name);
    },
    list: () => [...kept.values()].map(({ snapshot }) => snapshot),
    restore(id) {
      const { number, snapshot } = find(id);
      world.write((note) => {
        store.restore(number);
        note({ type: 'reset' });
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
  };
}

const naming = z.strictObject({ name: z.string().min(1).max(200).optional() });
const fileType = 'application/x-ndjson';
/** A publication of a million has about 300 MB. */
const fileLimit = 480 * 1024 * 1024;

export function snapshotControl({ snapshots }: { readonly snapshots: Snapshots }): Hono {
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
      return context.body(stream(snapshots.export(id)), 200, {
        'Content-Type': fileType,
        'Content-Disposition': `attachment; filename="${id.replace(/\W/g, '_')}.jsonl"`,
      });
    })
    .delete('/snapshots/:id', (context) => {
      snapshots.remove(context.req.param('id'));
      return context.json({ removed: 1 });
    });
}

/** Lines in pieces of some size: a line at a time would spend its time on the way. */
function stream(lines: Iterable<string>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const iterator = lines[Symbol.iterator]();
  return new ReadableStream({
    pull(controller) {
      let piece = '';
      while (piece.length < 65_536) {
        const line = iterator.next();
        if (line.done) {
          controller.enqueue(encoder.encode(piece));
          return controller.close();
        }
        piece += line.value;
      }
      controller.enqueue(encoder.encode(piece));
    },
  });
}
