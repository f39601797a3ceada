/**
 * Submits the form by `signup.js`, which is loaded when the focus enters the form. Without that file, the browser posts
 * the form.
 */
import { readAttribution } from './attribution.ts';
import { loadChunk } from './chunks.ts';
import {
  NewsletterErrorEvent,
  NewsletterSubmitEvent,
  NewsletterSuccessEvent,
  NewsletterWarningEvent,
} from './events.ts';
import { callForm, markBusy } from './form.ts';
import type * as SignupFile from './signup.ts';
import { warn } from './warnings.ts';

const tools: SignupFile.SignupTools = {
  NewsletterErrorEvent,
  NewsletterSubmitEvent,
  NewsletterSuccessEvent,
  NewsletterWarningEvent,
  readAttribution,
  warn,
};

export interface Sender {
  /** Loads the file early. A failure is ignored: submitting the form loads the file again. */
  prepare(this: void): void;
  /** Submits the form, unless that is under way. */
  submit(form: HTMLFormElement): Promise<void>;
  /** @returns whether it forgot the visitor; false while the form waits for an answer */
  reset(): boolean;
}

export function createSender(host: SignupFile.Host, showView: SignupFile.Show): Sender {
  let file: typeof SignupFile | undefined;
  let signup: SignupFile.Signup | undefined;
  let isSending = false;

  const show: SignupFile.Show = (view) => {
    isSending = view.state === 'busy';
    return showView(view);
  };

  async function load(): Promise<typeof SignupFile> {
    const module = await loadChunk('signup.js', import('./signup.ts'));
    if (!file) module.keepAnswers(host);
    return (file = module);
  }

  /** @returns undefined if the file cannot be loaded; the browser has posted the form then */
  async function createSignup(form: HTMLFormElement): Promise<SignupFile.Signup | undefined> {
    try {
      // Visible, but not announced: nothing is sent before the fields are checked.
      if (!file) void show({ state: 'busy', mark: markBusy });
      return (await load()).createSignup(host, show, tools);
    } catch (error) {
      warn(host, 'file', String(error));
      if (host.endpoint) form.setAttribute('action', host.endpoint);
      callForm(form, 'submit');
      void show({ state: 'idle' });
      return undefined;
    }
  }

  return {
    prepare: () => void load().catch(() => undefined),
    async submit(form) {
      if (isSending) return;
      isSending = true;
      try {
        signup ??= await createSignup(form);
        await signup?.send(form);
      } finally {
        isSending = host.state === 'busy';
      }
    },
    reset() {
      if (!isSending) {
        signup?.end();
        signup = undefined;
      }
      return !isSending;
    },
  };
}
