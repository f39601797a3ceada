/** Opens a page in a frame, with its own address and the built script. */
import { fixture } from '@open-wc/testing';
import type { NewsletterSignup } from '../src/index.ts';
import { Form, Mailbox } from './harness.ts';

export interface Page {
  readonly window: Window;
  readonly form: Form;
}

/** Adds a frame to the page and waits until this address is loaded in it. */
export async function openFrame(address: string): Promise<HTMLIFrameElement> {
  const frame = await fixture<HTMLIFrameElement>('<iframe title="page"></iframe>');
  await new Promise<void>((resolve) => {
    frame.addEventListener('load', function onLoad() {
      // The load event of the initial empty page can come late.
      if (frame.contentWindow?.location.href === 'about:blank') return;
      frame.removeEventListener('load', onLoad);
      resolve();
    });
    frame.src = address;
  });
  return frame;
}

export async function openPage(address: string, mailbox = new Mailbox()): Promise<Page> {
  return pageIn(await openFrame(address), mailbox);
}

/** The page in a frame, once its form is there. */
export async function pageIn(frame: HTMLIFrameElement, mailbox = new Mailbox()): Promise<Page> {
  const { contentWindow: window, contentDocument: document } = frame;
  const element = document?.querySelector<NewsletterSignup>('newsletter-signup');
  if (!window || !element) throw new Error(`There is no form at ${frame.src}.`);
  await window.customElements.whenDefined('newsletter-signup');
  element.endpoint = mailbox.endpoint;
  const form = new Form(element, mailbox);
  await form.settled();
  return { window, form };
}
