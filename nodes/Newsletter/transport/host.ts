/** Implements the engine's host on n8n: HTTP with the node's credential, time, and the refresh of OAuth2 tokens. */
import {
  type Host,
  type HostAnswer,
  type HostRequest,
  isRecord,
  redact,
  type Signal,
  TransportError,
} from '@newsletter-kit/core/engine';
import { NodeApiError, sleep, type IAllExecuteFunctions, type IHttpRequestOptions } from 'n8n-workflow';

/** Creates a host that authenticates with the node's credential of this type. */
export function createHost(context: IAllExecuteFunctions, credentialType: string): Host {
  const refresh = refreshOnce(context, credentialType);
  return {
    async send(request) {
      try {
        const { httpRequestWithAuthentication } = context.helpers;
        const sendOnce = async (): Promise<HostAnswer> =>
          toAnswer(await httpRequestWithAuthentication.call(context, credentialType, toHelperRequest(request)));
        const token = refresh.tokens;
        const answer = await sendOnce();
        if (answer.status !== 401 || !(await refresh.after(token))) return answer;
        return await sendOnce();
      } catch (error) {
        return answerFromError(error);
      }
    },
    sleep: (ms, signal) => (signal === undefined ? sleep(ms) : abortable(sleep(ms), signal)),
    now: () => Date.now(),
    monotonic: () => performance.now(),
    random: () => Math.random(),
  };
}

/**
 * Refreshes the token of an OAuth2 credential in n8n 1, whose HTTP helper returns a 401 as an answer. From n8n 2 on the
 * helper throws on 401, as {@link toHelperRequest} asks, and n8n refreshes the token itself.
 */
function refreshOnce(context: IAllExecuteFunctions, credentialType: string) {
  let refreshing: Promise<unknown> | undefined;
  const state = {
    /** Number of refreshes. */
    tokens: 0,
    /**
     * @param token - `tokens` when the refused request was sent; a concurrent request may have refreshed since
     * @returns false for an API key, and where the refresh failed; the 401 is then the answer
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
 * n8n refreshes an expired token only when the helper throws on 401, so only this status throws. The body is requested
 * as text, because the engine parses it.
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
    // Following a redirect would send the key, or a POST, to another address; the engine reports it instead.
    disableFollowRedirect: true,
  };
}

function toAnswer(response: unknown): HostAnswer {
  if (!isRecord(response) || typeof response['statusCode'] !== 'number')
    throw new TransportError('network', { code: 'NO_STATUS' });
  return { status: response['statusCode'], headers: lowerCased(response['headers']), body: toText(response['body']) };
}

/**
 * Converts a thrown 401 to an answer, and a connection failure to the engine's error; rethrows any other error. No
 * other status throws: an error with another status is an answer that broke off.
 */
function answerFromError(error: unknown): HostAnswer {
  const cause = error instanceof NodeApiError ? (error.cause ?? causeFromN8n1(error)) : undefined;
  if (!isRecord(cause)) throw error;
  const { response, code } = cause;
  if (isRecord(response) && response['status'] === 401) {
    return { status: 401, headers: lowerCased(response['headers']), body: toText(response['data']) };
  }
  if (typeof code !== 'string') throw error;
  if (code === 'ERR_CANCELED') throw new TransportError('aborted', { code });
  // The original cause contains the request with its key.
  const { message } = cause;
  const details = { code, cause: new Error(redact(typeof message === 'string' ? message : code)) };
  throw new TransportError(code === 'ETIMEDOUT' || code === 'ECONNABORTED' ? 'timeout' : 'network', details);
}

/** n8n 1 drops the cause, and keeps its code as `httpCode`, or the status where an answer broke off. */
function causeFromN8n1({ httpCode, messages }: NodeApiError): unknown {
  if (httpCode === null || httpCode === '401') return undefined;
  return { code: /^\d+$/.test(httpCode) ? 'ECONNRESET' : httpCode, message: messages[0] };
}

/** The promise, or a rejection as soon as the signal aborts. */
function abortable(waiting: Promise<void>, signal: Signal): Promise<void> {
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
