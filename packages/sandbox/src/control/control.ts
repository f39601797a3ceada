/**
 * `/_sandbox/…`, the control endpoints: mounts all of them, refuses requests from pages of other sites, and answers
 * errors in the API's format. Contains the routes that only read or change the sandbox's state and settings.
 */
import { Hono } from 'hono';
import { errorAnswer, toApiError, apiPrefix } from '../api/api.ts';
import { apiError, errorBody } from '../api/errors.ts';
import { SeedError } from '../world/seeds/seed.ts';
import type { Feed, World } from '../world/world.ts';
import { type RateLimit, profiles, quotaSchema } from '../api/rate-limit.ts';
import { isCrossSite } from './access.ts';
import type { Assumptions } from './assumptions.ts';
import { eventControl, type SandboxEvent } from './events.ts';
import { type Faults, faultSchema } from './faults.ts';
import { inboxControl } from './inbox.ts';
import { type LogEntry, type RequestLog, requestControl } from './request-log.ts';
import { snapshotControl, type Snapshots } from './snapshots.ts';
import * as z from 'zod';
import { readBody, readControlJson } from '../api/read-request.ts';
import { subscriptionStatuses } from '@newsletter-kit/core/contract';
import { type Expansion, expansions, subscriptionRecord } from '../api/subscriptions.ts';
import { check } from '../api/validation.ts';

export interface ControlOptions {
  readonly world: World;
  readonly log: RequestLog;
  /** Answers a request as number `n` sent again; its entry in the log. */
  readonly repeat: (request: Request, n: number) => Promise<LogEntry | undefined>;
  readonly events: Feed<SandboxEvent>;
  readonly faults: Faults;
  readonly assumptions: Assumptions;
  readonly rateLimit: RateLimit;
  readonly snapshots: Snapshots;
  /** Loads a seed – by name, as data, or the one the sandbox was started with. */
  readonly reset: (seed?: unknown) => void;
}

/** Each endpoint with its routes. */
const endpoints: readonly ((options: ControlOptions) => Hono)[] = [
  resetControl,
  requestControl,
  subscriptionControl,
  jobControl,
  connectionControl,
  clockControl,
  inboxControl,
  faultControl,
  profileControl,
  snapshotControl,
  assumptionControl,
  eventControl,
];

export function createControl(options: ControlOptions): Hono {
  const { events } = options;
  const control = new Hono();

  // Any page in the user's browser can send requests here, even without a preflight; only pages of this machine may.
  control.use(async (context, next) => {
    const origin = context.req.header('origin');
    if (isCrossSite(context.req.raw)) {
      throw apiError(403, 'FOREIGN_ORIGIN', 'The control endpoints refuse requests from pages of other sites.');
    }
    await next();
    const { method, path } = context.req;
    if (method !== 'GET' && method !== 'OPTIONS' && context.res.ok) events.publish({ type: 'control', path });
    if (origin !== undefined) {
      context.header('Access-Control-Allow-Origin', origin);
      context.header('Vary', 'Origin');
    }
  });
  control.options('*', (context) =>
    context.body(null, 204, {
      'Access-Control-Allow-Methods': 'GET, POST, PUT, DELETE',
      'Access-Control-Allow-Headers': 'Authorization, Content-Type',
    }),
  );

  for (const endpoint of endpoints) control.route('/', endpoint(options));
  const places = [...new Set(control.routes.flatMap(({ path }) => /^\/[a-z]+/.exec(path) ?? []))].map(
    (place) => `/_sandbox${place}`,
  );
  control.all('*', () =>
    errorAnswer(404, {
      message: `There is no such control endpoint. The endpoints are ${places.join(', ')}; the page about the control endpoints describes them.`,
      code: 'NOT_FOUND',
    }),
  );
  control.onError((error, context) => {
    const failure = error instanceof SeedError ? apiError(400, 'INVALID_SEED', error.message) : toApiError(error);
    return context.json(errorBody(failure.status, failure.details), failure.status);
  });
  return control;
}

const movement = z.strictObject({
  freeze: z.boolean().optional(),
  advance: z.string().optional(),
  set: z.iso.datetime({ offset: true, message: 'must be a time such as 2027-01-01T00:00:00Z' }).optional(),
});

function clockControl({ world }: { readonly world: World }): Hono {
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
        throw apiError(400, 'INVALID_CLOCK', `${error.message} It is at ${iso(before)}.`);
      }
      if (freeze === true) clock.freeze();
      if (freeze === false) clock.thaw();
      const happened = world.settle();
      return context.json({ ...state(), happened });
    });
}

const iso = (time: number): string => new Date(time).toISOString();

function faultControl({ faults }: { readonly faults: Faults }): Hono {
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
  error: `must be {"profile": ${profiles.map((name) => `"${name}"`).join(' or ')}}, or a quota such as {"limit": 5, "windowSeconds": 10, "headers": true, "retryAfter": true}`,
});

function profileControl({ rateLimit }: { readonly rateLimit: RateLimit }): Hono {
  return new Hono()
    .get('/profile', (context) => context.json(rateLimit.state))
    .put('/profile', async (context) => {
      const chosen = await readBody(context.req.raw, choice);
      rateLimit.use('profile' in chosen ? chosen.profile : chosen);
      return context.json(rateLimit.state);
    });
}

function assumptionControl({ assumptions }: { readonly assumptions: Assumptions }): Hono {
  return new Hono()
    .get('/assumptions', (context) => context.json({ data: assumptions.list() }))
    .put('/assumptions', async (context) => {
      assumptions.set(await readBody(context.req.raw, z.record(z.string(), z.union([z.string(), z.number()]))));
      return context.json({ data: assumptions.list() });
    });
}

interface ResetOptions {
  readonly world: World;
  /** Loads a seed – by name, as data, or the one the sandbox was started with. */
  readonly reset: (seed?: unknown) => void;
}

function resetControl({ world, reset }: ResetOptions): Hono {
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

function connectionControl({ world }: { readonly world: World }): Hono {
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

function jobControl({ world }: { readonly world: World }): Hono {
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

function subscriptionControl({ world }: { readonly world: World }): Hono {
  const { store } = world;
  return new Hono()
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
}
