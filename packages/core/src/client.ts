/** The typed client: a method per operation of the contract, on the engine. */
import { operations, type OperationId } from './contract/index.ts';
import { createEngine, type EngineOptions } from './engine/engine.ts';
import { connectionOf, logging, type LogLevel } from './environment.ts';
import { checkAnswer, checkRequest } from './engine/check.ts';
import type { Arguments, CallOptions, Engine, Host } from './engine/index.ts';
import { isListId } from './engine/options.ts';
import type { Token } from './engine/token.ts';
import { createFetchHost, type Fetch } from './hosts/fetch.ts';
import { createKyHost, type Ky } from './hosts/ky.ts';
import { createLogin } from './oauth/login.ts';
import type { LoginOptions, OAuthLogin } from './oauth/types.ts';
import type { Resources } from './resources.ts';

/**
 * A method for every operation, `client.<resource>.<verb>(arguments, options)`: path parameters, query and body side by
 * side under the API's names. Lists are awaited for a page or iterated for all items; `oauth.authorize` gives the
 * address to send a person to.
 */
export interface Client extends Resources {
  /**
   * Sends what the contract does not know, with the authorization, pace, retries and errors of every other call.
   * Nothing is checked against a schema, and the answer is whatever JSON the service sends.
   *
   * @example
   * ```ts
   * const posts = await client.request<{ data: unknown[] }>('GET', '/publications/{publicationId}/posts', {
   *   query: { limit: 5 },
   * });
   * ```
   * @param path - relative to `baseUrl`; `{publicationId}` stands for the publication of the options or the client
   * @returns the parsed JSON; null where the answer has no body
   */
  readonly request: Engine['request'];
  /** OAuth 2.0: the endpoints of the contract, and the login flow on them (`startLogin` and what follows). */
  readonly oauth: Resources['oauth'] & OAuthLogin;
  /** The engine underneath, to call operations by id. */
  readonly engine: Engine;
}

/** Options of {@link createClient}. */
export interface ClientOptions extends Omit<EngineOptions, 'host' | 'validator' | 'baseUrl' | 'token'> {
  /** Root address of the API; its path ends with `/v2`. Default: `NEWSLETTER_API_URL`, unless there is a `token`. */
  readonly baseUrl?: string | undefined;
  /**
   * API key or access token, a function that gives it, or a source that also refreshes a refused one. Default: that of
   * `oauth`, else `NEWSLETTER_API_KEY` where `NEWSLETTER_API_URL` is this service. Without any, only a client with
   * `oauth` or a `host` of its own is made.
   */
  readonly token?: Token | undefined;
  /**
   * Writes a line to stderr for each attempt (`debug`) or each that failed (`warn`), without secrets and addresses.
   * Default: `NEWSLETTER_LOG`, else `off`.
   */
  readonly logLevel?: LogLevel | undefined;
  /**
   * An instance of ky that carries the requests, for the hooks it has. Its `retry`, `timeout`, `throwHttpErrors` and
   * `fetch` are replaced: the client decides about these itself. Default: none, and `fetch` alone sends.
   */
  readonly ky?: Ky | undefined;
  /**
   * Used in place of the platform's `fetch`: that of undici or node-fetch, or a sandbox's `fetch` in process. Called
   * with an address and plain options.
   */
  readonly fetch?: Fetch | undefined;
  /** A host of your own; `ky` and `fetch` are not used then. */
  readonly host?: Host | undefined;
  /** The app that signs people in with {@link Client.oauth}; needs `appUrl`. */
  readonly oauth?: LoginOptions | undefined;
  /** Check requests and answers. Default true. */
  readonly validate?: boolean | undefined;
}

/**
 * Makes a client of the Newsletter Publishing API.
 *
 * @example
 * ```ts
 * const client = createClient({
 *   baseUrl: 'http://127.0.0.1:4010/v2',
 *   token: 'sandbox-key',
 *   publicationId: 'pub_00000000-0000-4000-8000-000000000001',
 * });
 * const { data, warnings } = await client.subscriptions.create({ email: 'ada@example.com', utm_source: 'landing' });
 * ```
 * @throws TypeError where `baseUrl` is no http(s) address that ends with `/v2`, or has a password, query or fragment,
 *   where there is no `token`, or no header can hold it, and where `oauth`, `appUrl` or `logLevel` is wrong
 */
export function createClient(options: ClientOptions = {}): Client {
  const { fetch, ky, host: customHost, oauth, validate = true, logLevel, ...rest } = options;
  const { baseUrl, token } = connectionOf(options, oauth !== undefined || customHost !== undefined);
  const onAttempt = logging(logLevel, options.onAttempt);
  const host = customHost ?? (ky ? createKyHost(ky, fetch) : createFetchHost({ fetch }));
  const { login, source } = createLogin(loginSettings({ ...options, onAttempt }, host));
  const engine = createEngine({
    ...rest,
    baseUrl,
    token: token ?? source,
    onAttempt,
    host,
    validator: validate ? { request: checkRequest, answer: checkAnswer } : undefined,
  });
  const resources: Record<string, Record<string, unknown>> = {};
  for (const { id, success } of operations) {
    const [resource = '', verb = ''] = id.split('.');
    (resources[resource] ??= {})[verb] = method(engine, id, success);
  }
  // The loop above makes exactly what the type says; a test compares the two.
  return {
    ...resources,
    oauth: { ...resources['oauth'], ...login },
    request: engine.request,
    engine,
  } as unknown as Client;
}

function loginSettings({ oauth, appUrl, timeoutMs, retry, extraHeaders, onAttempt }: ClientOptions, host: Host) {
  if (!oauth) return undefined;
  return { ...oauth, appUrl: appUrl ?? '', host, timeoutMs, retry, extraHeaders, onAttempt };
}

function method(engine: Engine, id: OperationId, success: number): unknown {
  if (success === 302) return (args: Arguments<typeof id>) => engine.address(id, args);
  const call = isListId(id) ? engine.list.bind(engine, id) : engine.call.bind(engine, id);
  return (args: Arguments<typeof id> | undefined, callOptions?: CallOptions) => call(args ?? {}, callOptions);
}

/**
 * Reads a field that the service sends beyond the documented ones. Answers keep such fields, but their types do not
 * list them, so that a misspelled name does not compile.
 *
 * @example
 * ```ts
 * const customer = extraField(subscription, 'stripe_customer_id');
 * if (typeof customer === 'string') console.log(customer);
 * ```
 * @param record - any object of an answer, also a nested one
 * @param name - the field's name as the service spells it
 * @returns its value, or undefined where the record has no such field
 */
export function extraField(record: object, name: string): unknown {
  return Object.hasOwn(record, name) ? (record as Readonly<Record<string, unknown>>)[name] : undefined;
}
