/** E-mail addresses: validation, normalization, and the key under which two spellings are one address. */
import { parseUrl } from './submission.ts';

/** A text with usual signs for full-width ones. */
export const withUsualSigns = (text: string): string =>
  text.replaceAll(/[！-～]/g, (wide) => String.fromCharCode(wide.charCodeAt(0) - 0xfee0));

/**
 * An address as typed, without what no address can hold: without invisible characters and blanks around, and with usual
 * signs for full-width ones.
 */
export function typedAddress(address: string): string {
  if (/^[!-~]*$/.test(address)) return address;
  // Joiners make another domain of some Persian and Indian names.
  return withUsualSigns(address.replaceAll(/(?![\u200c\u200d])\p{Default_Ignorable_Code_Point}/gu, ''))
    .replaceAll('﹫', '@')
    .trim();
}

/**
 * The address to send to: as it is to be read, composed (NFC), with its domain in lower case and without a dot at its
 * end. The local part keeps its case, which only the receiving server may interpret.
 *
 * @example `normalizeAddress(' Ada+news＠BÜCHER.example ')` → `'Ada+news@bücher.example'`
 */
export function normalizeAddress(address: string): string {
  const text = typedAddress(address).normalize('NFC');
  const at = text.lastIndexOf('@');
  if (at < 0) return text;
  const domain = text
    .slice(at)
    .replaceAll(/[。｡]/g, '.')
    .replace(/[.\s]+$/, '');
  return text.slice(0, at) + domain.toLowerCase();
}

/**
 * The key under which two spellings are one address, to compare with, never to send to. Letters' case, width and
 * composition, invisible characters and blanks around make no difference, and the domain is the one that mail is
 * delivered to: IDNA as URLs have it (UTS 46), without dots at its end.
 *
 * @example `addressKey('Ada＠BÜCHER。example')` → `'ada@xn--bcher-kva.example'`
 */
export function addressKey(address: string): string {
  // The usual form: most addresses, at a fraction of the time.
  if (/^[!-?A-~]+@[a-z\d-]+(?:\.[a-z\d-]+)*$/i.test(address)) return address.toLowerCase();
  const text = typedAddress(address);
  const at = text.lastIndexOf('@');
  if (at < 0) return fold(text);
  const domain = text.slice(at + 1);
  return `${fold(text.slice(0, at))}@${asciiDomain(domain) ?? asciiDomain(fold(domain)) ?? fold(domain)}`;
}

const fold = (text: string): string =>
  text
    .replaceAll(/[\u200c\u200d]/g, '')
    .normalize('NFKC')
    .trim()
    .toLowerCase()
    .normalize('NFKC'); // İ becomes two characters

/** The domain in ASCII; null for what is none. */
function asciiDomain(domain: string): string | null {
  // What would end the host of a URL, or be decoded or dropped in it.
  if (/[\s/?#\\%:@]/.test(domain)) return null;
  // A label more, so that numbers are not read as an IP address.
  return parseUrl(`http://${domain}.a`)?.hostname.slice(0, -'.a'.length).replace(/\.+$/, '') ?? null;
}

/**
 * Whether the text, as {@link normalizeAddress} writes it, has the form of an e-mail address: one `@`, a local part of
 * at most 64 characters, a dotted domain (also international, no IP address), at most 254 characters in all (RFC 5321),
 * no quotes and no spaces. Says nothing about whether the mailbox exists.
 */
export function isAddress(text: string): boolean {
  const address = normalizeAddress(text);
  if (address.length > 254) return false;
  const at = address.lastIndexOf('@');
  const name = address.slice(0, at);
  if (at <= 0 || name.length > 64) return false;
  // The patterns are inside the function: compiling their Unicode classes when the script loads took a quarter of the
  // time until the form appears.
  const local = /^[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+(?:\.[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+)*$/u;
  const labels =
    /^(?:[\p{L}\p{Nd}](?:[\p{L}\p{M}\p{Nd}-]{0,61}[\p{L}\p{M}\p{Nd}])?\.)+(?!\d+$)[\p{L}\p{Nd}](?:[\p{L}\p{M}\p{Nd}-]{0,61}[\p{L}\p{M}\p{Nd}])$/u;
  return local.test(name) && labels.test(address.slice(at + 1));
}
