/**
 * The cost of the tag: one request before a signup, no cookie, no font, no storage, no memory leak.
 */
import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import type { Page } from 'puppeteer-core';
import { widgetScript } from '../../scripts/build.ts';
import { modes, pageWith, isRendered } from './modes.ts';
import { setStage } from './stage.ts';

const stage = setStage();

/** Records every use of storage. */
const watch = `
  globalThis.kept = [];
  for (const name of ['localStorage', 'sessionStorage', 'indexedDB', 'caches', 'cookieStore']) {
    const { get } = Object.getOwnPropertyDescriptor(globalThis, name) ?? {};
    if (get) Object.defineProperty(globalThis, name, { get() { kept.push(name); return get.call(globalThis); } });
  }
  const cookie = Object.getOwnPropertyDescriptor(Document.prototype, 'cookie');
  Object.defineProperty(document, 'cookie', {
    get() { kept.push('cookie'); return cookie.get.call(document); },
    set(value) { kept.push('cookie'); cookie.set.call(document, value); },
  });`;

describe.each(modes)('$title', ({ markup, root }) => {
  /**
   * Opens a page with the tag in a new browser context, and waits until it is idle.
   */
  async function visit(box: string, query = ''): Promise<{ page: Page; asked: string[] }> {
    const page = await (await stage().session.browser.createBrowserContext()).newPage();
    const asked: string[] = [];
    page.on('request', (request) => {
      if (!request.url().endsWith('/favicon.ico')) asked.push(`${request.method()} ${request.url()}`);
    });
    await page.evaluateOnNewDocument(watch);
    const address = stage().site.page(`/${box}`, {
      html: pageWith(markup(`${stage().origin}/signup/${box}/accepted`)),
    });
    await page.goto(address + query, { waitUntil: 'networkidle0' });
    await page.waitForFunction(isRendered);
    await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))');
    return { page, asked };
  }

  it('requests one file and another one to send, stores nothing, and loads no font', async () => {
    const box = `footprint-${root.length}`;
    const { page, asked } = await visit(box, '?utm_source=fair');
    expect(asked).toEqual([
      `GET ${stage().site.origin}/${box}?utm_source=fair`,
      `GET ${stage().site.origin}/signup-form.js`,
    ]);
    expect(await page.evaluate('document.fonts.size')).toBe(0);

    await page.evaluate(
      `(() => { ${root}.querySelector('[name=email]').value = 'ada@example.com'; document.querySelector('newsletter-signup').submit(); })()`,
    );
    await page.waitForFunction(`document.querySelector('newsletter-signup').state === 'success'`);
    expect(asked.slice(2).filter((request) => !request.startsWith('OPTIONS'))).toEqual([
      `GET ${stage().site.origin}/signup.js`,
      `POST ${stage().origin}/signup/${box}/accepted`,
    ]);
    expect(await page.evaluate('kept')).toEqual([]);
    expect(await page.browserContext().cookies()).toEqual([]);
  });

  it('leaks no memory when it is inserted and removed a thousand times', async () => {
    const box = `thousand-${root.length}`;
    const { page } = await visit(box);
    const devtools = await page.createCDPSession();
    await devtools.send('Performance.enable');
    const count = async (): Promise<Readonly<Record<string, number>>> => {
      await devtools.send('HeapProfiler.collectGarbage');
      const { metrics } = await devtools.send('Performance.getMetrics');
      return Object.fromEntries(metrics.map(({ name, value }) => [name, value]));
    };
    const cycle = (times: number): Promise<unknown> =>
      page.evaluate(`(async () => {
        const home = document.querySelector('main');
        const source = home.querySelector('newsletter-signup').outerHTML;
        for (let time = 0; time < ${times}; time += 1) {
          home.insertAdjacentHTML('beforeend', source);
          const element = home.lastElementChild;
          await new Promise((resolve) => setTimeout(resolve));
          element.remove();
        }
        await new Promise((resolve) => setTimeout(resolve, 50));
      })()`);
    // The first rounds warm the engine up.
    await cycle(50);
    const before = await count();
    await cycle(1000);
    // One garbage collection may not free everything; a leak survives every one.
    for (const name of ['JSEventListeners', 'Nodes', 'Documents']) {
      await expect
        .poll(async () => (await count())[name], { message: name, interval: 500 })
        .toBeLessThanOrEqual((before[name] ?? 0) + 50);
    }
  });
});

it('begins with the hint to compile the script while it loads', async () => {
  const [first] = (await readFile(widgetScript, 'utf8')).split('\n');
  expect(first).toBe('//# allFunctionsCalledOnLoad');
});
