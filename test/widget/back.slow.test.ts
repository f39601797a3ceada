/**
 * Back to a page that the browser has put aside and kept: what was on its way is one signup, and the form goes on where
 * it stood.
 */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { enginesToTest } from '../support/browsers/engines.ts';
import { isHeadlessShell } from '../support/browsers/find.ts';
import { startEndpoint, type Received } from '../../widget/test/endpoint.ts';
import { modes, pageWith } from './modes.ts';
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

// Whether a page is put aside at all is the browser's choice, which a busy machine sways. Every attempt has a box of
// its own: one that was released holds nothing back any more.
describe.each(enginesToTest())('Back to a page in $title', { retry: 2 }, ({ name }) => {
  let window: Window;
  beforeEach(async () => {
    window = await windows[name]();
  });
  afterEach(() => window?.close());

  // The headless shell that npm test fetches where there is no Chromium keeps no page.
  describe.skipIf(name === 'chromium' && isHeadlessShell()).each(modes)('$title', ({ markup, root }) => {
    const isThere = (expression: string) =>
      expect.poll(() => window.ask(`Boolean(${expression})`).catch(() => false), patience).toBe(true);
    async function visit(box: string, answers: string): Promise<void> {
      const html = pageWith(
        markup(`${endpoint.origin}/signup/${box}/${answers}`),
        '<script src="/report.js"></script><script src="/newsletter-signup.js" async></script>',
      );
      await window.open(site.page(`/${box}`, { html }));
      await isThere(`${root}?.querySelector('[name=hp_field]')`);
    }
    const type = `void (${root}.querySelector('[name=email]').value = 'ada@example.com')`;
    const send = `document.querySelector('newsletter-signup').submit()`;
    const state = `document.querySelector('newsletter-signup').state`;
    // The pages report where the browser is: WebKitGTK's driver says so too early, and may leave a question unanswered
    // that comes while the browser navigates.
    const reports = (path: string) => expect.poll(() => site.requests, patience).toContain(`GET ${path}`);
    async function thereAndBack(box: string): Promise<void> {
      const elsewhere = `/${box}/elsewhere`;
      const html = '<!doctype html><title>Elsewhere</title><script src="/report.js"></script><p>Elsewhere';
      await window.open(site.page(elsewhere, { html }));
      await reports(`${elsewhere}/shown`);
      await fetch(`${endpoint.origin}/release/${box}`);
      await window.ask('void setTimeout(() => history.back(), 500)');
      await reports(`/${box}/restored`);
      // Chromium's driver learns it a moment later.
      await isThere(`location.pathname === '/${box}'`);
    }
    const received = async (box: string): Promise<readonly Received[]> => {
      const answer = await fetch(`${endpoint.origin}/received/${box}`);
      return (await answer.json()) as readonly Received[];
    };

    it('a signup that was on its way ends as one signup, and the page says so', async () => {
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

    it('what was typed still stands there, and can be sent', async () => {
      const box = `typed-${boxes++}`;
      await visit(box, 'accepted');
      await window.ask(type);
      await thereAndBack(box);
      await window.ask(send);
      await isThere(`${state} === 'success'`);
      expect(await received(box)).toHaveLength(1);
    });
  });
});
