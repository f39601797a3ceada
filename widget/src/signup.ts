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
import { oneOf, warn } from './warn.ts';
import { redirectTarget, webAddress } from './web-address.ts';

export { dress } from './layouts.ts';
export { recall } from './recall.ts';

/** The element, as far as a signup knows it. */
interface Host extends RecallOptions {
  readonly endpoint: string;
  readonly redirect: string;
  readonly redirectOrigins: string;
  readonly timeout: number;
  submit(): void;
}

/** Puts on the page how the form stands; resolves once it is there. */
type Show = (standing: Standing) => Promise<unknown>;

const none: Problems = new Map();

const fieldKinds = ['string', 'integer', 'double', 'boolean', 'date', 'datetime', 'list', 'consent'] as const;

/** Everything one visitor's attempts have in common: what they share of a key, and how long the endpoint wants to be left alone. */
export class Signup {
  readonly #host: Host;
  readonly #show: Show;
  #intent: Intent | undefined;
  #failure: Failure | undefined;
  /** Until when the endpoint asked to be left alone, in milliseconds since the epoch. */
  #notBefore = 0;
  #stopClock: Undo = () => {};

  constructor(host: Host, show: Show) {
    this.#host = host;
    this.#show = show;
    for (const field of host.querySelectorAll('newsletter-field, [data-kind]')) {
      oneOf(field, 'kind', field.getAttribute('kind') || field.getAttribute('data-kind') || 'string', fieldKinds);
    }
  }

  /** Forgets what is still to come: a waiting time that is over, or a connection that is back. */
  end(): void {
    this.#failure = undefined;
    this.#stopClock();
  }

  /** Reads the form, sends it, and shows how that went. */
  async send(form: HTMLFormElement): Promise<void> {
    const failure = this.#failure;
    if (failure && this.#wait > 0) return this.#fail(form, { ...failure, retryAfter: this.#wait });
    this.end();

    const { values, problems } = readEntry(form);
    if (problems.size > 0) return this.#fail(form, { kind: 'invalid' }, problems);

    const attribution = this.#attribution(values);
    const body = composeBody(values, attribution);
    if (!body) return this.#fail(form, { kind: 'tooLong' });
    const endpoint = endpointOf(this.#host, form);
    // Other schemes can answer, too, `data:` even with a thank-you; but nobody gets the signup.
    if (!webAddress(endpoint)) {
      console.error('<newsletter-signup> has no endpoint.');
      return this.#fail(form, { kind: 'unavailable' });
    }
    if (!navigator.onLine) return this.#fail(form, { kind: 'offline' });
    const email = this.#host.hasAttribute('expose-email') ? asText(values['email']) : undefined;
    if (!this.#host.dispatchEvent(new NewsletterSubmitEvent(attribution, email))) return void this.#show({ state: 'idle' });

    void this.#show({ state: 'busy', notice: ({ busy }) => busy, mark: markBusy });
    this.#intent = intentOf(body, this.#intent);
    const post = { ...this.#intent, endpoint, timeout: this.#timeout };
    let hasLeft = false;
    addEventListener('pagehide', () => (hasLeft = true), { once: true });
    let failed = await send(post);
    if (failed?.ask) failed = await this.#answer(failed, (given) => send({ ...post, body: composeBody({ ...values, ...given }, attribution) ?? body }));
    // What an endpoint says about the address is shown at the address, in the language of the form.
    if (failed?.code?.startsWith('EMAIL')) return this.#fail(form, { ...failed, kind: 'invalid' }, new Map([['email', 'emailInvalid']]));
    // Come back to a page whose request has died meanwhile, the visitor finds the form as it was.
    if (hasLeft && failed?.kind === 'unreachable') return void this.#show({ state: 'idle' });
    if (failed) {
      if (failed.status !== undefined && !failed.code) warn(this.#host, 'answer', `got an answer that is none for a signup form (status ${failed.status}). The attribute debug tells more.`);
      return this.#fail(form, failed);
    }

    // Firefox's :focus-within knows no focus in a window that is behind another one.
    const hadFocus = this.#host.contains((this.#host.getRootNode() as Document).activeElement);
    act(form, 'reset');
    const isShown = this.#show({ state: 'success', notice: ({ success }) => success });
    this.#host.dispatchEvent(new NewsletterSuccessEvent(attribution, email));
    const target = redirectTarget(this.#host, this.#host.redirect, this.#host.redirectOrigins);
    if (target) location.assign(target);
    await isShown;
    // The form is gone; whoever stood in it now stands on the thanks.
    if (hadFocus) this.#host.shadowRoot?.querySelector<HTMLElement>('[role]')?.focus();
  }

  /** Gives the endpoint what it asks for; where that fails, the answer stays what it was. */
  async #answer(failed: Failure, resend: Resend): Promise<Failure | undefined> {
    try {
      const { answer } = await parts.ask();
      return await answer(this.#host, failed, resend);
    } catch (error) {
      warn(this.#host, 'ask', `cannot give the endpoint what it asks for: ${String(error)}`);
      return failed;
    }
  }

  async #fail(form: HTMLFormElement, failure: Failure, problems = none): Promise<void> {
    const { kind, retryAfter, said } = failure;
    this.#failure = failure;
    this.#notBefore = Date.now() + (retryAfter ?? 0) * 1000;
    const standing: Standing = {
      state: 'error',
      notice: (texts) => (kind === 'refused' && said) || texts[kind].replace('{wait}', waitInWords(retryAfter && this.#wait, texts)),
      mark: (held, texts) => (this.#wait > 0 ? markBusy(held) : markProblems(held, problems, texts)),
    };
    const isShown = this.#show(standing);
    this.#stopClock();
    this.#stopClock = countDown(this.#notBefore, (isOver) => void this.#show({ ...standing, isQuiet: !isOver }));
    if (kind === 'offline') this.#sendWhenOnline(failure);
    this.#host.dispatchEvent(new NewsletterErrorEvent(failure));
    if (this.#host.hasAttribute('debug')) void parts.doctor().then(({ explain }) => explain(endpointOf(this.#host, form), failure));
    await isShown;
    const [first = ''] = problems.keys();
    controlsOf(form).get(first)?.input.focus();
  }

  /** What could not be sent offline goes out by itself, unless it is changed before. */
  #sendWhenOnline(failure: Failure): void {
    addEventListener('online', () => this.#failure === failure && this.#host.isConnected && this.#host.submit(), { once: true });
    this.#host.addEventListener(
      'input',
      () => {
        if (this.#failure !== failure) return;
        this.end();
        void this.#show({ state: 'idle' });
      },
      { once: true },
    );
  }

  /** How long the endpoint still wants to be left alone, in seconds. */
  get #wait(): number {
    return Math.max(this.#notBefore - Date.now(), 0) / 1000;
  }

  get #timeout(): number {
    const seconds = Number(this.#host.timeout);
    if (seconds > 0 && seconds < 1e6) return seconds;
    warn(this.#host, 'attribute', 'timeout is no number of seconds: takes 20.');
    return 20;
  }

  /** Who brought the visitor: what the owner wrote on the tag or into hidden fields, else what we know. */
  #attribution(values: Entry['values']): Attribution {
    const given = attributionFields.map((name) => [name, this.#host.getAttribute(name.replace('_', '-')) ?? asText(values[name])] as const);
    return withGiven(recall(this.#host), Object.fromEntries(given));
  }
}

function endpointOf(host: Host, form: HTMLFormElement): string {
  return host.endpoint || form.getAttribute('action') || '';
}
