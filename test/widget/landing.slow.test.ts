/**
 * Visits of a site with several pages, subdomains and redirects, in every engine: a landing page needs no form, and
 * what is stored after consent reaches the page with the form.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startEndpoint } from '../../widget/test/endpoint.ts';
import { enginesToTest } from '../support/browsers/engines.ts';
import { openSite, type Site } from './site.ts';
import { patience, windows, type Window } from './window.ts';

const key = 'newsletter-signup-1';
const domain = 'site.localhost';

let site: Site;
let endpoint: Awaited<ReturnType<typeof startEndpoint>>;
let box = 0;
beforeAll(async () => {
  [site, endpoint] = await Promise.all([openSite(), startEndpoint()]);
});
afterAll(() => Promise.all([site?.close(), endpoint?.stop()]));

const html = (body: string): string =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><title>A page</title>${body}`;
const landingScript = (attributes = ''): string => `<script src="/signup-landing.js" ${attributes}></script>`;

/** The address of a page at a subdomain. */
function at(subdomain: string, path: string, body: string): string {
  site.page(path, { html: html(body) });
  return site.origin.replace('127.0.0.1', `${subdomain}.${domain}`) + path;
}

describe.each(enginesToTest())('in $title', ({ name }) => {
  let window: Window;
  beforeAll(async () => {
    window = await windows[name]();
  });
  afterAll(() => window?.close());
  beforeEach(() => {
    box += 1;
  });

  const ask = (expression: string): Promise<unknown> => window.ask(expression);
  const answer = (word: string): Promise<unknown> => ask(`void (globalThis.newsletterConsent ??= []).push('${word}')`);
  const cookie = (): Promise<unknown> => ask('document.cookie');
  const inLocalStorage = (): Promise<unknown> => ask(`localStorage.getItem('${key}') ?? ''`);

  /** A page with a form. */
  const formPage = (subdomain: string, attributes = '', path = `/form-${box}`): string =>
    at(
      subdomain,
      path,
      `<script src="/signup-form.js"></script><newsletter-signup endpoint="${endpoint.origin}/signup/landing-${box}/accepted" ${attributes}></newsletter-signup>`,
    );

  /** Signs up on this page, and returns the source that was sent. */
  async function sent(): Promise<unknown> {
    await ask(
      `void (async () => {
        await customElements.whenDefined('newsletter-signup');
        const form = document.querySelector('newsletter-signup');
        await form.updateComplete;
        form.shadowRoot.querySelector('[name=email]').value = 'ada@example.com';
        form.submit();
      })()`,
    );
    const received = async (): Promise<{ body: string }[]> =>
      (await fetch(`${endpoint.origin}/received/landing-${box}`)).json() as Promise<{ body: string }[]>;
    await expect.poll(async () => (await received()).length, patience).toBe(1);
    return (JSON.parse((await received())[0]?.body ?? '') as Record<string, unknown>)['utm_source'];
  }

  /** Waits until the file that stores has run. */
  const remembered = (): Promise<unknown> =>
    ask(`(async () => { await import('/remember.js'); await new Promise((resolve) => setTimeout(resolve)); })()`);

  describe.each(['signup-form.js', 'signup-landing.js'])('a landing page with %s', (script) => {
    const landing = (): string => at('www', `/landing-${box}`, `<script src="/${script}"></script>`);

    it('keeps its campaign for the form three pages later, with consent', async () => {
      await window.open(`${landing()}?utm_source=land`);
      await answer('granted');
      await expect.poll(inLocalStorage, patience).toContain('land');
      await window.goTo(landing());
      await window.goTo(formPage('www'));
      await answer('granted');
      await remembered();
      expect(await sent()).toBe('land');
    });

    it('forgets it without consent', async () => {
      await window.open(`${landing()}?utm_source=land`);
      await answer('denied');
      await window.goTo(formPage('www'));
      await answer('granted');
      await remembered();
      expect(await sent()).toBeUndefined();
    });
  });

  describe('a cookie for the subdomains', () => {
    const attribute = `cookie-domain="${domain}"`;
    const landing = (subdomain = 'blog', attributes = `data-${attribute}`): string =>
      at(subdomain, `/landing-${box}-${subdomain}`, landingScript(attributes));

    it('brings a campaign from blog. to www., and is deleted when the consent is revoked', async () => {
      await window.open(`${landing()}?utm_source=blog`);
      expect(await cookie()).toBe('');
      await answer('granted');
      await expect.poll(cookie, patience).toContain('utm_source=blog');
      expect(await inLocalStorage()).toBe('');
      await window.goTo(formPage('www', attribute));
      await answer('granted');
      await remembered();
      expect(await sent()).toBe('blog');
      // This page names no domain.
      await window.goTo(landing('shop', ''));
      expect(await cookie()).toContain('utm_source=blog');
      await answer('denied');
      await expect.poll(cookie, patience).toBe('');
    });

    it('does not exist without cookie-domain', async () => {
      await window.open(`${landing('blog', '')}?utm_source=blog`);
      await answer('granted');
      await expect.poll(inLocalStorage, patience).toContain('blog');
      expect(await cookie()).toBe('');
      await answer('denied');
    });

    it('is short, whatever the link says', async () => {
      await window.open(
        `${landing()}?utm_source=${'%F0%9F%8C%B7'.repeat(500)}&utm_campaign=${'x'.repeat(3000)}&utm_id=${'y'.repeat(3000)}`,
      );
      await ask(`history.pushState(null, '', '?utm_source=${encodeURIComponent('ü;,"|= '.repeat(100))}')`);
      await answer('granted');
      await expect.poll(cookie, patience).toContain('|');
      expect(String(await cookie()).length).toBeLessThan(2100);
      await window.goTo(formPage('www', `${attribute} attribution="last"`));
      await answer('granted');
      await remembered();
      expect(await sent()).toMatch(/^(ü;,"\|= )+/);
      await answer('denied');
      await expect.poll(cookie, patience).toBe('');
    });

    it.each(['localhost', 'example.com', 'ite.localhost', 'not a domain'])(
      'that the browser refuses falls back to local storage, and debug says so: %s',
      async (refused) => {
        await window.open(`${landing('blog', `data-cookie-domain="${refused}" data-debug`)}?utm_source=blog`);
        await ask(
          `void (() => { globalThis.said = []; const { warn } = console; console.warn = (text) => { said.push(text); warn(text); }; })()`,
        );
        await answer('granted');
        await expect.poll(inLocalStorage, patience).toContain('blog');
        expect(await cookie()).toBe('');
        expect(await ask('said.join()')).toContain(`cookie-domain="${refused}": this browser refuses the cookie`);
        await answer('denied');
        expect(await inLocalStorage()).toBe('');
      },
    );
  });

  describe('without consent', () => {
    it('the next page has lost it', async () => {
      await window.open(`${formPage('www')}?utm_source=land`);
      await window.goTo(formPage('www'));
      expect(await sent()).toBeUndefined();
    });
  });

  describe('a redirect that has dropped the query', () => {
    const asksDoctor = 'A redirect led to this page, and its address has no parameters.';

    /** Opens a page behind a redirect, and returns what the console says. */
    async function openBehind(body: string, query = ''): Promise<() => Promise<unknown>> {
      const record = '<script>globalThis.said = []; console.warn = (text) => said.push(text);</script>';
      const page = at('www', `/join-${box}/`, record + body);
      site.page(`/join-${box}`, { html: '', status: 302, headers: { Location: `/join-${box}/${query}` } });
      await window.open(page.replace(/\/$/, '?utm_source=x'));
      return () => ask('said.join()');
    }

    it('is told by a form with debug', async () => {
      const said = await openBehind(
        `<script src="/signup-form.js"></script><newsletter-signup debug endpoint="${endpoint.origin}/signup/doctor/accepted"></newsletter-signup>`,
      );
      await expect.poll(said, patience).toContain(asksDoctor);
      expect(
        await ask(`document.querySelector('newsletter-signup').shadowRoot.querySelector('[part=debug]').textContent`),
      ).toContain(asksDoctor);
    });

    it('is told by a landing page with debug', async () => {
      const said = await openBehind(landingScript('data-debug'));
      await expect.poll(said, patience).toContain(asksDoctor);
    });

    it('is not told where the query has arrived', async () => {
      const said = await openBehind(landingScript('data-debug'), '?utm_source=x');
      await ask(`import('/doctor.js')`);
      expect(await said()).toBe('');
    });
  });
});
