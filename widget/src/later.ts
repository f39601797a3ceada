/**
 * What a page needs only once its visitor begins to type. In the npm build a file of its own, fetched when the focus
 * comes into a form; where it does not arrive, the browser posts the form by itself. The script has everything in one
 * file: it takes `at-once.ts` in place of this one.
 */
import { act } from './own-members.ts';
import type * as signup from './signup.ts';
import type { Host, Show } from './signup.ts';

const half = (): Promise<typeof signup> => import('./signup.ts');

/**
 * Has it fetched when the focus comes into a form. What does not arrive then is asked for again when the form is sent.
 */
export function fetchOnFocus(host: Element): void {
  host.addEventListener('focusin', () => void half().catch(() => undefined), { once: true });
}

export async function dress(...given: Parameters<typeof signup.dress>): ReturnType<typeof signup.dress> {
  return (await half()).dress(...given);
}

export async function recall(...given: Parameters<typeof signup.recall>): Promise<unknown> {
  return (await half()).recall(...given);
}

/**
 * @param form - what is about to be sent
 * @returns undefined where it does not arrive: then the browser has posted the form, to a page that says thanks
 */
export async function createSignup(host: Host, show: Show, form: HTMLFormElement): Promise<signup.Signup | undefined> {
  try {
    return (await half()).createSignup(host, show);
  } catch {
    if (host.endpoint) form.setAttribute('action', host.endpoint);
    act(form, 'submit');
    return undefined;
  }
}
