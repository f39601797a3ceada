/** One visitor's signup, from the press of the button to the thanks. Loaded when the focus enters a form. */
import { attributionFields, parseUrl, withGiven, type Attribution } from '@newsletter-kit/core/signup';
import type * as Attributions from './attribution.ts';
import { chunks } from './chunks.ts';
import type * as Events from './events.ts';
import {
  callForm,
  controlsOf,
  isSet,
  markBusy,
  markProblems,
  type FormView,
  type Problems,
  type Undo,
} from './form.ts';
import { errorTexts, type FormMessages, type Messages } from './messages.ts';
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
  submit(): void;
}

/** Shows the form's state; resolves once it is rendered. */
export type Show = (view: FormView) => Promise<unknown>;

/** Members of the element's own file, whose state and classes this file must not have a second copy of. */
export type SignupTools = Pick<typeof Attributions, 'readAttribution'> &
  Pick<typeof Warnings, 'warn'> &
  Pick<
    typeof Events,
    'NewsletterErrorEvent' | 'NewsletterSubmitEvent' | 'NewsletterSuccessEvent' | 'NewsletterWarningEvent'
  >;

const none: Problems = new Map();

const withErrors = (texts: FormMessages): Messages => ({ ...errorTexts, ...texts });

/** The state that one visitor's attempts share: the idempotency key, and the time to wait that the endpoint named. */
export interface Signup {
  /** Stops the countdown, and the resend after being offline. */
  end(): void;
  /** Reads the form, sends its values, and shows the result. */
  send(form: HTMLFormElement): Promise<void>;
}

export function createSignup(host: Host, show: Show, tools: SignupTools): Signup {
  const { NewsletterErrorEvent, NewsletterSubmitEvent, NewsletterSuccessEvent, NewsletterWarningEvent } = tools;
  const { readAttribution, warn } = tools;
  let intent: Intent | undefined;
  let lastFailure: Failure | undefined;
  /** End of the wait that the endpoint asked for, in milliseconds since the epoch. */
  let notBefore = 0;
  let stopClock: Undo = () => {};
  /** Ends listening for problems that are mended. */
  let editing = new AbortController();

  function end(): void {
    lastFailure = undefined;
    stopClock();
    editing.abort();
  }

  async function submit(form: HTMLFormElement): Promise<void> {
    const left = wait();
    if (lastFailure && left > 0) return fail(form, { ...lastFailure, retryAfter: left });
    end();

    const { values, problems } = readValues(form);
    if (problems.size > 0) return fail(form, { kind: 'invalid' }, problems);

    const attribution = attributionOf(values);
    const body = composeBody(values, attribution);
    if (!body) return fail(form, { kind: 'tooLong' });
    const endpoint = endpointOf(host, form);
    // A fetch of another scheme can succeed, such as `data:`, without anybody receiving the signup.
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
      failed = await answerAsk(failed, (given) =>
        send({ ...post, body: composeBody({ ...values, ...given }, attribution) ?? body }),
      );
    // A problem of the address is shown at its field, in the language of the form.
    if (failed?.code?.startsWith('EMAIL'))
      return fail(form, { ...failed, kind: 'invalid' }, new Map([['email', 'emailInvalid']]));
    // The request was cancelled because the visitor left the page: on return the form is as it was.
    if (hasLeft && failed?.kind === 'unreachable') return void show({ state: 'idle' });
    if (failed) {
      if (failed.status && !failed.code)
        warn(host, 'answer', `got status ${failed.status} without a reason: try the attribute debug.`);
      return fail(form, failed);
    }

    // Firefox's :focus-within knows no focus in a window that is behind another one.
    const hadFocus = host.contains((host.getRootNode() as Document).activeElement);
    callForm(form, 'reset');
    const isShown = show({
      state: 'success',
      inbox: isSet(host, 'inbox-link') ? inboxOf(asText(values['email'])) : undefined,
    });
    host.dispatchEvent(new NewsletterSuccessEvent('success', { attribution, email }));
    const target = redirectTarget(host.redirect, host.redirectOrigins);
    if (target) location.assign(target);
    else if (host.redirect) warn(host, 'redirect', 'leads to none of redirect-origins.');
    await isShown;
    // The form is hidden: its focus moves to the thanks.
    if (hadFocus) host.shadowRoot?.querySelector<HTMLElement>('[part=thanks]')?.focus();
  }

  /** Answers what the endpoint asks for; where that fails, the failure stays. */
  function answerAsk(failed: Failure, resend: Resend): Promise<Failure | undefined> {
    return chunks
      .protection()
      .then(({ answer }) => answer(host, failed, resend))
      .catch((error: unknown) => {
        warn(host, 'ask', `cannot give what the endpoint asks for: ${String(error)}`);
        return failed;
      });
  }

  async function fail(form: HTMLFormElement, failure: Failure, found = none): Promise<void> {
    let problems = found;
    const { kind, status = 0, retryAfter = 0, said } = failure;
    lastFailure = failure;
    notBefore = Date.now() + retryAfter * 1000;
    const viewAt = (left: number): FormView => ({
      state: 'error',
      notice: (given) => {
        const texts = withErrors(given);
        const wait = waitInWords(retryAfter ? left : undefined, texts);
        return (kind === 'refused' && said) || texts[kind].replace('{wait}', wait);
      },
      mark: (marked, given) => (left > 0 ? markBusy(marked) : markProblems(marked, problems, withErrors(given))),
    });
    const isShown = show(viewAt(retryAfter));
    stopClock();
    stopClock = countDown(notBefore, (left) => void show({ ...viewAt(left), isSilent: left > 0 }));
    if (kind === 'offline') sendWhenOnline(failure);
    editing.abort();
    editing = new AbortController();
    const removeMended = ({ target }: Event): void => {
      const { name = '' }: Partial<HTMLInputElement> = target instanceof Element ? target : {};
      if (!problems.has(name) || readValues(form).problems.has(name)) return;
      problems = new Map([...problems].filter(([other]) => other !== name));
      void show(problems.size > 0 ? viewAt(0) : { state: 'idle' });
    };
    for (const type of ['input', 'change']) form.addEventListener(type, removeMended, editing);
    host.dispatchEvent(new NewsletterErrorEvent('error', { kind, status, retryAfter }));
    if (isSet(host, 'debug')) void explainFailure(endpointOf(host, form), failure);
    await isShown;
    const [first = ''] = problems.keys();
    controlsOf(form).get(first)?.input.focus();
  }

  /** With `debug`: explains the failure to the owner. */
  async function explainFailure(endpoint: string, failure: Failure): Promise<void> {
    const { explain } = await chunks.doctor();
    const message = await explain(endpoint, failure);
    if (message) host.dispatchEvent(new NewsletterWarningEvent('warning', { reason: 'endpoint', message }));
  }

  /** Sends again when the device is back online, unless the values are changed before. */
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
    const given = attributionFields.map(
      (name) => [name, host.getAttribute(name.replace('_', '-')) ?? asText(values[name])] as const,
    );
    return withGiven(readAttribution(host), Object.fromEntries(given));
  }

  return { end, send: submit };
}

