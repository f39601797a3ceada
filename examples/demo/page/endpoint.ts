/** The endpoint of a form, from its address as people have it. */
import { parseUrl } from '@newsletter-kit/core/signup';

/** The endpoint in the snippets until one is entered. */
export const exampleEndpoint = 'https://relay.example/signup';

interface Endpoint {
  readonly address: string;
  /** The address of the relay, which serves the script too; undefined for an endpoint that is none of a relay. */
  readonly relay: string | undefined;
}

/** The host that an address without a scheme begins with. What begins otherwise is a path of the owner's website. */
const leadingHost = /^(?:localhost|\[[\da-f:]+\]|[^\s/:?#@]+\.[^\s/:?#@]+)(?=[:/?#]|$)/i;
const loopback = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/i;
/** An endpoint of a relay, or of one of its forms. */
const relayEndpoint = /^(https?:\/\/[\w.:[\]/-]+)(\/signup(?:\/[\w-]+)?)\/?$/;

/**
 * Adds what people leave out: the scheme, and the path of a relay. An address without a path can only be a relay's,
 * since any other endpoint is one page of a server.
 */
export function readEndpoint(typed = ''): Endpoint {
  const text = typed.trim() || exampleEndpoint;
  const [host] = leadingHost.exec(text) ?? [];
  const scheme = host && (loopback.test(host) ? 'http://' : 'https://');
  const address = `${scheme ?? ''}${text}`;
  const { href = '', origin, pathname } = parseUrl(address) ?? {};
  const [, relay, path] =
    relayEndpoint.exec(pathname === '/' && href === `${origin}/` ? `${origin}/signup` : href) ?? [];
  return { address: relay === undefined ? address : `${relay}${path}`, relay };
}
