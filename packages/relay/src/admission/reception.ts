/**
 * Receives the requests to forms as far as that needs no state: the answers to what is refused, and the visitor's
 * address. The same in the relay and in front of it, on a Worker.
 */
import {
  type Answer,
  collectBody,
  type Entered,
  enteredIn,
  preflightAnswer,
  type ReadHeader,
  refusalAnswer,
  type Refused,
  unavailable,
  wantsPage,
} from '@newsletter-kit/core/endpoint';
import type { Form } from '../config/form.ts';
import type { LimitKind } from '../config/relay.ts';
import type { RelayContext } from '../context.ts';
import { DeadlineError } from '../deadline.ts';
import { refusalPage } from './form-page.ts';
import { StoreUnavailableError } from '../errors.ts';
import { addressList, senderOf } from './client-address.ts';
import { checkOrigin } from './screening.ts';
import type { SignupPost } from './signup-post.ts';

/** Answers a post to a form. @param thanks - address of the thank-you page, relative to that of the form */
export type SignUp = (post: SignupPost, thanks: string, request: Request) => Promise<Response>;

/** A request that may be refused: it need not be a post to a form. */
type Refusable = Pick<SignupPost, 'header'> & Partial<Pick<SignupPost, 'entered'>> & { readonly form: Form | null };

/** Causes of refusals that are logged, once each, by the name of what is logged: with what to do. */
const loggedCauses = {
  origin: 'a signup was refused because of its origin; if this is your site, add it to RELAY_ALLOWED_ORIGINS',
  reason:
    'a signup was refused because of its consent; if the form shows that sentence, add it to RELAY_CONSENT_SENTENCES',
} as const;

/** Maximum number of refused origins, and of refused consents, that are logged. */
const maxLoggedCauses = 20;
/** Refused origins that an operator reads. */
const shownOrigins = 3;

/** The parts of the context that {@link Reception} needs. */
export interface ReceptionContext extends Pick<RelayContext, 'log' | 'events'> {
  readonly config: Pick<RelayContext['config'], 'forms' | 'trustedProxies'>;
}

export class Reception {
  readonly #context: ReceptionContext;
  readonly #trustedProxies: ReturnType<typeof addressList>;
  /** Refused origins and consents that were logged. They may contain anything, so each set is small. */
  readonly #logged = { origin: new Set<string | null>(), reason: new Set<string | null>() };
  #hasWarnedOfProxy = false;

  constructor(context: ReceptionContext) {
    this.#context = context;
    this.#trustedProxies = addressList(context.config.trustedProxies);
  }

  /** Answers a post to a form by `signUp`, whose unexpected failures are answered with 503. */
  async receive(
    request: Request,
    peer: string | null,
    form: Form,
    signUp: (post: SignupPost) => Promise<Response>,
  ): Promise<Response> {
    const header = headerOf(request);
    let read: Uint8Array | null = null;
    const post: SignupPost = {
      header,
      form,
      client: this.client(peer, header),
      body: async (limit) => (read = await bodyOf(request, limit)),
      entered: async () => (read === null ? null : await enteredIn(header, read)) ?? [],
    };
    try {
      return await signUp(post);
    } catch (error) {
      this.logFailure(error);
      return this.refuse(post, unavailable());
    }
  }

  /** Answers what a browser asks before it posts JSON to a form of another site. */
  async answerPreflight(request: Request, form: Form): Promise<Response> {
    const header = headerOf(request);
    const why = checkOrigin({ header, form });
    return why ? this.refuseRequest(request, form, why) : toResponse(preflightAnswer(header, form.origins));
  }

  /** Answers a refused post, and reports it. */
  async refuse({ header, form, entered }: Refusable, why: Refused, limit?: LimitKind): Promise<Response> {
    const { log, events } = this.#context;
    const codes = why.errors.map(({ code }) => code);
    log.debug({ status: why.status, codes, limit }, 'refused');
    events.emit({ type: 'refused', form: form?.name ?? null, status: why.status, codes, limit });
    this.#logCause(header, form, why);
    // What cannot be read cannot be shown again.
    const fields = (wantsPage(header) && (await entered?.().catch(() => []))) || [];
    return refusalOf(header, form, why, fields);
  }

