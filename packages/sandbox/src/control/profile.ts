/** `/_sandbox/profile`: how requests are limited, switched while the sandbox runs. */
import { Hono } from 'hono';
import * as z from 'zod';
import { profiles, quotaSchema, type RateLimit } from '../api/rate-limit.ts';
import { readBody } from './body.ts';

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
