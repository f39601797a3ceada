/**
 * Access control of a sandbox on a port: allowed hosts (against DNS rebinding), local origins (against cross-site
 * requests), and the control token.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import { isIP } from 'node:net';
import { refusal } from '../http/errors.ts';

export interface Access {
  /** Host names that reach the sandbox beside loopback names and IP addresses. Default: none. */
  readonly allowedHosts?: readonly string[];
  /** What `/_sandbox/…` requires, as a bearer token or in the cookie that `/?token=…` sets. Default: nothing. */
  readonly controlToken?: string | undefined;
}

const controlPrefix = '/_sandbox';

/** Whether a host name or address is of this machine: `localhost`, `*.localhost`, `127.0.0.0/8`, `::1`. */
export function isLoopback(host: string): boolean {
  const name = normalizedHost(host);
  return name === 'localhost' || name.endsWith('.localhost') || name === '::1' || /^127(?:\.\d{1,3}){3}$/.test(name);
}

/** Lower case, without the brackets of an IPv6 address and the dot of a fully qualified name. */
const normalizedHost = (host: string): string =>
  host
    .toLowerCase()
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '');

/**
 * Checks the Host of requests over HTTP. A foreign name may resolve to this machine (DNS rebinding), and a browser
 * then treats the sandbox as part of that site; so names must be allowed. An IP address cannot be rebound.
 *
 * @returns a function that answers what it does not let through, and undefined for the rest
 */
export function createGuard({ allowedHosts = [], controlToken }: Access): (request: Request) => Response | undefined {
  const allowed = new Set(allowedHosts.map(normalizedHost));
  const isAllowed = (host: string): boolean =>
    isLoopback(host) || isIP(normalizedHost(host)) !== 0 || allowed.has(normalizedHost(host));
  return (request) => {
    const url = new URL(request.url);
    if (!isAllowed(url.hostname))
      return refusal(403, {
        message: `The host name "${normalizedHost(url.hostname)}" is not allowed. To use it, start the sandbox with --allowed-host ${normalizedHost(url.hostname)} (or SANDBOX_ALLOWED_HOSTS).`,
        code: 'HOST_NOT_ALLOWED',
      });
    return controlToken === undefined ? undefined : requireToken(request, url, controlToken);
  };
}

function requireToken(request: Request, url: URL, token: string): Response | undefined {
  const cookie = `newsletter-sandbox-${url.port || '80'}`;
  if (url.pathname === '/' && equalsToken(url.searchParams.get('token'), token)) {
    // All ports of a host share its cookies, hence the port in the name. Lax, since a link in an e-mail may lead here.
    return new Response(null, {
      status: 303,
      headers: { Location: '/', 'Set-Cookie': `${cookie}=${token}; Path=/; HttpOnly; SameSite=Lax` },
    });
  }
  // A preflight has neither token nor cookie; the request it precedes has.
  if (!url.pathname.startsWith(controlPrefix) || request.method === 'OPTIONS') return undefined;
  const [, bearer] = /^Bearer +(\S+) *$/i.exec(request.headers.get('authorization') ?? '') ?? [];
  const [, kept] = new RegExp(`(?:^|; *)${cookie}=([^;]*)`).exec(request.headers.get('cookie') ?? '') ?? [];
  if (equalsToken(bearer ?? kept ?? null, token)) return undefined;
  return refusal(
    401,
    {
      message:
        'The control endpoints of this sandbox require a token. Send "Authorization: Bearer TOKEN", or open /?token=TOKEN in a browser. --control-token sets it; otherwise the sandbox printed it at its start.',
      code: 'CONTROL_TOKEN_REQUIRED',
    },
    { 'WWW-Authenticate': 'Bearer realm="newsletter-sandbox control"' },
  );
}

function equalsToken(presented: string | null, token: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return presented !== null && timingSafeEqual(digest(presented), digest(token));
}

/**
 * Whether a control request comes from a page of another site. Browsers send `Origin` with every request that can
 * change something, and `Sec-Fetch-Site` with the rest.
 */
export function isCrossSite({ headers, method, url }: Request): boolean {
  const origin = headers.get('origin');
  if (origin !== null) return origin !== new URL(url).origin && !isLocalOrigin(origin);
  // A link that a person follows is no page's request.
  const followed = method === 'GET' && headers.get('sec-fetch-mode') === 'navigate';
  return headers.get('sec-fetch-site') === 'cross-site' && !followed;
}

function isLocalOrigin(origin: string): boolean {
  const read = URL.parse(origin);
  return read !== null && /^https?:$/.test(read.protocol) && isLoopback(read.hostname);
}