  /** Refuses a request that is no signup. Only a POST counts as a refused signup. */
  async refuseRequest(request: Request, form: Form | null, why: Refused): Promise<Response> {
    const header = headerOf(request);
    const { method } = request;
    if (method === 'POST') return this.refuse({ header, form }, why);
    this.#context.log.debug({ status: why.status, method }, 'refused a request that is no signup');
    this.#logCause(header, form, why);
    return refusalOf(header, form, why);
  }

  /** Logs why a request is answered with 503. */
  logFailure(error: unknown): void {
    const { log } = this.#context;
    if (error instanceof StoreUnavailableError || error instanceof DeadlineError)
      log.error({ reason: error.message }, 'a request was answered with 503');
    else log.error({ err: error }, 'an unexpected failure was answered with 503');
  }

  /** The websites whose signups were refused since the start, and what to do; null where there are none. */
  refusedOrigins(): string | null {
    const origins = [...this.#logged.origin].filter((origin) => origin !== null);
    if (origins.length === 0) return null;
    const more = origins.length > shownOrigins ? ' and others' : '';
    return `Signups from pages of ${origins.slice(0, shownOrigins).join(', ')}${more} were refused. If one of them is your site, name it in RELAY_ALLOWED_ORIGINS; with “www.” it is another one.`;
  }

  /** Logs a cause that the operator can end. */
  #logCause(header: ReadHeader, form: Form | null, { errors: [error] }: Refused): void {
    if (error?.code === 'ORIGIN_NOT_ALLOWED') this.#logOnce('origin', header('origin')?.slice(0, 200) ?? null, form);
    if (error?.code === 'CONSENT_UNKNOWN') this.#logOnce('reason', error.message, form);
  }

  #logOnce(what: keyof typeof loggedCauses, cause: string | null, form: Form | null): void {
    const logged = this.#logged[what];
    if (logged.has(cause) || logged.size >= maxLoggedCauses) return;
    logged.add(cause);
    this.#context.log.warn({ [what]: cause, form: form?.name }, loggedCauses[what]);
  }

  /** The visitor's address, behind trusted proxies; null if unknown. Warns once of a proxy that is not trusted. */
  client(peer: string | null, header: ReadHeader): string | null {
    const { client, isOfUnnamedProxy } = senderOf(peer, header('x-forwarded-for'), this.#trustedProxies);
    if (isOfUnnamedProxy && !this.#hasWarnedOfProxy) {
      this.#hasWarnedOfProxy = true;
      this.#context.log.warn(
        { proxy: peer },
        'a proxy that RELAY_TRUSTED_PROXIES does not name passes on visitors; the last address in X-Forwarded-For counts as theirs: name the proxy there',
      );
    }
    return client;
  }
}

/** Reads headers of a request. */
export function headerOf({ headers }: Request): ReadHeader {
  return (name) => headers.get(name);
}

/** The refusal of a request, with what was entered where the sender expects a page. */
export function refusalOf(header: ReadHeader, form: Form | null, why: Refused, entered: Entered = []): Response {
  return toResponse(refusalAnswer(header, form?.origins ?? null, why, () => refusalPage(form, why, entered)));
}

/** The answer as a Response. */
export function toResponse({ status, headers, body }: Answer): Response {
  return new Response(body, { status, headers });
}

async function bodyOf(request: Request, limit: number): Promise<Uint8Array | null> {
  if (request.headers.has('content-length') && !request.headers.has('transfer-encoding')) {
    // The HTTP parser ends such a body at its stated length, which admission has checked. Reading it at once is five
    // times as fast as reading its chunks.
    const body = new Uint8Array(await request.arrayBuffer());
    return body.byteLength > limit ? null : body;
  }
  return collectBody((request.body as ReadableStream<Uint8Array> | null) ?? [], limit);
}
