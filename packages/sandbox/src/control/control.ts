/** `/_sandbox/…`: what only a sandbox has – reset, the request log, live events, the latest subscriptions. */
import { Hono } from 'hono';
import { errorAnswer, toApiError } from '../api/api.ts';
import { apiError, errorBody } from '../api/errors.ts';
import { SeedError } from '../world/seeds/seed.ts';
import type { Feed } from '../world/feed.ts';
import type { World } from '../world/world.ts';
import type { RateLimit } from '../api/rate-limit.ts';
import { assumptionControl } from './assumptions.ts';
import type { Assumptions } from './assumptions/assumptions.ts';
import { readControlJson } from './body.ts';
import { clockControl } from './clock.ts';
import { connectionControl } from './connection.ts';
import { eventStream, type SandboxEvent } from './events.ts';
import { faultControl } from './faults.ts';
import type { Faults } from './faults/faults.ts';
import { inboxControl } from './inbox.ts';
import { jobControl } from './jobs.ts';
import type { RequestLog } from './log.ts';
import { profileControl } from './profile.ts';
import { snapshotControl } from './snapshots.ts';
import type { Snapshots } from './snapshots/snapshots.ts';
import { subscriptionControl } from './subscriptions.ts';

export interface ControlOptions {
  readonly world: World;
  readonly log: RequestLog;
  readonly events: Feed<SandboxEvent>;
  readonly faults: Faults;
  readonly assumptions: Assumptions;
  readonly rateLimit: RateLimit;
  readonly snapshots: Snapshots;
  /** Plants a seed – by name, as data, or the one the sandbox was started with. */
  readonly reset: (seed?: unknown) => void;
}

export function createControl({ world, log, events, faults, assumptions, rateLimit, snapshots, reset }: ControlOptions): Hono {
  const control = new Hono();

  // Any page in the person's browser can send requests here; only those of this machine are meant to.
  control.use(async (context, next) => {
    const origin = context.req.header('origin');
    if (origin !== undefined && !isLocal(origin) && origin !== new URL(context.req.url).origin) {
      throw apiError(403, 'FOREIGN_ORIGIN', 'The control of the sandbox answers pages of this machine only.');
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
    context.body(null, 204, { 'Access-Control-Allow-Methods': 'GET, POST, PUT, DELETE', 'Access-Control-Allow-Headers': 'Content-Type' }),
  );

  control.post('/reset', async (context) => {
    reset(await readResetSeed(context.req.raw));
    return context.json({ subscriptions: world.store.subscriptions.total() });
  });
  control.get('/requests', (context) => context.json({ data: log.entries(Number(context.req.query('after')) || 0) }));
  control.route('/', subscriptionControl({ world }));
  control.route('/', jobControl({ world }));
  control.route('/', connectionControl({ world }));
  control.route('/', clockControl({ world }));
  control.route('/', faultControl({ faults }));
  control.route('/', assumptionControl({ assumptions }));
  control.route('/', profileControl({ rateLimit }));
  control.route('/', snapshotControl({ snapshots }));
  control.route('/', inboxControl({ world }));
  control.get('/events', () => eventStream(events));

  control.all('*', () =>
    errorAnswer(404, {
      message: 'There is no such control. There are POST /_sandbox/reset, /_sandbox/clock and GET /_sandbox/requests, /_sandbox/subscriptions, /_sandbox/events, /_sandbox/clock.',
      code: 'NOT_FOUND',
    }),
  );
  control.onError((error, context) => {
    const failure = error instanceof SeedError ? apiError(400, 'INVALID_SEED', error.message) : toApiError(error);
    return context.json(errorBody(failure.status, failure.details), failure.status);
  });
  return control;
}

/** The `seed` of the body; a body is not needed. */
async function readResetSeed(request: Request): Promise<unknown> {
  const body = await readControlJson(request);
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw apiError(400, 'VALIDATE_ERROR', 'The body must be a JSON object such as {"seed": "demo"}.');
  }
  return 'seed' in body ? body.seed : undefined;
}

function isLocal(origin: string): boolean {
  return /^https?:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/.test(origin);
}
