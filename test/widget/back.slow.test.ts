/**
 * Back to a page from the back/forward cache: a pending request is one signup, and the form keeps its state.
 */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { enginesToTest } from '../support/browsers/engines.ts';
import { isHeadlessShell } from '../support/browsers/find.ts';
import { startEndpoint, type Received } from '../../widget/test/endpoint.ts';
import { modes, pageWith, isRendered } from './modes.ts';
import { openSite, type Site } from './site.ts';
import { patience, windows, type Window } from './window.ts';

let site: Site;
let boxes = 0;
let endpoint: Awaited<ReturnType<typeof startEndpoint>>;
beforeAll(async () => {
  [site, endpoint] = [await openSite(), await startEndpoint()];
  site.script(
    '/report.js',
    `addEventListener('pageshow', (event) => fetch(location.pathname + (event.persisted ? '/restored' : '/shown')));`,
  );
});
afterAll(async () => {
  await Promise.all([site?.close(), endpoint?.stop()]);
});

// Each test has a mailbox of its own, because a released one holds no answer back.
describe.each(enginesToTest())('Back to a page in $title', ({ name }) => {
  let window: Window;
  beforeEach(async () => {
    window = await windows[name]();
  });
  afterEach(() => window?.close());

  // The headless shell, which npm test installs without a Chromium, has no back/forward cache.
  describe.skipIf(name === 'chromium' && isHeadlessShell()).each(modes)('$title', ({ markup, root }) => {
    const isThere = (expression: string) =>
      expect.poll(() => window.ask(`Boolean(${expression})`).catch(() => false), patience).toBe(true);
    async function visit(box: string, answers: string, query = '', script = ''): Promise<void> {
      const html = pageWith(
        markup(`${endpoint.origin}/signup/${box}/${answers}`),
        `<script>${script}</script><script src="/report.js"></script><script src="/signup-form.js" async></script>`,
      );
      await window.open(site.page(`/${box}`, { html }) + query);
      await isThere(isRendered);
    }
    const type = `void (${root}.querySelector('[name=email]').value = 'ada@example.com')`;
    const send = `document.querySelector('newsletter-signup').submit()`;
    const state = `document.querySelector('newsletter-signup').state`;
    // The pages report when they are shown: WebKitGTK's driver reports a navigation too early, and may not answer
    // during one.
    const reports = (path: string) => expect.poll(() => site.requests, patience).toContain(`GET ${path}`);
    async function thereAndBack(box: string): Promise<void> {
      const elsewhere = `/${box}/elsewhere`;
      const html = '<!doctype html><title>Elsewhere</title><script src="/report.js"></script><p>Elsewhere';
      await window.goTo(site.page(elsewhere, { html }));
      await reports(`${elsewhere}/shown`);
      await fetch(`${endpoint.origin}/release/${box}`);
      await window.ask('void setTimeout(() => history.back(), 500)');
      await reports(`/${box}/restored`);
      // Chromium's driver reports it a moment later.
      await isThere(`location.pathname === '/${box}'`);
    }
    const received = async (box: string): Promise<readonly Received[]> => {
      const answer = await fetch(`${endpoint.origin}/received/${box}`);
      return (await answer.json()) as readonly Received[];
    };

    it('finishes a pending signup as one signup, and shows it', async () => {
      const box = `flight-${boxes++}`;
      await visit(box, 'held');
      await window.ask(type);
      await window.ask(send);
      expect(await window.ask(state)).toBe('busy');
      await expect.poll(() => received(box), patience).toHaveLength(1);
      await thereAndBack(box);
      await isThere(`${state} === 'success'`);
      expect(new Set((await received(box)).map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
    });

    it('keeps typed values and the campaign, which can be sent', async () => {
      const box = `typed-${boxes++}`;
      await visit(box, 'accepted', '?utm_source=land');
      await window.ask(type);
      await thereAndBack(box);
      await window.ask(send);
      await isThere(`${state} === 'success'`);
      const bodies = (await received(box)).map(({ body }) => JSON.parse(body) as unknown);
      expect(bodies).toEqual([expect.objectContaining({ utm_source: 'land' })]);
    });

    // Chromium restores values by the controls of a form: one that the script adds would lose all of them.
    it.runIf(name === 'chromium' && !root.includes('shadowRoot'))(
      'shows what was typed on a page that was not kept, but is loaded anew',
      async () => {
        const box = `anew-${boxes++}`;
        // Chromium keeps no page that listens for this event.
        await visit(box, 'accepted', '', 'addEventListener("unload", () => {})');
        await window.ask(`void ${root}.querySelector('[name=email]').click()`);
        await window.ask(type);
        await window.ask('globalThis.isKept = true');
        await window.goTo(site.page(`/${box}/elsewhere`, { html: '<!doctype html><title>Elsewhere</title>' }));
        await window.ask('void setTimeout(() => history.back(), 500)');
        await isThere(`!globalThis.isKept && ${root}?.querySelector('[name=email]')?.value === 'ada@example.com'`);
      },
    );
  });
});
