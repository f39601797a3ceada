/** `POST /signup`: admits a signup, stores it durably, and only then answers 202. */
import {
  acceptedAnswer,
  type Answer,
  collectBody,
  type Entered,
  preflightAnswer,
  type ReadHeader,
  refusalAnswer,
  refused,
  type Refused,
  unavailable,
} from '@newsletter-kit/core/endpoint';
import type { Context, Hono } from 'hono';
import type { AbuseProtection } from './abuse-protection.ts';
import { admit, type Admission, type Check, checkOrigin } from './admit.ts';
import { addressList, clientAddress, isUnnamedProxy } from './client-address.ts';
import type { LimitKind } from '../config/relay.ts';
import { visitorOf } from './consent.ts';
import type { SignupPost } from './signup-post.ts';
import type { Form } from '../config/form.ts';
import type { RelayContext } from '../context.ts';
import { answerWithinMs, Deadline, DeadlineError } from '../deadline.ts';
import { StoreUnavailableError } from '../errors.ts';

/** Bindings of each request: the address of its connection. */
export interface RequestEnvironment {
  readonly Bindings: { peer: string | null };
}

/** Options of {@link SignupEndpoint}. */
export interface SignupEndpointOptions {
  readonly protection: AbuseProtection;
  /** Further checks, run after the relay's own and before the body is read. */
  readonly checks: readonly Check[];
}

/** A request that may be refused: it need not be a post to a form. */
type Refusable = Pick<SignupPost, 'header'> & { readonly form: Form | null };

/** Details of a refusal for the log, the metrics and the page that shows the form again. */
interface RefusalDetails {
  readonly limit?: LimitKind | undefined;
  readonly entered?: Entered;
}

/** A post that was admitted. */
type Admitted = Extract<Admission, { readonly signup: unknown }>;

/** Maximum number of refused origins that are logged, once each. */
const maxLoggedOrigins = 20;

export class SignupEndpoint {
  readonly #context: RelayContext;
  readonly #options: SignupEndpointOptions;
  readonly #trustedProxies: ReturnType<typeof addressList>;
  /** Refused origins that were logged. The header may contain anything, so the set is small. */
  readonly #loggedOrigins = new Set<string | null>();
  #hasWarnedOfProxy = false;

  constructor(context: RelayContext, options: SignupEndpointOptions) {
    this.#context = context;
    this.#options = options;
    this.#trustedProxies = addressList(context.config.trustedProxies);
  }

  /**
   * Adds the routes of one form.
   *
   * @param thanks - address of the thank-you page, relative to `path`: a proxy may serve the relay under a path of its
   *   own
   */
  addRoutes(app: Hono<RequestEnvironment>, path: string, form: Form, thanks: string): void {
    app.post(path, async ({ req: { raw }, env: { peer } }) => {
      const header = headerOf(raw);
      return toResponse(await this.#post(signupPost(raw, header, form, this.client(peer, header)), thanks));
    });
    app.options(path, (context) => {
      const header = headerOf(context.req.raw);
      const why = checkOrigin({ header, form });
      if (!why) return toResponse(preflightAnswer(header, form.origins));
      this.#logOrigin({ header, form });
      return this.refuseRequest(context, form, why);
    });
    app.all(path, (context) =>
      this.refuseRequest(context, form, refused(405, 'METHOD_NOT_ALLOWED', 'Sign up with POST.')),
    );
  }

  /** Answers one post, in time. Unexpected failures are answered with 503. */
  async #post(post: SignupPost, thanks: string): Promise<Answer> {
    const deadline = new Deadline(answerWithinMs);
    try {
      return await this.#admitAndStore(timed(post, deadline), thanks, deadline);
    } catch (error) {
      this.logFailure(error);
      return this.#refuse(post, unavailable());
    } finally {
      deadline.stop();
    }
  }

  async #admitAndStore(post: SignupPost, thanks: string, deadline: Deadline): Promise<Answer> {
    const { log, events, stopping, now } = this.#context;
    const { form, header } = post;
    const startedAt = performance.now();
    if (stopping.aborted) return this.#refuse(post, unavailable());
    const admitting = admit(post, { ...this.#options, now: now() });
    const admission = await deadline.race(admitting).catch((error: unknown) => {
      // The visitor was asked to try again: what ends too late is not stored, and uses up nothing.
      void admitting.then((late) => ('signup' in late ? late.undo() : undefined)).catch(() => undefined);
      throw error;
    });
    if ('refused' in admission) return this.#refuse(post, admission.refused, admission);
    const { signup } = admission;
    const id = await this.#store(admission, deadline);
    log.debug({ signup: id, suspected: signup.suspected }, 'kept');
    events.emit({
      type: 'accepted',
      form: form.name,
      suspected: signup.suspected,
      needsConfirmation: signup.needsConfirmation,
      tookMs: performance.now() - startedAt,
    });
    return acceptedAnswer(header, form.origins, form.thanksUrl ?? thanks);
  }

  /**
   * Stores a signup. What is stored too late is not undone: posted again, it is a repetition of the same signup.
   *
   * @throws StoreUnavailableError if it could not be stored, or not in time
   */
  async #store({ signup, undo }: Admitted, deadline: Deadline): Promise<string> {
    const { store, health } = this.#context;
    // Durability of the 202: `accept` resolves only after the commit that contains the signup is synced to disk.
    const stored = store.accept(signup).then(
      (id) => {
        health.succeeded('accept');
        return id;
      },
      async (error: unknown) => {
        await undo();
        health.failed('accept', error);
        throw error;
      },
    );
    try {
      return await deadline.race(stored);
    } catch (cause) {
      if (!(cause instanceof DeadlineError)) throw cause;
      stored.catch(() => undefined);
      const error = new StoreUnavailableError(`The store does not answer within ${answerWithinMs / 1000} seconds.`, {
        cause,
      });
      health.failed('accept', error);
      throw error;
    }
  }

