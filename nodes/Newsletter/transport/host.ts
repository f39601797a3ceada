/** The engine's host inside n8n: its HTTP helper signs and sends, its clock waits. */
import {
  redact,
  TransportError,
  type Host,
  type HostAnswer,
  type HostRequest,
  type Signal,
} from '@newsletter-kit/core/engine';
import { NodeApiError, sleep, type IAllExecuteFunctions, type IHttpRequestOptions } from 'n8n-workflow';
import { isRecord } from '../isRecord.ts';

/** A host that signs with the node's credential of this type. */
export function createHost(context: IAllExecuteFunctions, credentialType: string): Host {
  const refresh = refreshOnce(context, credentialType);
  return {
    async send(request) {
      try {
        const { httpRequestWithAuthentication } = context.helpers;
        const ask = async (): Promise<HostAnswer> =>
          toAnswer(await httpRequestWithAuthentication.call(context, credentialType, toHelperRequest(request)));
        const token = refresh.tokens;
        const answer = await ask();
        if (answer.status !== 401 || !(await refresh.after(token))) return answer;
        return await ask();
      } catch (error) {
        return answerWithin(error);
      }
    },
    sleep: (ms, signal) => (signal === undefined ? sleep(ms) : unlessAborted(sleep(ms), signal)),
    now: () => Date.now(),
    monotonic: () => performance.now(),
    random: () => Math.random(),
  };
}

/**
 * Refreshes the token of an OAuth2 credential where n8n has not done it. n8n 1 does not know the exception that
 * {@link toHelperRequest} makes of 401: there a 401 comes back as an answer. From n8n 2 on it never does.
 */
function refreshOnce(context: IAllExecuteFunctions, credentialType: string) {
  let refreshing: Promise<unknown> | undefined;
  const state = {
    /** How many new tokens there were. */
    tokens: 0,
    /**
     * @param token - `tokens` when the refused request was sent: another may have had the token refreshed since
     * @returns false for an API key, and where the service gives no new token: its 401 then says to connect again
     */
    async after(token: number): Promise<boolean> {
      if (!credentialType.endsWith('OAuth2Api')) return false;
      if (token < state.tokens) return true;
      refreshing ??= context.helpers.refreshOAuth2Token
        .call(context, credentialType)
        .then(
          () => (state.tokens += 1),
          () => undefined,
        )
        .finally(() => (refreshing = undefined));
      return (await refreshing) !== undefined;
    },
  };
  return state;
}

/**
 * n8n refreshes an expired token only where the helper throws on 401, so this one status is left to throw; every other
 * status comes back as an answer. The body is asked for as text, because reading it is the engine's work.
 */
function toHelperRequest({ method, url, headers, body, timeoutMs }: HostRequest): IHttpRequestOptions {
  return {
    method: method as NonNullable<IHttpRequestOptions['method']>,
    url,
    headers: { ...headers },
    ...(body !== undefined && { body }),
    ...(timeoutMs !== undefined && { timeout: timeoutMs }),
    encoding: 'text',
    json: false,
    returnFullResponse: true,
    ignoreHttpStatusErrors: { ignore: true, except: [401] },
    // A redirect would take the key, or a POST, to an address that nobody chose: the engine names it instead.
    disableFollowRedirect: true,
  };
}

function toAnswer(response: unknown): HostAnswer {
  if (!isRecord(response) || typeof response['statusCode'] !== 'number')
    throw new TransportError('network', { code: 'NO_STATUS' });
  return { status: response['statusCode'], headers: lowerCased(response['headers']), body: toText(response['body']) };
}

/**
 * The 401 inside a thrown error as an answer; a broken connection as the engine's own error; anything else is thrown
 * on. No other status throws: an answer of one that comes inside an error broke off before its end.
 */
function answerWithin(error: unknown): HostAnswer {
  const cause = error instanceof NodeApiError ? (error.cause ?? causeInN8n1(error)) : undefined;
  if (!isRecord(cause)) throw error;
  const { response, code } = cause;
  if (isRecord(response) && response['status'] === 401) {
    return { status: 401, headers: lowerCased(response['headers']), body: toText(response['data']) };
  }
  if (typeof code !== 'string') throw error;
  if (code === 'ERR_CANCELED') throw new TransportError('aborted', { code });
  // The cause itself holds the request with its key.
  const { message } = cause;
  const details = { code, cause: new Error(redact(typeof message === 'string' ? message : code)) };
  throw new TransportError(code === 'ETIMEDOUT' || code === 'ECONNABORTED' ? 'timeout' : 'network', details);
}

/** n8n 1 loses the cause, and keeps its code as `httpCode`: the status where an answer broke off. */
function causeInN8n1({ httpCode, messages }: NodeApiError): unknown {
  if (httpCode === null || httpCode === '401') return undefined;
  return { code: /^\d+$/.test(httpCode) ? 'ECONNRESET' : httpCode, message: messages[0] };
}

/** The promise, or a rejection as soon as the signal aborts. */
function unlessAborted(waiting: Promise<void>, signal: Signal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(new TransportError('aborted'));
    if (signal.aborted) return abort();
    signal.addEventListener('abort', abort);
    void waiting.then(() => {
      signal.removeEventListener('abort', abort);
      resolve();
    });
  });
}

function lowerCased(headers: unknown): Record<string, string> {
  if (!isRecord(headers)) return {};
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined || value === null ? [] : [[name.toLowerCase(), String(value)]],
    ),
  );
}

function toText(body: unknown): string {
  return typeof body === 'string' ? body : body === undefined || body === null ? '' : JSON.stringify(body);
}
