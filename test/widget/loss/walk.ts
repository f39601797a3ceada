/** Walks the table of no silent loss in a real browser: signs up on each page, and compares what becomes of it. */
import { readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { widgetScript } from '../../../scripts/build.ts';
import { chunks } from '../../../widget/vite.config.ts';
import { startEndpoint, type Received } from '../../../widget/test/endpoint.ts';
import { openSite, type Site } from '../site.ts';
import { patience, type Window } from '../window.ts';
import { groups, usualSteps, type Outcome, type Step, type World } from '../../../widget/test/losses.ts';

/** Where the form is: the page's own inside the tag, or drawn by the element. */
export type Door = 'own' | 'drawn';

export const doors = [
  { door: 'own', title: 'with the form of the page' },
  { door: 'drawn', title: 'with the form of the element' },
] as const;

interface Stage {
  readonly site: Site;
  /** Origin of the endpoint. */
  readonly origin: string;
}

/**
 * Registers a test for each cell of the table.
 *
 * @param open - opens a window of the browser
 * @param canBeOffline - whether the browser's driver can cut the network
 */
export function describeTable(open: () => Promise<Window>, canBeOffline: boolean): void {
  let window: Window;
  let stage: Stage;
  let end: (() => Promise<unknown>) | undefined;
  beforeAll(async () => {
    const [site, endpoint] = [await openSite(), await startEndpoint()];
    window = await open();
    stage = { site, origin: endpoint.origin };
    end = () => Promise.all([window.close(), site.close(), endpoint.stop()]);
  });
  afterAll(() => end?.());

  for (const { title, rows } of groups) {
    for (const row of rows.filter(({ world }) => canBeOffline || !world.steps?.includes('offline'))) {
      describe(`${title} ${row.title}`, () => {
        it.each(doors)('$title', ({ door }) => walk(window, stage, row.world, door, row.outcome));
      });
    }
  }
}

const scriptName = basename(widgetScript);
const address = 'ada@example.com';

/** Ten times as fast: the tests wait for what pages wait for. Counts the events that reach the window. */
const setUp = `{
  const { setTimeout } = globalThis;
  globalThis.setTimeout = (task, delay = 0, ...rest) => setTimeout(task, delay / 10, ...rest);
  globalThis.seen = [];
  for (const type of ['error', 'success']) addEventListener('newsletter-' + type, () => seen.push(type));
}`;

/**
 * Holds scripts back as Cloudflare's Rocket Loader does: runs a copy of each after the page has loaded, and only then
 * lets the page seem loaded, to whoever listens.
 */
const holdBack = `{
  let readyState = 'loading';
  Object.defineProperty(document, 'readyState', { get: () => readyState });
  const { addEventListener } = EventTarget.prototype;
  const isHeldBack = (target, { type }) => (target === document && type === 'DOMContentLoaded') || (target === window && type === 'load');
  EventTarget.prototype.addEventListener = function (type, listener, ...options) {
    const proxy = (event) => (event.isTrusted && isHeldBack(this, event)) || (listener.handleEvent?.(event) ?? listener.call(this, event));
    addEventListener.call(this, type, listener && proxy, ...options);
  };
  addEventListener.call(window, 'load', async () => {
    for (const held of document.querySelectorAll('[type=held]')) {
      const script = document.createElement('script');
      for (const { name, value } of held.attributes) if (name !== 'type') script.setAttribute(name, value);
      const hasRun = new Promise((resolve) => (script.onload = resolve));
      held.replaceWith(script);
      await hasRun;
    }
    readyState = 'complete';
    document.dispatchEvent(new Event('DOMContentLoaded'));
    window.dispatchEvent(new Event('load'));
  });
}`;

const tag = `(globalThis.tag ??= document.querySelector('newsletter-signup'))`;
/** A control of the form in use. Until the element has drawn its own, that is the form in the tag. */
const inForm = (door: Door, selector: string): string => {
  const inTag = `${tag}?.querySelector('${selector}')`;
  return door === 'own' ? inTag : `(${tag}?.shadowRoot?.querySelector('${selector}') ?? ${inTag})`;
};

let count = 0;

/** Signs up on the page of a row, and waits for the expected outcome. It is silent where nothing else happens. */
async function walk(
  window: Window,
  { site, origin }: Stage,
  world: World,
  door: Door,
  expected: Outcome,
): Promise<void> {
  const box = `loss-${(count += 1)}`;
  const { path, insert } = await publish(site, origin, box, world, door);
  const isFramed = world.sandbox !== undefined;
  const ask = (expression: string): Promise<unknown> => window.ask(expression, isFramed);
  const look = (): Promise<Outcome | undefined> => outcomeOf(ask, () => receivedAt(origin, box), door);

  const steps: Readonly<Record<Step, () => Promise<unknown>>> = {
    focus: () => ask(`${inForm(door, '[name=email]')}?.focus()`),
    type: () =>
      ask(
        `(() => { const field = ${inForm(door, '[name=email]')}; if (!field) return; field.value = '${address}'; field.dispatchEvent(new InputEvent('input', { bubbles: true, composed: true })); })()`,
      ),
    // In a later task: the answer to a click that leaves the page may never arrive.
    submit: () => ask(`void setTimeout(() => ${inForm(door, 'button')}?.click())`),
    offline: () => window.setOffline(true),
    online: () => window.setOffline(false),
    message: () => expect.poll(look, patience).toBe('message'),
    request: () => expect.poll(async () => (await receivedAt(origin, box)).length, patience).toBe(1),
    release: () => fetch(`${origin}/release/${box}`),
    script: () =>
      ask(
        `new Promise((resolve) => { const script = document.createElement('script'); script.onload = script.onerror = resolve; script.src = '${insert}'; document.head.append(script); })`,
      ),
  };
  try {
    await window.open(path);
    // Until the element has run, the form in the tag posts natively. A page may hold the script back for long.
    const isElements = expected !== 'posted natively' && !world.steps?.includes('script');
    const drawn = `${tag}?.shadowRoot?.querySelector('[name=email]')`;
    const field = isElements && door === 'drawn' ? drawn : inForm(door, '[name=email]');
    const isThere = `Boolean(${field} && ${isElements ? `${tag}.hasUpdated` : true})`;
    await expect.poll(() => ask(isThere), patience).toBe(true);
    await ask(`(async () => { await ${tag}?.updateComplete; })()`);
    for (const step of world.steps ?? usualSteps) await steps[step]();
    await expect.poll(look, patience).toBe(expected);
    if (expected === 'message') await expectAnotherTry(ask, steps.submit);
    expect(await look()).toBe(expected);
  } finally {
    if (world.steps?.includes('offline')) await window.setOffline(false);
  }
}

/** Enter always works: it ends in another message, or the signup is sent. */
async function expectAnotherTry(
  ask: (expression: string) => Promise<unknown>,
  submit: () => Promise<unknown>,
): Promise<void> {
  const before = await ask('globalThis.seen?.length');
  await submit();
  await expect.poll(() => ask(`globalThis.seen?.length > ${String(before)}`), patience).toBe(true);
}

async function receivedAt(origin: string, box: string): Promise<readonly Received[]> {
  return (await fetch(`${origin}/received/${box}`)).json() as Promise<readonly Received[]>;
}

/** @returns undefined as long as nothing is decided: that is a silent loss if it stays so */
async function outcomeOf(
  ask: (expression: string) => Promise<unknown>,
  received: () => Promise<readonly Received[]>,
  door: Door,
): Promise<Outcome | undefined> {
  const posts = await received();
  const keys = new Set(posts.map(({ headers }) => headers['idempotency-key']));
  if (keys.size > 1) throw new Error(`${keys.size} signups were posted instead of one.`);
  if (keys.has(undefined)) return posts.length === 1 ? 'posted natively' : undefined;
  // One text, which the `toJSON` of a page does not change. A page that is being left may not answer.
  const shown = await ask(
    `(() => {
      const notice = ${tag}?.shadowRoot?.querySelector('[role=status]');
      const text = notice?.checkVisibility?.() === false ? '' : notice?.textContent.trim();
      const typed = ${inForm(door, '[name=email]')}?.value;
      return [${tag}?.state, text, typed, ${tag}?.isConnected, globalThis.seen].join('|');
    })()`,
  ).catch(() => undefined);
  if (typeof shown !== 'string') return undefined;
  const [state, notice = '', typed, isOnPage, seen = ''] = shown.split('|');
  if (seen.includes('success') && (isOnPage !== 'true' || (state === 'success' && notice.startsWith('Thank you.'))))
    return 'posted';
  return state === 'error' && notice && typed === address ? 'message' : undefined;
}

const inline = (code: string): string => code.replaceAll('</script', '<\\/script');

/** Puts the page and the files of its script on the site. */
async function publish(
  site: Site,
  origin: string,
  box: string,
  world: World,
  door: Door,
): Promise<{ path: string; insert: string }> {
  const folder = `/${box}`;
  const read = (name: string): Promise<string> => readFile(join(dirname(widgetScript), `${name}.js`), 'utf8');
  const script = await read(scriptName.replace('.js', ''));
  for (const name of [scriptName.replace('.js', ''), ...chunks]) {
    const file = world.files?.[name];
    if (file !== 'missing') site.script(`${folder}/${name}.js`, file ? new Promise<string>(() => {}) : read(name));
  }
  site.script(`/cache/${box}.js`, `var first = 1;\n${script}\nvar last = 1;`);
  const endpoint = `${origin}/signup/${box}/${encodeURIComponent(world.plan ?? 'accepted').replaceAll('%2C', ',')}`;
  const { attributes = '' } = world;
  const markup =
    door === 'own'
      ? `<newsletter-signup ${attributes}><form action="${endpoint}" method="post"><label>Email <input type="email" name="email" required></label> <button>Join</button></form></newsletter-signup>`
      : `<newsletter-signup ${attributes}><form slot="fallback" action="${endpoint}" method="post"><label>Email <input name="email" inputmode="email" required></label> <button>Join</button></form></newsletter-signup>`;
  const source = `${folder}/${scriptName}`;
  const tags = {
    async: `<script src="${source}" async></script>`,
    defer: `<script src="${source}" defer></script>`,
    held: `<script>${holdBack}</script><script src="${source}" type="held" async></script>`,
    module: `<script src="${source}" type="module"></script>`,
    end: '',
    twice: `<script src="${source}" async></script><script src="${source}?again" async></script>`,
    late: '',
    joined: `<script src="/cache/${box}.js"></script>`,
    inline: `<script>${inline(script)}</script>`,
    complete: `<script>${inline(await read('signup-form-complete'))}</script>`,
  };
  const html = `<!doctype html><html lang="en"><meta charset="utf-8"><title>A page</title><link rel="icon" href="data:,">
    <script>${setUp}${world.before ?? ''}</script>${tags[world.script ?? 'async']}<main>${markup}</main>
    ${world.script === 'end' ? tags.async : ''}</html>`;
  const policy = world.policy;
  const page = site.page(`/page/${box}`, { html, headers: policy ? { 'Content-Security-Policy': policy } : {} });
  const insert = source;
  if (world.sandbox === undefined) return { path: page, insert };
  const frame = `<!doctype html><title>A frame</title><link rel="icon" href="data:,"><iframe sandbox="${world.sandbox}" src="${page}"></iframe>`;
  return { path: site.page(`${folder}/frame`, { html: frame }), insert };
}
