/** Checks whether a key or token may be sent to an address. */

/**
 * Whether a host name or IP address is the loopback interface, which no other machine can read.
 *
 * @param host - with or without the brackets of an IPv6 address
 */
export function isLoopbackHost(host: string): boolean {
  return /^(localhost|127(\.\d+){3}|\[::1\]|::1)$/.test(host);
}

/** Whether an address is https, or http on the loopback interface. */
export function isSecureAddress(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, hostname } = new URL(address);
  return protocol === 'https:' || (protocol === 'http:' && isLoopbackHost(hostname));
}
