/** The address of a store: parses RELAY_STORE. */
import { decoded } from './url-part.ts';

/** Where signups are kept. */
export type StoreAddress =
  | { readonly kind: 'sqlite'; readonly path: string }
  /** The storage of a Durable Object, on Cloudflare Workers; not an address of RELAY_STORE. */
  | { readonly kind: 'durable-object' }
  | {
      readonly kind: 'postgres';
      /** `postgres://user:password@host:port/database`; a secret. */
      readonly url: string;
    };

/** The format of RELAY_STORE, for an error message. The rejected value is not repeated: it may contain a password. */
export const storeAddressFormat =
  'must be sqlite: and the path of a file, for example sqlite:./relay.db, or postgres://user:password@host:5432/database with reserved characters percent-encoded';

/** What PostgreSQL's addresses may have and this one may not. @returns the end of a sentence; null where nothing is */
function problemOf(text: string): string | null {
  const parameters = URL.canParse(text) ? new URL(text).searchParams : new URLSearchParams();
  const [hosts = ''] = /^[a-z]+:\/\/[^/?]*/.exec(text) ?? [];
  if (`${hosts}${parameters.get('host') ?? ''}`.replace(/^.*@/, '').includes(','))
    return 'must name one host: of several, the address of what leads to the primary, such as HAProxy or a virtual IP';
  if ((parameters.get('target_session_attrs') ?? 'any') !== 'any')
    return 'must not have target_session_attrs, which chooses among several hosts: the relay says by itself where a server is read-only';
  const [mode, root] = [parameters.get('sslmode') ?? 'disable', parameters.get('sslrootcert')];
  if (!['disable', 'require', 'verify-ca', 'verify-full'].includes(mode))
    return 'must have disable, require, verify-ca or verify-full as sslmode';
  if (root === 'system') return 'must have the path of a file as sslrootcert';
  return mode === 'verify-ca' && root === null ? 'needs sslrootcert beside sslmode=verify-ca' : null;
}

/** @returns an address of {@link storeAddressFormat}, or what is wrong with the text, as the end of a sentence */
export function readStoreAddress(text: string): StoreAddress | { readonly problem: string } {
  const path = /^sqlite:(.+)$/.exec(text)?.[1];
  if (path && path !== ':memory:') return { kind: 'sqlite', path };
  const problem = /^postgres(ql)?:\/\//.test(text) ? problemOf(text) : storeAddressFormat;
  if (problem !== null) return { problem };
  const url = URL.parse(text);
  // An @ behind the host is that of a password which has ended the host's name too early.
  if (url === null || !/^\/[^@]+$/.test(url.pathname)) return { problem: storeAddressFormat };
  if ([url.username, url.password, url.pathname].some((part) => decoded(part) === null))
    return { problem: storeAddressFormat };
  // With it pg takes sslmode as PostgreSQL's documentation has it: require encrypts, and verifies nobody.
  if (url.searchParams.has('sslmode')) url.searchParams.set('uselibpqcompat', 'true');
  return { kind: 'postgres', url: url.href };
}

/** The address without user and password, for messages. */
export function storeName(address: StoreAddress): string {
  if (address.kind === 'sqlite') return address.path;
  if (address.kind === 'durable-object') return 'Durable Object';
  const { host, pathname, searchParams } = new URL(address.url);
  return `postgres://${host || (searchParams.get('host') ?? '')}${pathname}`;
}

/** The password in an address; empty where there is none. */
export function passwordOf(address: StoreAddress): string {
  if (address.kind !== 'postgres') return '';
  const { password, searchParams } = new URL(address.url);
  return decoded(password) || (searchParams.get('password') ?? '');
}
