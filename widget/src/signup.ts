/** One visitor's signup, from submitting the form to the thanks. Loaded when the focus enters a form. */
import { attributionFields, parseUrl, applyOverrides, type Attribution } from '@newsletter-kit/core/signup';
import type * as Attributions from './attribution.ts';
import { loadChunk } from './chunks.ts';
import type * as Events from './events.ts';
import {
  callForm,
  controlsOf,
  isSet,
  markBusy,
  markProblems,
  type FormView,
  type Problems,
  type SignupState,
  type Undo,
} from './form.ts';
import { unloadedLanguage, type Messages } from './messages.ts';
import { addSendingStyles } from './sending-styles.ts';
import type { Resend } from './protection.ts';
import {
  asText,
  composeBody,
  intentOf,
  readValues,
  send,
  type Failure,
  type FormValues,
  type Intent,
} from './submission.ts';
import type * as Warnings from './warnings.ts';

export { keepAnswers } from './form.ts';

/** The members of the element that a signup uses. */
export interface Host extends Attributions.AttributionHost {
  readonly endpoint: string;
  readonly redirect: string;
  readonly redirectOrigins: string;
  readonly timeout: number;
  readonly state: SignupState;
  submit(): void;
}

/** Shows a state of the form; resolves once it is rendered. */
export type Show = (view: FormView) => Promise<unknown>;

/** Functions and classes of the element's own file, of which this file must not have a second copy. */
export type SignupTools = Pick<typeof Attributions, 'readAttribution'> &
  Pick<typeof Warnings, 'warn'> &
  Pick<
    typeof Events,
    'NewsletterErrorEvent' | 'NewsletterSubmitEvent' | 'NewsletterSuccessEvent' | 'NewsletterWarningEvent'
  >;

const none: Problems = new Map();

/** The state that one visitor's attempts share: the idempotency key, and the time to wait that the endpoint named. */
export interface Signup {
  /** Stops the countdown, and cancels sending when online again. */
  end(): void;
  /** Reads the form, sends its values, and shows the result. */
  send(form: HTMLFormElement): Promise<void>;
}

export function createSignup(host: Host, show: Show, tools: SignupTools): Signup {
  const { NewsletterErrorEvent, NewsletterSubmitEvent, NewsletterSuccessEvent, NewsletterWarningEvent } = tools;
  const { readAttribution, warn } = tools;
  const language = unloadedLanguage(host);
  if (language) warn(host, 'file', `cannot load ${language}: upload it beside the script.`);
  let intent: Intent | undefined;
  let lastFailure: Failure | undefined;
  /** End of the wait that the endpoint asked for, in milliseconds since the epoch. */
  let notBefore = 0;
  let stopClock: Undo = () => {};
  /** Ends listening for corrected values. */
  let editing = new AbortController();

  function end(): void {
    lastFailure = undefined;
    stopClock();
    editing.abort();
  }

  async function submit(form: HTMLFormElement): Promise<void> {
    addSendingStyles(host);
    const left = wait();
    if (lastFailure && left > 0) return fail(form, { ...lastFailure, retryAfter: left });
    end();

    const { values, problems } = readValues(form);
    if (problems.size > 0) return fail(form, { kind: 'invalid' }, problems);

    const attribution = attributionOf(values);
    const body = composeBody(values, attribution);
    if (!body) return fail(form, { kind: 'tooLong' });
    const endpoint = endpointOf(host, form);
    // A fetch of another scheme, such as `data:`, can succeed without a server.
    if (!webAddress(endpoint)) {
      console.error('<newsletter-signup> has no endpoint.');
      return fail(form, { kind: 'unavailable' });
    }
    if (!navigator.onLine) return fail(form, { kind: 'offline' });
    const email = isSet(host, 'expose-email') ? asText(values['email']) : undefined;
    if (!host.dispatchEvent(new NewsletterSubmitEvent('submit', { attribution, email }, true)))
      return void show({ state: 'idle' });

    void show({ state: 'busy', notice: ({ busy }) => busy, mark: markBusy });
    intent = intentOf(body, intent);
    const post = { ...intent, endpoint, timeout: timeout() };
    let hasLeft = false;
    addEventListener('pagehide', () => (hasLeft = true), { once: true });
    let failed = await send(post);
    if (failed?.ask)
      failed = await answerAsk(failed, (answer) =>
        send({ ...post, body: composeBody({ ...values, ...answer }, attribution) ?? body }),
      );
    // A problem with the email address is shown at its field, in the language of the form.
    if (failed?.code?.startsWith('EMAIL'))
      return fail(form, { ...failed, kind: 'invalid' }, new Map([['email', 'emailInvalid']]));
    // The browser cancelled the request because the visitor left the page: on return the form is unchanged.
    if (hasLeft && failed?.kind === 'unreachable') return void show({ state: 'idle' });
    if (failed) {
      if (failed.status && !failed.code)
        warn(host, 'answer', `got status ${failed.status} without a reason: try the attribute debug.`);
      return fail(form, failed);
    }

    // In Firefox :focus-within does not match in a window behind another one.
    const hadFocus = host.contains((host.getRootNode() as Document).activeElement);
    callForm(form, 'reset');
    const isShown = show({ state: 'success' });
    host.dispatchEvent(new NewsletterSuccessEvent('success', { attribution, email }));
    const target = redirectTarget(host.redirect, host.redirectOrigins);
    if (target) location.assign(target);
    else if (host.redirect) warn(host, 'redirect', 'leads to none of redirect-origins.');
    await isShown;
    // The form is hidden: its focus moves to the thanks.
    if (hadFocus) host.shadowRoot?.querySelector<HTMLElement>('[part=thanks]')?.focus();
  }

  /** Does what the endpoint asks for; if that fails, the first failure is returned. */
  function answerAsk(failed: Failure, resend: Resend): Promise<Failure | undefined> {
    return loadChunk('protection.js', import('./protection.ts'))
      .then(({ answer }) => answer(host, failed, resend))
      .catch((error: unknown) => {
        const reason = error instanceof Error && 'reason' in error ? 'file' : 'ask';
        warn(host, reason, `cannot give what the endpoint asks for: ${String(error)}`);
        return failed;
      });
  }

  async function fail(form: HTMLFormElement, failure: Failure, found = none): Promise<void> {
    let problems = found;
    const { kind, status = 0, retryAfter = 0, message } = failure;
    lastFailure = failure;
    notBefore = Date.now() + retryAfter * 1000;
    const viewAt = (left: number): FormView => ({
      state: 'error',
      notice: (texts) => {
        const wait = waitInWords(retryAfter ? left : undefined, texts);
        return (kind === 'refused' && message) || texts[kind].replace('{wait}', wait);
      },
      mark: (marked, texts) => (left > 0 ? markBusy(marked) : markProblems(marked, problems, texts)),
    });
    const isShown = show(viewAt(retryAfter));
    stopClock();
    stopClock = countDown(notBefore, (left) => void show({ ...viewAt(left), isSilent: left > 0 }));
    if (kind === 'offline') sendWhenOnline(failure);
    editing.abort();
    editing = new AbortController();
    const removeCorrected = ({ target }: Event): void => {
      const { name = '' }: Partial<HTMLInputElement> = target instanceof Element ? target : {};
      if (!problems.has(name) || readValues(form).problems.has(name)) return;
      problems = new Map([...problems].filter(([other]) => other !== name));
      void show(problems.size > 0 ? viewAt(0) : { state: 'idle' });
    };
    for (const type of ['input', 'change']) form.addEventListener(type, removeCorrected, editing);
    host.dispatchEvent(new NewsletterErrorEvent('error', { kind, status, retryAfter }));
    if (isSet(host, 'debug')) void explainFailure(endpointOf(host, form), failure);
    await isShown;
    const [first = ''] = problems.keys();
    controlsOf(form).get(first)?.input.focus();
  }

  /** Explains the failure to the owner of the page (attribute `debug`). */
  async function explainFailure(endpoint: string, failure: Failure): Promise<void> {
    try {
      const { explain } = await loadChunk('doctor.js', import('./doctor.ts'));
      const message = await explain(endpoint, failure);
      if (message) host.dispatchEvent(new NewsletterWarningEvent('warning', { reason: 'endpoint', message }));
    } catch (error) {
      warn(host, 'file', String(error));
    }
  }

  /** Sends again when the device is online, unless a value is changed before. */
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

  /** Seconds left of the wait that the endpoint asked for. */
  function wait(): number {
    return Math.max(notBefore - Date.now(), 0) / 1000;
  }

  function timeout(): number {
    const seconds = Number(host.timeout);
    if (seconds > 0 && seconds < 1e6) return seconds;
    warn(host, 'attribute', 'timeout is no number: takes 20.');
    return 20;
  }

  /** The attribution: attributes of the element, else hidden fields of the form, else the visits. */
  function attributionOf(values: FormValues['values']): Attribution {
    const fields = attributionFields.map(
      (name) => [name, host.getAttribute(name.replace('_', '-')) ?? asText(values[name])] as const,
    );
    return applyOverrides(readAttribution(host), Object.fromEntries(fields));
  }

  return { end, send: submit };
}

