/** Creates a relay: what its parts share, its queues, its admission and its routes. */
import type { Hono } from 'hono';
import { type Client, createClient } from '@newsletter-kit/core';
import { createAbuseProtection } from './admission/abuse-protection.ts';
import type { BlockedDomains } from './admission/blocked-domains.ts';
import { visitorOf } from './admission/consent.ts';
import { createEndpoint } from './admission/endpoint.ts';
import type { MailResolver } from './admission/mail-domain.ts';
import type { ProofOptions } from './admission/proof.ts';
import { headerOf, Reception } from './admission/reception.ts';
import { type Check, Screening } from './admission/screening.ts';
import { checkAll, checkService, checkStore } from './checks.ts';
import { confirmationOf, createMailQueue, type MailTiming } from './confirmation/queue.ts';
import type { OpenTransport } from './confirmation/smtp.ts';
import { createContext, type RelayContext, type RelaySettings } from './context.ts';
import { DeliveryQueue, type DeliveryQueueOptions } from './delivery/queue.ts';
import type { EventListener, RefusedEvent } from './events.ts';
import type { Log } from './log.ts';
import { createMetrics } from './ops/metrics.ts';
import { type CheckResult, followStatus, storeOperator } from './ops/operator.ts';
import { isOpen, noteClosed } from './ops/private-access.ts';
import { type OnDemandOptions, type OnDemandResult, QueueGroup } from './queue/group.ts';
import type { BackoffOptions } from './queue/retry.ts';
import { addStatefulRoutes, createPrivateRoutes, createSignupRoutes } from './routes.ts';
import type { SignupStore } from './store/signup-store.ts';
import type { PostWebhook } from './webhooks/post.ts';
import { WebhookSender } from './webhooks/queue.ts';

/** Options of {@link createRelay}. */
export interface RelayOptions {
  readonly config: RelaySettings;
  /** An open store; the relay does not close it. */
  readonly store: SignupStore;
  readonly log: Log;
  /**
   * Signs form tokens, challenges and links in mails. Default: the configured secret, or a random one, so that tokens
   * become invalid when this process ends; forms with a confirmation need a permanent secret.
   */
  readonly secret?: string | undefined;
  /**
   * Bearer token of `/metrics`, the details of `/readyz`, and the operator's page and API at `/operator`. Default: they
   * do not exist, except at {@link Relay.fetchPrivate}.
   */
  readonly operatorToken?: string | undefined;
  /** Further checks, run after the relay's own and before a body is read. */
  readonly checks?: readonly Check[] | undefined;
  /** Receives every event of the relay. */
  readonly onEvent?: EventListener | undefined;
  /** What proofs take, and where they are verified, for tests. */
  readonly proof?: ProofOptions | undefined;
  readonly platform: RelayPlatform;
  readonly timing?: RelayTiming | undefined;
}

/** What depends on where a relay runs. */
export interface RelayPlatform {
  /** Creates the API client for an API key. Default: a client for the configured API. */
  readonly clientOf?: ((apiKey: string) => Client) | undefined;
  /** Resolves the MX records of an address's domain. Default: the system's name servers. */
  readonly mail?: MailResolver | undefined;
  /** Mail domains whose signups are kept for review; stopped with the relay. Default: none. */
  readonly blockedDomains?: BlockedDomains | undefined;
  /** Reads from a request what was refused in front of this relay, to be counted here. Default: nothing. */
  readonly refusedBefore?: ((request: Request) => readonly RefusedEvent[]) | undefined;
  /** Posts webhooks. */
  readonly postWebhook: PostWebhook;
  /** Connects to a mail server; null where that is not part of the program. */
  readonly openTransport: OpenTransport | null;
  /** Serves the script of the form and its other files. Default: what is in front of this relay does. */
  readonly tagFiles?: Hono | undefined;
}

/** Clock, chance and waits, for tests. */
export interface RelayTiming {
  readonly now?: (() => number) | undefined;
  /** Random number from 0 to 1, for jitter. Default `Math.random`. */
  readonly random?: (() => number) | undefined;
  readonly delivery?: DeliveryQueueOptions | undefined;
  readonly confirmation?: MailTiming | undefined;
  readonly webhooks?: { readonly backoff?: Partial<BackoffOptions> } | undefined;
}

