/**
 * The relay on Cloudflare Workers: the Worker's handler, which passes each request on to the Durable Object of its
 * publication, and the class of those objects.
 *
 * @packageDocumentation
 */
import { refused } from '@newsletter-kit/core/endpoint';
import type { RelayConfig } from '../config/settings.ts';
import { livez } from '../health.ts';
import { refuse, refuseWithoutToken } from '../ops/operator-api.ts';
import { StartupError } from '../errors.ts';
import {
  callHeader,
  cannotStart,
  publicationHeader,
  publicationPath,
  publicationsOf,
  type RelayObjects,
  type RelayObjectStub,
  visitorHeader,
} from './calls.ts';
import { createConsoleLog } from './log.ts';
import { readWorkerConfig, type WorkerVariables } from './worker-config.ts';

export { RelayObject, type RelayObjectState } from './relay-object.ts';
export type { RelayObjects, RelayObjectStub } from './calls.ts';
export type { WorkerVariables } from './worker-config.ts';

/** The bindings of the Worker: the objects, and the settings as variables and secrets. */
export interface WorkerEnvironment extends WorkerVariables {
  readonly RELAY_OBJECTS: RelayObjects;
}

/** The configuration of a Worker, or why there is none. */
type ReadConfig = { readonly config: RelayConfig } | { readonly error: string };

/** Read once for each instance of the Worker. */
const configs = new WeakMap<WorkerEnvironment, ReadConfig>();

function configOf(environment: WorkerEnvironment): ReadConfig {
  const known = configs.get(environment);
  if (known) return known;
  const result = readConfig(environment);
  configs.set(environment, result);
  return result;
}

function readConfig(environment: WorkerEnvironment): ReadConfig {
  try {
    return { config: readWorkerConfig(environment) };
  } catch (error) {
    if (!(error instanceof StartupError)) throw error;
    createConsoleLog({}).error({ reason: error.message }, 'every signup is answered with 503');
    return { error: error.message };
  }
}

/** Answers the requests of visitors and of the operator. */
async function answer(request: Request, environment: WorkerEnvironment): Promise<Response> {
  const { pathname } = new URL(request.url);
  if (pathname === '/livez') return livez();
  const read = configOf(environment);
  if ('error' in read) return cannotStart(request, read.error);
  const { config } = read;
  const pass = (publicationId: string, forwarded = request): Promise<Response> =>
    passOn(environment.RELAY_OBJECTS, publicationId, forwarded);
  const publications = publicationsOf(config);
  const [first = ''] = publications;
  if (pathname === '/readyz') {
    const [one, ...others] = await Promise.all([pass(first), ...publications.slice(1).map((id) => pass(id))]);
    return [one, ...others].find(({ ok }) => !ok) ?? one;
  }

  const [, name = 'default'] = /^\/signup(?:\/([^/]+))?$/.exec(pathname) ?? [];
  if (pathname.startsWith('/signup')) return pass(config.forms[name]?.publicationId ?? first);

  const [prefix = '', named = ''] = publicationPath.exec(pathname) ?? [];
  const isNamed = publications.includes(named);
  const path = isNamed ? pathname.slice(prefix.length) : pathname;
  const refusal = refuseOperator(request, path, config, isNamed || publications.length === 1);
  if (refusal) return refusal;
  if (!isNamed) return pass(first);
  const url = new URL(request.url);
  url.pathname = path;
  return pass(named, new Request(url, request));
}

/**
 * A refusal of a request to the metrics, the page or the API of the operator: without the token that the metrics need
 * here, or with several publications and none in the path. Null for any other request.
 */
function refuseOperator(
  request: Request,
  path: string,
  { operator: { token } }: RelayConfig,
  isOfOnePublication: boolean,
): Response | null {
  const isMetrics = path === '/metrics';
  if (!isMetrics && !/^\/operator(\/|$)/.test(path)) return null;
  if (token === undefined)
    return refuse(
      refused(404, 'NOT_FOUND', 'There is nothing here. Its operator sets RELAY_OPERATOR_TOKEN to see the metrics.'),
    );
  const refusal = isMetrics ? refuseWithoutToken(request.headers.get('authorization'), token) : null;
  if (refusal || isOfOnePublication) return refusal;
  return refuse(
    refused(
      400,
      'INVALID_REQUEST',
      `This relay has several publications: begin the path with that of one, /publications/ID${path}.`,
    ),
  );
}

function objectOf(objects: RelayObjects, publicationId: string): RelayObjectStub {
  return objects.get(objects.idFromName(publicationId));
}

/** Passes a request on to the object of a publication, with the visitor's address as Cloudflare names it. */
function passOn(objects: RelayObjects, publicationId: string, request: Request): Promise<Response> {
  const visitor = request.headers.get('cf-connecting-ip');
  const passed = new Request(request);
  for (const name of [callHeader, visitorHeader, 'x-forwarded-for']) passed.headers.delete(name);
  if (visitor !== null) passed.headers.set(visitorHeader, visitor);
  passed.headers.set(publicationHeader, publicationId);
  return objectOf(objects, publicationId).fetch(passed);
}

/** The Worker. Its cron trigger wakes every object, so that a lost alarm delays its signups, and loses none. */
export default {
  fetch: answer,
  async scheduled(_event: unknown, environment: WorkerEnvironment): Promise<void> {
    const read = configOf(environment);
    if ('error' in read) return;
    const objects = environment.RELAY_OBJECTS;
    await Promise.all(
      publicationsOf(read.config).map((id) =>
        objectOf(objects, id).fetch(
          new Request('http://relay/', { headers: { [publicationHeader]: id, [callHeader]: 'wake' } }),
        ),
      ),
    );
  },
};
