/** A page object of the form: the visitor's actions, and the requests that the endpoint received. */
import { expect, fixture, html } from '@open-wc/testing';
import { emulateMedia, executeServerCommand, sendKeys } from '@web/test-runner-commands';
import type { SignupAudit, Submission } from '@newsletter-kit/core/signup';
import '../src/define.ts';
import type { NewsletterSignup, SignupState } from '../src/index.ts';
import type { Received } from './endpoint.ts';
import { asOwner } from './modes.ts';
import { endWaits, waitFor, waitUntil } from '../../test/support/waits.ts';

const { origin }: { origin: string } = await fetch('/endpoint.json').then((response) => response.json());

/** An address of the endpoint for one test, and the requests to it. */
export class Mailbox {
  readonly endpoint: string;
  readonly #name = crypto.randomUUID();

  /**
   * @param answers - names of answers in the endpoint's table, or such as `says 200 {}`: one for each request, the last
   *   for all further ones
   */
  constructor(...answers: readonly string[]) {
    this.endpoint = `${origin}/signup/${this.#name}/${answers.map(encodeURIComponent).join(',') || 'accepted'}`;
  }

  async received(): Promise<readonly Received[]> {
    return fetch(`${origin}/received/${this.#name}`).then((response) => response.json());
  }

  /** The bodies without what is in {@link audits}. */
  async bodies(): Promise<readonly Record<string, unknown>[]> {
    return (await this.received()).map(({ body }) => {
      const { audit: _audit, ...rest }: Record<string, unknown> = JSON.parse(body);
      return rest;
    });
  }

  async audits(): Promise<readonly (SignupAudit | undefined)[]> {
    return (await this.received()).map(({ body }) => (JSON.parse(body) as Submission).audit);
  }

  /** The idempotency keys of the requests. */
  async keys(): Promise<readonly unknown[]> {
    return (await this.received()).map(({ headers }) => headers['idempotency-key']);
  }

  /** Sends the answers called `held`, now and from now on. */
  async release(): Promise<void> {
    await fetch(`${origin}/release/${this.#name}`);
  }

  /** The body of the only request. */
  async body(): Promise<Record<string, unknown>> {
    const bodies = await this.bodies();
    if (bodies.length !== 1) throw new Error(`The endpoint received ${bodies.length} requests instead of one.`);
    return bodies[0] ?? {};
  }
}

// Mocha's time-outs say what a test waited for.
afterEach(function nameWaits() {
  const error = this.currentTest?.err;
  endWaits(error && [error]);
});

/** Waits for the next task: what the page does next, without a request, has happened then. */
export const nextTask = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));

/** Sends another post to the endpoint, and waits for its answer: what was sent before has arrived then. */
export async function laterPost(): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  await waitFor('a later post is answered', fetch(new Mailbox().endpoint, { method: 'POST', headers, body: '{}' }));
}

interface AccessibleNode {
  readonly role: string;
  readonly name: string;
  readonly children?: readonly AccessibleNode[];
}

/** Whether the engine is Chromium, the only one with an accessibility tree and emulated preferences. */
export const isChromium = 'chrome' in globalThis;

/**
 * In dark mode WebKitGTK paints unstyled buttons white on light grey: this style sheet corrects the page's own buttons.
 */
const buttonFix =
  !isChromium && navigator.userAgent.includes('AppleWebKit') ? 'button { color: CanvasText; background: Canvas }' : '';

const ownScheme = new CSSStyleSheet();
if (!isChromium) document.adoptedStyleSheets.push(ownScheme);

/**
 * Shows the page in light or dark: as the visitor's preference if that can be emulated, else by the page's
 * `color-scheme`.
 */
export async function inScheme(scheme: 'light' | 'dark'): Promise<void> {
  if (isChromium) await emulateMedia({ colorScheme: scheme });
  else
    await ownScheme.replace(
      `:root, newsletter-signup { color-scheme: ${scheme} !important } ${scheme === 'dark' ? buttonFix : ''}`,
    );
}

/** The first node of this role and name in the accessibility tree. */
export async function accessible(role: string, name: string): Promise<AccessibleNode | undefined> {
  const find = (node: AccessibleNode): AccessibleNode | undefined =>
    node.role === role && node.name === name ? node : node.children?.map(find).find((found) => found !== undefined);
  return find(await executeServerCommand<AccessibleNode, object>('a11y-snapshot', {}));
}

/** Adds a form to the page. */
export async function mount(markup: string, mailbox?: Mailbox): Promise<Form> {
  const template = document.createElement('template');
  template.innerHTML = markup;
  for (const signup of template.content.querySelectorAll('newsletter-signup')) asOwner(signup);
  return new Form(await fixture<NewsletterSignup>(html`${template.content}`), mailbox);
}

/** Adds a form to the page that posts to `mailbox`, with these custom fields. */
export function mountAt(mailbox: Mailbox, fields = '', attributes = ''): Promise<Form> {
  return mount(
    `<newsletter-signup endpoint="${mailbox.endpoint}" ${attributes}>${fields}</newsletter-signup>`,
    mailbox,
  );
}

/** Adds a tag to the page around a form of the page, whose action is the endpoint. */
export function mountAround(mailbox: Mailbox, inside: string, attributes = ''): Promise<Form> {
  const form = `<form method="post" action="${mailbox.endpoint}">${inside}</form>`;
  return mount(`<newsletter-signup ${attributes}>${form}</newsletter-signup>`, mailbox);
}

