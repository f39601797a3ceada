/** Mail domains that the operator's list names, from a file or a URL: signups of them are kept for review. */
import { readFileSync } from 'node:fs';
import { domainToASCII } from 'node:url';
import { collectBody } from '@newsletter-kit/core/endpoint';
import { StartupError } from '../errors.ts';
import type { Log } from '../log.ts';

/** The largest list that is read, in bytes. */
const maxBytes = 10_000_000;

/** Time limit of a download, in milliseconds. */
const downloadMs = 60_000;

/** The list in force. */
export interface BlockedDomains {
  /** @param domain - in ASCII and lower case; it is on the list if a domain above it is */
  includes(this: void, domain: string): boolean;
  /** Reads no URL any more. */
  stop(this: void): void;
}

/** Options of {@link followBlockedDomains}. */
export interface BlockedDomainsOptions {
  /** Path of a file, or an https address. */
  readonly source: string;
  readonly log: Log;
  /** Default: the global one. */
  readonly fetch?: ((url: string, init: { readonly signal: AbortSignal }) => Promise<Response>) | undefined;
  /** Milliseconds until a URL is read again. Default a day. */
  readonly everyMs?: number | undefined;
  /** Milliseconds until a URL that failed is read again. Default an hour. */
  readonly retryMs?: number | undefined;
}

/**
 * Reads a file at once, and a URL in the background, from now on until it is stopped.
 *
 * @throws StartupError if a file cannot be read
 */
export function followBlockedDomains(options: BlockedDomainsOptions): BlockedDomains {
  const { source, log, fetch = globalThis.fetch, everyMs = 86_400_000, retryMs = 3_600_000 } = options;
  const stopping = new AbortController();
  let domains: ReadonlySet<string> = new Set();
  let timer: NodeJS.Timeout | undefined;

  /** Reads the URL and sets the timer for the next time. The last list stays in force where that fails. */
  async function follow(): Promise<void> {
    const signal = AbortSignal.any([stopping.signal, AbortSignal.timeout(downloadMs)]);
    let waitMs = everyMs;
    try {
      domains = parseList(await download(await fetch(source, { signal })));
      log.info({ domains: domains.size }, 'the list of RELAY_BLOCKED_DOMAINS is in force');
    } catch (error) {
      if (stopping.signal.aborted) return;
      waitMs = retryMs;
      log.warn(
        { reason: error instanceof Error ? error.message : 'unknown', domains: domains.size },
        'the list of RELAY_BLOCKED_DOMAINS cannot be read: the last one stays in force, and it is tried again in an hour',
      );
    }
    if (!stopping.signal.aborted) timer = setTimeout(() => void follow(), waitMs).unref();
  }

  if (source.includes('://')) void follow();
  else domains = readFile(source);
  return {
    includes(domain) {
      const labels = domain.split('.');
      return labels.some((_, n) => domains.has(labels.slice(n).join('.')));
    },
    stop() {
      stopping.abort();
      clearTimeout(timer);
    },
  };
}

function readFile(path: string): ReadonlySet<string> {
  try {
    return parseList(readFileSync(path));
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : 'unknown';
    throw new StartupError(`The file that RELAY_BLOCKED_DOMAINS names cannot be used: ${reason}`, { cause });
  }
}

async function download(answer: Response): Promise<Buffer> {
  if (!answer.ok) throw new Error(`The answer has status ${answer.status}.`);
  const body: AsyncIterable<Uint8Array> | null = answer.body;
  const bytes = await collectBody(body ?? [], maxBytes);
  if (bytes === null) throw tooLarge();
  return Buffer.from(bytes.buffer);
}

const tooLarge = (): Error => new Error('It has more than 10 MB.');

/**
 * One domain a line; `#` begins a comment. A list with another line counts for nothing: it may be an error page.
 *
 * @throws Error that says what is wrong
 */
function parseList(bytes: Buffer): ReadonlySet<string> {
  if (bytes.length > maxBytes) throw tooLarge();
  const domains = new Set<string>();
  for (const [n, line] of bytes.toString().split('\n').entries()) {
    const text = line.replace(/#.*/, '').trim();
    if (text === '') continue;
    // Most lines need no conversion, which would take half of the time, in which the relay answers nobody.
    const domain = /^[a-z0-9.-]+$/.test(text) ? text : domainToASCII(text);
    if (!/^[\w-]+(\.[\w-]+)+$/.test(domain)) throw new Error(`Line ${n + 1} is not a domain such as example.com.`);
    domains.add(domain);
  }
  if (domains.size === 0) throw new Error('It contains no domain.');
  return domains;
}
