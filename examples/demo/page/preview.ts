/** A preview: a page in a frame with the real tag, in the state that the playground asks for. */
import type { NewsletterSignup } from '@newsletter-kit/signup';
import { fallbackStyles } from './fallback-styles.ts';
import type { Tag } from './markup.ts';
import type { Setup } from './setup.ts';
import { stateOf } from './states.ts';

/** To a preview: show this tag. */
export interface Show extends Pick<Setup, 'language' | 'theme' | 'direction' | 'scheme' | 'state'> {
  readonly type: 'show';
  readonly tag: Tag;
  /** Address of the relay, for states without a made-up answer. */
  readonly endpoint: string;
  /** Names of events to report. */
  readonly events: readonly string[];
  /** A changed number runs the state again. */
  readonly turn: number;
}

/** From a preview: it is ready, its height changed, or the tag fired an event. */
export type PreviewReport =
  | { readonly type: 'ready' }
  | { readonly type: 'height'; readonly pixels: number }
  | { readonly type: 'event'; readonly name: string; readonly carries: Readonly<Record<string, unknown>> };

/** The address of the widget's files: that of the script. */
const files = new URL(
  '.',
  document.querySelector<HTMLScriptElement>('script[src$="signup-form.js"]')?.src ?? location.href,
).href;
const stage = document.querySelector<HTMLElement>('#stage') ?? document.body;
const sheet = new CSSStyleSheet();
document.adoptedStyleSheets = [sheet];
const reportedEvents = new Set<string>();
let shown: Show | undefined;

function report(message: PreviewReport): void {
  parent.postMessage(message, location.origin);
}

addEventListener('message', ({ data, origin, source }: MessageEvent<Show>) => {
  if (origin !== location.origin || source !== parent) return;
  void show(data);
});

async function show(next: Show): Promise<void> {
  const before = shown;
  shown = next;
  const root = document.documentElement;
  root.dir = next.direction;
  root.style.colorScheme = next.scheme;
  for (const name of next.events) reportEvent(name);
  if (next.language !== 'en') loadLanguage(next.language);
  if (next.theme !== before?.theme) setTheme(next.theme);

  const { act, answer } = stateOf(next.state);
  const endpoint = answer ? new URL(`answers/${next.state}`, location.href).href : next.endpoint;
  const wanted = withEndpoint(next.tag, endpoint);
  const form = stage.querySelector<HTMLElement>('newsletter-signup');
  const sameShape =
    before?.turn === next.turn &&
    before.state === next.state &&
    JSON.stringify(before.tag.children) === JSON.stringify(next.tag.children);
  if (form && sameShape && before.language === next.language) {
    patch(form, wanted);
    return;
  }
  setOnline(act !== 'go offline, fill in and send');
  // Not a style element: the policy of the demo site forbids it.
  sheet.replaceSync(fallbackStyles(wanted, next.theme !== ''));
  const made = build(wanted);
  stage.replaceChildren(made);
  if (act === 'nothing') return;
  await settled(made);
  if (act !== 'send empty') fillIn(made);
  if (isDefined(made)) made.submit();
}

/** The controls of the form, in the tag's shadow root and in a form inside the tag. */
function fieldsOf(form: Element): (HTMLInputElement | HTMLSelectElement)[] {
  const of = (root: ParentNode): (HTMLInputElement | HTMLSelectElement)[] => [
    ...root.querySelectorAll<HTMLInputElement | HTMLSelectElement>('input, select'),
  ];
  return [...(form.shadowRoot ? of(form.shadowRoot) : []), ...of(form)];
}

/** Sample values by name, type or input mode of the control. */
const samples: Readonly<Partial<Record<string, string>>> = {
  email: 'ada@example.com',
  date: '2026-03-01',
  'datetime-local': '2026-03-01T17:30',
  numeric: '42',
  decimal: '3.5',
};