export class Form {
  readonly element: NewsletterSignup;
  /** What its endpoint received, for a form that was mounted at one. */
  readonly mailbox: Mailbox;

  constructor(element: NewsletterSignup, mailbox = new Mailbox()) {
    this.element = element;
    this.mailbox = mailbox;
  }

  get shadow(): ShadowRoot {
    if (!this.element.shadowRoot) throw new Error('The form has not rendered.');
    return this.element.shadowRoot;
  }

  /** The root of the controls: the page's form, or the shadow root. */
  get root(): ParentNode {
    return this.element.querySelector('form:not([slot])') ?? this.shadow;
  }

  /** Whether the form is the element's own. */
  get isOurs(): boolean {
    return this.root === this.shadow;
  }

  get button(): HTMLButtonElement {
    return this.find('button');
  }

  get email(): HTMLInputElement {
    return this.find('[name=email]');
  }

  get notice(): HTMLElement {
    const notice = this.shadow.querySelector<HTMLElement>('[role=status]');
    if (!notice) throw new Error('There is no live region.');
    return notice;
  }

  /** Whether this control has the focus; without a control, whether any part of the form has it. */
  hasFocus(control?: Element): boolean {
    if (control) return rootOf(control).activeElement === control;
    return this.shadow.activeElement !== null || this.element.contains(rootOf(this.element).activeElement);
  }

  /** The first match in the page's content, except in a fallback, or in the shadow root. */
  find<Found extends HTMLElement>(selector: string): Found {
    const inPage = Array.from(this.element.querySelectorAll<Found>(selector));
    const found =
      inPage.find((element) => !element.closest('[slot=fallback]')) ?? this.shadow.querySelector<Found>(selector);
    if (!found) throw new Error(`There is no ${selector} in the form.`);
    return found;
  }

  /** The control of a label. */
  labelled(label: string): HTMLInputElement {
    const found = Array.from(this.root.querySelectorAll('label')).find(({ textContent }) =>
      textContent.trim().startsWith(label),
    );
    const control = found?.control;
    if (!control?.matches('input')) throw new Error(`There is no control labelled "${label}".`);
    return control as HTMLInputElement;
  }

  /** The accessible description of a control. */
  description(control: Element): string {
    const ids = control.getAttribute('aria-describedby')?.split(' ') ?? [];
    return ids.map((id) => rootOf(control).getElementById(id)?.textContent ?? `no #${id}`).join(' ');
  }

  /** Types key by key. */
  async type(control: HTMLElement, text: string): Promise<void> {
    control.focus();
    await sendKeys({ type: text });
  }

  async press(key: string): Promise<void> {
    await sendKeys({ press: key });
  }

  /** Submits the form as its button does, and waits until it is in this state. */
  async submit(state: SignupState): Promise<void> {
    this.element.submit();
    await this.reaches(state);
  }

  /** Presses the button, and waits until the form is in this state. */
  async pressButton(state: SignupState): Promise<void> {
    this.button.click();
    await this.reaches(state);
  }

  /** Fills in an email address, submits the form, and waits for the thanks or another state. */
  async signUp(state: SignupState = 'success', address = 'ada@example.com'): Promise<void> {
    this.email.value = address;
    await this.submit(state);
  }

  /** Types an email address, and presses Enter. */
  async typeAndEnter(address = 'ada@example.com'): Promise<void> {
    await this.type(this.email, address);
    await this.press('Enter');
  }

  /** Waits until the form is in this state and rendered. A very short state can be missed. */
  async reaches(state: SignupState): Promise<void> {
    await waitUntil(`the form is ${state}`, () => expect(this.element.state).to.equal(state));
    await this.settled();
  }

  /** The texts of the live region from now on, and whether each is announced. */
  recordNotices(): readonly { readonly text: string; readonly isLive: boolean }[] {
    const { notice } = this;
    const heard: { text: string; isLive: boolean }[] = [];
    // A live region is announced when it changes while it is live.
    const observer = new MutationObserver(() =>
      heard.push({ text: notice.textContent, isLive: notice.ariaLive !== 'off' }),
    );
    observer.observe(notice, { characterData: true, childList: true, subtree: true });
    return heard;
  }

  /** Resolves with the next event of this name. */
  nextEvent<Name extends keyof GlobalEventHandlersEventMap>(name: Name): Promise<GlobalEventHandlersEventMap[Name]> {
    const { element } = this;
    const event = new Promise<GlobalEventHandlersEventMap[Name]>((resolve) => {
      element.addEventListener<Name & keyof HTMLElementEventMap>(name, (heard) => resolve(heard), { once: true });
    });
    return waitFor(`the form dispatches ${name}`, event);
  }

  /** Waits until the form is rendered, and ends its transitions. */
  async settled(): Promise<void> {
    while (!(await this.element.updateComplete));
    await nextTask();
    for (const animation of this.shadow.getAnimations())
      if (animation.effect?.getComputedTiming().endTime !== Infinity) animation.finish();
  }
}

/** The document or shadow root an element is in. */
export function rootOf(element: Element): Document | ShadowRoot {
  return element.getRootNode() as Document | ShadowRoot;
}
