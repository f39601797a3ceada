/** Looks up in DNS whether a domain receives mail. Without an answer, the domain counts as receiving. */
import { Resolver } from 'node:dns/promises';
import { domainToASCII } from 'node:url';
import { within } from '../deadline.ts';

/** The DNS lookups, with the signatures of `node:dns`. */
export interface MailResolver {
  resolveMx(domain: string): Promise<readonly { readonly exchange: string }[]>;
  resolve4(domain: string): Promise<readonly string[]>;
  resolve6(domain: string): Promise<readonly string[]>;
}

/** Lifetime of a cached answer, in milliseconds, and maximum number of cached domains. */
const cacheMs = 600_000;
const maxDomains = 5000;

/** Time limit of a lookup, its up to three questions together, in milliseconds; the visitor waits for it. */
const lookupMs = 1500;

/** DNS error codes for "no such record", as opposed to a temporary failure. */
const noRecordCodes: ReadonlySet<unknown> = new Set(['ENOTFOUND', 'ENODATA']);

/** Whether a domain receives mail. @param domain - the domain of an e-mail address, also international */
type ReceivesMail = (domain: string, now: number) => Promise<boolean>;

/** @param resolver - default: the system's name servers, with two tries each */
export function createMailDomains(resolver: MailResolver = new Resolver({ timeout: 500, tries: 2 })): ReceivesMail {
  const cache = new Map<string, { readonly until: number; readonly receivesMail: Promise<boolean> }>();
  return (domain, now) => {
    const cached = cache.get(domain);
    if (cached && cached.until > now) return cached.receivesMail;
    cache.delete(domain);
    const [oldest] = cache.keys();
    if (cache.size >= maxDomains && oldest !== undefined) cache.delete(oldest);
    const receivesMail = within(lookupMs, lookUp(domainToASCII(domain), resolver)).catch(() => true);
    cache.set(domain, { until: now + cacheMs, receivesMail });
    return receivesMail;
  };
}

/**
 * MX records decide; without any, mail goes to the host of that name (RFC 5321 §5.1). The single record "." means that
 * the domain receives no mail (RFC 7505).
 */
async function lookUp(domain: string, resolver: MailResolver): Promise<boolean> {
  const exchanges = await emptyWhereNone(resolver.resolveMx(domain));
  if (exchanges.length > 0) return exchanges.some(({ exchange }) => exchange !== '' && exchange !== '.');
  if ((await emptyWhereNone(resolver.resolve4(domain))).length > 0) return true;
  return (await emptyWhereNone(resolver.resolve6(domain))).length > 0;
}

/** The records of a lookup; none where DNS says that there are none. */
export async function emptyWhereNone<T>(answer: Promise<readonly T[]>): Promise<readonly T[]> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof Error && 'code' in error && noRecordCodes.has(error.code)) return [];
    throw error;
  }
}
