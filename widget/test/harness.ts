/** A page object: what a visitor does to the form, and what the endpoint has received of it. */
import { aTimeout, fixture, html } from '@open-wc/testing';
import { emulateMedia, executeServerCommand, sendKeys } from '@web/test-runner-commands';
import '../src/define.ts';
import type { NewsletterSignup, SignupState } from '../src/index.ts';
import type { Received } from './endpoint.ts';
import { asOwner } from './modes.ts';

const { origin }: { origin: string } = await fetch('/endpoint.json').then((response) => response.json());

/** An address of the endpoint nobody else posts to, and what arrives there. */
export class Mailbox {
  readonly endpoint: string;
  readonly #name = crypto.randomUUID();

  /** @param answers - names of answers in the endpoint's table: one for each request, the last for all further ones */
  constructor(...answers: readonly string[]) {
    this.endpoint = `${origin}/signup/${this.#name}/${answers.join(',') || 'accepted'}`;
  }

  async received(): Promise<readonly Received[]> {
    return fetch(`${origin}/received/${this.#name}`).then((response) => response.json());
  }

  async bodies(): Promise<readonly Record<string, unknown>[]> {
    return (await this.received()).map(({ body }) => JSON.parse(body));
  }

  /** Lets go the answers called `held`, those to come included. */
  async release(): Promise<void> {
    await fetch(`${origin}/release/${this.#name}`);
  }

  /** The only body that came in. */
  async body(): Promise<Record<string, unknown>> {
    const bodies = await this.bodies();
    if (bodies.length !== 1) throw new Error(`${bodies.length} requests came in, not one.`);
    return bodies[0] ?? {};
  }
}

/**
 * Waits until something holds.
 *
 * @param complaint - says what was waited for in vain. The wait is far longer than any machine needs: it only ends a
 *   test that would never end by itself.
 */
export async function until(holds: () => unknown, complaint: () => string): Promise<void> {
  for (const end = Date.now() + 20_000; !holds(); await aTimeout(5)) {
    if (Date.now() > end) throw new Error(complaint());
  }
}

interface AccessibleNode {
  readonly role: string;
  readonly name: string;
  readonly children?: readonly AccessibleNode[];
}

/** The engine whose protocol shows more than WebDriver does: the accessibility tree, and emulated preferences. */
export const isChromium = 'chrome' in globalThis;

/**
 * WebKitGTK paints a page’s bare buttons white on light grey in the dark: there the page colours those it brings; ours
 * are out of reach in the shadow.
 */
const mended =
  !isChromium && navigator.userAgent.includes('AppleWebKit') ? 'button { color: CanvasText; background: Canvas }' : '';

const ownScheme = new CSSStyleSheet();
if (!isChromium) document.adoptedStyleSheets.push(ownScheme);

/**
 * Shows the page in light or dark: as the visitor's preference where that can be emulated, else as the page's own
 * choice.
 */
export async function inScheme(scheme: 'light' | 'dark'): Promise<void> {
  if (isChromium) await emulateMedia({ colorScheme: scheme });
  else
    await ownScheme.replace(
      `:root, newsletter-signup { color-scheme: ${scheme} !important } ${scheme === 'dark' ? mended : ''}`,
    );
}

/** What assistive technology is told about the first thing of this role and name on the page. */
export async function accessible(role: string, name: string): Promise<AccessibleNode | undefined> {
  const find = (node: AccessibleNode): AccessibleNode | undefined =>
    node.role === role && node.name === name ? node : node.children?.map(find).find((found) => found !== undefined);
  return find(await executeServerCommand<AccessibleNode, object>('a11y-snapshot', {}));
}

/** Puts a form on the page. */
export async function mount(markup: string): Promise<Form> {
  const template = document.createElement('template');
  template.innerHTML = markup;
  for (const signup of template.content.querySelectorAll('newsletter-signup')) asOwner(signup);
  return new Form(await fixture<NewsletterSignup>(html`${template.content}`));
}

/** Puts a form on the page that posts to `mailbox`, with these custom fields. */
export function mountAt(mailbox: Mailbox, fields = '', attributes = ''): Promise<Form> {
  return mount(`<newsletter-signup endpoint="${mailbox.endpoint}" ${attributes}>${fields}</newsletter-signup>`);
}

export class Form {
  readonly element: NewsletterSignup;

  constructor(element: NewsletterSignup) {
    this.element = element;
  }

  get shadow(): ShadowRoot {
    if (!this.element.shadowRoot) throw new Error('The form has not rendered.');
    return this.element.shadowRoot;
  }

  /** Where the controls are. */
  get root(): ParentNode {
    return this.element.querySelector('form') ?? this.shadow;
  }

  /** Whether the controls are ours. */
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

  /** Whether this control has the focus; without one, whether anything in the form has. */
  hasFocus(control?: Element): boolean {
    if (control) return rootOf(control).activeElement === control;
    return this.shadow.activeElement !== null || this.element.contains(rootOf(this.element).activeElement);
  }

  find<Found extends HTMLElement>(selector: string): Found {
    const found = this.element.querySelector<Found>(selector) ?? this.shadow.querySelector<Found>(selector);
    if (!found) throw new Error(`There is no ${selector} in the form.`);
    return found;
  }

  /** The control a label names. */
  labelled(label: string): HTMLInputElement {
    const found = Array.from(this.root.querySelectorAll('label')).find(({ textContent }) =>
      textContent.trim().startsWith(label),
    );
    const control = found?.control;
    if (!control?.matches('input')) throw new Error(`There is no control labelled "${label}".`);
    return control as HTMLInputElement;
  }

  /** What assistive technology reads as the description of a control. */
  description(control: Element): string {
    const ids = control.getAttribute('aria-describedby')?.split(' ') ?? [];
    return ids.map((id) => rootOf(control).getElementById(id)?.textContent ?? `no #${id}`).join(' ');
  }

  /** Types as a person does, key by key. */
  async type(control: HTMLElement, text: string): Promise<void> {
    control.focus();
    await sendKeys({ type: text });
  }

  async press(key: string): Promise<void> {
    await sendKeys({ press: key });
  }

  /** Waits until the form stands in this state and shows it; a state that it is in for a moment only may be missed. */
  async reaches(state: SignupState): Promise<void> {
    await until(
      () => this.element.state === state,
      () => `The form is ${this.element.state}, not ${state}.`,
    );
    await this.settled();
  }

  /** What the live region says from now on, also what is soon replaced; and whether it is live while it says so. */
  hearsNotices(): readonly { readonly text: string; readonly isLive: boolean }[] {
    const { notice } = this;
    const heard: { text: string; isLive: boolean }[] = [];
    // Live regions are announced when they change while they are live.
    const observer = new MutationObserver(() =>
      heard.push({ text: notice.textContent, isLive: notice.ariaLive !== 'off' }),
    );
    observer.observe(notice, { characterData: true, childList: true, subtree: true });
    return heard;
  }

  /** The next event of this name. */
  hears<Name extends keyof GlobalEventHandlersEventMap>(name: Name): Promise<GlobalEventHandlersEventMap[Name]> {
    const { element } = this;
    return new Promise((resolve) => {
      element.addEventListener<Name & keyof HTMLElementEventMap>(name, (event) => resolve(event), { once: true });
    });
  }

  async settled(): Promise<void> {
    while (!(await this.element.updateComplete));
    await new Promise((resolve) => setTimeout(resolve));
  }
}

/** The document or shadow root an element is in. */
export function rootOf(element: Element): Document | ShadowRoot {
  return element.getRootNode() as Document | ShadowRoot;
}
