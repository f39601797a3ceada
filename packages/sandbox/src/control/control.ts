/** `/_sandbox/…`: mounts the control routes, refuses cross-site pages, and answers errors in the API's format. */
import { Hono } from 'hono';
import { errorAnswer, toApiError } from '../api/api.ts';
import { apiError, errorBody } from '../api/errors.ts';
import { SeedError } from '../world/seeds/seed.ts';
import type { Feed } from '../world/event-feed.ts';
import type { World } from '../world/world.ts';
import type { RateLimit } from '../api/rate-limit.ts';
import { isCrossSite } from './access.ts';
import { assumptionControl, clockControl, faultControl, profileControl } from './settings.ts';
import type { Assumptions } from './assumptions.ts';
import { connectionControl, jobControl, resetControl, subscriptionControl } from './state.ts';
import { eventControl, type SandboxEvent } from './events.ts';
import type { Faults } from './faults.ts';
import { inboxControl } from './inbox.ts';
import type { LogEntry, RequestLog } from './log.ts';
import { requestControl } from './requests.ts';
import { snapshotControl, type Snapshots } from './snapshots.ts';

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
  /** Plants a seed – by name, as data, or the one the sandbox was started with. */
  readonly reset: (seed?: unknown) => void;
}

/** The control routes. */
const facilities: readonly ((options: ControlOptions) => Hono)[] = [
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

  // Any page in the person's browser can send requests here, also without a preflight; only those of this machine are
  // meant to.
  control.use(async (context, next) => {
    const origin = context.req.header('origin');
    if (isCrossSite(context.req.raw)) {
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
    context.body(null, 204, {
      'Access-Control-Allow-Methods': 'GET, POST, PUT, DELETE',
      'Access-Control-Allow-Headers': 'Authorization, Content-Type',
    }),
  );

  for (const facility of facilities) control.route('/', facility(options));
  const places = [...new Set(control.routes.flatMap(({ path }) => /^\/[a-z]+/.exec(path) ?? []))].map(
    (place) => `/_sandbox${place}`,
  );
  control.all('*', () =>
    errorAnswer(404, {
      message: `There is no such control. There are ${places.join(', ')}; the README says what each takes.`,
      code: 'NOT_FOUND',
    }),
  );
  control.onError((error, context) => {
    const failure = error instanceof SeedError ? apiError(400, 'INVALID_SEED', error.message) : toApiError(error);
    return context.json(errorBody(failure.status, failure.details), failure.status);
  });
  return control;
}
