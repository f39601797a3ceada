/** `/_sandbox/snapshots`: the whole world kept, taken back, and carried from one sandbox to another. */
import { Hono } from 'hono';
import * as z from 'zod';
import { apiError } from '../api/errors.ts';
import { readText } from '../api/reading.ts';
import { readBody } from './body.ts';
import { SnapshotError } from './snapshots/file.ts';
import type { Snapshots } from './snapshots/snapshots.ts';

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
