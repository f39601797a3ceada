/** `/_sandbox/clock`: reads and moves the sandbox's clock. */
import { Hono } from 'hono';
import * as z from 'zod';
import { apiError } from '../http/errors.ts';
import { readBody } from '../http/read-request.ts';
import type { World } from '../world/world.ts';
import type { Feature } from './feature.ts';

const movement = z.strictObject({
  freeze: z.boolean().optional(),
  advance: z.string().optional(),
  set: z.iso.datetime({ offset: true, message: 'must be a time such as 2027-01-01T00:00:00Z' }).optional(),
});

export type ClockState = ReturnType<typeof stateOf>;

function stateOf({ clock, store }: World) {
  const next = store.due.first();
  return {
    now: iso(clock.now()),
    frozen: clock.frozen,
    due: { count: store.due.count(), next: next ? { at: iso(next.at), kind: next.kind } : null },
  };
}

export function clockFeature(world: World): Feature {
  const { clock } = world;
  const routes = () =>
    new Hono()
      .get('/clock', (context) => context.json(stateOf(world)))
      .post('/clock', async (context) => {
        const { freeze, advance, set } = await readBody(context.req.raw, movement);
        if (advance !== undefined && set !== undefined)
          throw apiError(400, 'VALIDATE_ERROR', 'Use either "advance" or "set", not both.');
        const before = clock.now();
        try {
          if (advance !== undefined) clock.advance(advance);
          if (set !== undefined) clock.set(Date.parse(set));
        } catch (error) {
          if (!(error instanceof RangeError)) throw error;
          throw apiError(400, 'INVALID_CLOCK', `${error.message} It is at ${iso(before)}.`);
        }
        if (freeze === true) clock.freeze();
        if (freeze === false) clock.thaw();
        const happened = world.settle();
        return context.json({ ...stateOf(world), happened });
      });
  return { routes };
}

const iso = (time: number): string => new Date(time).toISOString();
