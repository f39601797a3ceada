/** `/_sandbox/requests`: the request log. */
import { Hono } from 'hono';
import type { RequestLog } from './log.ts';

export function requestControl({ log }: { readonly log: RequestLog }): Hono {
  return new Hono().get('/requests', (context) =>
    context.json({ data: log.entries(Number(context.req.query('after')) || 0) }),
  );
}
