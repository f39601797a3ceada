/** Anti-abuse checks that an endpoint asks for before it accepts a signup: a token, a proof of work, Turnstile. */
import type { Ask, Submission } from '@newsletter-kit/core/signup';
import { loadChunk } from './chunks.ts';
import type { Answer } from './submission.ts';
import type * as Warnings from './warnings.ts';

/** The answers to what the endpoint asked for. */
type Answers = Pick<Submission, 'token' | 'proof'>;

/** How often the same signup is sent again, at most. */
const resendLimit = 2;

/** The longest time that an endpoint may make the form wait, in seconds. */
const waitLimit = 60;

/**
 * Does what the endpoint asks for and sends the signup again; once more if the endpoint asks again.
 *
 * @param host - the element, which shows Turnstile
 * @param failed - the answer to the first attempt
 * @param resend - sends the same values under the same key, with the answers
 * @returns the answer to the last attempt; the first one, with a warning, if the form cannot do what it asks for
 */
export async function answer(
  host: Element,
  failed: Answer,
  resend: (answers: Answers) => Promise<Answer>,
  warn: typeof Warnings.warn,
): Promise<Answer> {
  try {
    let last = failed;
    for (let again = 0; last.ask && again < resendLimit; again += 1)
      last = await resend(await answersTo(last.ask, host));
    return last;
  } catch (error) {
    const reason = error instanceof Error && 'reason' in error ? 'file' : 'ask';
    warn(host, reason, `cannot give what the endpoint asks for: ${String(error)}`);
    return failed;
  }
}

async function answersTo({ token, wait_seconds = 0, proof_of_work, turnstile }: Ask, host: Element): Promise<Answers> {
  const aged = new Promise((resolve) => setTimeout(resolve, Math.min(wait_seconds, waitLimit) * 1000));
  let proof: string | undefined;
  if (proof_of_work) proof = await (await loadChunk('proof.js', import('./proof.ts'))).solve(proof_of_work);
  else if (turnstile) proof = await passTurnstile(turnstile, host);
  await aged;
  return { ...(token && { token }), ...(proof && { proof }) };
}

/** The part of Turnstile's client API that is used here. */
export interface Turnstile {
  render(container: HTMLElement, options: Readonly<Record<string, unknown>>): string | undefined;
  remove(widget: string): void;
}

declare global {
  /** Cloudflare's API, once its script has run. The page may load the script itself. */
  var turnstile: Turnstile | undefined;
}

/** The part of a policy of Trusted Types that is used here. */
interface Policy {
  createScriptURL(address: string): string;
}

const cloudflare = 'https://challenges.cloudflare.com/turnstile/v0/api.js?render=explicit';

/** How long the form waits for the visitor to pass Turnstile, in milliseconds. */
const turnstileLimit = 120_000;

let loading: Promise<Turnstile> | undefined;

/**
 * Loads Cloudflare's script once for all forms. After a failure the next call tries again.
 */
function load(address: string): Promise<Turnstile> {
  return (loading ??= new Promise<Turnstile>((resolve, reject) => {
    const script = document.createElement('script');
    const ended = (): void => {
      script.remove();
      loading = undefined;
      if (globalThis.turnstile) return resolve(globalThis.turnstile);
      reject(new Error('The script of Turnstile could not be loaded.'));
    };
    script.addEventListener('load', ended);
    script.addEventListener('error', ended);
    // Under Trusted Types a page lists this name beside `lit-html`.
    const { trustedTypes }: Window & { trustedTypes?: { createPolicy(name: string, rules: Policy): Policy } } = window;
    const policy = trustedTypes?.createPolicy('newsletter-signup', { createScriptURL: String });
    script.src = policy?.createScriptURL(address) ?? address;
    document.head.append(script);
  }));
}

/**
 * Shows Turnstile in a child of the element with `slot="turnstile"`: its script does not work in a shadow root.
 *
 * @param host - its `turnstile-script` attribute names another address of Cloudflare's script
 * @returns the token
 * @throws where the script cannot be loaded, the check fails, or the visitor takes longer than two minutes
 */
export async function passTurnstile(challenge: { readonly site_key: string }, host: Element): Promise<string> {
  const api = globalThis.turnstile ?? (await load(host.getAttribute('turnstile-script') || cloudflare));
  const place = document.createElement('div');
  place.slot = 'turnstile';
  host.append(place);
  let widget: string | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  try {
    return await new Promise<string>((resolve, reject) => {
      const refuse = (code = 'not passed'): void => reject(new Error(`Turnstile: ${code}.`));
      timer = setTimeout(refuse, turnstileLimit, 'not passed in time');
      widget = api.render(place, {
        sitekey: challenge.site_key,
        language: place.closest<HTMLElement>('[lang]')?.lang || 'auto',
        size: 'flexible',
        callback: resolve,
        'error-callback': refuse,
        'timeout-callback': refuse,
        'unsupported-callback': refuse,
      });
    });
  } finally {
    clearTimeout(timer);
    if (widget) api.remove(widget);
    place.remove();
  }
}
