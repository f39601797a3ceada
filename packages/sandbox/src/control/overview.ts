/** What the sandbox holds, of all publications: `/_sandbox/subscriptions`, `/jobs` and `/connection`. */
import { subscriptionStatuses } from '@newsletter-kit/core/contract';
import { bulkUpdateItem } from '@newsletter-kit/core/schema';
import { Hono } from 'hono';
import * as z from 'zod';
import { apiPrefix } from '../api/addresses.ts';
import { type Expansion, expansions, subscriptionRecord } from '../api/subscriptions.ts';
import { apiError } from '../http/errors.ts';
import { readBody } from '../http/read-request.ts';
import { check } from '../http/validation.ts';
import type { Store } from '../store/store.ts';
import { updateItem } from '../world/jobs.ts';
import type { World } from '../world/world.ts';
import type { Feature } from './feature.ts';

/** What a person can change without a client: the fields of a bulk update have the same names. */
const change = z.strictObject({
  unsubscribe: bulkUpdateItem.shape.unsubscribe,
  custom_fields: bulkUpdateItem.shape.custom_fields,
});

export const overviewFeature = (world: World): Feature => ({
  routes: () =>
    new Hono()
      .get('/subscriptions', ({ req, json }) =>
        json(findSubscriptions(world.store, check(searchQuery, req.query()).value)),
      )
      .get('/subscriptions/:id', ({ req, json }) => json({ data: oneSubscription(world.store, req.param('id')) }))
      .put('/subscriptions/:id', async ({ req, json }) => {
        changeSubscription(world, req.param('id'), await readBody(req.raw, change));
        return json({ data: oneSubscription(world.store, req.param('id')) });
      })
      .get('/jobs', ({ json }) => json({ data: latestJobs(world.store) }))
      .get('/connection', ({ req, json }) => json(connection(world.store, new URL(req.url).origin))),
});

/** One page of a search. */
export type FoundSubscriptions = ReturnType<typeof findSubscriptions>;
/** One subscription with everything that is stored about it. */
export type WholeSubscription = ReturnType<typeof oneSubscription>;

const mostShown = 200;
/** Largest number counted, so that a search of a large publication stays fast. */
const mostCounted = 10_000;

const searchQuery = z.strictObject({
  search: z.string().max(300).optional(),
  status: z.enum(subscriptionStatuses).optional(),
  limit: z.coerce.number<string>().int().min(1).max(mostShown).optional(),
  before: z.coerce.number<string>().int().min(1).optional(),
});

function findSubscriptions(store: Store, query: z.output<typeof searchQuery>) {
  const { search: text, status, limit = mostShown, before } = query;
  const search = { status, text };
  const found = store.overview.subscriptions(search, limit + 1, before);
  const rows = found.slice(0, limit);
  // A single page is its own count: a search without matches compares every row, which should happen only once.
  const whole = before === undefined && found.length <= limit;
  const matching = whole ? found.length : store.overview.countSubscriptions(search, mostCounted + 1);
  return {
    data: rows.map((row) => ({
      ...subscriptionRecord(store, row, ['custom_fields']),
      publication_id: row.publication_id,
    })),
    total: store.subscriptions.total(),
    // Number of matches; with `more_match` there are more than were counted.
    matching: Math.min(matching, mostCounted),
    more_match: matching > mostCounted,
    next_before: found.length > limit ? (rows.at(-1)?.seq ?? null) : null,
  };
}

/** Changes a subscription as a bulk update does, but at once. */
function changeSubscription(world: World, id: string, fields: z.output<typeof change>): void {
  const { overview, workspace } = world.store;
  const row = overview.subscription(id);
  const publication = row && workspace.publication(row.publication_id);
  if (!publication) throw noSubscription();
  world.write((emit) => {
    const { problems } = updateItem(world, publication, { ...fields, subscription_id: id }, emit);
    if (problems.length > 0) throw apiError(400, 'VALIDATE_ERROR', problems.join(' '));
  });
}

const noSubscription = () => apiError(404, 'NOT_FOUND', 'There is no subscription with this id.');

const everything = Object.keys(expansions) as Expansion[];

function oneSubscription(store: Store, id: string) {
  const row = store.overview.subscription(id);
  if (!row) throw noSubscription();
  const referrer = row.referred_by === null ? undefined : store.subscriptions.bySeq(row.referred_by);
  const values = new Map(store.customFields.valuesOf(row.seq).map(({ display, value }) => [display, value]));
  return {
    ...subscriptionRecord(store, row, everything),
    // Every field of the publication; null where the subscription has no value.
    custom_fields: store.customFields.ofPublication(row.publication_id).map(({ display, kind }) => ({
      name: display,
      kind,
      value: JSON.parse(values.get(display) ?? 'null') as unknown,
    })),
    publication_id: row.publication_id,
    publication_name: store.workspace.publication(row.publication_id)?.name ?? '',
    payments_customer_id: row.payments_customer_id,
    referred_by: referrer ? { id: referrer.id, email: referrer.email } : null,
    journeys: store.overview.journeysOf(row.seq),
  };
}

const shownJobs = 100;

const latestJobs = ({ overview }: Store) =>
  overview.jobs(shownJobs).map(({ seq: _seq, params: _params, updated: _updated, error_log, ...job }) => ({
    ...job,
    error_log: JSON.parse(error_log) as unknown,
  }));

const connection = ({ overview, workspace }: Store, origin: string) => ({
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
