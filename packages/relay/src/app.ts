/** The relay: admit, keep, answer; deliver in its own time. Fetch in, answer out; no port is opened here. */
import { createClient, type Client } from '@newsletter-kit/core';
import { refused, unavailable, type Refused } from '@newsletter-kit/core/signup';
import { Hono } from 'hono';
import { admit } from './admission/admit.ts';
import { accepted, preflight, refusal, thanksPage } from './admission/answers.ts';
import { checks, originCheck, type Check } from './admission/checks.ts';
import type { Form } from './admission/form.ts';
import type { RelayConfig } from './config.ts';
import { Dispatcher, type DispatcherOptions } from './delivery/dispatcher.ts';
import { livez, readiness } from './ops/health.ts';
import { noticeAll, noticing, type Notice } from './ops/happening.ts';
import type { Log } from './ops/log.ts';
import { createMetrics } from './ops/metrics.ts';
import { storeOperator, type Running } from './ops/operator.ts';
import { operatorDoor } from './ops/operator-door.ts';
import { createRates } from './ops/rates.ts';
import { StoreUnavailableError, type SignupStore } from './store/signup-store.ts';

/** Options of {@link createRelay}. */
export interface RelayOptions {
  readonly config: Pick<RelayConfig, 'api' | 'forms'>;
  /** An open store; the relay does not close it. */
  readonly store: SignupStore;
  readonly log: Log;
  /** The client to deliver with. Default: one made from the configuration. */
  readonly client?: Client | undefined;
  /** Further checks, run after the relay's own and before a body is read. */
  readonly checks?: readonly Check[] | undefined;
  readonly delivery?: Pick<DispatcherOptions, 'concurrency' | 'patience' | 'random'> | undefined;
  /** Told what happens, besides the relay's own metrics. */
  readonly notice?: Notice | undefined;
  /** Opens the operator's page and its API at `/operator`, for whoever sends this token. Default: there is none. */
  readonly operatorToken?: string | undefined;
  readonly now?: (() => number) | undefined;
}

/** A running relay. */
export interface Relay {
  /** Answers one request. */
  fetch(this: void, request: Request): Promise<Response>;
  /** Starts to deliver what is waiting. */
  start(): void;
  /** Refuses new signups with 503, and ends deliveries within `graceMs` (default 10,000). */
  stop(graceMs?: number): Promise<void>;
}

/** Makes a relay of its parts. */
export function createRelay(options: RelayOptions): Relay {
  const { config, store, log, now = Date.now } = options;
  const form = config.forms.default;
  const allChecks = [...checks, ...(options.checks ?? [])];
  let draining = false;
  const rates = createRates(now);
  const metrics = createMetrics({ store, now });
  const running: { trouble: string | null } & Running = { since: now(), trouble: null, minutes: [] };
  const notice = noticeAll(
    metrics.notice,
    rates.notice,
    noticing({ stalled: ({ reason }) => (running.trouble = reason), flowing: () => (running.trouble = null) }),
    options.notice ?? (() => {}),
  );

  const dispatcher = new Dispatcher({
    ...options.delivery,
    store,
    // The dispatcher decides when to send, and writes it down; a call must not wait in a line that a restart forgets.
    client: options.client ?? createClient({ baseUrl: config.api.url, token: config.api.key, pacer: false }),
    forms: config.forms,
    log,
    secrets: [config.api.key],
    notice,
    now,
  });

  async function signUp(request: Request): Promise<Response> {
    const from = performance.now();
    if (draining) return refuse(request, form, unavailable());
    const admission = await admit({ request, form }, allChecks, now());
    if ('refused' in admission) return refuse(request, form, admission.refused);
    const { id, repeated } = await store.accept(admission.signup);
    if (!repeated) {
      log.debug({ signup: id, suspected: admission.signup.suspected }, 'kept');
      dispatcher.wake();
    }
    notice({ what: 'kept', form: form.name, suspected: admission.signup.suspected, repeated, tookMs: performance.now() - from });
    return accepted(request, form);
  }

  function refuse(request: Request, of: Form, why: Refused): Response {
    const codes = why.errors.map(({ code }) => code);
    log.debug({ status: why.status, codes }, 'refused');
    notice({ what: 'refused', status: why.status, codes });
    return refusal(request, of, why);
  }

  const app = new Hono();
  app.post('/signup', (context) => signUp(context.req.raw));
  app.options('/signup', async ({ req: { raw: request } }) => {
    const why = await originCheck({ request, form });
    return why ? refuse(request, form, why) : preflight(request, form);
  });
  app.all('/signup', ({ req: { raw } }) => refuse(raw, form, refused(405, 'METHOD_NOT_ALLOWED', 'Sign up with POST.')));
  app.get('/thanks', thanksPage);
  app.get('/livez', livez);
  app.get('/readyz', readiness(store, () => draining, now));
  app.get('/metrics', async () => {
    const { text, type } = await metrics.page();
    return new Response(text, { headers: { 'content-type': type, 'cache-control': 'no-store' } });
  });
  if (options.operatorToken) {
    const operator = storeOperator(store, { running: () => ({ ...running, minutes: rates.minutes() }), wake: () => dispatcher.wake(), now });
    app.route('/operator', operatorDoor({ operator, token: options.operatorToken, now }));
  }
  app.notFound(({ req: { raw } }) => refuse(raw, form, refused(404, 'NOT_FOUND', 'There is nothing here. Sign up with POST /signup.')));
  app.onError((error, { req: { raw } }) => {
    if (error instanceof StoreUnavailableError) log.error({ reason: error.message }, 'a signup was turned away with 503');
    else log.error({ err: error }, 'an unexpected failure was answered with 503');
    return refuse(raw, form, unavailable());
  });

  return {
    fetch: async (request) => app.fetch(request),
    start: () => dispatcher.start(),
    async stop(graceMs = 10_000) {
      draining = true;
      await dispatcher.stop(graceMs);
    },
  };
}
