/** The addresses of services: their normal form, and whether a key or token may be sent to them. */

/**
 * The normal form of a root address: no spaces around it, no slash at its end.
 *
 * @param ending - what its path must end with, such as `/v2`
 * @returns the address; or what is wrong with it, as the rest of a sentence that begins with the name of its setting,
 *   without the address itself, which may hold a password
 */
export function readServiceAddress(
  text: string,
  ending = '',
): { readonly address: string } | { readonly problem: string } {
  const trimmed = String(text).trim(); // undefined in programs without types
  const url = URL.canParse(trimmed) ? new URL(trimmed) : null;
  const address = url && url.origin + url.pathname.replace(/\/+$/, '');
  if (!address?.endsWith(ending) || !/^https?:$/.test(url?.protocol ?? ''))
    return {
      problem: `must be an http(s) address${ending && ` that ends with ${ending}`}, for example http://127.0.0.1:4010${ending}`,
    };
  if (url?.username || url?.password)
    return { problem: 'must be without user name and password: each request is signed with the key or token alone' };
  if (url?.search || url?.hash)
    return { problem: 'must be without query and fragment: leave out everything from the ? or # on' };
  return { address };
}

/** As {@link readServiceAddress}. @throws TypeError that names the setting */
export function serviceAddress(setting: string, text: string, ending?: string): string {
  const read = readServiceAddress(text, ending);
  if ('problem' in read) throw new TypeError(`${setting} ${read.problem}.`);
  return read.address;
}

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
