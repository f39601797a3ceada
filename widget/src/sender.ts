/**
 * Submits the form by `signup.js`, which is loaded when the focus enters the form. If something fails before anything
 * is sent, the browser posts the form; afterwards a message stays, with the values.
 */
import { loadChunk } from './chunks.ts';
import { signupEvents, type FailureKind, type Tell } from './events.ts';
import { callForm, endpointOf, isSet, markBusy, webAddress, type Undo } from './form.ts';
import type * as SignupFile from './signup.ts';
import { tools as pageTools } from './visits.ts';
import { warn } from './warnings.ts';

/** The field of a post that has what the referral parameter carries, by the attribute `ref-is`. */
const carriers: Readonly<Partial<Record<string, string>>> = {
  auto: 'ref',
  code: 'referral_code',
  source: 'utm_source',
};

/** What submits the form of an element. */
export function createSender(host: SignupFile.Host, showView: SignupFile.Show) {
  let file: typeof SignupFile | undefined;
  let signup: ReturnType<typeof SignupFile.createSignup> | undefined;
  let isSending = false;
  let stopWaiting: Undo = () => {};

  const show: SignupFile.Show = (view) => {
    isSending = view.state === 'busy';
    return showView(view);
  };

  /** An element that left the page has nothing around it that could listen. */
  const tell: Tell = (name, properties) =>
    (host.isConnected ? host : document).dispatchEvent(new signupEvents[name](name, properties, name === 'submit'));

  function fail(kind: FailureKind): void {
    void show({ state: 'error', notice: (texts) => texts[kind].replace('{wait}', texts.later) });
    tell('error', { kind, status: 0, retryAfter: 0 });
  }

  async function load(): Promise<typeof SignupFile> {
    return (file = await loadChunk('signup.js', import('./signup.ts')));
  }

  /**
   * Promises to send the form, after a pause or as soon as the browser says that the device is online; never once a
   * value was changed or the form submitted again.
   *
   * @param before - the last pause, in milliseconds; 0 without a promise
   */
  function tryLater(form: HTMLFormElement, before: number): void {
    const waiting = new AbortController();
    const pause = Math.min(before * 2 || 1000, 60_000);
    const goOn = (): void => {
      stopWaiting();
      void attempt(form, pause);
    };
    const giveUp = (): void => {
      stopWaiting();
      void show({ state: 'idle' });
    };
    const timer = setTimeout(goOn, pause);
    stopWaiting = () => {
      clearTimeout(timer);
      waiting.abort();
    };
    addEventListener('online', goOn, waiting);
    host.addEventListener('input', giveUp, waiting);
    // After the timer is set: the page may reset the form in answer to the event.
    if (!before) fail('offline');
  }

  const tools = { ...pageTools, markBusy, tell };

  /** @param pause - in milliseconds, after which a promise to send the form is tried again; 0 without a promise */
  async function attempt(form: HTMLFormElement, pause: number): Promise<void> {
    isSending = true;
    try {
      // Visible, but not announced: nothing is sent before the fields are checked.
      if (!file && !pause) void show({ state: 'busy', mark: markBusy });
      signup ??= (await load()).createSignup(host, show, tools);
      if (await signup.send(form, pause > 0)) tryLater(form, pause);
    } catch (error) {
      stopWaiting();
      warn(host, 'file', `cannot send the form: ${String(error)}`);
      if (host.state === 'success') void show({ state: 'success' });
      else if (!file && (!navigator.onLine || (pause && pause < 20_000))) tryLater(form, pause);
      else if (pause || signup?.isSent() || !navigator.onLine) fail('unreachable');
      else post(form);
    } finally {
      isSending = host.state === 'busy';
    }
  }

  /**
   * Adds what the tag says, and the campaign as the page's address has it, to a post of the browser: the functions that
   * read visits are in the file that could not be loaded. The endpoint cleans the values, and reads `ref` and the
   * referrer; with `click-ids` also the names of the parameters, never what they carry.
   */
  function addVisit({ formData }: FormDataEvent): void {
    const { attribution, referralParam = 'ref' } = host;
    const add = (value: string | null | undefined, name = ''): void => {
      if (value && name && !formData.get(name)) formData.set(name, value);
    };
    for (const { name, value } of host.attributes)
      if (/^(utm-|referring-|referral-code)/.test(name)) add(value, name.replace('-', '_'));
    if (attribution === 'none') return;
    const { referrer } = document;
    // A page of ours that linked here is an earlier visit.
    const isOurs = referrer.startsWith(`${location.origin}/`);
    const addresses = [isOurs ? referrer : '', ...pageTools.readVisits().map(({ url }) => url)];
    if (attribution === 'last') addresses.reverse();
    const carried = carriers[host.getAttribute('ref-is') ?? (referralParam === 'ref' ? 'auto' : 'code')];
    const parameter = new RegExp(`\\b(utm_\\w+|ref|${referralParam})=[^?#&]+`, 'gi');
    const chosen = addresses.find((address) => address.match(parameter));
    const link = new URLSearchParams(chosen?.match(parameter)?.join('&'));
    const referral = link.get(referralParam);
    link.delete(referralParam);
    if (!carried) link.delete('ref');
    link.forEach(add);
    add(referral, carried);
    if (isSet(host, 'click-ids')) add((chosen ?? addresses.join()).match(/\w+(?==)/g)?.join(' '), 'parameters');
    if (!isOurs) add(referrer, 'referrer');
  }

  /** Lets the browser post the form. Where a policy of the page or of its frame forbids that, a message says so. */
  function post(form: HTMLFormElement): void {
    const endpoint = webAddress(endpointOf(host, form));
    const refused = setTimeout(fail, endpoint ? 3000 : 0, 'unavailable');
    addEventListener('beforeunload', () => clearTimeout(refused), { once: true });
    document.addEventListener(
      'securitypolicyviolation',
      ({ effectiveDirective }) => effectiveDirective === 'form-action' && fail('unavailable'),
      { once: true },
    );
    void show({ state: 'idle' });
    if (!endpoint) return;
    form.addEventListener('formdata', addVisit);
    form.setAttribute('action', endpoint.href);
    form.setAttribute('method', 'post');
    callForm(form, 'submit');
  }

  return {
    /** Loads the file early. A failure is ignored: submitting the form loads the file again. */
    prepare: (): void =>
      void load()
        .then(({ readTouch }) => readTouch(host, tools))
        .catch(() => undefined),
    /** Submits the form, unless that is under way. */
    submit(form: HTMLFormElement): void {
      if (isSending) return;
      stopWaiting();
      void attempt(form, 0);
    },
    /** @returns whether it forgot the visitor; false while the form waits for an answer */
    reset(): boolean {
      if (!isSending) {
        stopWaiting();
        signup?.end();
        signup = undefined;
      }
      return !isSending;
    },
  };
}
