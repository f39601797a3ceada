/** The relay: admit, keep, answer; deliver in its own time. Fetch in, answer out; no port is opened here. */
import { randomBytes } from 'node:crypto';
import { createClient, type Client } from '@newsletter-kit/core';
import {
  acceptedAnswer,
  preflightAnswer,
  refusalAnswer,
  refused,
  thanksAnswer,
  unavailable,
  type Answer,
  type Entered,
  type ReadHeader,
  type Refused,
} from '@newsletter-kit/core/endpoint';
import { Hono, type Context } from 'hono';
import { AbuseProtection } from './admission/abuse-protection.ts';
import { admit, checkOrigin, type Check } from './admission/admit.ts';
import { addressList, clientAddress, isUnnamedProxy } from './admission/client-address.ts';
import { visitorOf } from './admission/consent.ts';
import type { Form } from './admission/form.ts';
import { purposeKey } from './admission/keys.ts';
import type { MailResolver } from './admission/mail-domain.ts';
import { inPostgres, type MakeLimiter } from './admission/rate-limiters.ts';
import type { LimitKind } from './admission/rate-limits.ts';
import { headerOf, signupPost, toResponse, type SignupPost } from './admission/signup-post.ts';
import { secretsOf, type RelayConfig } from './config.ts';
import { ConfirmationMailer, type ConfirmationMailerOptions } from './confirmation/mailer.ts';
import { confirmationPages } from './confirmation/pages.ts';
import { Dispatcher, type DispatcherOptions } from './delivery/dispatcher.ts';
import { checkService, type CheckResult } from './ops/check.ts';
import { diskOf, livez, readiness, StoreHealth } from './ops/health.ts';
import { noticeAll, noticing, type Notice } from './ops/events.ts';
import type { Log } from './ops/log.ts';
import { createMetrics } from './ops/metrics.ts';
import { storeOperator, type Running, createRates } from './ops/operator.ts';
import { operatorDoor } from './ops/operator-api.ts';
import { noTracing, type Span, type Tracing } from './ops/tracing.ts';
import { StartupError } from './startup-error.ts';
import { StoreUnavailableError, type SignupStore } from './store/signup-store.ts';

/** Options of {@link createRelay}. */
export interface RelayOptions {
  readonly config: Pick<
    RelayConfig,
    'api' | 'store' | 'operator' | 'secret' | 'forms' | 'defence' | 'delivery' | 'mail' | 'trustedProxies'
  >;
  /** An open store; the relay does not close it. */
  readonly store: SignupStore;
  readonly log: Log;
  /** Gives the client to deliver with, for an API key. Default: one made from the configuration. */
  readonly clientOf?: ((apiKey: string) => Client) | undefined;
  /**
   * Signs form tokens, challenges and links in mails. Default: the configured one, or one made anew, so that a token
   * lasts no longer than this process; forms with a confirmation need one that lasts.
   */
  readonly secret?: string | undefined;
  /** Where signups are counted for their limits. Default: in the store where relays share one, else in this process. */
  readonly limiter?: MakeLimiter | undefined;
  /** Who is asked whether a domain takes mail. Default: the system's name servers. */
  readonly mail?: MailResolver | undefined;
  /** Further checks, run after the relay's own and before a body is read. */
  readonly checks?: readonly Check[] | undefined;
  readonly delivery?: Partial<Pick<DispatcherOptions, 'concurrency' | 'patience' | 'random' | 'bulk'>> | undefined;
  readonly confirmation?: Pick<ConfirmationMailerOptions, 'patience' | 'random'> | undefined;
  /** Told what happens, besides the relay's own metrics. */
  readonly notice?: Notice | undefined;
  /** Records traces. Default: none are. */
  readonly tracing?: Tracing | undefined;
  /** Opens the operator's page and its API at `/operator`, for whoever sends this token. Default: there is none. */
  readonly operatorToken?: string | undefined;
  readonly now?: (() => number) | undefined;
}

