/** Creates a relay from its parts: admission, store, delivery, confirmation mails, metrics and HTTP routes. */
import { randomBytes } from 'node:crypto';
import { type Client, createClient } from '@newsletter-kit/core';
import { refusalAnswer, refused, thanksAnswer, unavailable } from '@newsletter-kit/core/endpoint';
import { Hono } from 'hono';
import { AbuseProtection } from './admission/abuse-protection.ts';
import type { Check } from './admission/admit.ts';
import { visitorOf } from './admission/consent.ts';
import type { Form } from './config/form.ts';
import { purposeKey } from './secrets.ts';
import type { MailResolver } from './admission/mail-domain.ts';
import { inPostgres, type MakeLimiter } from './admission/rate-limits.ts';
import { type RelayConfig, secretsOf } from './config/settings.ts';
import { ConfirmationMailer, type ConfirmationMailerOptions } from './confirmation/queue.ts';
import { confirmationPages } from './confirmation/pages.ts';
import { Dispatcher, type DispatcherOptions } from './delivery/queue.ts';
import { LoopGroup } from './queue/worker.ts';
import { type CheckResult, checkService } from './checks.ts';
import { broadcast, eventListener, type EventListener } from './events.ts';
import { diskSpaceOf, livez, readiness, StoreHealth } from './health.ts';
import type { Log } from './log.ts';
import { createMetrics, type Metrics } from './ops/metrics.ts';
import { operatorApi } from './ops/operator-api.ts';
import { createRunningStatus, type RunningStatus, storeOperator } from './ops/operator.ts';
import { type RequestEnvironment, headerOf, SignupEndpoint, toResponse } from './admission/endpoint.ts';
import { StartupError } from './startup-error.ts';
import { earliest } from './store/overview.ts';
import { type SignupStore, StoreUnavailableError } from './store/signup-store.ts';
import { createPost, type PostWebhook } from './webhooks/post.ts';
import { WebhookSender, type WebhookSenderOptions } from './webhooks/queue.ts';

/** Options of {@link createRelay}. */
export interface RelayOptions {
  readonly config: Pick<
    RelayConfig,
    'api' | 'store' | 'operator' | 'secret' | 'forms' | 'webhooks' | 'defence' | 'delivery' | 'mail' | 'trustedProxies'
  >;
  /** An open store; the relay does not close it. */
  readonly store: SignupStore;
  readonly log: Log;
  /** Creates the API client for an API key. Default: a client for the configured API. */
  readonly clientOf?: ((apiKey: string) => Client) | undefined;
  /**
   * Signs form tokens, challenges and links in mails. Default: the configured secret, or a random one, so that tokens
   * become invalid when this process ends; forms with a confirmation need a permanent secret.
   */
  readonly secret?: string | undefined;
  /** Creates the counters of the rate limits. Default: in the store if relays share it, otherwise in this process. */
  readonly limiter?: MakeLimiter | undefined;
  /** Resolves the MX records of an address's domain. Default: the system's name servers. */
  readonly mail?: MailResolver | undefined;
  /** Further checks, run after the relay's own and before a body is read. */
  readonly checks?: readonly Check[] | undefined;
  readonly delivery?: Partial<Pick<DispatcherOptions, 'concurrency' | 'backoff' | 'random' | 'bulk'>> | undefined;
  readonly confirmation?: Pick<ConfirmationMailerOptions, 'backoff' | 'random'> | undefined;
  readonly webhooks?: Pick<WebhookSenderOptions, 'backoff' | 'random'> | undefined;
  /** Posts webhooks. Default: over `node:http`, to addresses that were checked after the name was resolved. */
  readonly postWebhook?: PostWebhook | undefined;
  /** Receives every event of the relay. */
  readonly onEvent?: EventListener | undefined;
  /** Bearer token of the operator's page and API at `/operator`. Default: no `/operator`. */
  readonly operatorToken?: string | undefined;
  readonly now?: (() => number) | undefined;
}