function endpointOf(host: Host, form: HTMLFormElement): string {
  return host.endpoint || form.getAttribute('action') || '';
}

/**
 * The URL of an attribute; undefined unless it is http or https. Pages fill attributes from query parameters, and a
 * `javascript:` URL would run.
 */
function webAddress(address: string): URL | undefined {
  const url = address ? parseUrl(address, document.baseURI) : undefined;
  return url?.protocol.startsWith('http') ? url : undefined;
}

/**
 * The page to open after a signup: of the same origin, or of a listed one; undefined for any other (open redirect). The
 * scheme is checked separately: in a sandboxed frame or on a `file:` page, a `javascript:` URL has the page's own
 * origin, "null".
 *
 * @param origins - the allowed origins, separated by spaces
 */
function redirectTarget(address: string, origins: string): string | undefined {
  const url = webAddress(address);
  return url && [location.origin, ...origins.split(/\s+/)].includes(url.origin) ? url.href : undefined;
}

/**
 * Calls back at every whole second that is left, and at the end.
 *
 * @param until - in milliseconds since the epoch
 * @param tick - gets the seconds that are left; 0 exactly once, at the end. It must not read the clock again, which can
 *   have reached the end by then
 * @returns a function that stops it
 */
function countDown(until: number, tick: (left: number) => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const wait = (left: number): void => {
    if (left > 0) timer = setTimeout(onSecond, ((left - 1) % 1000) + 1);
  };
  const onSecond = (): void => {
    const left = Math.max(until - Date.now(), 0);
    tick(left / 1000);
    wait(left);
  };
  wait(until - Date.now());
  return () => clearTimeout(timer);
}

/**
 * A waiting time in the language of the texts: `in 30 seconds`, `in 5 minutes`, `now` at its end, `later` if it is
 * unknown.
 */
function waitInWords(seconds: number | undefined, { language, later }: Messages): string {
  if (seconds === undefined) return later;
  const inSeconds = seconds < 90;
  return new Intl.RelativeTimeFormat(language, { numeric: 'auto' }).format(
    Math.ceil(inSeconds ? seconds : seconds / 60),
    inSeconds ? 'second' : 'minute',
  );
}
