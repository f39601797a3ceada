/** Every route of a relay, and its answers for what is no signup. */
import { refusalAnswer, refused, thanksAnswer, unavailable } from '@newsletter-kit/core/endpoint';
import { Hono } from 'hono';
import type { SignupEndpoint } from './admission/endpoint.ts';
import { hostedForm, isHosted } from './admission/hosted-form.ts';
import { headerOf, type Reception, type RequestEnvironment, type SignUp, toResponse } from './admission/reception.ts';
import type { Form } from './config/form.ts';
import { confirmationPages, type ConfirmationPagesOptions } from './confirmation/pages.ts';
import type { RelayContext } from './context.ts';
import { answerWithinMs, within } from './deadline.ts';
import { livez, readiness } from './health.ts';
import type { Metrics } from './ops/metrics.ts';
import { operatorApi } from './ops/operator-api.ts';
import type { Operator } from './ops/operator.ts';

/** What answers behind the routes. */
export interface Answering {
  readonly reception: Reception;
  readonly endpoint: SignupEndpoint;
  readonly metrics: Metrics;
  /** Signs the links in confirmation mails; undefined where no form sends any. */
  readonly linkKey: Buffer | undefined;
  readonly statusOf: ConfirmationPagesOptions['statusOf'];
  readonly operator: Operator;
  /** Without one there is no `/operator`. */
  readonly operatorToken: string | undefined;
}

/** Answer for a person who opens the relay's address in a browser. */
const greeting = `This is a relay of Newsletter Kit. It takes signups from the forms of its websites with POST /signup.
There is nothing to do here; its operator finds everything at /operator.
`;

const notFound = refused(
  404,
  'NOT_FOUND',
  'There is nothing here. Sign up with POST /signup, or /signup/NAME for a form with a name.',
);

/** Beginnings of the paths that need state; {@link createSignupRoutes} has all others. */
export const statefulPaths = ['/readyz', '/metrics', '/confirm', '/operator'] as const;

/** The routes of forms, and every route that needs no state. @param signUp - answers a post to a form */
export function createSignupRoutes(
  forms: RelayContext['config']['forms'],
  reception: Reception,
  signUp: SignUp,
): Hono<RequestEnvironment> {
  const defaultForm = forms['default'] ?? null;
  const app = new Hono<RequestEnvironment>();
  const addRoutes = (path: string, form: Form, thanks: string): void => {
    if (isHosted(form)) app.get(path, ({ req: { raw } }) => hostedForm(form, raw));
    reception.addRoutes(app, path, form, thanks, signUp);
  };
  for (const form of Object.values(forms)) addRoutes(`/signup/${form.name}`, form, '../thanks');
  if (defaultForm) addRoutes('/signup', defaultForm, 'thanks');
  app.get('/', ({ text }) => text(greeting, 200, { 'cache-control': 'no-store' }));
  const sites = new Set(Object.values(forms).flatMap(({ origins }) => [...origins]));
  app.get('/thanks', () => toResponse(thanksAnswer(sites)));
  app.get('/livez', livez);
  app.notFound((request) => reception.refuseRequest(request, defaultForm, notFound));
  app.onError((error, { req: { raw } }) => {
    reception.logFailure(error);
    return toResponse(refusalAnswer(headerOf(raw), defaultForm?.origins ?? null, unavailable()));
  });
  return app;
}

/** Every route of a relay. */
export function createRoutes(
  context: RelayContext,
  { reception, endpoint, metrics, linkKey, statusOf, operator, operatorToken: token }: Answering,
): Hono<RequestEnvironment> {
  const { config, health, stopping, now } = context;
  const app = createSignupRoutes(config.forms, reception, (post, thanks) => endpoint.answer(post, thanks));
  app.get('/readyz', readiness(health, stopping));
  app.get('/metrics', async () => {
    const { text, type } = await metrics.page();
    return new Response(text, { headers: { 'content-type': type, 'cache-control': 'no-store' } });
  });
  if (linkKey) {
    app.use('/confirm/*', (_request, next) => within(answerWithinMs, next()));
    app.route(
      '/confirm',
      confirmationPages(context, { key: linkKey, visitor: (...post) => endpoint.visitor(...post), statusOf }),
    );
  }
  if (token) app.route('/operator', operatorApi(context, { operator, token, now }));
  return app;
}