function endpointOf(host: Host, form: HTMLFormElement): string {
  return host.endpoint || form.getAttribute('action') || '';
}

/** Where mail services show their inbox, by the domains of their addresses. */
const inboxes: Readonly<Record<string, string>> = {
  'gmail.com googlemail.com': 'https://mail.google.com/mail/',
  'outlook.com hotmail.com live.com msn.com': 'https://outlook.live.com/mail/',
  'yahoo.com ymail.com': 'https://mail.yahoo.com/',
  'icloud.com me.com mac.com': 'https://www.icloud.com/mail/',
  'proton.me protonmail.com pm.me': 'https://mail.proton.me/',
  'gmx.de gmx.net gmx.at gmx.ch': 'https://navigator.gmx.net/mail',
};

function inboxOf(email: string): string | undefined {
  const domain = email.slice(email.lastIndexOf('@') + 1).toLowerCase();
  return Object.entries(inboxes).find(([domains]) => domains.split(' ').includes(domain))?.[1];
}

/**
 * The URL of an address that an owner wrote; undefined unless it is http or https. Pages fill attributes from query
 * parameters, and a `javascript:` URL would run.
 */
function webAddress(address: string): URL | undefined {
  const url = address ? parseUrl(address, document.baseURI) : undefined;
  return url?.protocol.startsWith('http') ? url : undefined;
}

/**
 * The page to go to after a signup: of the same origin, or of one the owner lists; undefined for any other (open
 * redirect). The scheme is checked apart from the origin: in a sandbox or from a file, `javascript:` has the page's own
 * origin, "null".
 *
 * @param origins - the origins the owner lists, separated by spaces
 */
function redirectTarget(address: string, origins: string): string | undefined {
  const url = webAddress(address);
  return url && [location.origin, ...origins.split(/\s+/)].includes(url.origin) ? url.href : undefined;
}

/**
 * Calls back at every whole second that is left, and at the moment itself.
 *
 * @param until - in milliseconds since the epoch
 * @param tick - is given the seconds that are left: 0 once, at the end. It must not read the clock again, which may
 *   have reached the end meanwhile
 * @returns what stops it
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
 * A waiting time in words, in the language of the texts: `in 30 seconds`, `in 5 minutes`, `now` when it is over,
 * `later` when it is unknown.
 */
function waitInWords(seconds: number | undefined, { language, later }: Messages): string {
  if (seconds === undefined) return later;
  const inSeconds = seconds < 90;
  return new Intl.RelativeTimeFormat(language, { numeric: 'auto' }).format(
    Math.ceil(inSeconds ? seconds : seconds / 60),
    inSeconds ? 'second' : 'minute',
  );
}