/** A running relay. */
export interface Relay {
  /**
   * Answers one request.
   * @param peer - address of the connection it came over; without it no limit by address of the visitor holds
   */
  fetch(this: void, request: Request, peer?: string | null): Promise<Response>;
  /** Starts to deliver what is waiting. */
  start(): void;
  /**
   * Asks the API whether it accepts the key and publication of each form. What it refuses is reported as a failed
   * delivery would be, before the first signup meets it.
   */
  check(): Promise<readonly CheckResult[]>;
  /** Refuses new signups with 503, and ends deliveries within `graceMs` (default 10,000). */
  stop(graceMs?: number): Promise<void>;
}

/** What a request comes with: the address of its connection. */
interface Environment {
  readonly Bindings: { peer: string | null };
}

/** A request that may be refused: it need not be a post to a form. */
type Refusable = Pick<SignupPost, 'header'> & { readonly form: Form | null };

/** What a person sees who opens the relay's address in a browser. */
const greeting = `This is a relay of Newsletter Kit. It takes signups from the forms of its websites with POST /signup.
There is nothing to do here; its operator finds everything at /operator.
`;

/** Refused origins that are logged, once each. */
const mostLoggedOrigins = 20;

/**
 * Makes a relay of its parts.
 *
 * @throws StartupError where a form asks for confirmation, and something it needs for that is missing
 */
