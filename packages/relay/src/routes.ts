/** Every route of a relay, and its answers for what is no signup. */
import { type Page, refused, unavailable, wantsPage } from '@newsletter-kit/core/endpoint';
import { Hono } from 'hono';
import { headerOf, type Reception, refusalOf, type SignUp } from './admission/reception.ts';
import { type Form, mailsOfForm } from './config/form.ts';
import { bounceRoutes } from './confirmation/bounces.ts';
import { confirmationPages, type ConfirmationPagesOptions } from './confirmation/pages.ts';
import type { RelayContext, RequestEnvironment } from './context.ts';
import { answerWithinMs, within } from './deadline.ts';
import { StoreUnavailableError } from './errors.ts';
import { livez, readyz } from './health.ts';
import type { Metrics } from './ops/metrics.ts';
import { operatorApi, type OperatorApiOptions } from './ops/operator-api.ts';
import { isOpen, refusePrivate } from './ops/private-access.ts';
import { contents } from './pages/contents.ts';
import { formPage } from './admission/form-page.ts';
import { pageOf, refuse, siteOf, unstored } from './pages/page.ts';
import { wordsIn } from './pages/words.ts';

/** Answer for whoever opens the relay's address. */
const greeting = (hasOperator: boolean): string =>
  `This is a relay of Newsletter Kit. It takes signups from the forms of its websites with POST /signup.
There is nothing to do here${hasOperator ? '; its operator finds everything at /operator' : ''}.\n`;

const notFound = refused(
  404,
  'NOT_FOUND',
  'There is nothing here. Sign up with POST /signup, or /signup/NAME for a form with a name.',
);

const notAllowed = refused(405, 'METHOD_NOT_ALLOWED', 'Sign up with POST.');

/** Answer where a page loads a script that is none: browsers block any other type without an entry in their console. */
const scriptNotFound = (): Response =>
  new Response('// There is no such script here: that of the form is /signup-form.js.\n', {
    status: 404,
    headers: { ...unstored, 'content-type': 'text/javascript; charset=utf-8', 'access-control-allow-origin': '*' },
  });

/** Beginnings of the paths that need state; {@link createSignupRoutes} has all others. */
export const statefulPaths = ['/readyz', '/metrics', '/confirm', '/bounces', '/operator'] as const;

/**
 * The routes of forms, and every route that needs no state.
 *
 * @param signUp - answers a post to a form
 * @param hasOperator - whether the operator's page is below the same address
 */
export function createSignupRoutes(
  forms: RelayContext['config']['forms'],
  reception: Reception,
  signUp: SignUp,
  hasOperator: boolean,
): Hono<RequestEnvironment> {
  const defaultForm = forms['default'] ?? null;
  const app = new Hono<RequestEnvironment>();
  const formAt = new Map<string, Form>();
  /** @param thanks - relative to `path`: a proxy may serve the relay under a path of its own */
  const addForm = (path: string, form: Form, thanks: string): void => {
    formAt.set(path, form);
    if (form.page !== null) app.get(path, ({ req: { raw } }) => shown(formPage(form, raw)));
    app.post(path, ({ req: { raw }, env: { peer } }) =>
      reception.receive(raw, peer, form, (post) => signUp(post, thanks, raw)),
    );
    app.options(path, ({ req: { raw } }) => reception.answerPreflight(raw, form));
  };
  for (const form of Object.values(forms)) {
    addForm(`/signup/${form.name}`, form, `../thanks/${form.name}`);
    app.get(`/thanks/${form.name}`, () => shown(thanksPage(form)));
  }
  if (defaultForm) addForm('/signup', defaultForm, 'thanks');
  app.get('/thanks', () => shown(thanksPage(defaultForm)));
  app.get('/', ({ req: { raw }, text, redirect }) => {
    if (!wantsPage(headerOf(raw))) return text(greeting(hasOperator), 200, { 'cache-control': 'no-store' });
    if (defaultForm?.page) return redirect('signup');
    const site = siteOf(defaultForm);
    const html = hasOperator ? `<p><a href="operator">${wordsIn(site.lang).operatorPage}</a></p>` : undefined;
    return shown(pageOf(site, contents.notFound, { html }));
  });
  app.get('/livez', livez);
  app.notFound(({ req: { raw, method, path } }) => {
    const form = formAt.get(path);
    if (form) return reception.refuseRequest(raw, form, notAllowed);
    const isScript = method !== 'POST' && path.endsWith('.js');
    return isScript ? scriptNotFound() : reception.refuseRequest(raw, defaultForm, notFound);
  });
  app.onError((error, { req: { raw } }) => {
    reception.logFailure(error);
    return refusalOf(headerOf(raw), defaultForm, unavailable());
  });
  return app;
}

/** Says to look for a mail only where one goes out. */
const thanksPage = (form: Form | null): Page =>
  pageOf(siteOf(form), form && mailsOfForm(form) ? contents.checkInbox : contents.thanks);

const shown = ({ headers, html }: Page): Response => new Response(html, { headers: { ...headers, ...unstored } });

/** What {@link addStatefulRoutes} adds. */
export interface StatefulRoutes {
  /** Undefined where they have an address of their own. */
  readonly privateRoutes: Hono | undefined;
  /** For the links in confirmation mails; null where no form sends any. */
  readonly links: ConfirmationPagesOptions | null;
  /** The files of the form; undefined where the platform serves them. */
  readonly tagFiles: Hono | undefined;
}

/** Adds every other route of a relay. */
export function addStatefulRoutes(
  app: Hono<RequestEnvironment>,
  context: RelayContext,
  { privateRoutes, links, tagFiles }: StatefulRoutes,
): void {
  const { bounceSecrets } = context.config.mail;
  if (privateRoutes) app.route('/', privateRoutes);
  else app.get('/readyz', () => readyz(context, false));
  if (tagFiles) app.route('/', tagFiles);
  if (links) {
    app.use('/confirm/*', (_request, next) => within(answerWithinMs, next()));
    app.route('/confirm', confirmationPages(context, links));
  }
  if (bounceSecrets) app.route('/bounces', bounceRoutes(context, bounceSecrets));
}

/** The routes of the operator: readiness with its details, metrics, page and API. */
export function createPrivateRoutes(
  context: RelayContext,
  reception: Reception,
  metrics: Metrics,
  { operator, access }: Pick<OperatorApiOptions, 'operator' | 'access'>,
): Hono {
  const app = new Hono();
  app.get('/livez', livez);
  app.get('/readyz', ({ req: { raw } }) => readyz(context, refusePrivate(raw, access) === null));
  app.get('/metrics', async ({ req: { raw } }) => {
    const refusal = refusePrivate(raw, access);
    if (refusal) return refusal;
    const { text, type } = await metrics.page();
    return new Response(text, { headers: { 'content-type': type, 'cache-control': 'no-store' } });
  });
  if (isOpen(access)) app.route('/operator', operatorApi(context, { operator, access, now: context.now }));
  app.notFound(() => refuse(notFound));
  app.onError((error) => {
    reception.logFailure(error);
    const why =
      error instanceof StoreUnavailableError ? error.message : 'This has failed: the log of the relay says why.';
    return refuse(refused(503, 'UNAVAILABLE', why));
  });
  return app;
}
