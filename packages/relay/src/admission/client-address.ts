/** Finds the visitor's IP address behind trusted proxies (X-Forwarded-For), and its network for rate limits. Pure. */
import { BlockList, isIP } from 'node:net';

/** Private and local networks, which no visitor from the internet has: loopback, RFC 1918, link-local, carrier NAT. */
const privateNetworks = addressList([
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

/** A list of IP addresses and networks, as RELAY_TRUSTED_PROXIES takes them. */
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
function contains(list: BlockList, address: string): boolean {
  return list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
}

/** Where a post comes from. */
export interface Sender {
  /** The visitor's IP address; null where it is unknown. */
  readonly client: string | null;
  /** Whether a proxy passed it on that RELAY_TRUSTED_PROXIES does not name: one with a private IP address. */
  readonly isOfUnnamedProxy: boolean;
}

/**
 * Finds the visitor. Each proxy appends the address of its client to `X-Forwarded-For`, so the header is read from the
 * right, entry by entry, while the address that added the entry is a trusted proxy; entries further left may be forged.
 * Where an entry is not an IP address, the connection's own address is used. Of an unnamed proxy only the last entry is
 * used, because its own address is the same for every visitor.
 *
 * @param peer - IP address of the connection; null where it is unknown
 * @param trusted - the trusted proxies
 */
export function senderOf(peer: string | null, forwardedFor: string | null, trusted: BlockList): Sender {
  const connection = parseAddress(peer ?? '');
  if (connection === null || forwardedFor === null) return { client: connection, isOfUnnamedProxy: false };
  const entries = forwardedFor.split(',');
  const isOfUnnamedProxy = !contains(trusted, connection) && contains(privateNetworks, connection);
  if (isOfUnnamedProxy) return { client: parseAddress(entries.pop() ?? '') ?? connection, isOfUnnamedProxy };
  let client = connection;
  while (entries.length > 0 && contains(trusted, client)) {
    const next = parseAddress(entries.pop() ?? '');
    if (next === null) return { client: connection, isOfUnnamedProxy };
    client = next;
  }
  return { client, isOfUnnamedProxy };
}

/**
 * The networks of one visitor: the IPv4 address; or the IPv6 /64, within which a host may choose its address, and the
 * /48, which providers assign to one customer (RFC 6177).
 */
export function networksOf(address: string): { readonly narrow: string; readonly wide: string | null } {
  if (isIP(address) !== 6) return { narrow: address, wide: null };
  const [head = '', tail = ''] = canonicalAddress(address).split('::');
  const [before, after] = [groupsOf(head), groupsOf(tail)];
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => '0');
  const all = [...before, ...zeros, ...after];
  return { narrow: `${all.slice(0, 4).join(':')}::/64`, wide: `${all.slice(0, 3).join(':')}::/48` };
}

/** The groups on one side of the `::` of an IPv6 address. */
function groupsOf(side: string): readonly string[] {
  return side === '' ? [] : side.split(':');
}

/** The canonical spelling of an IP address: that of a URL, which has no IPv4 tail in IPv6 addresses. */
export function canonicalAddress(address: string): string {
  return isIP(address) === 6 ? new URL(`http://[${address}]`).hostname.slice(1, -1) : address;
}

/** An IP address without port, brackets, zone and IPv4-in-IPv6 prefix; null where the text is none. */
function parseAddress(text: string): string | null {
  const trimmed = text.trim();
  const [, bracketed, bare] = /^(?:\[([^\]]+)\](?::\d+)?|([^:]+):\d+)$/.exec(trimmed) ?? [];
  const address = (bracketed ?? bare ?? trimmed).replace(/%.*/, '').toLowerCase();
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(address)?.[1] ?? address;
  return isIP(mapped) === 0 ? null : mapped;
}
