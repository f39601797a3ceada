/**
 * The relay on Cloudflare Workers: the Worker's handler, which answers what needs no state and passes other requests on
 * to the Durable Object of their publication, and the class of those objects.
 *
 * @packageDocumentation
 */
import { refused } from '@newsletter-kit/core/endpoint';
import { type RelayConfig, secretsOf } from '../config/settings.ts';
import { livez } from '../health.ts';
import { noteClosed, refusePrivate } from '../ops/private-access.ts';
import { refuse } from '../pages/page.ts';
import { StartupError } from '../errors.ts';
import {
  callHeader,
  cannotStart,
  configOf,
  ownHeaders,
  publicationHeader,
  publicationPath,
  publicationsOf,
  type RelayObjects,
  type RelayObjectStub,
  visitorHeader,
} from './calls.ts';
import { createFront, type Front, type PlatformRateLimit } from './front.ts';
import { createConsoleLog } from './log.ts';
import { readWorkerConfig, type WorkerVariables } from './worker-config.ts';

export { RelayObject, type RelayObjectState } from './relay-object.ts';
export type { RelayObjects, RelayObjectStub } from './calls.ts';
export type { PlatformRateLimit } from './front.ts';
export type { WorkerVariables } from './worker-config.ts';

/** The bindings of the Worker: the objects, and the settings as variables and secrets. */
export interface WorkerEnvironment extends WorkerVariables {
  readonly RELAY_OBJECTS: RelayObjects;
  /** Cloudflare's rate limiting, for the posts of each visitor. Without it only the relay's own limits apply. */
  readonly RELAY_VISITORS?: PlatformRateLimit;
}

/** A Worker with correct settings. */
interface OpenWorker {
  readonly config: RelayConfig;
  objectOf(this: void, publicationId: string): RelayObjectStub;
  /** By publication, in the order of the forms. */
  readonly fronts: ReadonlyMap<string, Front>;
}

/** A Worker, or why it cannot start. */
type Opened = OpenWorker | { readonly error: string };

/** Opened once for each instance of the Worker. */
const opened = new WeakMap<WorkerEnvironment, Opened>();

function openFor(environment: WorkerEnvironment): Opened {
  const worker = opened.get(environment) ?? open(environment);
  opened.set(environment, worker);
  return worker;
}

function open(environment: WorkerEnvironment): Opened {
  try {
    const config = readWorkerConfig(environment);
    const log = createConsoleLog({ level: config.log.level, secrets: secretsOf(config) });
    noteClosed({ token: config.operator.token }, log);
    const objectOf = objectsOf(environment.RELAY_OBJECTS, config);
    const fronts = publicationsOf(config).map((id): [string, Front] => {
      const pass = (request: Request) => objectOf(id).fetch(request);
      return [id, createFront(configOf(config, id), log, pass, environment.RELAY_VISITORS)];
    });
    return { config, objectOf, fronts: new Map(fronts) };
  } catch (error) {
    if (!(error instanceof StartupError)) throw error;
    createConsoleLog({}).error({ reason: error.message }, 'every signup is answered with 503');
    return { error: error.message };
  }
}

/** The object of a publication, in the configured jurisdiction and region. */
function objectsOf(objects: RelayObjects, { worker }: RelayConfig): OpenWorker['objectOf'] {
  const { jurisdiction, location } = worker;
  const own = jurisdiction === undefined ? objects : objects.jurisdiction(jurisdiction);
  const options = location === undefined ? undefined : { locationHint: location };
  return (publicationId) => own.get(own.idFromName(publicationId), options);
}

/** Answers the requests of visitors and of the operator. */
async function answer(request: Request, environment: WorkerEnvironment): Promise<Response> {
  const { pathname } = new URL(request.url);
  if (pathname === '/livez') return livez();
  const worker = openFor(environment);
  if ('error' in worker) return cannotStart(request, worker.error, environment['RELAY_OPERATOR_TOKEN']);
  const { config, fronts } = worker;
  // Whose mail came back is known to one of them.
  if (pathname === '/readyz' || pathname === '/bounces') {
    const answers = await Promise.all([...fronts.keys()].map((id) => reach(worker, id, request.clone())));
    // One that fails answers for all.
    return answers.reduce((whole, each) => (whole.ok ? each : whole));
  }

  const [first = ''] = fronts.keys();
  const [, name = 'default'] = /^\/signup(?:\/([^/]+))?$/.exec(pathname) ?? [];
  if (pathname.startsWith('/signup')) return reach(worker, config.forms[name]?.publicationId ?? first, request);

  const [prefix = '', named = ''] = publicationPath.exec(pathname) ?? [];
  const isNamed = fronts.has(named);
  const path = isNamed ? pathname.slice(prefix.length) : pathname;
  const refusal = refuseOperator(request, path, config, isNamed || fronts.size === 1);
  if (refusal) return refusal;
  if (!isNamed) return reach(worker, first, request);
  const url = new URL(request.url);
  url.pathname = path;
  return reach(worker, named, new Request(url, request));
}

/**
 * A refusal of a request to the metrics, the page or the API of the operator: for want of the token, or with several
 * publications and none in the path. Null for any other request.
 */
function refuseOperator(
  request: Request,
  path: string,
  { operator }: RelayConfig,
  isOfOnePublication: boolean,
): Response | null {
  const isMetrics = path === '/metrics';
  if (!isMetrics && !/^\/operator(\/|$)/.test(path)) return null;
  // The object asks for the token of the API, and serves the page without it.
  const refusal = isMetrics || operator.token === undefined ? refusePrivate(request, { token: operator.token }) : null;
  if (refusal || isOfOnePublication) return refusal;
  const why = `This relay has several publications: begin the path with that of one, /publications/ID${path}.`;
  return refuse(refused(400, 'INVALID_REQUEST', why));
}

/** Answers a request to a publication, with the visitor's address as Cloudflare names it. */
async function reach({ fronts }: OpenWorker, publicationId: string, request: Request): Promise<Response> {
  const visitor = request.headers.get('cf-connecting-ip');
  const own = new Request(request);
  for (const name of [...ownHeaders, 'x-forwarded-for']) own.headers.delete(name);
  if (visitor !== null) own.headers.set(visitorHeader, visitor);
  own.headers.set(publicationHeader, publicationId);
  const front = fronts.get(publicationId);
  if (!front) throw new Error('A form belongs to no publication.');
  return front(own, visitor);
}

/** The Worker. Its cron trigger wakes every object, so that a lost alarm delays its signups, and loses none. */
export default {
  fetch: answer,
  async scheduled(_event: unknown, environment: WorkerEnvironment): Promise<void> {
    const worker = openFor(environment);
    if ('error' in worker) return;
    await Promise.all(
      [...worker.fronts.keys()].map((id) =>
        worker
          .objectOf(id)
          .fetch(new Request('http://relay/', { headers: { [publicationHeader]: id, [callHeader]: 'wake' } })),
      ),
    );
  },
};
