/** One visitor's signup, from submitting the form to the thanks. Loaded when the focus enters a form. */
import {
  attributionFields,
  applyOverrides,
  pageAddress,
  type Attribution,
  type Touch,
} from '@newsletter-kit/core/signup';
import type { ReadVerdict } from './answer.ts';
import { readTouch, type AttributionHost, type PageTools } from './attribution.ts';
import type { FailureKind, Tell } from './events.ts';
import type * as Form from './form.ts';
import {
  asText,
  callForm,
  controlsOf,
  endpointOf,
  isSet,
  markProblems,
  webAddress,
  type FormView,
  type Problem,
  type Problems,
  type Undo,
} from './form.ts';
import { addSendingStyles } from './sending-styles.ts';
import {
  composeBody,
  intentOf,
  readValues,
  send,
  type Answer,
  type FormValues,
  type Intent,
  type Post,
} from './submission.ts';

export { readTouch } from './attribution.ts';
export { intentOf, send } from './submission.ts';

/** The members of the element that a signup uses. */
export type Host = AttributionHost &
  Record<'endpoint' | 'redirect' | 'redirectOrigins', string> &
  Record<'timeout', number> &
  Pick<FormView, 'state'>;

/** An answer that is no yes. */
type Failure = Answer & { readonly kind: FailureKind };

/** Shows a state of the form; resolves once it is rendered. */
export type Show = (view: FormView) => Promise<unknown>;

/** Functions of the element's own file, of which this file must not have a second copy. */
export type SignupTools = PageTools & Pick<typeof Form, 'markBusy'> & { readonly tell: Tell };

/** Codes whose messages are in the languages of the form. */
const translatedCodes: readonly (string | undefined)[] = ['EMAIL_INVALID', 'EMAIL_REQUIRED'];