export function createRelay(options: RelayOptions): Relay {
  const { config, store, log, tracing = noTracing, now = Date.now } = options;
  const limiter = options.limiter ?? (store.counters ? inPostgres(store.counters) : undefined);
  const protection = new AbuseProtection({
    ...options,
    limiter,
    defence: config.defence,
    countingSecret: Object.values(config.forms)
      .map(({ apiKey }) => apiKey)
      .toSorted()
      .join(' '),
    secret: options.secret ?? config.secret ?? randomBytes(32).toString('base64url'),
  });
  let draining = false;
  const rates = createRates(now);
  const running: Running & { storeTrouble: string | null } = {
    since: now(),
    trouble: null,
    storeTrouble: null,
    minutes: [],
  };
  /** Why a key, a publication or the mail server takes nothing at present. */
  const troubles = new Map<string, string>();
  const listeners: Notice[] = [
    rates.notice,
    noticing({
      stalled: ({ scope, reason }) => troubles.set(scope, reason),
      flowing: ({ scope }) => troubles.delete(scope),
      mailStalled: ({ reason }) => troubles.set('mail server', reason),
      mailFlowing: () => troubles.delete('mail server'),
      storeFailed: ({ reason }) => (running.storeTrouble = reason),
      storeWorks: () => (running.storeTrouble = null),
    }),
    options.notice ?? (() => {}),
  ];
  const notice = noticeAll(listeners);
  const health = new StoreHealth({ store, log, notice, now });
  const metrics = createMetrics({
    store,
    health,
    forms: Object.keys(config.forms),
    disk: diskOf(config.store),
    now,
  });
  listeners.push(metrics.notice);

  const clientOf = options.clientOf ?? ((token: string) => createClient({ baseUrl: config.api.url, token }));
  const { bulkAbove } = config.delivery;
  const dispatcher = new Dispatcher({
    bulk: bulkAbove === null ? null : { above: bulkAbove },
    ...options.delivery,
    store,
    health,
    // Its pacer learns the quota of the key. Few calls wait in its line at a time, and their signups are claimed
    // meanwhile, no more.
    clientOf,
    forms: config.forms,
    log,
    secrets: secretsOf(config),
    notice,
    tracing,
    now,
  });

  const wake = (): void => {
    dispatcher.wake();
    mailer?.wake();
  };
  const confirming = Object.values(config.forms).filter(({ confirmation }) => confirmation !== null);
  const link = confirming.length > 0 ? linkSettings(options) : null;
  const mailer =
    link &&
    new ConfirmationMailer({
      ...options.confirmation,
      ...link,
      store,
      health,
      forms: confirming,
      log,
      notice,
      tracing,
      secrets: secretsOf(config),
      now,
    });

  async function keep(post: SignupPost, thanks: string, span: Span): Promise<Answer> {
    const from = performance.now();
    const { form, header } = post;
    if (draining) return refuse(post, unavailable(), { span });
    const admission = await admit(post, { checks: options.checks ?? [], protection, now: now() });
    if ('refused' in admission) return refuse(post, admission.refused, { ...admission, span });
    const { signup, undo } = admission;
    const id = await store.accept({ ...signup, trace: span.traceparent }).catch(async (error: unknown) => {
      await undo();
      health.failed('accept', error);
      throw error;
    });
    health.works('accept');
    log.debug({ signup: id, suspected: signup.suspected, ...span.logFields }, 'kept');
    (signup.needsConfirmation ? mailer : dispatcher)?.wake();
    notice({
      what: 'kept',
      form: form.name,
      suspected: signup.suspected,
      tookMs: performance.now() - from,
    });
    return acceptedAnswer(header, form.origins, form.thanksUrl ?? thanks);
  }

  async function signUp(post: SignupPost, thanks: string): Promise<Answer> {
    const span = tracing.post(post.form.name, post.header);
    const answer = await keep(post, thanks, span).catch((error: unknown) => {
      logFailure(error, span);
      return refuse(post, unavailable(), { span });
    });
    span.end({ status: answer.status });
    return answer;
  }

  function logFailure(error: unknown, span?: Span): void {
    if (error instanceof StoreUnavailableError)
      log.error({ reason: error.message, ...span?.logFields }, 'a request was answered with 503');
    else log.error({ err: error, ...span?.logFields }, 'an unexpected failure was answered with 503');
  }

  function refuse(
    { header, form }: Refusable,
    why: Refused,
    {
      limit,
      entered,
      span,
    }: { readonly limit?: LimitKind | undefined; readonly entered?: Entered; readonly span?: Span } = {},
  ): Answer {
    const codes = why.errors.map(({ code }) => code);
    log.debug({ status: why.status, codes, limit, ...span?.logFields }, 'refused');
    notice({ what: 'refused', form: form?.name ?? null, status: why.status, codes, limit });
    if (codes.includes('ORIGIN_NOT_ALLOWED')) logOrigin({ header, form });
    return refusalAnswer(header, form?.origins ?? null, why, entered);
  }

  /** Origins that were refused and logged; the header may hold anything, so few are remembered. */
  const loggedOrigins = new Set<string | null>();
  function logOrigin({ header, form }: Refusable): void {
    const origin = header('origin')?.slice(0, 200) ?? null;
    if (loggedOrigins.has(origin) || loggedOrigins.size >= mostLoggedOrigins) return;
    loggedOrigins.add(origin);
    log.warn(
      { origin, form: form?.name },
      'a signup was refused because of its origin; if this is your site, add it to RELAY_ALLOWED_ORIGINS',
    );
  }

  /** Refuses a request that may be no signup: only a POST counts as a signup that was refused, and gets its page. */
  function refuseRequest({ req: { raw } }: Context<Environment>, form: Form | null, why: Refused): Response {
    const header = headerOf(raw);
    if (raw.method === 'POST') return toResponse(refuse({ header, form }, why));
    log.debug({ status: why.status, method: raw.method }, 'refused a request that is no signup');
    const json: ReadHeader = (name) => (name === 'accept' ? null : header(name));
    return toResponse(refusalAnswer(json, form?.origins ?? null, why));
  }

  const trustedProxies = addressList(config.trustedProxies);
  let warned = false;
  function client(peer: string | null, header: ReadHeader): string | null {
    const forwardedFor = header('x-forwarded-for');
    if (!warned && isUnnamedProxy(peer, forwardedFor, trustedProxies)) {
      warned = true;
      log.warn(
        { proxy: peer },
        'a proxy that RELAY_TRUSTED_PROXIES does not name passes on visitors; the last address in X-Forwarded-For counts as theirs: name the proxy there',
      );
    }
    return clientAddress(peer, forwardedFor, trustedProxies);
  }

  const app = new Hono<Environment>();

  /**
   * The routes of one form; the page it leads to is named as seen from there, since a proxy may serve the relay under a
   * path of its own.
   */
  function serveForm(path: string, form: Form, thanks: string): void {
    app.post(path, async ({ req: { raw }, env: { peer } }) => {
      const header = headerOf(raw);
      return toResponse(await signUp(signupPost(raw, header, form, client(peer, header)), thanks));
    });
    app.options(path, (context) => {
      const header = headerOf(context.req.raw);
      const why = checkOrigin({ header, form });
      if (!why) return toResponse(preflightAnswer(header, form.origins));
      logOrigin({ header, form });
      return refuseRequest(context, form, why);
    });
    app.all(path, (context) => refuseRequest(context, form, refused(405, 'METHOD_NOT_ALLOWED', 'Sign up with POST.')));
  }

  for (const form of Object.values(config.forms)) {
    serveForm(`/signup/${form.name}`, form, '../thanks');
    if (form.name === 'default') serveForm('/signup', form, 'thanks');
  }
  app.get('/', ({ text }) => text(greeting, 200, { 'cache-control': 'no-store' }));
  app.get('/thanks', () => toResponse(thanksAnswer()));
  app.get('/livez', livez);
  app.get(
    '/readyz',
    readiness(health, () => draining),
  );
  app.get('/metrics', async () => {
    const { text, type } = await metrics.page();
    return new Response(text, { headers: { 'content-type': type, 'cache-control': 'no-store' } });
  });
  if (link) {
    const visitor = (request: Request, peer: string | null, { consent }: Form): string | null =>
      visitorOf(client(peer, headerOf(request)), consent, protection.visitorKey);
    const confirmed = (): void => dispatcher.wake();
    app.route(
      '/confirm',
      confirmationPages({ store, health, key: link.key, forms: config.forms, log, notice, visitor, confirmed, now }),
    );
  }
  if (options.operatorToken) {
    const operator = storeOperator(store, {
      running: () => ({ ...running, trouble: [...troubles.values()].join(' ') || null, minutes: rates.minutes() }),
      wake,
      now,
    });
    app.route('/operator', operatorDoor({ operator, token: options.operatorToken, now }));
  }
  const defaultForm = config.forms['default'] ?? null;
  app.notFound((context) =>
    refuseRequest(
      context,
      defaultForm,
      refused(
        404,
        'NOT_FOUND',
        'There is nothing here. Sign up with POST /signup, or /signup/NAME for a form with a name.',
      ),
    ),
  );
  // A request of an operator or a monitor: posts to forms fail in `signUp`, and are counted there.
  app.onError((error, { req: { raw } }) => {
    logFailure(error);
    return toResponse(refusalAnswer(headerOf(raw), defaultForm?.origins ?? null, unavailable()));
  });

  return {
    fetch: async (request, peer = null) => app.fetch(request, { peer }),
    start() {
      dispatcher.start();
      mailer?.start();
    },
    check: () =>
      checkService(config, {
        clientOf,
        secrets: secretsOf(config),
        now,
        onRefused: (form, verdict) => dispatcher.refused(form, verdict),
      }),
    async stop(graceMs = 10_000) {
      draining = true;
      await Promise.all([dispatcher.stop(graceMs), mailer?.stop(graceMs)]);
    },
  };
}

/** @throws StartupError where one is missing */
function linkSettings({
  config: { mail, secret: configured },
  secret = configured,
}: RelayOptions): Pick<ConfirmationMailerOptions, 'server' | 'publicUrl' | 'key'> {
  const { server, publicUrl } = mail;
  if (server === undefined || publicUrl === undefined || secret === undefined)
    throw new StartupError(
      'A form asks for confirmation by mail: give the relay RELAY_SMTP_URL, RELAY_PUBLIC_URL, and a secret that outlives it.',
    );
  return { server, publicUrl, key: purposeKey(secret, 'confirmation') };
}