/** A running relay. */
export interface Relay {
  /**
   * Answers one request.
   * @param peer - address of the connection; without it no rate limit per visitor address applies
   */
  fetch(this: void, request: Request, peer?: string | null): Promise<Response>;
  /** Starts delivery of the signups that wait. */
  start(): void;
  /**
   * Delivers on demand, instead of {@link Relay.start}: everything that is due, until nothing is, or `untilMs` is near.
   * Attempts in flight are awaited until then; those that take longer count as lost after three minutes. Calls at the
   * same time deliver one after the other.
   *
   * @param options - `untilMs`: milliseconds since the Unix epoch
   * @returns `nextDueAt`: when to call again, in milliseconds since the Unix epoch; null if nothing waits
   */
  deliver(options: { readonly untilMs: number }): Promise<{ readonly nextDueAt: number | null }>;
  /**
   * Asks the API whether it accepts the key and publication of each form. A refusal pauses delivery and is reported, as
   * after a failed delivery.
   */
  check(): Promise<readonly CheckResult[]>;
  /** Refuses new signups with 503 and ends deliveries within `graceMs` milliseconds (default 10,000). */
  stop(graceMs?: number): Promise<void>;
}

/** Answer for a person who opens the relay's address in a browser. */
const greeting = `This is a relay of Newsletter Kit. It takes signups from the forms of its websites with POST /signup.
There is nothing to do here; its operator finds everything at /operator.
`;

/** The parts of a relay, connected with each other. */
interface RelayParts {
  readonly protection: AbuseProtection;
  readonly endpoint: SignupEndpoint;
  readonly status: RunningStatus;
  readonly health: StoreHealth;
  readonly metrics: Metrics;
  readonly dispatcher: Dispatcher;
  /** Null without a form that asks for confirmation. */
  readonly confirmation: { readonly mailer: ConfirmationMailer; readonly linkKey: Buffer } | null;
  readonly webhooks: WebhookSender;
  readonly clientOf: (apiKey: string) => Client;
  readonly onEvent: EventListener;
  readonly now: () => number;
  /** True once the relay shuts down. */
  isDraining: boolean;
  /** Ends with the calls of {@link Relay.deliver} so far. */
  delivering: Promise<unknown>;
}

/**
 * Creates a relay.
 *
 * @throws StartupError if a form asks for confirmation and a setting for that is missing
 */
export function createRelay(options: RelayOptions): Relay {
  const { config } = options;
  const parts = createParts(options);
  const { dispatcher, confirmation, webhooks, clientOf, now } = parts;
  const app = createRoutes(options, parts);
  return {
    fetch: async (request, peer = null) => app.fetch(request, { peer }),
    start() {
      // What is delivered first is reported to a new destination too.
      void prepared(webhooks).then(() => {
        dispatcher.start();
        confirmation?.mailer.start();
        webhooks.start();
      });
    },
    deliver: ({ untilMs }) => deliverUntil(untilMs, parts),
    check: () =>
      checkService(config, {
        clientOf,
        secrets: secretsOf(config),
        now,
        onRefused: (form, failure) => dispatcher.refused(form, failure),
      }),
    async stop(graceMs = 10_000) {
      parts.isDraining = true;
      await Promise.all([dispatcher.stop(graceMs), confirmation?.mailer.stop(graceMs), webhooks.stop(graceMs)]);
    },
  };
}

/** Longest time before a deadline in which nothing new is started, in milliseconds: the timeout of a call. */
const lastStartMs = 30_000;

async function deliverUntil(untilMs: number, parts: RelayParts): Promise<{ readonly nextDueAt: number | null }> {
  const { now, delivering: before } = parts;
  const remainingMs = Math.max(0, untilMs - now());
  const ending = new AbortController();
  let deadline: NodeJS.Timeout | undefined;
  const lastStart = setTimeout(() => ending.abort(), remainingMs - Math.min(lastStartMs, remainingMs / 2));
  const late = new Promise<number[]>((resolve) => {
    deadline = setTimeout(() => resolve([now()]), remainingMs);
  });
  const done = before.then(() => deliverDue(ending.signal, parts));
  const first = Promise.race([done, late]);
  parts.delivering = Promise.allSettled([before, first]);
  try {
    return { nextDueAt: earliest(await first) };
  } finally {
    clearTimeout(lastStart);
    clearTimeout(deadline);
  }
}