/** One visitor's attempts, which share the idempotency key, and the last failure with the time to wait. */
export function createSignup(host: Host, show: Show, tools: SignupTools) {
  const { loadPart, markBusy, tell, warn } = tools;
  let intent: Intent | undefined;
  let isSent = false;
  let lastFailure: Failure | undefined;
  let stopClock: Undo = () => {};
  /** Reads typed numbers, once a form has a field for them. */
  let toNumber: ((text: string) => number | undefined) | undefined;
  /** Ends listening for corrected values. */
  let editing = new AbortController();

  /** Forgets the last failure: stops the countdown, and listening for corrected values. */
  function end(): void {
    lastFailure = undefined;
    stopClock();
    editing.abort();
  }

  /**
   * Reads the form, sends its values, and shows the result.
   *
   * @param isPromised - whether the form says that it is sent once the device is online
   * @returns whether no answer came, and the form is to be sent again once the device is online
   * @throws if a script of the page breaks something
   */
  async function submit(form: HTMLFormElement, isPromised: boolean): Promise<unknown> {
    addSendingStyles(host);
    if (lastFailure?.wait?.left()) return fail(form, lastFailure);
    end();

    const { touch, audit: choice } = await readTouch(host, tools);
    fillDetails(form, touch);
    if (!toNumber && form.querySelector('[data-kind=integer],[data-kind=double]')) {
      const part = await load('typed-numbers.js', import('./typed-numbers.ts'));
      toNumber = part && ((text) => part.readNumber(text, host));
    }
    const { values, problems } = readValues(form, toNumber);
    if (problems.size > 0) return fail(form, { kind: 'invalid' }, problems);

    const attribution = attributionOf(values, touch);
    // Values without a touch are those of the tag, or of hidden fields.
    const rule = touch?.rule ?? (Object.keys(attribution)[0] && 'tag');
    const audit = { page: pageAddress(location.href), ...choice, touch_rule: rule };
    const body = composeBody(values, attribution, audit);
    if (!body) return fail(form, { kind: 'tooLong' });
    const endpoint = endpointOf(host, form);
    // A fetch of another scheme, such as `data:`, can succeed without a server.
    if (!webAddress(endpoint)) return fail(form, { kind: 'unavailable' });
    const email = isSet(host, 'expose-email') ? asText(values['email']) : undefined;
    // The same request again, where it may have arrived without an answer.
    const last = isPromised ? intent : undefined;
    if (!last && !tell('submit', { attribution, email })) return void show({ state: 'idle' });

    if (!isPromised) void show({ state: 'busy', notice: ({ busy }) => busy, mark: markBusy });
    intent = last ?? intentOf(body, intent);
    const post = { ...intent, endpoint, timeout: timeout(), read };
    let hasLeft = false;
    addEventListener('pagehide', () => (hasLeft = true), { once: true });
    let answer = await sendOnce(post);
    if (isUnanswered(answer, isPromised)) {
      void explain(endpoint, answer);
      return true;
    }
    if (answer.ask) {
      const part = await load('protection.js', import('./protection.ts'));
      const resend = (answers: object): Promise<Answer> =>
        sendOnce({ ...post, body: composeBody({ ...values, ...answers }, attribution, audit) ?? body });
      answer = (await part?.answer(host, answer, resend, warn)) ?? answer;
    }
    const { kind, status, code, message } = answer;
    // A problem with the address is shown at its field: in the language of the form, else in the endpoint's words.
    if (kind && code?.startsWith('EMAIL')) {
      const problem: Problem = (texts) => (translatedCodes.includes(code) ? '' : message) || texts.emailInvalid;
      return fail(form, { ...answer, kind: 'invalid' }, new Map([['email', problem]]));
    }
    // The browser cancelled the request because the visitor left the page: on return the form is unchanged.
    if (hasLeft && kind === 'unreachable') return void show({ state: 'idle' });
    if (kind) {
      if (status && !code && !message)
        warn(host, 'answer', `got status ${status} without a reason: try the attribute debug.`);
      return fail(form, { ...answer, kind });
    }

    // In Firefox :focus-within does not match in a window behind another one.
    const hadFocus = host.contains((host.getRootNode() as Document).activeElement);
    const isShown = show({ state: 'success' });
    if (holds(form)) callForm(form, 'reset');
    tell('success', { attribution, email });
    void explain(endpoint, answer);
    if (!host.isConnected) return;
    const target = redirectTarget();
    if (target) location.assign(target);
    else if (host.redirect) warn(host, 'redirect', 'leads to none of redirect-origins.');
    await isShown;
    // The form is hidden: its focus moves to the thanks.
    if (hadFocus) host.shadowRoot?.querySelector<HTMLElement>('[part=thanks]')?.focus();
  }

  /** Whether the form is still the element's: the page may have taken it out. */
  const holds = (form: HTMLFormElement): boolean => host.contains(form) || !!host.shadowRoot?.contains(form);

  const sendOnce = (post: Post): Promise<Answer> => send(post, () => (isSent = true));

  /** Loads a part of the script. */
  const load = <Part>(file: string, part: Promise<Part>): Promise<Part | undefined> => loadPart(host, file, part);

  const read: ReadVerdict = async (...given) =>
    (await load('answer.js', import('./answer.ts')))?.readVerdict(...given) ?? { isForeign: true };

  async function fail(form: HTMLFormElement, failure: Failure, found: Problems = new Map()): Promise<void> {
    let problems = found;
    const { kind, status = 0, wait, message } = failure;
    const retryAfter = wait?.left() ?? 0;
    end();
    lastFailure = failure;
    const viewAt = (left: number): FormView => ({
      state: 'error',
      notice: (texts) => {
        const when = wait?.inWords(left, texts) ?? texts.later;
        return (kind === 'refused' && message) || texts[kind].replace('{wait}', when);
      },
      mark: (marked, texts) => (left > 0 ? markBusy(marked) : markProblems(marked, problems, texts)),
    });
    const isShown = show(viewAt(retryAfter));
    stopClock = wait?.countDown((left) => void show({ ...viewAt(left), isSilent: left > 0 })) ?? (() => {});
    editing = new AbortController();
    const removeCorrected = ({ target }: Event): void => {
      const { name = '' }: Partial<HTMLInputElement> = target instanceof Element ? target : {};
      if (!problems.has(name) || readValues(form, toNumber).problems.has(name)) return;
      problems = new Map([...problems].filter(([other]) => other !== name));
      void show(problems.size > 0 ? viewAt(0) : { state: 'idle' });
    };
    for (const type of ['input', 'change']) form.addEventListener(type, removeCorrected, editing);
    tell('error', { kind, status, retryAfter: Math.ceil(retryAfter) });
    void explain(endpointOf(host, form), failure);
    await isShown;
    const [first = ''] = problems.keys();
    if (host.isConnected && holds(form)) controlsOf(form).get(first)?.input.focus();
  }

  /** Explains the answer to the owner of the page (attribute `debug`). */
  async function explain(endpoint: string, answer: Answer): Promise<void> {
    if (!isSet(host, 'debug')) return;
    const doctor = await load('doctor.js', import('./doctor.ts'));
    await doctor?.explain(host, endpoint, answer, warn);
  }

  /**
   * The page to open after a signup: of the same origin, or of a listed one; undefined for any other (open redirect).
   * The scheme is checked separately: in a sandboxed frame or on a `file:` page, a `javascript:` URL has the page's own
   * origin, "null".
   */
  function redirectTarget(): string | undefined {
    const url = webAddress(host.redirect);
    return url && [location.origin, ...host.redirectOrigins.split(/\s+/)].includes(url.origin) ? url.href : undefined;
  }

  function timeout(): number {
    const seconds = Number(host.timeout);
    if (seconds > 0 && seconds < 1e6) return seconds;
    warn(host, 'attribute', 'timeout is no number: takes 20.');
    return 20;
  }

  /** Fills in the hidden fields that take a parameter of the touch. A value of the page's own stays. */
  function fillDetails(form: HTMLFormElement, touch: Touch | undefined): void {
    for (const { input } of controlsOf(form).values()) {
      const { from } = input.dataset;
      if (from) input.value ||= touch?.details[from] ?? '';
    }
  }

  /** The attribution: attributes of the element, else hidden fields of the form, else the visits. */
  function attributionOf(values: FormValues['values'], touch: Touch | undefined): Attribution {
    const fields = attributionFields.map(
      (name) => [name, host.getAttribute(name.replace('_', '-')) ?? asText(values[name])] as const,
    );
    return applyOverrides(touch?.attribution ?? {}, Object.fromEntries(fields));
  }

  return {
    end,
    /** Whether the endpoint may have a request. */
    isSent: (): boolean => isSent,
    send: submit,
  };
}

/**
 * Whether a form has no answer yet that is to be sent once the device is online: the browser says that it is offline;
 * or the form has promised it, and a redirect or a page came, as public networks show them before they let somebody in.
 */
function isUnanswered({ kind, status = 0 }: Answer, isPromised: boolean): boolean {
  return kind === 'offline' || (isPromised && !!kind && kind !== 'refused' && status < 300);
}
