/** Assembles the sandbox: the world, the API, OAuth, the control routes and the pages. */
import { createRequire } from 'node:module';
import { Hono } from 'hono';
import { answer, apiPrefix, errorAnswer, settle } from './api/api.ts';
import { refusal } from './api/errors.ts';
import { createRateLimit, type Profile, type QuotaRequest, type RateLimit } from './api/rate-limit.ts';
import { subscriptionRecord } from './api/subscriptions.ts';
import { type Assumptions, createAssumptions, type AssumptionChoice } from './control/assumptions.ts';
import { createControl } from './control/control.ts';
import type { SandboxEvent } from './control/events.ts';
import { ConnectionLost, createFaults, type Faults } from './control/faults.ts';
import { messageSummary } from './control/inbox.ts';
import { createRequestLog, type Exchange, type LogEntry, type LogFilter } from './control/request-log.ts';
import { createShaping, type AnswerShapes } from './control/shapes.ts';
import { createSnapshots, type Snapshots } from './control/snapshots.ts';
import { createTracing } from './control/tracing.ts';
import { answerOauth, oauthPrefix, oauthRefusal } from './oauth/oauth.ts';
import { createRecorder, type Recorder, faultsOf, type Recording, settingsOf } from './recording/recording.ts';
import { temporaryFile } from './store/database.ts';
import { createPages } from './pages.ts';
import type { Clock } from './world/clock.ts';
import { createFeed, type WorldEvent } from './world/world.ts';
import { loadSeed } from './world/seeds/load-seed.ts';
import type { Seed } from './world/seeds/seed.ts';
import { findSeed, isSeedName, type SeedName } from './world/seeds/standard.ts';
import { openWorld } from './world/open-world.ts';

export interface SandboxOptions {
  /** `:memory:` (default), or a file that keeps everything across restarts. */
  readonly db?: string | undefined;
  /** The initial content of a new database, and of a reset. Default `empty`. */
  readonly seed?: SeedName | Seed | undefined;
  /** Fills the seed's first publication up to so many subscriptions. Default: as many as the seed has. */
  readonly seedSize?: number | undefined;
  /** Called repeatedly while a large publication is filled. */
  readonly onPlanting?: ((planted: number, size: number) => void) | undefined;
  /** How requests are limited. Default `spec`. */
  readonly profile?: Profile | QuotaRequest | undefined;
  /** How the sandbox fills gaps of the specification, where not by default. */
  readonly assumptions?: AssumptionChoice | undefined;
  /**
   * The shapes that a service's answers have, as `newsletter probe --out` writes them: the sandbox answers in these
   * shapes. Applied after the assumptions and before the faults. Default: those of the specification.
   */
  readonly shapes?: AnswerShapes | undefined;
  /**
   * Returns the real time in milliseconds. Default `Date.now`; with a constant function only `advance` moves the
   * clock.
   */
  readonly now?: (() => number) | undefined;
  /** Seed of the generator of ids and referral codes. Default 1; the same number gives the same ids. */
  readonly idSeed?: number | undefined;
}