/** A running relay. */
export interface Relay {
  /**
   * Answers one request.
   * @param peer - address of the connection; without it no rate limit per visitor address applies
   */
  fetch(this: void, request: Request, peer?: string | null): Promise<Response>;
  /**
   * Answers one request to the operator's own address, RELAY_OPERATOR_LISTEN: where it is set, {@link Relay.fetch} has
   * none of the operator's routes.
   */
  fetchPrivate(this: void, request: Request): Promise<Response>;
  /** Starts delivery of the signups that wait. */
  start(): void;
  /**
   * Delivers on demand, instead of {@link Relay.start}: everything that is due, until nothing is, `untilMs` is near, or
   * `maxCalls` are used up. Attempts in flight are awaited until `untilMs`; those that take longer count as lost after
   * three minutes. Several deliveries at the same time run one after the other.
   *
   * @param options - `untilMs`: milliseconds since the Unix epoch; `maxCalls`: the most calls of the API, of receivers
   *   of webhooks, of name servers and of the mail server, at least 2. Default: no maximum
   * @returns `nextDueAt`: when to call again, in milliseconds since the Unix epoch; null if nothing waits. `calls`: the
   *   most calls that it made
   */
  deliver(this: void, options: OnDemandOptions): Promise<OnDemandResult>;
  /**
   * Asks the API whether it accepts the key and publication of each form. A refusal pauses delivery and is reported, as
   * after a failed delivery.
   */
  check(): Promise<readonly CheckResult[]>;
  /** Refuses new signups with 503 and ends deliveries within `graceMs` milliseconds (default 10,000). */
  stop(graceMs?: number): Promise<void>;
}

/**
 * Creates a relay.
 *
 * @throws StartupError if a form asks for confirmation and a setting or the mail for that is missing
 */
export function createRelay(options: RelayOptions): Relay {
  const { config, store, secret = config.secret, checks, platform, timing = {} } = options;
  const stop = new AbortController();
  const context = createContext(options, stop.signal);
  const { now } = context;
  const reception = new Reception(context);
  const running = followStatus(context, () => reception.refusedOrigins());
  const metrics = createMetrics(context);

  const clientOf = platform.clientOf ?? clientsOf(context);
  const confirmation = confirmationOf(config, secret, platform.openTransport);
  const deliveries = new DeliveryQueue(context, clientOf, timing.delivery);
  const mails =
    confirmation && createMailQueue(context, confirmation, (form) => deliveries.mayLeave(form), timing.confirmation);
  const webhooks = new WebhookSender(context, platform.postWebhook, timing.webhooks?.backoff);
  const queues = new QueueGroup([deliveries, ...(mails ? [mails] : []), webhooks]);

  const screening = new Screening({ proof: options.proof, secret, checks });
  const protection = createAbuseProtection(context, { ...platform, screening });
  const signUp = createEndpoint(context, reception, screening, protection);
  const check = (): ReturnType<Relay['check']> =>
    checkService(context, clientOf, (form, failure) => deliveries.refused(form, failure));
  const operator = storeOperator(store, {
    running,
    check: (asked = {}) => checkAll(context, platform.openTransport, asked, [checkStore(config, store, now), check()]),
    wake: () => queues.wake(),
    sendWebhooks: () => webhooks.sendNow(),
    now,
  });
  const access = { token: options.operatorToken, listen: config.operator.listen };
  const privateRoutes = createPrivateRoutes(context, reception, metrics, { operator, access });
  const app = createSignupRoutes(config.forms, reception, signUp, !access.listen && isOpen(access));
  addStatefulRoutes(app, context, {
    privateRoutes: access.listen ? undefined : privateRoutes,
    links: confirmation && {
      key: confirmation.key,
      visitor: (request, peer, { consent }) =>
        visitorOf(reception.client(peer, headerOf(request)), consent, screening.visitorKey),
      statusOf: (form, email) => deliveries.statusOf(form, email),
    },
    tagFiles: platform.tagFiles,
  });

  return {
    async fetch(request, peer = null) {
      for (const event of platform.refusedBefore?.(request) ?? []) context.events.emit(event);
      return app.fetch(request, { peer });
    },
    async fetchPrivate(request) {
      return privateRoutes.fetch(request);
    },
    // What is delivered first is reported to a new destination too.
    start() {
      noteClosed(access, context.log);
      void queues.prepare().then(() => queues.start());
    },
    deliver: (limits) => queues.deliverUntil(limits, context),
    check,
    async stop(graceMs = 10_000) {
      stop.abort();
      platform.blockedDomains?.stop();
      await queues.stop(graceMs);
    },
  };
}

/** Each client's pacer learns the rate limit of its key; a lane claims no more signups than it has calls in flight. */
function clientsOf({ config, log, events }: RelayContext): (apiKey: string) => Client {
  return (token) =>
    createClient({
      baseUrl: config.api.url,
      token,
      onDeviation({ operation, field, problem }) {
        log.warn({ operation, field, problem }, 'the API differs from its specification');
        events.emit({ type: 'apiDeviated', operation, field, problem });
      },
    });
}
