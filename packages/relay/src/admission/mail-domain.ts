/** Whether a domain takes mail, as its name servers say. Where they do not answer, it is taken to. */
import { Resolver } from 'node:dns/promises';
import { domainToASCII } from 'node:url';

/** The questions a check asks, as `node:dns` answers them. */
export interface MailResolver {
  resolveMx(domain: string): Promise<readonly { readonly exchange: string }[]>;
  resolve4(domain: string): Promise<readonly string[]>;
  resolve6(domain: string): Promise<readonly string[]>;
}

/** Answers are remembered for this long, in milliseconds, and of at most this many domains. */
const rememberedMs = 600_000;
const domainsKept = 5000;

/** The codes with which name servers say that there is nothing, rather than nothing for now. */
const nothing: ReadonlySet<unknown> = new Set(['ENOTFOUND', 'ENODATA']);

export class MailDomains {
  readonly #resolver: MailResolver;
  readonly #known = new Map<string, { readonly until: number; readonly takesMail: Promise<boolean> }>();

  /** By default asks the system's name servers, each twice and for a second at most. */
  constructor(resolver: MailResolver = new Resolver({ timeout: 1000, tries: 2 })) {
    this.#resolver = resolver;
  }

  /** @param domain - what stands behind the @ of an address, also international */
  takesMail(domain: string, now: number): Promise<boolean> {
    const known = this.#known.get(domain);
    if (known && known.until > now) return known.takesMail;
    this.#known.delete(domain);
    const [oldest] = this.#known.keys();
    if (this.#known.size >= domainsKept && oldest !== undefined) this.#known.delete(oldest);
    const takesMail = this.#ask(domainToASCII(domain)).catch(() => true);
    this.#known.set(domain, { until: now + rememberedMs, takesMail });
    return takesMail;
  }

  /**
   * MX records decide; without any, mail goes to the host of that name (RFC 5321 §5.1). A lone "." says: none (RFC
   * 7505).
   */
  async #ask(domain: string): Promise<boolean> {
    const exchanges = await noneWhereNothing(this.#resolver.resolveMx(domain));
    if (exchanges.length > 0) return exchanges.some(({ exchange }) => exchange !== '' && exchange !== '.');
    if ((await noneWhereNothing(this.#resolver.resolve4(domain))).length > 0) return true;
    return (await noneWhereNothing(this.#resolver.resolve6(domain))).length > 0;
  }
}

async function noneWhereNothing<T>(answer: Promise<readonly T[]>): Promise<readonly T[]> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof Error && 'code' in error && nothing.has(error.code)) return [];
    throw error;
  }
}