const { version: sandboxVersion } = createRequire(import.meta.url)('../package.json') as { readonly version: string };

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
  /**
   * Records every request from now on with its answer, and the state they begin with; the answer gives what was
   * recorded so far. What is set in process (`faults.add`, `reset`) is not recorded: set it before, or by `/_sandbox`.
   */
  readonly record: () => () => Recording;
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
  const seed = options.seed ?? 'empty';
  findSeed(seed);
  const growth = options.seedSize === undefined ? undefined : { size: options.seedSize, progress: options.onPlanting };
  const assumptions = createAssumptions(options.assumptions);
  const shaping = createShaping(options.shapes);
  const world = openWorld({
    location: locationOf(options),
    now: options.now ?? Date.now,
    idSeed: options.idSeed ?? 1,
    assumed: assumptions.value,
  });
  const rateLimit = createRateLimit(options.profile ?? 'spec', world.clock);
  const log = createRequestLog();
  const events = createFeed<SandboxEvent>();
  const faults = createFaults();
  const snapshots = createSnapshots(world);
  const initial = settingsOf(assumptions.list(), rateLimit.state);
  let open = true;
  let recorder: Recorder | undefined;
  /** Whether nothing has changed since the seed was loaded. */
  let pristine = false;
  /** Real time when the seed was loaded. */
  let seedLoadedAt = 0;
  const source = options.now ?? Date.now;
  /** The clock is held at one time, so that the same seed at the same time makes the same content. */
  const loadInitialSeed = (next: SeedName | Seed | undefined, size: typeof growth): void => {
    seedLoadedAt = Math.trunc(source());
    world.clock.during(seedLoadedAt, () => loadSeed(world, findSeed(next ?? seed), size));
  };

  const describe = (event: WorldEvent): SandboxEvent | undefined => {
    if (event.type === 'reset') return event;
    if (event.type === 'message') {
      const message = world.store.inbox.bySeq(event.seq);
      return message && { type: 'message', message: messageSummary(message) };
    }
    const row = world.store.subscriptions.bySeq(event.seq);
    const { type, change } = event;
    return (
      row && {
        type,
        change,
        publication_id: row.publication_id,
        subscription: subscriptionRecord(world.store, row, ['custom_fields']),
      }
    );
  };
  world.feed.subscribe((event) => {
    const described = events.listening ? describe(event) : undefined;
    if (described) events.publish(described);
  });

  const reset = (next?: unknown): void => {
    try {
      loadInitialSeed(next as SeedName | Seed | undefined, next === undefined ? growth : undefined);
    } finally {
      world.clock.load();
    }
    log.clear();
    faults.clear();
    assumptions.reset();
    rateLimit.reset();
    pristine = next === undefined && isSeedName(seed) && growth === undefined;
  };

  const tracing = createTracing({ clock: world.clock, log, events, faults, assumptions, rateLimit, shaping });
  const traced = (request: Request, path: string): Promise<Response> =>
    tracing.answer(
      request,
      path,
      (request, at, search, trace) => answer(world, rateLimit, request, at, search, trace),
      refusal,
    );

  const app = new Hono();
  app.all(`${apiPrefix}/*`, (context) => traced(context.req.raw, context.req.path));
  app.all(`${oauthPrefix}/*`, (context) =>
    tracing.answer(context.req.raw, context.req.path, (...request) => answerOauth(world, ...request), oauthRefusal),
  );
  app.onError((error) => {
    throw error;
  });
  const repeat = async (request: Request, n: number): Promise<LogEntry | undefined> => {
    const entry = tracing.repeating(request, n);
    try {
      await app.fetch(request);
    } catch (error) {
      if (!(error instanceof ConnectionLost)) throw error;
    }
    return entry();
  };
  app.route(
    '/_sandbox',
    createControl({ world, log, repeat, events, faults, assumptions, rateLimit, snapshots, reset }),
  );
  app.route('/', createPages(apiPrefix));
  app.notFound((context) => traced(context.req.raw, context.req.path));

  const exportNow = (): readonly string[] => {
    const { id } = snapshots.take();
    const lines = [...snapshots.export(id)];
    snapshots.remove(id);
    return lines;
  };

  let planted = false;
  try {
    planted = world.store.workspace.publications().length === 0;
    if (planted) loadInitialSeed(seed, growth);
    pristine = planted && isSeedName(seed) && growth === undefined;
  } catch (error) {
    world.store.close();
    throw error;
  }

  return {
    async fetch(input, init) {
      const request = input instanceof Request && init === undefined ? input : new Request(input, init);
      if (!open) return errorAnswer(503, { message: 'The sandbox is closed.', code: 'CLOSED' });
      settle(world);
      if (!['GET', 'HEAD'].includes(request.method)) pristine = false;
      const answered = async (): Promise<Response> => app.fetch(request);
      return recorder ? recorder.pass(request, answered) : answered();
    },
    reset,
    clock: world.clock,
    faults,
    assumptions,
    rateLimit,
    snapshots: {
      ...snapshots,
      restore(id) {
        pristine = false;
        return snapshots.restore(id);
      },
    },
    settle: () => {
      if (open) world.settle();
    },
    requests: (filter) => log.entries(filter),
    exchange: (n) => log.exchange(n),
    record() {
      const fresh = recorder === undefined && pristine;
      recorder = createRecorder({
        version: sandboxVersion,
        now: world.clock.now,
        seedLoadedAt: () => seedLoadedAt,
        snapshot: fresh ? null : exportNow(),
        state: {
          seed: isSeedName(seed) ? seed : null,
          idSeed: options.idSeed ?? 1,
          time: new Date(fresh ? seedLoadedAt : world.clock.now()).toISOString(),
          ...settingsOf(assumptions.list(), rateLimit.state),
          initial,
          ...(options.shapes && { shapes: options.shapes }),
          faults: faultsOf(faults.list()),
        },
      });
      return recorder.recording;
    },
    subscribe: events.subscribe,
    planted,
    close() {
      open = false;
      world.store.close();
    },
  };
}
