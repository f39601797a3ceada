/** One signup, from the press of the button to the thanks. */
import { attributionFields, withGiven, type Attribution } from '@newsletter-kit/core/signup';
import type { Resend } from './ask.ts';
import { controlsOf } from './controls.ts';
import { countDown } from './countdown.ts';
import { composeBody, readEntry, type Entry, type Problems } from './entry.ts';
import { NewsletterErrorEvent, NewsletterSubmitEvent, NewsletterSuccessEvent } from './events.ts';
import { intentOf, type Intent } from './intent.ts';
import { markBusy, markProblems } from './marks.ts';
import { act } from './own-members.ts';
import { parts } from './parts.ts';
import { recall, type RecallOptions } from './recall.ts';
import { asText, send, type Failure } from './send.ts';
import type { Standing, Undo } from './standing.ts';
import { waitInWords } from './waiting-time.ts';
import { warn } from './warn.ts';
import { redirectTarget, webAddress } from './web-address.ts';

export { dress } from './layouts.ts';
export { recall } from './recall.ts';

/** The element, as far as a signup knows it. */
export interface Host extends RecallOptions {
  readonly endpoint: string;
  readonly redirect: string;
  readonly redirectOrigins: string;
  readonly timeout: number;
  submit(): void;
}

/** Puts on the page how the form stands; resolves once it is there. */
export type Show = (standing: Standing) => Promise<unknown>;

const none: Problems = new Map();

/**
 * Everything one visitor's attempts have in common: what they share of a key, and how long the endpoint wants to be
 * left alone.
 */
export interface Signup {
  /** Forgets what is still to come: a waiting time that is over, or a connection that is back. */
  end(): void;
  /** Reads the form, sends it, and shows how that went. */
  send(form: HTMLFormElement): Promise<void>;
}

