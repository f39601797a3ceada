/** What the sandbox holds: `/_sandbox/reset`, `/connection`, `/jobs` and `/subscriptions`. */
import { Hono } from 'hono';
import { subscriptionStatuses } from '@newsletter-kit/core/contract';
import * as z from 'zod';
import { apiError } from '../api/errors.ts';
import type { World } from '../world/world.ts';
import { readControlJson } from './read-body.ts';
import { apiPrefix } from '../api/api.ts';
import { type Expansion, expansions, subscriptionRecord } from '../api/records.ts';
import { check } from '../api/validation.ts';

export interface ResetOptions {
  readonly world: World;
  /** Plants a seed – by name, as data, or the one the sandbox was started with. */
  readonly reset: (seed?: unknown) => void;
}

export function resetControl({ world, reset }: ResetOptions): Hono {
  return new Hono().post('/reset', async (context) => {
    reset(await readResetSeed(context.req.raw));
    return context.json({ subscriptions: world.store.subscriptions.total() });
  });
}

/** The `seed` of the body; a body is not needed. */
async function readResetSeed(request: Request): Promise<unknown> {
  const body = await readControlJson(request);
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw apiError(400, 'VALIDATE_ERROR', 'The body must be a JSON object such as {"seed": "demo"}.');
  }
  return 'seed' in body ? body.seed : undefined;
}

export function connectionControl({ world }: { readonly world: World }): Hono {
  const { overview, workspace } = world.store;
  return new Hono().get('/connection', (context) => {
    const { origin } = new URL(context.req.url);
    return context.json({
      base_url: origin + apiPrefix,
      app_url: origin,
      publications: workspace.publications().map(({ id, name }) => ({ id, name })),
      keys: overview.keys().map(({ key, publications }) => ({
        key,
        publications: publications === null ? null : (JSON.parse(publications) as unknown),
      })),
      oauth_clients: overview.clients().map(({ uid, name, secret, redirect_uris }) => ({
        uid,
        name,
        secret,
        redirect_uris: JSON.parse(redirect_uris) as unknown,
      })),
    });
  });
}

const shownJobs = 100;

export function jobControl({ world }: { readonly world: World }): Hono {
  return new Hono().get('/jobs', (context) =>
    context.json({
      data: world.store.overview
        .jobs(shownJobs)
        .map((job) => ({ ...job, error_log: JSON.parse(job.error_log) as unknown })),
    }),
  );
}

const mostShown = 200;
/** Largest number counted, so that a search of a large publication stays fast. */
const mostCounted = 10_000;

const searchQuery = z.strictObject({
  search: z.string().max(300).optional(),
  status: z.enum(subscriptionStatuses).optional(),
  limit: z.coerce.number<string>().int().min(1).max(mostShown).optional(),
  before: z.coerce.number<string>().int().min(1).optional(),
});

const everything = Object.keys(expansions) as Expansion[];

export function subscriptionControl({ world }: { readonly world: World }): Hono {
  const { store } = world;
  return new Hono()
    .get('/subscriptions', (context) => {
      const { search: text, status, limit = mostShown, before } = check(searchQuery, context.req.query()).value;
      const search = { status, text };
      const found = store.overview.subscriptions(search, limit + 1, before);
      const rows = found.slice(0, limit);
      // The only page is its own count. A text without matches is compared with every row, and one pass is enough.
      const whole = before === undefined && found.length <= limit;
      const matching = whole ? found.length : store.overview.countSubscriptions(search, mostCounted + 1);
      return context.json({
        data: rows.map((row) => ({
          ...subscriptionRecord(store, row, ['custom_fields']),
          publication_id: row.publication_id,
        })),
        total: store.subscriptions.total(),
        // How many the search finds; with `more_match` there are more than were counted.
        matching: Math.min(matching, mostCounted),
        more_match: matching > mostCounted,
        next_before: found.length > limit ? (rows.at(-1)?.seq ?? null) : null,
      });
    })
    .get('/subscriptions/:id', (context) => {
      const row = store.overview.subscription(context.req.param('id'));
      if (!row) throw apiError(404, 'NOT_FOUND', 'There is no subscription with this id.');
      const referrer = row.referred_by === null ? undefined : store.subscriptions.bySeq(row.referred_by);
      return context.json({
        data: {
          ...subscriptionRecord(store, row, everything),
          publication_id: row.publication_id,
          publication_name: store.workspace.publication(row.publication_id)?.name ?? '',
          payments_customer_id: row.payments_customer_id,
          referred_by: referrer ? { id: referrer.id, email: referrer.email } : null,
          journeys: store.overview.journeysOf(row.seq),
        },
      });
    });
}