function fillIn(form: Element): void {
  const ticked = new Set<string>();
  for (const input of fieldsOf(form)) {
    if (input instanceof HTMLSelectElement) {
      input.selectedIndex = input.options.length - 1;
      continue;
    }
    if (input.closest('[aria-hidden=true], [inert]') || input.type === 'hidden') continue;
    if (input.type === 'checkbox' || input.type === 'radio') {
      if (!ticked.has(input.name) && !input.checked) input.click();
      ticked.add(input.name);
    } else if (input.value === '') {
      input.value = samples[input.name] ?? samples[input.type] ?? samples[input.inputMode] ?? 'Ada';
      input.dispatchEvent(new Event('input', { bubbles: true, composed: true }));
    }
  }
}

function isDefined(form: Element): form is NewsletterSignup {
  return 'updateComplete' in form;
}

async function settled(form: Element): Promise<void> {
  await customElements.whenDefined('newsletter-signup');
  if (isDefined(form)) while (!(await form.updateComplete));
}

/** Overrides `navigator.onLine` and fires the event of a changed connection. */
function setOnline(online: boolean): void {
  if (navigator.onLine === online) return;
  Object.defineProperty(navigator, 'onLine', { configurable: true, get: () => online });
  dispatchEvent(new Event(online ? 'online' : 'offline'));
}

function loadLanguage(language: string): void {
  const src = `${files}languages/${language}.js`;
  if (!document.querySelector(`script[src="${src}"]`))
    document.head.append(Object.assign(document.createElement('script'), { src }));
}

/** Replaces the theme's style sheet. */
function setTheme(theme: string): void {
  document.querySelector('link[data-theme]')?.remove();
  const href = `${files}themes/${theme}.css`;
  if (!theme) return;
  const link = Object.assign(document.createElement('link'), { rel: 'stylesheet', href });
  link.dataset['theme'] = theme;
  document.head.append(link);
}

function reportEvent(name: string): void {
  if (reportedEvents.has(name)) return;
  reportedEvents.add(name);
  document.addEventListener(name, (event) => {
    const carries = Object.entries(event).filter(([key]) => key !== 'isTrusted');
    // `postMessage` cannot copy every value; JSON can.
    report({
      type: 'event',
      name,
      carries: JSON.parse(JSON.stringify(Object.fromEntries(carries))) as Record<string, unknown>,
    });
  });
}

function withEndpoint(tag: Tag, endpoint: string): Tag {
  const children = tag.children.map((child) =>
    typeof child !== 'string' && child.name === 'form'
      ? { ...child, attributes: { ...child.attributes, action: endpoint } }
      : child,
  );
  // After a redirect the preview could not show the next setup.
  const { redirect: _redirect, ...attributes } = tag.attributes;
  return { ...tag, attributes, children };
}

function build({ name, attributes, styles = {}, properties = {}, children }: Tag): HTMLElement {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value === true ? '' : value);
  for (const [key, value] of Object.entries(styles)) made.style.setProperty(key, value);
  Object.assign(made, properties);
  made.append(...children.map((child) => (typeof child === 'string' ? child : build(child))));
  return made;
}

/** Changes attributes, properties and custom properties in place, so that typed text stays. */
function patch(form: HTMLElement, { attributes, styles = {}, properties = {} }: Tag): void {
  for (const name of form.getAttributeNames())
    if (!(name in attributes) && name !== 'style') form.removeAttribute(name);
  for (const [name, value] of Object.entries(attributes)) {
    const text = value === true ? '' : value;
    if (form.getAttribute(name) !== text) form.setAttribute(name, text);
  }
  for (const name of Array.from(form.style)) if (!(name in styles)) form.style.removeProperty(name);
  for (const [name, value] of Object.entries(styles)) form.style.setProperty(name, value);
  Object.assign(form, { messages: {} }, properties);
}

// A form with an invalid field focuses it. The focus of the playground around this frame must not move.
const { focus } = HTMLElement.prototype;
HTMLElement.prototype.focus = function (options) {
  if (document.hasFocus()) focus.call(this, options);
};

new ResizeObserver(() =>
  report({ type: 'height', pixels: Math.ceil(document.documentElement.getBoundingClientRect().height) }),
).observe(document.body);
report({ type: 'ready' });
