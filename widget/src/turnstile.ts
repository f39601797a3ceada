/** Shows Cloudflare Turnstile in the light DOM, where its script can work, and waits for the visitor to pass it. */

/** What we use of Turnstile's client API. */
export interface Turnstile {
  render(container: HTMLElement, options: Readonly<Record<string, unknown>>): string | undefined;
  remove(widget: string): void;
}

declare global {
  /** Cloudflare's API, once its script has run; a page may have loaded it already. */
  var turnstile: Turnstile | undefined;
}

/** What we use of Trusted Types, where a browser has them. */
interface PolicyFactory {
  createPolicy(
    name: string,
    rules: { createScriptURL(address: string): string },
  ): { createScriptURL(address: string): string };
}

const cloudflare = 'https://challenges.cloudflare.com/turnstile/v0/api.js?render=explicit';

/** How long a visitor may take, in milliseconds. */
const patience = 120_000;

let loading: Promise<Turnstile> | undefined;

/**
 * Loads Cloudflare's script, once for all forms that want it at the time; after a failure the next attempt tries again.
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
    const { trustedTypes }: Window & { trustedTypes?: PolicyFactory } = window;
    const policy = trustedTypes?.createPolicy('newsletter-signup', { createScriptURL: String });
    script.src = policy?.createScriptURL(address) ?? address;
    document.head.append(script);
  }));
}

/**
 * Renders the check once into a child of `form` with `slot="turnstile"`, and takes it away when it is over.
 *
 * @param form - its `turnstile-script` attribute names another address of Cloudflare's script
 * @returns the token
 * @throws where the script cannot be loaded, the check fails, or the visitor takes longer than two minutes
 */
export async function passTurnstile(challenge: { readonly site_key: string }, form: Element): Promise<string> {
  const api = globalThis.turnstile ?? (await load(form.getAttribute('turnstile-script') || cloudflare));
  const place = document.createElement('div');
  place.slot = 'turnstile';
  form.append(place);
  let widget: string | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  try {
    return await new Promise<string>((resolve, reject) => {
      const refuse = (code = 'not passed'): void => reject(new Error(`Turnstile: ${code}.`));
      timer = setTimeout(refuse, patience, 'not passed in time');
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
