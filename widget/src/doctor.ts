/**
 * Explains to the owner of the page why a request to the endpoint failed. Loaded with the attribute `debug`. Its
 * messages never contain what the visitor typed.
 */
import { parseUrl } from '@newsletter-kit/core/signup';
import { webAddress } from './form.ts';
import type { Answer } from './submission.ts';

/** The results of test requests to the endpoint. */
interface Probes {
  /** The server answers, even if pages may not read the answer. */
  readonly answers: boolean;
  /** Pages of this origin may read the answer. */
  readonly readable: boolean;
  /** The page's Content Security Policy forbids the address. */
  readonly forbidden: boolean;
}

/** A condition, and the advice for it. */
interface Symptom<Seen> {
  readonly applies: (seen: Seen, url: URL) => boolean;
  readonly advice: (url: URL, seen: Seen) => string;
}

const isLoopback = ({ hostname }: URL): boolean => /^(localhost|127(\.\d+){3}|\[::1\]|.*\.localhost)$/.test(hostname);

const isThisPage = ({ origin, pathname, search }: URL): boolean =>
  origin === location.origin && pathname === location.pathname && search === location.search;

const isN8n = ({ pathname }: URL): boolean => /\/webhook(-test)?\//.test(pathname);

const n8nHint = (url: URL): string =>
  isN8n(url)
    ? ' n8n answers like this while the workflow is not active, or its webhook has another path or method.'
    : '';

const redirects =
  'The endpoint redirects. The form does not follow, because the signup could be lost or sent to another server. Set the address that it redirects to.';

const droppedQuery =
  'A redirect led to this page, and its address has no parameters. If the link had some, such as utm_source, the redirect has dropped them, and the signup has no source: let it keep the query, or link to this address.';

/** The first symptom that applies is used: the most specific ones come first. */
const symptoms: readonly Symptom<Answer>[] = [
  {
    applies: (_, { protocol }) => !/^https?:$/.test(protocol),
    advice: ({ protocol }) =>
      `The endpoint begins with "${protocol}". Set an address that begins with https:// instead.`,
  },
  {
    applies: ({ kind, status }) => kind === 'tooLong' && status === undefined,
    advice: () =>
      'The values exceed the 8,192 bytes that endpoints accept. Use fewer fields, or give them a maxlength.',
  },
  {
    applies: (_, url) => isThisPage(url),
    advice: () => 'The endpoint is this page itself. Set the address of your relay, webhook or server.',
  },
  {
    applies: (_, url) => location.protocol === 'https:' && url.protocol === 'http:' && !isLoopback(url),
    advice: () =>
      'This page uses https, the endpoint http: browsers block that as mixed content. Serve the endpoint over https.',
  },
  {
    applies: (_, { pathname }) => pathname.includes('/webhook-test/'),
    advice: () =>
      'This is a test URL of n8n (/webhook-test/): it accepts one call after each "Listen for test event". Use the production URL (/webhook/) and activate the workflow.',
  },
  {
    applies: ({ status }) => status === 404,
    advice: (url) =>
      `Nothing is there (404). Compare the endpoint with the address your server listens on.${n8nHint(url)}`,
  },
  {
    applies: ({ status }) => status === 405,
    advice: (url) =>
      `The endpoint does not accept POST (405). Allow POST there, or set the address that accepts signups.${n8nHint(url)}`,
  },
  {
    applies: ({ kind }) => kind === undefined,
    advice: () =>
      'The endpoint answered 200 without JSON, as many servers do that store nothing. The form thanks for it; to be sure, answer 202 with JSON, such as {"status":"accepted"}.',
  },
  {
    applies: ({ kind, status = 0 }) => kind === 'refused' && status < 300,
    advice: (_, { status, message }) =>
      `The endpoint answered ${status}, but its JSON says no${message ? ` (“${message}”)` : ''}. Answer 202 if the signup is stored, else 400 with an error body; see "Requests and answers" in the documentation.`,
  },
  {
    applies: ({ status = 0 }) => status >= 200 && status < 300,
    advice: () =>
      'The endpoint answered with a page or plain text instead of JSON, or with broken JSON. Set the address that accepts signups; it should answer 202 with JSON.',
  },
  {
    applies: ({ kind, status }) => kind === 'unavailable' && status === 0,
    advice: () => redirects,
  },
  {
    applies: ({ ask }) => ask !== undefined,
    advice: () =>
      'The endpoint asked for a token or a proof, and refused it or the form could not provide it: see the warning above, and check the keys of that protection.',
  },
  {
    applies: ({ status = 0 }) => status >= 500,
    advice: (_, { status }) => `The endpoint failed (${status}). See its log.`,
  },
  {
    applies: ({ status }) => !!status,
    advice: (_, { status, message }) =>
      `The endpoint refused the signup (${status})${message ? ` and says: ${message}` : ' without an error body; see "Requests and answers" in the documentation'}`,
  },
  {
    applies: ({ kind }) => kind === 'offline',
    advice: () => 'This device is offline. The form is sent automatically when it is online.',
  },
  {
    // WebKit reports a timeout as AbortError; nothing else aborts the request.
    applies: ({ cause }) => cause instanceof DOMException && /^(Timeout|Abort)Error$/.test(cause.name),
    advice: () =>
      'The endpoint did not answer in time. It should answer immediately and do its work afterwards; in n8n let the Webhook node respond "Immediately". The attribute timeout sets how many seconds the form waits.',
  },
];

