/** `/_sandbox/assumptions`: how the sandbox fills the gaps of the specification. */
import { Hono } from 'hono';
import * as z from 'zod';
import type { Assumptions } from './assumptions/assumptions.ts';
import { readBody } from './body.ts';

export function assumptionControl({ assumptions }: { readonly assumptions: Assumptions }): Hono {
  return new Hono()
    .get('/assumptions', (context) => context.json({ data: assumptions.list() }))
    .put('/assumptions', async (context) => {
      assumptions.set(await readBody(context.req.raw, z.record(z.string(), z.union([z.string(), z.number()]))));
      return context.json({ data: assumptions.list() });
    });
}