/** Settles when the destinations are stored; if the store fails, the loops report that and try again. */
function prepared(webhooks: WebhookSender): Promise<void> {
  return webhooks.prepare().catch((error: unknown) => {
    if (!(error instanceof StoreUnavailableError)) throw error;
  });
}

/** @returns when each queue has something due, in milliseconds since the Unix epoch */
async function deliverDue(
  ending: AbortSignal,
  { dispatcher, confirmation, webhooks }: RelayParts,
): Promise<(number | null)[]> {
  await prepared(webhooks);
  const group = new LoopGroup();
  const queues = [dispatcher, webhooks, ...(confirmation ? [confirmation.mailer] : [])];
  return Promise.all(queues.map((queue) => queue.deliver(ending, group)));
}

function createParts(options: RelayOptions): RelayParts {
  const { config, store, log, now = Date.now } = options;
  const status = createRunningStatus(now);
  const listeners: EventListener[] = [status.onEvent, options.onEvent ?? (() => {})];
  const onEvent = broadcast(listeners);
  const health = new StoreHealth({ store, log, onEvent, now });
  const metrics = createMetrics({
    store,
    health,
    forms: Object.keys(config.forms),
    destinations: config.webhooks.map(({ name }) => name),
    disk: diskSpaceOf(config.store),
    // A Worker has no process of its own.
    ofProcess: config.store.kind !== 'durable-object',
    now,
  });
  listeners.push(metrics.onEvent);
  const protection = createProtection(options);
  // Each client's pacer learns the rate limit of its key. A lane claims only as many signups as it has calls in flight.
  const clientOf =
    options.clientOf ??
    ((token: string) =>
      createClient({
        baseUrl: config.api.url,
        token,
        onDeviation({ operation, field, problem }) {
          log.warn({ operation, field, problem }, 'the API differs from its specification');
          onEvent({ type: 'apiDeviated', operation, field, problem });
        },
      }));
  const { bulkAbove } = config.delivery;
  const shared = { store, health, log, onEvent, secrets: secretsOf(config), now };
  const dispatcher = new Dispatcher({
    bulk: bulkAbove === null ? null : { above: bulkAbove },
    ...options.delivery,
    ...shared,
    clientOf,
    forms: config.forms,
  });
  const confirmation = createConfirmation(options, shared);
  const webhooks = new WebhookSender({
    ...options.webhooks,
    ...shared,
    destinations: config.webhooks,
    forms: config.forms,
    post: options.postWebhook ?? createPost(),
  });
  const wake = (): void => webhooks.wake();
  listeners.push(eventListener({ delivered: wake, deadLetter: wake, confirmed: wake }));
  const endpoint = new SignupEndpoint({
    ...shared,
    protection,
    checks: options.checks ?? [],
    trustedProxies: config.trustedProxies,
    isDraining: () => parts.isDraining,
    onStored: ({ needsConfirmation }) => (needsConfirmation ? confirmation?.mailer : dispatcher)?.wake(),
  });
  const parts: RelayParts = {
    protection,
    endpoint,
    status,
    health,
    metrics,
    dispatcher,
    confirmation,
    webhooks,
    clientOf,
    onEvent,
    now,
    isDraining: false,
    delivering: Promise.resolve(),
  };
  return parts;
}

function createProtection(options: RelayOptions): AbuseProtection {
  const { config, store } = options;
  return new AbuseProtection({
    ...options,
    limiter: options.limiter ?? (store.counters ? inPostgres(store.counters) : undefined),
    defence: config.defence,
    countingSecret: Object.values(config.forms)
      .map(({ apiKey }) => apiKey)
      .toSorted()
      .join(' '),
    secret: options.secret ?? config.secret ?? randomBytes(32).toString('base64url'),
  });
}