/** Without an answer, browsers do not tell the page why. Test requests reveal more. */
const silences: readonly Symptom<Probes>[] = [
  {
    applies: ({ forbidden }) => forbidden,
    advice: ({ origin }) =>
      `The Content Security Policy of this page forbids the endpoint. Add ${origin} to its connect-src.`,
  },
  {
    applies: ({ answers }) => !answers,
    advice: ({ origin }) =>
      `Nothing answers at ${origin}. Check that the server is running, that its name and port are correct and its certificate is valid. An ad blocker can also be the cause.`,
  },
  {
    applies: ({ readable }) => readable,
    advice: () =>
      'The endpoint can be reached, but refuses the preflight (OPTIONS) that browsers send before a POST. Answer OPTIONS with 204, Access-Control-Allow-Origin, Access-Control-Allow-Methods: POST and Access-Control-Allow-Headers: content-type, idempotency-key.',
  },
  {
    applies: () => true,
    advice: () =>
      `The endpoint can be reached, but does not let pages of ${location.origin} read its answers (CORS). Allow exactly this origin there: in the relay RELAY_ALLOWED_ORIGINS, in n8n "Allowed Origins (CORS)" of the Webhook node. An answer of 404 without CORS headers looks the same from here: check the path as well.`,
  },
];

/**
 * Explains in the console why a signup failed, or may have, and what to do about it.
 *
 * @returns the explanation; empty if there is nothing to correct, or the visitor can correct it
 */
export async function explain(endpoint: string, answer: Answer): Promise<string> {
  const { kind, status, isJson } = answer;
  if (kind === 'invalid' || (!kind && (isJson || status !== 200))) return '';
  const url = parseUrl(endpoint, document.baseURI);
  const advice =
    !endpoint || !url
      ? 'The endpoint is not a valid address. Set the attribute endpoint to that of your relay, webhook or server.'
      : await diagnose(url, answer);
  console.error(`<newsletter-signup debug> ${advice}`);
  return advice;
}

/**
 * Explains in the console that a redirect may have dropped the parameters of the link. Browsers count only redirects of
 * the same origin.
 *
 * @returns the explanation; empty if there was no such redirect
 */
export function explainLanding(): string {
  const [landing] = performance.getEntriesByType('navigation');
  const { redirectCount = 0, name = '' } = (landing ?? {}) as Partial<PerformanceNavigationTiming>;
  if (!redirectCount || parseUrl(name)?.search) return '';
  console.error(`<newsletter-signup debug> ${droppedQuery}`);
  return droppedQuery;
}

/**
 * Shows the warnings of an element inside it, and checks whether the landing or the endpoint redirects.
 *
 * @param warnings - those so far; later ones are added
 */
export function showWarnings(host: HTMLElement, endpoint: string, warnings: readonly string[]): void {
  // Only once, even if the element is moved.
  if (host.shadowRoot?.querySelector('[part=debug]')) return;
  const list = Object.assign(document.createElement('pre'), { part: 'debug', textContent: warnings.join('\n') });
  list.style.cssText = 'font-size: 0.75em; white-space: pre-wrap';
  const add = (message: string): void => list.append(`\n${message}`);
  host.shadowRoot?.append(list);
  host.addEventListener('newsletter-warning', ({ message }) => add(message));
  add(explainLanding());
  const url = webAddress(endpoint);
  if (!url) return;
  const options: RequestInit = { method: 'HEAD', redirect: 'manual', credentials: 'omit', cache: 'no-store' };
  fetch(url, { ...options, signal: AbortSignal.timeout(5000) }).then(
    ({ type }) => {
      if (type !== 'opaqueredirect') return;
      add(redirects);
      console.error(`<newsletter-signup debug> ${redirects}`);
    },
    () => undefined,
  );
}

async function diagnose(url: URL, answer: Answer): Promise<string> {
  const advised = advise(symptoms, url, answer) ?? advise(silences, url, await probe(url));
  return advised ?? '';
}

function advise<Seen>(table: readonly Symptom<Seen>[], url: URL, seen: Seen): string | undefined {
  return table.find(({ applies }) => applies(seen, url))?.advice(url, seen);
}

/** Sends test requests: GET, without the visitor's data. */
async function probe(url: URL): Promise<Probes> {
  let forbidden = false;
  const onViolation = ({ effectiveDirective }: SecurityPolicyViolationEvent): void => {
    forbidden ||= effectiveDirective === 'connect-src';
  };
  document.addEventListener('securitypolicyviolation', onViolation);
  const reaches = (mode: RequestMode): Promise<boolean> =>
    fetch(url, { mode, credentials: 'omit', cache: 'no-store', signal: AbortSignal.timeout(5000) }).then(
      () => true,
      () => false,
    );
  const [answers, readable] = await Promise.all([reaches('no-cors'), reaches('cors')]);
  // The violation is reported in a later task.
  await new Promise((resolve) => setTimeout(resolve));
  document.removeEventListener('securitypolicyviolation', onViolation);
  return { answers, readable, forbidden };
}