export function createSignup(host: Host, show: Show): Signup {
  let intent: Intent | undefined;
  let lastFailure: Failure | undefined;
  /** Until when the endpoint asked to be left alone, in milliseconds since the epoch. */
  let notBefore = 0;
  let stopClock: Undo = () => {};

  /** Forgets what is still to come: a waiting time that is over, or a connection that is back. */
  function end(): void {
    lastFailure = undefined;
    stopClock();
  }

  /** Reads the form, sends it, and shows how that went. */
  async function submit(form: HTMLFormElement): Promise<void> {
    const left = wait();
    if (lastFailure && left > 0) return fail(form, { ...lastFailure, retryAfter: left });
    end();

    const { values, problems } = readEntry(form);
    if (problems.size > 0) return fail(form, { kind: 'invalid' }, problems);

    const attribution = attributionOf(values);
    const body = composeBody(values, attribution);
    if (!body) return fail(form, { kind: 'tooLong' });
    const endpoint = endpointOf(host, form);
    // Other schemes can answer, too, `data:` even with a thank-you; but nobody gets the signup.
    if (!webAddress(endpoint)) {
      console.error('<newsletter-signup> has no endpoint.');
      return fail(form, { kind: 'unavailable' });
    }
    if (!navigator.onLine) return fail(form, { kind: 'offline' });
    const email = host.hasAttribute('expose-email') ? asText(values['email']) : undefined;
    if (!host.dispatchEvent(new NewsletterSubmitEvent('submit', { attribution, email }, true)))
      return void show({ state: 'idle' });

    void show({ state: 'busy', notice: ({ busy }) => busy, mark: markBusy });
    intent = intentOf(body, intent);
    const post = { ...intent, endpoint, timeout: timeout() };
    let hasLeft = false;
    addEventListener('pagehide', () => (hasLeft = true), { once: true });
    let failed = await send(post);
    if (failed?.ask)
      failed = await answerAsk(failed, (given) =>
        send({ ...post, body: composeBody({ ...values, ...given }, attribution) ?? body }),
      );
    // What an endpoint says about the address is shown at the address, in the language of the form.
    if (failed?.code?.startsWith('EMAIL'))
      return fail(form, { ...failed, kind: 'invalid' }, new Map([['email', 'emailInvalid']]));
    // Come back to a page whose request has died meanwhile, the visitor finds the form as it was.
    if (hasLeft && failed?.kind === 'unreachable') return void show({ state: 'idle' });
    if (failed) {
      if (failed.status && !failed.code)
        warn(host, 'answer', `got status ${failed.status} without a reason: try the attribute debug.`);
      return fail(form, failed);
    }

    // Firefox's :focus-within knows no focus in a window that is behind another one.
    const hadFocus = host.contains((host.getRootNode() as Document).activeElement);
    act(form, 'reset');
    const isShown = show({ state: 'success', notice: ({ success }) => success });
    host.dispatchEvent(new NewsletterSuccessEvent('success', { attribution, email }));
    const target = redirectTarget(host, host.redirect, host.redirectOrigins);
    if (target) location.assign(target);
    await isShown;
    // The form is gone; whoever stood in it now stands on the thanks.
    if (hadFocus) host.shadowRoot?.querySelector<HTMLElement>('[role]')?.focus();
  }

  /** Gives the endpoint what it asks for; where that fails, the answer stays what it was. */
  function answerAsk(failed: Failure, resend: Resend): Promise<Failure | undefined> {
    return parts
      .ask()
      .then(({ answer }) => answer(host, failed, resend))
      .catch((error: unknown) => {
        warn(host, 'ask', `cannot give what the endpoint asks for: ${String(error)}`);
        return failed;
      });
  }

  async function fail(form: HTMLFormElement, failure: Failure, problems = none): Promise<void> {
    const { kind, status = 0, retryAfter = 0, said } = failure;
    lastFailure = failure;
    notBefore = Date.now() + retryAfter * 1000;
    const waiting = (left: number): Standing => ({
      state: 'error',
      notice: (texts) =>
        (kind === 'refused' && said) ||
        texts[kind].replace('{wait}', waitInWords(retryAfter ? left : undefined, texts)),
      mark: (held, texts) => (left > 0 ? markBusy(held) : markProblems(held, problems, texts)),
    });
    const isShown = show(waiting(retryAfter));
    stopClock();
    stopClock = countDown(notBefore, (left) => void show({ ...waiting(left), isQuiet: left > 0 }));
    if (kind === 'offline') sendWhenOnline(failure);
    host.dispatchEvent(new NewsletterErrorEvent('error', { kind, status, retryAfter }));
    if (host.hasAttribute('debug')) void parts.doctor().then(({ explain }) => explain(endpointOf(host, form), failure));
    await isShown;
    const [first = ''] = problems.keys();
    controlsOf(form).get(first)?.input.focus();
  }

  /** What could not be sent offline goes out by itself, unless it is changed before. */
  function sendWhenOnline(failure: Failure): void {
    addEventListener('online', () => lastFailure === failure && host.isConnected && host.submit(), { once: true });
    host.addEventListener(
      'input',
      () => {
        if (lastFailure !== failure) return;
        end();
        void show({ state: 'idle' });
      },
      { once: true },
    );
  }

  /** How long the endpoint still wants to be left alone, in seconds. */
  function wait(): number {
    return Math.max(notBefore - Date.now(), 0) / 1000;
  }

  function timeout(): number {
    const seconds = Number(host.timeout);
    if (seconds > 0 && seconds < 1e6) return seconds;
    warn(host, 'attribute', 'timeout is no number: takes 20.');
    return 20;
  }

  /** Who brought the visitor: what the owner wrote on the tag or into hidden fields, else what we know. */
  function attributionOf(values: Entry['values']): Attribution {
    const given = attributionFields.map(
      (name) => [name, host.getAttribute(name.replace('_', '-')) ?? asText(values[name])] as const,
    );
    return withGiven(recall(host), Object.fromEntries(given));
  }

  return { end, send: submit };
}

function endpointOf(host: Host, form: HTMLFormElement): string {
  return host.endpoint || form.getAttribute('action') || '';
}
