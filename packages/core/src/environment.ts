/** What the environment says of a client: its address and key, together, and what is logged. */
import type { AttemptEvent } from './engine/call.ts';
import { readServiceAddress, serviceAddress } from './service-address.ts';
import type { Token } from './engine/token.ts';

/** What a client writes to stderr: nothing, the attempts that failed, or every attempt. */
export type LogLevel = 'off' | 'warn' | 'debug';

type Variables = Readonly<Record<string, string | undefined>>;

/** The variables of the process; none where there is no process, and in Deno, which would ask a person for them. */
function variables(): Variables {
  const { process, Deno } = globalThis as { readonly process?: { readonly env?: Variables }; readonly Deno?: unknown };
  return Deno === undefined ? (process?.env ?? {}) : {};
}

const filled = (name: string): string | undefined => variables()[name]?.trim() || undefined;

/**
 * Address and credential of a client. What is left out comes from `NEWSLETTER_API_URL` and `NEWSLETTER_API_KEY`: both,
 * or the key for that same address. A key is sent to no other.
 *
 * @param signsItself - the client has a login, or a host that signs requests
 * @throws TypeError where there is no address, or nothing to sign requests with
 */
export function connectionOf(
  given: { readonly baseUrl?: string | undefined; readonly token?: Token | undefined },
  signsItself: boolean,
): { readonly baseUrl: string; readonly token: Token | undefined } {
  const address = filled('NEWSLETTER_API_URL');
  const mayBeNamed = given.baseUrl === undefined && typeof given.token !== 'string';
  const setting = mayBeNamed ? 'baseUrl (NEWSLETTER_API_URL)' : 'baseUrl';
  const baseUrl = serviceAddress(setting, given.baseUrl ?? (mayBeNamed ? (address ?? '') : ''), '/v2');
  if (given.token !== undefined && given.token !== '') return { baseUrl, token: given.token };
  if (signsItself) return { baseUrl, token: undefined };
  const key = filled('NEWSLETTER_API_KEY');
  const named = readServiceAddress(address ?? '', '/v2');
  if (key !== undefined && 'address' in named && named.address === baseUrl) return { baseUrl, token: key };
  throw new TypeError(
    key === undefined
      ? 'token is missing: pass an API key, a function that gives a token, or a login as oauth, or set NEWSLETTER_API_KEY and NEWSLETTER_API_URL.'
      : 'token is missing: NEWSLETTER_API_KEY belongs to NEWSLETTER_API_URL, which is not this baseUrl. Pass the token of this service.',
  );
}

/** `subscriptions.list: attempt 2 answered 429 after 12 ms; again in 1000 ms` – without secrets and addresses. */
export function attemptText({ operation, attempt, durationMs, outcome, retryInMs }: AttemptEvent): string {
  const ended = typeof outcome === 'number' ? `answered ${outcome}` : `ended without an answer (${outcome})`;
  const next = retryInMs === null ? '' : `; again in ${Math.round(retryInMs)} ms`;
  return `${operation}: attempt ${attempt} ${ended} after ${Math.round(durationMs)} ms${next}`;
}

const levels: readonly string[] = ['off', 'warn', 'debug'] satisfies readonly LogLevel[];
const isLevel = (text: string): text is LogLevel => levels.includes(text);

/**
 * Logs attempts as the level has it, and calls the listener.
 *
 * @param level - default: `NEWSLETTER_LOG`, else `off`
 * @throws TypeError for another level
 */
export function logging(
  level: string | undefined,
  listener: ((event: AttemptEvent) => void) | undefined,
): ((event: AttemptEvent) => void) | undefined {
  const chosen = level ?? filled('NEWSLETTER_LOG') ?? 'off';
  if (!isLevel(chosen)) throw new TypeError(`logLevel (NEWSLETTER_LOG) must be ${levels.join(', ')}.`);
  if (chosen === 'off') return listener;
  return (event) => {
    const isFailure = typeof event.outcome !== 'number' || event.outcome >= 400;
    // oxlint-disable-next-line no-console -- what the option asks for
    if (chosen === 'debug' || isFailure) console.error(`newsletter: ${attemptText(event)}`);
    listener?.(event);
  };
}