  #refuse({ header, form }: Refusable, why: Refused, { limit, entered }: RefusalDetails = {}): Answer {
    const { log, events } = this.#context;
    const codes = why.errors.map(({ code }) => code);
    log.debug({ status: why.status, codes, limit }, 'refused');
    events.emit({ type: 'refused', form: form?.name ?? null, status: why.status, codes, limit });
    if (codes.includes('ORIGIN_NOT_ALLOWED')) this.#logOrigin({ header, form });
    return refusalAnswer(header, form?.origins ?? null, why, entered);
  }

  /** Refuses a request that is no signup. Only a POST counts as a refused signup and is answered with its page. */
  refuseRequest({ req: { raw } }: Context<RequestEnvironment>, form: Form | null, why: Refused): Response {
    const header = headerOf(raw);
    if (raw.method === 'POST') return toResponse(this.#refuse({ header, form }, why));
    this.#context.log.debug({ status: why.status, method: raw.method }, 'refused a request that is no signup');
    const json: ReadHeader = (name) => (name === 'accept' ? null : header(name));
    return toResponse(refusalAnswer(json, form?.origins ?? null, why));
  }

  /** Logs why a request is answered with 503. */
  logFailure(error: unknown): void {
    const { log } = this.#context;
    if (error instanceof StoreUnavailableError || error instanceof DeadlineError)
      log.error({ reason: error.message }, 'a request was answered with 503');
    else log.error({ err: error }, 'an unexpected failure was answered with 503');
  }

  #logOrigin({ header, form }: Refusable): void {
    const origin = header('origin')?.slice(0, 200) ?? null;
    if (this.#loggedOrigins.has(origin) || this.#loggedOrigins.size >= maxLoggedOrigins) return;
    this.#loggedOrigins.add(origin);
    this.#context.log.warn(
      { origin, form: form?.name },
      'a signup was refused because of its origin; if this is your site, add it to RELAY_ALLOWED_ORIGINS',
    );
  }

  /** The visitor's address in the form that the consent ledger keeps. */
  visitor(request: Request, peer: string | null, { consent }: Form): string | null {
    return visitorOf(this.client(peer, headerOf(request)), consent, this.#options.protection.visitorKey);
  }

  /** The visitor's address, behind trusted proxies; null if unknown. Warns once of a proxy that is not trusted. */
  client(peer: string | null, header: ReadHeader): string | null {
    const forwardedFor = header('x-forwarded-for');
    if (!this.#hasWarnedOfProxy && isUnnamedProxy(peer, forwardedFor, this.#trustedProxies)) {
      this.#hasWarnedOfProxy = true;
      this.#context.log.warn(
        { proxy: peer },
        'a proxy that RELAY_TRUSTED_PROXIES does not name passes on visitors; the last address in X-Forwarded-For counts as theirs: name the proxy there',
      );
    }
    return clientAddress(peer, forwardedFor, this.#trustedProxies);
  }
}

/** The post in a request. @param client - the visitor's IP address; null where it is unknown */
function signupPost(request: Request, header: ReadHeader, form: Form, client: string | null): SignupPost {
  return { header, form, client, body: (limit) => readBody(request, limit) };
}

/** The post with a deadline for what the relay does: how long its visitor takes to send it does not count. */
function timed(post: SignupPost, deadline: Deadline): SignupPost {
  return {
    ...post,
    async body(limit) {
      deadline.stop();
      try {
        return await post.body(limit);
      } finally {
        deadline.start();
      }
    },
  };
}

/** Reads headers of a request. */
export function headerOf({ headers }: Request): ReadHeader {
  return (name) => headers.get(name);
}

/** The answer as a Response. */
export function toResponse({ status, headers, body }: Answer): Response {
  return new Response(body, { status, headers });
}

async function readBody(request: Request, limit: number): Promise<Uint8Array | null> {
  if (request.headers.has('content-length') && !request.headers.has('transfer-encoding')) {
    // The HTTP parser ends such a body at its stated length, which admission has checked. Reading it at once is five
    // times as fast as reading its chunks.
    const body = new Uint8Array(await request.arrayBuffer());
    return body.byteLength > limit ? null : body;
  }
  return collectBody((request.body as ReadableStream<Uint8Array> | null) ?? [], limit);
}
