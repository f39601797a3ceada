/** Assembles the sandbox: the world, its features, the pipeline of requests, and the pages. */
import { Hono } from 'hono';
import { apiPrefix } from './api/addresses.ts';
import { answer as answerApi, settle } from './api/api.ts';
import { refusal } from './http/errors.ts';
import { type Assumptions, createAssumptions } from './control/assumptions.ts';
import { createControl } from './control/control.ts';
import type { SandboxEvent } from './control/events.ts';
import type { Faults } from './control/faults.ts';
import type { WholeSandbox } from './control/feature.ts';
import { createFeatures, type FeatureOptions, type Features, resetFeatures } from './control/features.ts';
import type { RateLimit } from './control/rate-limit.ts';
import type { Exchange, LogEntry, LogFilter } from './control/request-log.ts';
import { assumptionsIn, createShape, readShapes, type AnswerShapes, type Shape } from './control/shapes.ts';
import type { Snapshots } from './control/snapshots.ts';
import type { AssumptionChoice } from './gaps.ts';
import { answerOauth, oauthPrefix, oauthRefusal } from './oauth/oauth.ts';
import { createPages } from './pages.ts';
import { createPipeline, type Service } from './pipeline.ts';
import { temporaryFile } from './store/database.ts';
import type { Clock } from './world/clock.ts';
import { openWorld } from './world/open-world.ts';
import type { Seed } from './world/seeds/seed.ts';
import { findSeed, type SeedName } from './world/seeds/standard.ts';
import type { World } from './world/world.ts';

export interface SandboxOptions extends FeatureOptions {
  /** `:memory:` (default), or a file that keeps everything across restarts. */
  readonly db?: string | undefined;
  /** How the sandbox fills gaps of the specification, where not by default. */
  readonly assumptions?: AssumptionChoice | undefined;
  /**
   * The shapes that a service's answers have, as `newsletter probe --out` writes them: the sandbox answers in these
   * shapes, and under the assumptions that they show, unless others are given. Applied after the assumptions and before
   * the faults. Default: those of the specification.
   */
  readonly shapes?: AnswerShapes | undefined;
  /** Seed of the generator of ids and referral codes. Default 1; the same number gives the same ids. */
  readonly idSeed?: number | undefined;
}

/** Subscriptions above which a database in memory moves unused pages to a temporary file. */
const inMemoryLimit = 100_000;

function locationOf({ db = ':memory:', seedSize = 0 }: SandboxOptions): string {
  return db === ':memory:' && seedSize > inMemoryLimit ? temporaryFile : db;
}

/** A running sandbox, without a port. */
export interface Sandbox {
  /**
   * Answers a request as the API would; can stand in for the global `fetch`. Rejects only where a fault breaks the
   * connection.
   */
  readonly fetch: (input: Request | URL | string, init?: RequestInit) => Promise<Response>;
  /** Replaces all content by a seed, by default the initial one. @throws SeedError where it cannot be loaded */
  readonly reset: (seed?: SeedName | Seed) => void;
  readonly clock: Clock;
  /** Faults injected into requests. */
  readonly faults: Faults;
  /** The interpretation chosen for each gap of the specification. */
  readonly assumptions: Assumptions;
  /** How requests are limited. */
  readonly rateLimit: Pick<RateLimit, 'use' | 'state'>;
  /** Snapshots of all content, which can be restored. */
  readonly snapshots: Snapshots;
  /** Runs every scheduled event that is due. Every request does this first. */
  readonly settle: () => void;
  /** The last thousand requests, oldest first, or those of them that meet the filter. */
  readonly requests: (filter?: LogFilter) => readonly LogEntry[];
  /** One request with its headers, bodies and answer; undefined where the log does not hold its number. */
  readonly exchange: (n: number) => Exchange | undefined;
  /** Calls `listener` with each request and each change from now on; the returned function unsubscribes. */
  readonly subscribe: (listener: (event: SandboxEvent) => void) => () => void;
  /** Whether the database was new and was filled with the seed; false where a file already held something. */
  readonly planted: boolean;
  /** Closes the database. Requests are answered with 503 from then on. */
  readonly close: () => void;
}

/**
 * Starts a sandbox in this process.
 *
 * @throws DatabaseError where the file of `db` can't be used, SeedError where `seed` cannot be loaded, ShapesError for
 *   `shapes` in another format
 * @example
 * ```ts
 * const sandbox = createSandbox();
 * const client = createClient({ baseUrl: 'http://sandbox.test/v2', token: apiKeys.workspace, publicationId, fetch: sandbox.fetch });
 * await client.subscriptions.create({ email: 'ada@example.com' });
 * ```
 */
export function createSandbox(options: SandboxOptions = {}): Sandbox {
  findSeed(options.seed ?? 'empty');
  const { idSeed = 1 } = options;
  const shapes = readShapes(options.shapes ?? { operations: {} });
  const assumptions = createAssumptions({ ...assumptionsIn(shapes), ...options.assumptions });
  const world = openWorld({
    location: locationOf(options),
    now: options.now ?? Date.now,
    idSeed,
    assumed: assumptions.value,
  });
  let features: Features;
  try {
    features = createFeatures(world, assumptions, options);
  } catch (error) {
    world.store.close();
    throw error;
  }
  const app = createApp(world, features, createShape(shapes));
  let open = true;

  return {
    async fetch(input, init) {
      const request = input instanceof Request && init === undefined ? input : new Request(input, init);
      if (!open) return refusal(503, { message: 'The sandbox is closed.', code: 'CLOSED' });
      settle(world);
      return app.fetch(request);
    },
    reset: (seed) => resetFeatures(features, seed),
    clock: world.clock,
    faults: features.faults,
    assumptions,
    rateLimit: features.rateLimit,
    snapshots: features.snapshots,
    settle: () => {
      if (open) world.settle();
    },
    requests: (filter) => features.requestLog.entries(filter),
    exchange: (n) => features.requestLog.exchange(n),
    subscribe: features.events.subscribe,
    planted: features.seeds.planted,
    close() {
      open = false;
      world.store.close();
    },
  };
}

function createApp(world: World, features: Features, shape: Shape): Hono {
  const answer = createPipeline(world.clock, features, shape);
  const api: Service = {
    work: (...request) => answerApi(world, features.rateLimit.count, ...request),
    refuse: refusal,
  };
  const oauth: Service = { work: (...request) => answerOauth(world, ...request), refuse: oauthRefusal };
  const app = new Hono();
  const whole: WholeSandbox = {
    answer: async (request) => app.fetch(request),
    reset: (seed) => resetFeatures(features, seed),
  };
  app.all(`${apiPrefix}/*`, ({ req }) => answer(req.raw, req.path, api));
  app.all(`${oauthPrefix}/*`, ({ req }) => answer(req.raw, req.path, oauth));
  app.route('/_sandbox', createControl(features, whole));
  app.route('/', createPages());
  app.notFound(({ req }) => answer(req.raw, req.path, api));
  app.onError((error) => {
    throw error;
  });
  return app;
}
