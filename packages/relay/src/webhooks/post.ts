/**
 * Posts a webhook from a machine. The name of the receiver is resolved once, the addresses are checked, and the
 * connection goes to a checked address: a name that changes its addresses (DNS rebinding) leads nowhere else.
 */
import { lookup as systemLookup } from 'node:dns/promises';
import { Agent as HttpAgent, type IncomingMessage, request as httpRequest } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** One attempt. */
export interface WebhookRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly allowsPrivateNetwork: boolean;
  /** Aborts at the time limit, and when the relay stops. */
  readonly signal: AbortSignal;
}

/** The answer of the receiver; its body is not read. */
export interface WebhookAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
}

/**
 * Posts a webhook and follows no redirect.
 *
 * @throws PrivateAddressError if the address is not allowed; any other error if there is no answer
 */
export type PostWebhook = (request: WebhookRequest) => Promise<WebhookAnswer>;

/** The URL leads into a private network, which the configuration does not allow. */
export class PrivateAddressError extends Error {
  override readonly name = 'PrivateAddressError';
}

/** Resolves a host name to IP addresses. */
export type Lookup = (hostname: string) => Promise<readonly string[]>;

const resolve: Lookup = async (hostname) => (await systemLookup(hostname, { all: true })).map(({ address }) => address);

/** The global unicast addresses of IPv6 that are assigned; outside of them are others that contain an IPv4 address. */
const assigned = ipaddr.parseCIDR('2000::/3');

/** Whether an IP address is one of the public internet: not private, not local, not reserved, not a tunnel to those. */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  return parsed.range() === 'unicast' && (parsed.kind() === 'ipv4' || parsed.match(assigned));
}

/** Tries the next address of a name where one takes no connection within these milliseconds; keeps no connection. */
const agentOptions = { keepAlive: false, autoSelectFamily: true, autoSelectFamilyAttemptTimeout: 2500 };
const httpAgent = new HttpAgent(agentOptions);
const httpsAgent = new HttpsAgent(agentOptions);

/** @param lookup - resolves the name of the receiver. Default: as the system does */
export function createPost(lookup: Lookup = resolve): PostWebhook {
  return async (request) => {
    const { hostname } = new URL(request.url);
    const host = hostname.replace(/^\[|\]$/g, '');
    const addresses = isIP(host) === 0 ? await aborting(lookup(host), request.signal) : [host];
    const allowed = request.allowsPrivateNetwork ? addresses : addresses.filter(isPublicAddress);
    if (addresses.length > 0 && allowed.length === 0)
      throw new PrivateAddressError(
        'The URL leads into a private network: set RELAY_WEBHOOK_PRIVATE_NETWORK=true if that is wanted.',
      );
    if (allowed.length === 0) throw Object.assign(new Error('The name has no address.'), { code: 'ENOTFOUND' });
    return postTo(allowed, request);
  };
}

/** Posts over a connection to the first of these addresses that takes one. */
function postTo(addresses: readonly string[], { url, headers, body, signal }: WebhookRequest): Promise<WebhookAnswer> {
  const isSecure = url.startsWith('https:');
  return new Promise((fulfil, reject) => {
    const sent = (isSecure ? httpsRequest : httpRequest)(url, {
      agent: isSecure ? httpsAgent : httpAgent,
      method: 'POST',
      headers: { ...headers, 'content-length': Buffer.byteLength(body) },
      // The checked addresses: the name is not resolved a second time.
      lookup: (_host, _options, answer) =>
        answer(
          null,
          addresses.map((address) => ({ address, family: isIP(address) })),
        ),
      signal,
    });
    const end = (answer: IncomingMessage): void => {
      const headers = Object.entries(answer.headers).map(([name, value]): [string, string] => [name, String(value)]);
      fulfil({ status: answer.statusCode ?? 0, headers: Object.fromEntries(headers) });
      answer.on('error', () => undefined).destroy();
    };
    sent.once('error', reject);
    sent.once('response', end);
    // The answer 101: without a listener the request would neither be answered nor fail.
    sent.once('upgrade', end);
    // However a connection ends, the attempt ends with it.
    sent.once('close', () => reject(new Error('The connection was closed without an answer.')));
    sent.end(body);
  });
}

/** The promise, or a rejection as soon as the signal aborts: a name server may never answer. */
function aborting<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((fulfil, reject) => {
    const abort = (): void => reject(signal.reason instanceof Error ? signal.reason : new Error('aborted'));
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    promise.then(fulfil, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
