/** What can be set while the sandbox runs: `/_sandbox/clock`, `/faults`, `/profile` (rate limit) and `/assumptions`. */
import { Hono } from 'hono';
import * as z from 'zod';
import { apiError } from '../api/errors.ts';
import type { World } from '../world/world.ts';
import { readBody } from './read-body.ts';
import { type Faults, faultSchema } from './faults.ts';
import { profiles, quotaSchema, type RateLimit } from '../api/rate-limit.ts';
import type { Assumptions } from './assumptions.ts';

const movement = z.strictObject({
  freeze: z.boolean().optional(),
  advance: z.string().optional(),
  set: z.iso.datetime({ offset: true, message: 'must be a time such as 2027-01-01T00:00:00Z' }).optional(),
});

export function clockControl({ world }: { readonly world: World }): Hono {
  const { clock, store } = world;
  const state = () => {
    const next = store.due.first();
    return {
      now: iso(clock.now()),
      frozen: clock.frozen,
      due: { count: store.due.count(), next: next ? { at: iso(next.at), kind: next.kind } : null },
    };
  };

  return new Hono()
    .get('/clock', (context) => context.json(state()))
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
        throw apiError(400, 'INVALID_CLOCK', `${error.message} It is ${iso(before)} now.`);
      }
      if (freeze === true) clock.freeze();
      if (freeze === false) clock.thaw();
      const happened = world.settle();
      return context.json({ ...state(), happened });
    });
}

const iso = (time: number): string => new Date(time).toISOString();

export function faultControl({ faults }: { readonly faults: Faults }): Hono {
  return new Hono()
    .get('/faults', (context) => context.json({ data: faults.list() }))
    .post('/faults', async (context) =>
      context.json({ data: faults.add(await readBody(context.req.raw, faultSchema)) }, 201),
    )
    .delete('/faults', (context) => context.json({ removed: faults.clear() }))
    .delete('/faults/:id', (context) => {
      if (!faults.remove(context.req.param('id')))
        throw apiError(404, 'NOT_FOUND', 'There is no fault with this id. GET /_sandbox/faults lists them.');
      return context.json({ removed: 1 });
    });
}

const choice = z.union([z.strictObject({ profile: z.enum(profiles) }), quotaSchema], {
  error: `must be {"profile": ${profiles.map((name) => `"${name}"`).join(' or ')}}, or numbers such as {"limit": 5, "windowSeconds": 10, "headers": true, "retryAfter": true}`,
});

export function profileControl({ rateLimit }: { readonly rateLimit: RateLimit }): Hono {
  return new Hono()
    .get('/profile', (context) => context.json(rateLimit.state))
    .put('/profile', async (context) => {
      const chosen = await readBody(context.req.raw, choice);
      rateLimit.use('profile' in chosen ? chosen.profile : chosen);
      return context.json(rateLimit.state);
    });
}

export function assumptionControl({ assumptions }: { readonly assumptions: Assumptions }): Hono {
  return new Hono()
    .get('/assumptions', (context) => context.json({ data: assumptions.list() }))
    .put('/assumptions', async (context) => {
      assumptions.set(await readBody(context.req.raw, z.record(z.string(), z.union([z.string(), z.number()]))));
      return context.json({ data: assumptions.list() });
    });
}
