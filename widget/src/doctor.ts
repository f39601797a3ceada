/**
 * Warns the owner of the page, and explains why a request to the endpoint failed. Loaded with the attribute `debug`, or
 * where the endpoint or the page gives a reason. Its messages never contain what the visitor typed.
 */
import { parseUrl } from '@newsletter-kit/core/signup';
import { loadChunk } from './chunks.ts';
import { webAddress } from './form.ts';
import { languageOf } from './messages.ts';
import type { Answer, Post } from './submission.ts';
import type * as Warnings from './warnings.ts';

type Warn = typeof Warnings.warn;

const isLoopback = ({ hostname }: URL): boolean => /^(localhost|127(\.\d+){3}|\[::1\]|.*\.localhost)$/.test(hostname);

/** Whether the host has one of the domains that RFC 2606 reserves for documentation. */
const isExample = ({ hostname }: URL): boolean => /(^|\.)example(\.(com|net|org))?$/.test(hostname);

const isThisPage = ({ origin, pathname, search }: URL): boolean =>
  origin === location.origin && pathname === location.pathname && search === location.search;

const redirects =
  'The endpoint redirects. The form does not follow, because the signup could be lost or sent to another server. Set the address that it redirects to.';

const droppedQuery =
  'A redirect led to this page, and its address has no parameters. If the link had some, such as utm_source, the redirect has dropped them, and the signup has no source: let it keep the query, or link to this address.';

/** What is wrong with the address itself; empty if nothing is known to be. */
function adviceOnAddress(url: URL): string {
  const { protocol, hostname, pathname } = url;
  if (!protocol.startsWith('http'))
    return `The endpoint begins with "${protocol}". Set an address that begins with https:// instead.`;
  if (isThisPage(url)) return 'The endpoint is this page itself. Set the address of your relay, webhook or server.';
  if (isExample(url))
    return `The endpoint is the example of the documentation: nobody takes signups at ${hostname}. Set the address of your relay, webhook or server.`;
  if (location.protocol === 'https:' && protocol === 'http:' && !isLoopback(url))
    return 'This page uses https, the endpoint http: browsers block that as mixed content. Serve the endpoint over https.';
  if (pathname.includes('/webhook-test/'))
    return 'This is a test URL of n8n (/webhook-test/): it accepts one call after each "Listen for test event". Use the production URL (/webhook/) and activate the workflow.';
  return '';
}

/** What an answer shows, the most specific first; empty without an answer. */
function adviceOnAnswer({ kind, status = 0, message, ask, cause }: Answer, { pathname }: URL): string {
  const n8nHint = /\/webhook(-test)?\//.test(pathname)
    ? ' n8n answers like this while the workflow is not active, or its webhook has another path or method.'
    : '';
  if (status === 404)
    return `Nothing is there (404). Compare the endpoint with the address your server listens on.${n8nHint}`;
  if (status === 405)
    return `The endpoint does not accept POST (405). Allow POST there, or set the address that accepts signups.${n8nHint}`;
  if (!kind)
    return 'The endpoint answered 200 without JSON, as many servers do that store nothing. The form thanks for it; to be sure, answer 202 with JSON, such as {"status":"accepted"}.';
  if (kind === 'refused' && status < 300)
    return `The endpoint answered ${status}, but its JSON says no${message ? ` (“${message}”)` : ''}. Answer 202 if the signup is stored, else 400 with an error body; see "Requests and answers" in the documentation.`;
  if (status >= 200 && status < 300)
    return 'The endpoint answered with a page, a long text or broken JSON. Set the address that accepts signups; it should answer 202 with JSON.';
  if (kind === 'unavailable' && !status) return redirects;
  if (ask)
    return 'The endpoint asked for a token or a proof, and refused it or the form could not provide it: see the warning above, and check the keys of that protection.';
  if (status >= 500) return `The endpoint failed (${status}). See its log.`;
  if (status)
    return `The endpoint refused the signup (${status})${message ? ` and says: ${message}` : ' without an error body; see "Requests and answers" in the documentation'}`;
  if (kind === 'tooLong')
    return 'The values exceed the 8,192 bytes that endpoints accept. Use fewer fields or a shorter consent, or give the fields a maxlength.';
  if (kind === 'offline')
    return 'No answer came, and the browser says that this device is offline. The form tries again until an answer comes.';
  // WebKit reports a timeout as AbortError; nothing else aborts the request.
  if (cause instanceof DOMException && /^(Timeout|Abort)Error$/.test(cause.name))
    return 'The endpoint did not answer in time. It should answer immediately and do its work afterwards; in n8n let the Webhook node respond "Immediately". The attribute timeout sets how many seconds the form waits.';
  return '';
}

/** Without an answer, browsers do not tell the page why. Test requests reveal more. */
function adviceOnSilence({ answers, readable, forbidden }: Awaited<ReturnType<typeof probe>>, { origin }: URL): string {
  if (forbidden)
    return `The Content Security Policy of this page forbids the endpoint. Add ${origin} to its connect-src.`;
  if (!answers)
    return `Nothing answers at ${origin}. Check that the server is running, that its name and port are correct and its certificate is valid. An ad blocker can also be the cause.`;
  if (readable)
    return 'The endpoint can be reached, but refuses the preflight (OPTIONS) that browsers send before a POST. Check its path. If that is right, answer OPTIONS with 204, Access-Control-Allow-Origin, Access-Control-Allow-Methods: POST and Access-Control-Allow-Headers: content-type, idempotency-key.';
  return `The endpoint can be reached, but does not let pages of ${location.origin} read its answers (CORS). Allow exactly this origin there: in the relay RELAY_ALLOWED_ORIGINS, in n8n "Allowed Origins (CORS)" of the Webhook node. An answer of 404 without CORS headers looks the same from here: check the path as well.`;
}

