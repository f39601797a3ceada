/**
 * The relay on Cloudflare Workers: the Worker's handler, which passes each request on to the Durable Object of its
 * publication, and the class of those objects.
 *
 * @packageDocumentation
 */
import { refused } from '@newsletter-kit/core/endpoint';
import { Hono } from 'hono';
import type { RelayConfig } from '../config.ts';
import { livez } from '../ops/health.ts';
import { type Operator, relayOperator } from '../ops/operator.ts';
import { operatorApi, refuse, refuseWithoutToken } from '../ops/operator-api.ts';
import { StartupError } from '../startup-error.ts';
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
import { mergedOperator, type PublicationOperator } from './merged-operator.ts';
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
  const { pathname, searchParams } = new URL(request.url);
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

  const [prefix, own] = publicationPath.exec(pathname) ?? [];
  if (prefix !== undefined && own !== undefined && publications.includes(own)) {
    const url = new URL(request.url);
    url.pathname = pathname.slice(prefix.length);
    return pass(own, new Request(url, request));
  }

  const { token } = config.operator;
  if (pathname === '/metrics') {
    const refusal =
      token === undefined
        ? refuse(
            refused(
              404,
              'NOT_FOUND',
              'There is nothing here. Its operator sets RELAY_OPERATOR_TOKEN to see the metrics.',
            ),
          )
        : refuseWithoutToken(request.headers.get('authorization'), token);
    if (refusal) return refusal;
    const chosen = searchParams.get('publication') ?? (publications.length === 1 ? first : '');
    if (publications.includes(chosen)) return pass(chosen);
    return refuse(
      refused(400, 'INVALID_REQUEST', `Name one publication: /metrics?publication=${publications.join(' or ')}.`),
    );
  }
  if (pathname.startsWith('/operator') && token !== undefined && publications.length > 1) {
    const of = (publicationId: string): PublicationOperator => ({
      operator: objectOperator(environment, publicationId, token),
      forms: new Set(
        Object.values(config.forms).flatMap((form) => (form.publicationId === publicationId ? [form.name] : [])),
      ),
    });
    const operator = mergedOperator([of(first), ...publications.slice(1).map(of)]);
    return new Hono().route('/operator', operatorApi({ operator, token, now: Date.now })).fetch(request);
  }
  return pass(first);
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

function objectOperator({ RELAY_OBJECTS: objects }: WorkerEnvironment, publicationId: string, token: string): Operator {
  return relayOperator('http://relay', token, {
    fetch: (input, init) => passOn(objects, publicationId, new Request(input, init)),
  });
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
