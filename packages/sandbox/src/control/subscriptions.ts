/** `/_sandbox/subscriptions`: the subscriptions of all publications. */
import { subscriptionStatuses } from '@newsletter-kit/core/contract';
import { Hono } from 'hono';
import * as z from 'zod';
import { apiError } from '../http/errors.ts';
import { type Expansion, expansions, subscriptionRecord } from '../api/subscriptions.ts';
import { check } from '../http/validation.ts';
import type { World } from '../world/world.ts';
import type { Feature } from './feature.ts';

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

export function subscriptionFeature(world: World): Feature {
  const { store } = world;
  const routes = () =>
    new Hono()
      .get('/subscriptions', (context) => {
        const { search: text, status, limit = mostShown, before } = check(searchQuery, context.req.query()).value;
        const search = { status, text };
        const found = store.overview.subscriptions(search, limit + 1, before);
        const rows = found.slice(0, limit);
        // A single page is its own count: a search without matches compares every row, which should happen only once.
        const whole = before === undefined && found.length <= limit;
        const matching = whole ? found.length : store.overview.countSubscriptions(search, mostCounted + 1);
        return context.json({
          data: rows.map((row) => ({
            ...subscriptionRecord(store, row, ['custom_fields']),
            publication_id: row.publication_id,
          })),
          total: store.subscriptions.total(),
          // Number of matches; with `more_match` there are more than were counted.
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
  return { routes };
}
