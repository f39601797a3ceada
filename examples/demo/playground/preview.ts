/** One preview: a page of its own with the real tag, brought into the state that was asked for. */
import type { NewsletterSignup } from '@newsletter-kit/signup';
import { element, find } from './dom.ts';
import type { Tag } from './markup.ts';
import type { Measure, Report, Show } from './messages.ts';
import { measured, type Sample } from './space.ts';
import { stateOf } from './states.ts';

const stage = find('#stage', HTMLElement);
const heard = new Set<string>();
let shown: Show | undefined;

function report(message: Report): void {
  parent.postMessage(message, location.origin);
}

addEventListener('message', ({ data, origin, source }: MessageEvent<Show | Measure>) => {
  if (origin !== location.origin || source !== parent) return;
  if (data.type === 'show') void show(data);
  else if (data.type === 'measure') void measure(data);
});

/** Reports the height of the form at each width, once everything that decides it is there. */
async function measure(wanted: Measure): Promise<void> {
  await show({ ...wanted, type: 'show' });
  const form = stage.querySelector<HTMLElement>('newsletter-signup');
  if (!form) return;
  await settled(form);
  await Promise.all(loading.values());
  await settled(form);
  const samples: Sample[] = [];
  for (let width = measured.from; width <= measured.to; width += measured.step) {
    stage.style.inlineSize = `${width}px`;
    samples.push({ width, height: form.getBoundingClientRect().height });
  }
  report({ type: 'space', turn: wanted.turn, samples });
}

async function show(next: Show): Promise<void> {
  const before = shown;
  shown = next;
  const root = document.documentElement;
  root.dir = next.direction;
  root.style.colorScheme = next.scheme;
  for (const name of next.events) listen(name);
  if (next.language !== 'en') loadLanguage(next.language);
  if (next.theme !== before?.theme) wear(next.theme);

  const { act, answer } = stateOf(next.state);
  const endpoint = answer ? new URL(`/playground/answers/${next.state}`, location.href).href : next.endpoint;
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
  const made = build(wanted);
  stage.replaceChildren(made);
  if (act === 'nothing') return;
  await settled(made);
  if (act !== 'send empty') fillIn(made);
  if (isDefined(made)) made.submit();
}

/** The controls the visitor sees: those in the tag's shadow, or in the page's own form inside it. */
function fieldsOf(form: Element): (HTMLInputElement | HTMLSelectElement)[] {
  const of = (root: ParentNode): (HTMLInputElement | HTMLSelectElement)[] => [
    ...root.querySelectorAll<HTMLInputElement | HTMLSelectElement>('input, select'),
  ];
  return [...(form.shadowRoot ? of(form.shadowRoot) : []), ...of(form)];
}

/** Sample answers by name, type or keyboard of the control. */
const samples: Readonly<Record<string, string>> = {
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

/** What the browser says of its connection; forms in this page believe it. */
function setOnline(online: boolean): void {
  if (navigator.onLine === online) return;
  Object.defineProperty(navigator, 'onLine', { configurable: true, get: () => online });
  dispatchEvent(new Event(online ? 'online' : 'offline'));
}

function loadLanguage(language: string): void {
  const src = `/languages/${language}.js`;
  if (!document.querySelector(`script[src="${src}"]`)) document.head.append(load(element('script', { src }), src));
}

/** Puts a theme on the page in place of the one before. */
function wear(theme: string): void {
  const before = document.querySelector('link[data-theme]');
  loading.delete(before?.getAttribute('href') ?? '');
  before?.remove();
  const href = `/themes/${theme}.css`;
  if (theme) document.head.append(load(element('link', { rel: 'stylesheet', href, 'data-theme': theme }), href));
}

/** By address: what loads a file, settled once it is there or cannot be. */
const loading = new Map<string, Promise<unknown>>();

function load<Loader extends HTMLElement>(loader: Loader, address: string): Loader {
  loading.set(
    address,
    new Promise((resolve) => {
      loader.addEventListener('load', resolve);
      loader.addEventListener('error', resolve);
    }),
  );
  return loader;
}

function listen(name: string): void {
  if (heard.has(name)) return;
  heard.add(name);
  document.addEventListener(name, (event) => {
    const carries = Object.entries(event).filter(([key]) => key !== 'isTrusted');
    // Whatever cannot be passed on is passed on as text.
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
  // A preview that left its page could not be shown the next choice.
  const { redirect: _redirect, ...attributes } = tag.attributes;
  return { ...tag, attributes: { ...attributes, endpoint }, children };
}

function build({ name, attributes, styles = {}, properties = {}, children }: Tag): HTMLElement {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value === true ? '' : value);
  for (const [key, value] of Object.entries(styles)) made.style.setProperty(key, value);
  Object.assign(made, properties);
  made.append(...children.map((child) => (typeof child === 'string' ? child : build(child))));
  return made;
}

/** Changes attributes, properties and custom properties alone, so that what was typed into the preview stays. */
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

// A form moves the focus to what needs mending. Whoever works at the controls outside keeps theirs.
const { focus } = HTMLElement.prototype;
HTMLElement.prototype.focus = function (options) {
  if (document.hasFocus()) focus.call(this, options);
};

new ResizeObserver(() =>
  report({ type: 'height', pixels: Math.ceil(document.documentElement.getBoundingClientRect().height) }),
).observe(document.body);
report({ type: 'ready' });
