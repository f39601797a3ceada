/**
 * `/_sandbox/…`, the control endpoints: mounts those of every feature, refuses requests from pages of other sites, and
 * answers errors in the API's format.
 */
import { Hono } from 'hono';
import { apiError, errorBody, refusal, toApiError } from '../http/errors.ts';
import { SeedError } from '../world/seeds/seed.ts';
import { isCrossSite } from './access.ts';
import type { Feature, WholeSandbox } from './feature.ts';
import type { Features } from './features.ts';

export function createControl(
  features: Pick<Features, 'events'> & Readonly<Record<string, Feature>>,
  sandbox: WholeSandbox,
): Hono {
  const control = new Hono();

  // Any page in the user's browser can send requests here, even without a preflight; only pages of this machine may.
  control.use(async (context, next) => {
    const origin = context.req.header('origin');
    if (isCrossSite(context.req.raw)) {
      throw apiError(403, 'FOREIGN_ORIGIN', 'The control endpoints refuse requests from pages of other sites.');
    }
    await next();
    const { method, path } = context.req;
    if (method !== 'GET' && method !== 'OPTIONS' && context.res.ok) features.events.publish({ type: 'control', path });
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

  for (const feature of Object.values(features)) {
    const routes = feature.routes?.(sandbox);
    if (routes) control.route('/', routes);
  }
  const places = [...new Set(control.routes.flatMap(({ path }) => /^\/[a-z]+/.exec(path) ?? []))].map(
    (place) => `/_sandbox${place}`,
  );
  control.all('*', () =>
    refusal(404, {
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
