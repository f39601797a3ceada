/** `/_sandbox/faults`: what goes wrong on purpose. */
import { Hono } from 'hono';
import { apiError } from '../api/errors.ts';
import { readBody } from './body.ts';
import { faultSchema } from './faults/fault.ts';
import type { Faults } from './faults/faults.ts';

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
