/** The preview: the real tag in a frame, in the state that the playground asks for. */
import type { NewsletterSignup } from '@newsletter-kit/signup';
import { withEndpoint } from './fallback.ts';
import type { Tag } from './markup.ts';
import { colorScheme, type Setup } from './setup.ts';
import { answerPosts, stateOf } from './states.ts';

/** What a preview shows. */
export interface Show extends Pick<Setup, 'language' | 'theme' | 'direction' | 'scheme' | 'state'> {
  readonly tag: Tag;
  /** Address of the relay, for states without a made-up answer. */
  readonly endpoint: string;
  /** A changed number runs the state again. */
  readonly turn: number;
}

/** The globals of a frame of this origin: a value of its classes is none of ours. */
type View = Window & typeof globalThis;

export class Preview {
  readonly #view: View;
  readonly #document: Document;
  #shown: Show | undefined;

  /**
   * @param view - the window of the frame, which has loaded
   * @param events - names of the tag's events, which `onEvent` is called with
   * @param onHeight - is called with the height of the content, in pixels
   */
  constructor(
    view: View,
    events: readonly string[],
    onEvent: (event: Event) => void,
    onHeight: (pixels: number) => void,
  ) {
    this.#view = view;
    this.#document = view.document;
    for (const name of events) this.#document.addEventListener(name, onEvent);
    const { documentElement, body } = this.#document;
    new view.ResizeObserver(() => onHeight(Math.ceil(documentElement.getBoundingClientRect().height))).observe(body);
    answerPosts(view);
    // A form with an invalid field focuses it. The focus of the playground around the frame must not move.
    const { prototype } = view.HTMLElement;
    const { focus } = prototype;
    prototype.focus = function (options) {
      if (view.document.hasFocus()) focus.call(this, options);
    };
  }

  async show(next: Show): Promise<void> {
    const before = this.#shown;
    this.#shown = next;
    const { documentElement: root } = this.#document;
    root.dir = next.direction;
    root.style.colorScheme = colorScheme(next.scheme);
    if (next.language !== 'en') this.#loadLanguage(next.language);
    if (next.theme !== before?.theme) this.#setTheme(next.theme);

    const { act, answer } = stateOf(next.state);
    const { href } = this.#view.location;
    const wanted = withEndpoint(next.tag, answer ? new URL(`answers/${next.state}`, href).href : next.endpoint);
    const form = this.#document.querySelector<HTMLElement>('newsletter-signup');
    const shape = ({ turn, state, language, tag }: Show): string =>
      JSON.stringify([turn, state, language, tag.children]);
    if (form && before && shape(before) === shape(next)) {
      patch(form, wanted);
      return;
    }
    this.#setOnline(act !== 'go offline, fill in and send');
    const made = build(this.#document, wanted);
    this.#document.querySelector('main')?.replaceChildren(made);
    if (act === 'nothing') return;
    await this.#view.customElements.whenDefined('newsletter-signup');
    if (!isDefined(made)) return;
    while (!(await made.updateComplete));
    if (act !== 'send empty') fillIn(made);
    made.submit();
  }

  /** Overrides `navigator.onLine` and fires the event of a changed connection. */
  #setOnline(online: boolean): void {
    const { navigator } = this.#view;
    if (navigator.onLine === online) return;
    Object.defineProperty(navigator, 'onLine', { configurable: true, get: () => online });
    this.#view.dispatchEvent(new Event(online ? 'online' : 'offline'));
  }

  /** The address of one of the widget's files, which are beside its script. */
  #fileAddress(path: string): string {
    const script = this.#document.querySelector<HTMLScriptElement>('script[src$="signup-form.js"]');
    return new URL(path, script?.src ?? this.#view.location.href).href;
  }

  #loadLanguage(language: string): void {
    const src = this.#fileAddress(`languages/${language}.js`);
    if (!this.#document.querySelector(`script[src="${src}"]`))
      this.#document.head.append(Object.assign(this.#document.createElement('script'), { src }));
  }

  /** Replaces the theme's style sheet. */
  #setTheme(theme: string): void {
    this.#document.querySelector('link[data-theme]')?.remove();
    if (!theme) return;
    const href = this.#fileAddress(`themes/${theme}.css`);
    const link = Object.assign(this.#document.createElement('link'), { rel: 'stylesheet', href });
    link.dataset['theme'] = theme;
    this.#document.head.append(link);
  }
}

/** Sample values by name, type or input mode of the control. */
const samples: Readonly<Partial<Record<string, string>>> = {
  email: 'ada@example.com',
  date: '2026-03-01',
  'datetime-local': '2026-03-01T17:30',
  numeric: '42',
  decimal: '3.5',
};

/** Fills in the controls in the tag's shadow root and those of a form inside the tag. */
function fillIn(form: Element): void {
  const ticked = new Set<string>();
  const controls = [form.shadowRoot, form].flatMap((root) => [
    ...(root?.querySelectorAll<HTMLInputElement | HTMLSelectElement>('input, select') ?? []),
  ]);
  for (const control of controls) {
    if ('selectedIndex' in control) control.selectedIndex = control.options.length - 1;
    else if (control.closest('[aria-hidden=true], [inert]') || control.type === 'hidden') continue;
    else if (control.type === 'checkbox' || control.type === 'radio') {
      if (!ticked.has(control.name) && !control.checked) control.click();
      ticked.add(control.name);
    } else if (control.value === '') {
      control.value = samples[control.name] ?? samples[control.type] ?? samples[control.inputMode] ?? 'Ada';
      control.dispatchEvent(new Event('input', { bubbles: true, composed: true }));
    }
  }
}

function isDefined(form: Element): form is NewsletterSignup {
  return 'updateComplete' in form;
}

function build(document: Document, tag: Tag): HTMLElement {
  const made = document.createElement(tag.name);
  patch(made, tag);
  made.append(...tag.children.map((child) => (typeof child === 'string' ? child : build(document, child))));
  return made;
}

/** Changes attributes, properties and custom properties in place, so that typed text stays. */
function patch(element: HTMLElement, { attributes, styles = {}, properties }: Tag): void {
  for (const name of element.getAttributeNames())
    if (!(name in attributes) && name !== 'style') element.removeAttribute(name);
  for (const [name, value] of Object.entries(attributes)) {
    const text = value === true ? '' : value;
    if (element.getAttribute(name) !== text) element.setAttribute(name, text);
  }
  for (const name of Array.from(element.style)) if (!(name in styles)) element.style.removeProperty(name);
  for (const [name, value] of Object.entries(styles)) element.style.setProperty(name, value);
  if (properties) Object.assign(element, { messages: {} }, properties);
}