/** Warns of the reason why a signup failed, or may have, unless there is nothing to correct but by the visitor. */
export async function explain(host: Element, endpoint: string, answer: Answer, warn: Warn): Promise<void> {
  const { kind, status, isJson } = answer;
  if (kind === 'invalid' || (!kind && (isJson || status !== 200))) return;
  const url = parseUrl(endpoint, document.baseURI);
  const advice =
    !endpoint || !url
      ? 'The endpoint is not a valid address. Set the attribute endpoint to that of your relay, webhook or server.'
      : adviceOnAddress(url) || adviceOnAnswer(answer, url) || adviceOnSilence(await probe(url), url);
  warn(host, 'endpoint', advice);
}

/** Warns of a redirect that may have dropped the link's parameters. Browsers count only those of the same origin. */
export function explainLanding(host: Element, warn: Warn): void {
  const [landing] = performance.getEntriesByType('navigation');
  const { redirectCount = 0, name = '' } = (landing ?? {}) as Partial<PerformanceNavigationTiming>;
  if (redirectCount && !parseUrl(name)?.search) warn(host, 'redirect', droppedQuery);
}

/** Warns of an endpoint that is none, or an example, and of a form around the tag, which is kept usable. */
export function checkPage(host: HTMLElement, endpoint: string, warn: Warn): void {
  const url = webAddress(endpoint);
  if (!url || isExample(url)) warn(host, 'endpoint', `has no endpoint but "${endpoint}".`);
  // The parser has dropped the form inside the tag: its fields are the page's, which could not be sent without them.
  for (const field of host.querySelectorAll<HTMLInputElement>('[name]:not([slot] *)')) {
    if (!field.form?.contains(host)) continue;
    field.disabled = true;
    warn(host, 'form', 'stands in another form: leave its own form out.');
  }
}

/** Warns of a language whose script is on the page, but could not be loaded. */
export async function checkLanguage(host: Element, warn: Warn): Promise<void> {
  const tag = languageOf(host).slice(0, 2).toLowerCase();
  if (!document.querySelector(`script[src*="/languages/${CSS.escape(tag)}.js"]`)) return;
  // Until the page is complete, the script can still arrive.
  if (document.readyState !== 'complete')
    await new Promise((resolve) => addEventListener('load', resolve, { once: true }));
  if (!globalThis.newsletterMessages?.[tag])
    warn(host, 'file', `cannot load languages/${tag}.js: upload it beside the script.`);
}

/**
 * Shows the warnings of an element inside it, checks whether the landing or the endpoint redirects, and offers a test
 * of the endpoint.
 *
 * @param warnings - those so far; later ones are added
 */
export function showWarnings(host: HTMLElement, endpoint: string, warnings: readonly string[], warn: Warn): void {
  // Only once, even if the element is moved.
  if (host.shadowRoot?.querySelector('[part=debug]')) return;
  const list = Object.assign(document.createElement('pre'), { part: 'debug', textContent: warnings.join('\n') });
  list.style.cssText = 'font-size: 0.75em; white-space: pre-wrap';
  host.shadowRoot?.append(list);
  host.addEventListener('newsletter-warning', ({ message }) => list.append(`\n${message}`));
  explainLanding(host, warn);
  const url = webAddress(endpoint);
  if (!url) return;
  list.after(testButton(host, endpoint, warn));
  const options: RequestInit = { method: 'HEAD', redirect: 'manual', credentials: 'omit', cache: 'no-store' };
  fetch(url, { ...options, signal: AbortSignal.timeout(5000) }).then(
    ({ type }) => type === 'opaqueredirect' && warn(host, 'endpoint', redirects),
    () => undefined,
  );
}

/** A word that no endpoint can take for an address, and that its owner recognizes. */
const noAddress = 'test-without-an-address';

/**
 * A button that posts one invalid address, once: only that shows whether an endpoint can refuse at all. It is no
 * signup: no event but a warning is dispatched, and the form stays as it is.
 */
function testButton(host: Element, endpoint: string, warn: Warn): HTMLButtonElement {
  const button = Object.assign(document.createElement('button'), {
    type: 'button',
    part: 'debug-test',
    textContent: 'Test the endpoint with one invalid address',
  });
  button.style.cssText = 'inline-size: auto; color: inherit; background: none; border-color: currentColor';
  const test = async (): Promise<void> => {
    button.disabled = true;
    const { intentOf, send } = await loadChunk('signup.js', import('./signup.ts'));
    const { readVerdict } = await loadChunk('answer.js', import('./answer.ts'));
    const intent = intentOf(JSON.stringify({ email: noAddress }), undefined);
    const post = { ...intent, endpoint, timeout: 20, read: async (...given) => readVerdict(...given) } satisfies Post;
    const answer = await send(post, () => {});
    const { kind, status, message } = answer;
    if (kind && kind !== 'refused') return explain(host, endpoint, answer, warn);
    const verdict = kind
      ? `The endpoint refuses an invalid address (${status}), as it should${message ? `: “${message}”` : '.'}`
      : `The endpoint accepted “${noAddress}” (${status}): it cannot refuse, and the form thanks for every mistake. Let it answer 400 with an error body, and delete that entry.`;
    warn(host, 'endpoint', verdict);
  };
  button.addEventListener('click', () => void test().catch((error) => warn(host, 'file', String(error))), {
    once: true,
  });
  return button;
}

/**
 * Sends test requests: GET, without the visitor's data.
 *
 * @returns whether the server answers, even if pages may not read that; whether pages of this origin may read it; and
 *   whether the page's Content Security Policy forbids the address
 */
async function probe(url: URL) {
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