/** @throws StartupError if a setting for confirmation mails is missing */
function createConfirmation(
  { config: { forms, mail, secret: configured }, confirmation, secret = configured }: RelayOptions,
  shared: Pick<ConfirmationMailerOptions, 'store' | 'health' | 'log' | 'onEvent' | 'secrets' | 'now'>,
): RelayParts['confirmation'] {
  const confirming = Object.values(forms).filter((form) => form.confirmation !== null);
  if (confirming.length === 0) return null;
  const { server, publicUrl } = mail;
  if (server === undefined || publicUrl === undefined || secret === undefined)
    throw new StartupError(
      'A form asks for confirmation by mail: give the relay RELAY_SMTP_URL, RELAY_PUBLIC_URL, and a secret that outlives it.',
    );
  const linkKey = purposeKey(secret, 'confirmation');
  const mailer = new ConfirmationMailer({
    ...confirmation,
    ...shared,
    server,
    publicUrl,
    key: linkKey,
    forms: confirming,
  });
  return { mailer, linkKey };
}

function createRoutes(options: RelayOptions, parts: RelayParts): Hono<RequestEnvironment> {
  const { forms } = options.config;
  const { endpoint, health, metrics } = parts;
  const app = new Hono<RequestEnvironment>();
  for (const form of Object.values(forms)) {
    endpoint.addRoutes(app, `/signup/${form.name}`, form, '../thanks');
    if (form.name === 'default') endpoint.addRoutes(app, '/signup', form, 'thanks');
  }
  app.get('/', ({ text }) => text(greeting, 200, { 'cache-control': 'no-store' }));
  app.get('/thanks', () => toResponse(thanksAnswer()));
  app.get('/livez', livez);
  app.get(
    '/readyz',
    readiness(health, () => parts.isDraining),
  );
  app.get('/metrics', async () => {
    const { text, type } = await metrics.page();
    return new Response(text, { headers: { 'content-type': type, 'cache-control': 'no-store' } });
  });
  addConfirmationRoutes(app, options, parts);
  addOperatorRoutes(app, options, parts);
  addErrorAnswers(app, forms['default'] ?? null, endpoint);
  return app;
}

function addConfirmationRoutes(
  app: Hono<RequestEnvironment>,
  { config: { forms }, store, log }: RelayOptions,
  parts: RelayParts,
) {
  const { endpoint, protection, dispatcher, health, confirmation, onEvent, now } = parts;
  if (!confirmation) return;
  const visitor = (request: Request, peer: string | null, { consent }: Form): string | null =>
    visitorOf(endpoint.client(peer, headerOf(request)), consent, protection.visitorKey);
  const confirmed = (): void => dispatcher.wake();
  app.route(
    '/confirm',
    confirmationPages({ store, health, key: confirmation.linkKey, forms, log, onEvent, visitor, confirmed, now }),
  );
}

function addOperatorRoutes(
  app: Hono<RequestEnvironment>,
  { store, operatorToken: token }: RelayOptions,
  parts: RelayParts,
): void {
  const { status, dispatcher, confirmation, webhooks, now } = parts;
  if (!token) return;
  const wake = (): void => {
    dispatcher.wake();
    confirmation?.mailer.wake();
    webhooks.wake();
  };
  const sendWebhooks = (): void => webhooks.sendNow();
  const operator = storeOperator(store, { running: () => status.read(), wake, sendWebhooks, now });
  app.route('/operator', operatorApi({ operator, token, now }));
}

/** Answers for unknown paths, and for failures in requests that are no signup. */
function addErrorAnswers(app: Hono<RequestEnvironment>, defaultForm: Form | null, endpoint: SignupEndpoint): void {
  const notFound = refused(
    404,
    'NOT_FOUND',
    'There is nothing here. Sign up with POST /signup, or /signup/NAME for a form with a name.',
  );
  app.notFound((context) => endpoint.refuseRequest(context, defaultForm, notFound));
  app.onError((error, { req: { raw } }) => {
    endpoint.logFailure(error);
    return toResponse(refusalAnswer(headerOf(raw), defaultForm?.origins ?? null, unavailable()));
  });
}
