/** Whose post it is: the visitor's address behind proxies that are trusted, and the network it counts for. Pure. */
import { BlockList, isIP } from 'node:net';

/** Addresses no visitor from the internet has: of machines, of local networks, of carriers' inner networks. */
const inner = addressList([
  '127.0.0.0/8',
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '169.254.0.0/16',
  '100.64.0.0/10',
  '::1',
  'fc00::/7',
  'fe80::/10',
]);

/** Whether a text is an address, or a network in CIDR notation. */
export function isNetwork(text: string): boolean {
  const [, address = '', prefix = '0'] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const version = isIP(address);
  return version !== 0 && !address.includes('%') && Number(prefix) <= (version === 6 ? 128 : 32);
}

/** A list of addresses and networks, each of which {@link isNetwork} knows. */
export function addressList(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', prefix] = network.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    if (prefix === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(prefix), family);
  }
  return list;
}

/** Whether an address is on the list. */
function holds(list: BlockList, address: string): boolean {
  return list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
}

/**
 * The visitor's address. `X-Forwarded-For` is read from the right, where each proxy adds the one it heard from, for as
 * long as the one who says it is trusted; what stands further left anybody can have written. Where a trusted proxy
 * passes on what is no address, the connection's own address counts. An unnamed proxy ({@link isUnnamedProxy}) is
 * believed in the one entry it added itself: its own address is that of every visitor.
 *
 * @param peer - the address of the connection; null where it is not known
 * @param trusted - the proxies
 */
export function clientAddress(peer: string | null, forwardedFor: string | null, trusted: BlockList): string | null {
  const connection = parseAddress(peer ?? '');
  if (connection === null) return null;
  const entries = forwardedFor === null ? [] : forwardedFor.split(',');
  let address = connection;
  if (isUnnamedProxy(peer, forwardedFor, trusted)) return parseAddress(entries.pop() ?? '') ?? connection;
  while (entries.length > 0 && holds(trusted, address)) {
    const next = parseAddress(entries.pop() ?? '');
    if (next === null) return connection;
    address = next;
  }
  return address;
}

/**
 * Whether the connection comes from a proxy nobody named in RELAY_TRUSTED_PROXIES: from this machine or the local
 * network, on behalf of somebody else.
 */
export function isUnnamedProxy(peer: string | null, forwardedFor: string | null, trusted: BlockList): boolean {
  const address = forwardedFor === null ? null : parseAddress(peer ?? '');
  return address !== null && !holds(trusted, address) && holds(inner, address);
}

/**
 * The networks that one visitor may have: the IPv4 address; or the IPv6 /64 in which a host changes its address at
 * will, and the /48 that providers assign to one customer (RFC 6177).
 */
export function networksOf(address: string): { readonly narrow: string; readonly wide: string | null } {
  if (isIP(address) !== 6) return { narrow: address, wide: null };
  const [head = '', tail] = canonicalAddress(address).split('::');
  const groups = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const all =
    tail === undefined
      ? groups
      : [...groups, ...Array.from({ length: 8 - groups.length - after.length }, () => '0'), ...after];
  return { narrow: `${all.slice(0, 4).join(':')}::/64`, wide: `${all.slice(0, 3).join(':')}::/48` };
}

/** The one spelling of an address. A URL writes an IPv6 address in one way only, without an IPv4 tail. */
export function canonicalAddress(address: string): string {
  return isIP(address) === 6 ? new URL(`http://[${address}]`).hostname.slice(1, -1) : address;
}

/** An address without port, brackets, zone and IPv4-in-IPv6 wrapping; null where it is none. */
function parseAddress(text: string): string | null {
  const trimmed = text.trim();
  const [, bracketed, bare] = /^(?:\[([^\]]+)\](?::\d+)?|([^:]+):\d+)$/.exec(trimmed) ?? [];
  const address = (bracketed ?? bare ?? trimmed).replace(/%.*$/, '').toLowerCase();
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(address)?.[1] ?? address;
  return isIP(mapped) === 0 ? null : mapped;
}
