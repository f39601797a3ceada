/** Built forms on pages of other sites, which answer themselves and can be brought into a state: for pictures. */
import { basename } from 'node:path';
import type { Page } from 'puppeteer-core';
import { widgetScript } from '../../scripts/build.ts';
import { openBrowser } from '../e2e/visitor.ts';
import { openSite } from './site.ts';
import { installSites, pageOf, sheetFolder, type Scheme, type Site } from './sites.ts';

export const states = ['idle', 'error', 'success', 'busy'] as const;
export type State = (typeof states)[number];

/** What a picture is taken of. */
export interface Scene {
  readonly name: string;
  /** The site and its content, or a page as a whole. */
  readonly site?: Site;
  readonly html: string;
  readonly width: number;
  readonly scheme: Scheme;
  readonly isForced?: boolean;
}

export interface Studio {
  /** Opens a page of its own, as high as its content. */
  open(scene: Scene): Promise<Page>;
  /** Brings the forms of a page into a state. */
  reach(page: Page, state: State): Promise<void>;
  close(): Promise<void>;
}

/** Answers every request, and brings the forms into a state. */
const hands = `
  globalThis.isHeld = false;
  globalThis.fetch = () => isHeld ? new Promise(() => {}) : Promise.resolve(
    new Response('{"status":"accepted"}', { status: 202, headers: { 'Content-Type': 'application/json' } }));
  globalThis.forms = () => [...document.querySelectorAll('newsletter-signup')];
  globalThis.reach = async (state) => {
    isHeld = state === 'busy';
    await customElements.whenDefined('newsletter-signup');
    for (const form of forms()) {
      await form.updateComplete;
      form.reset();
      if (state === 'success' || isHeld)
        for (const input of form.shadowRoot.querySelectorAll('[name=email], [name=consent]'))
          input.type === 'checkbox' ? (input.checked = true) : (input.value = 'ada@example.com');
      if (state !== 'idle') form.submit();
    }
    while (forms().some((form) => form.state !== state)) await new Promise((resolve) => setTimeout(resolve, 20));
    document.activeElement?.blur();
    await new Promise((resolve) => setTimeout(resolve, 300));
  };`;

/** The answers are made up, and nothing is sent. */
export async function openStudio(): Promise<Studio> {
  await installSites();
  const [server, session] = [await openSite(sheetFolder), await openBrowser()];
  return {
    async open({ name, site, html, width, scheme, isForced = false }) {
      const page = await session.browser.newPage();
      await page.evaluateOnNewDocument(hands);
      const features = [
        { name: 'prefers-color-scheme', value: scheme },
        { name: 'forced-colors', value: isForced ? 'active' : 'none' },
      ];
      await (await page.createCDPSession()).send('Emulation.setEmulatedMedia', { features });
      await page.setViewport({ width, height: 100 });
      const whole = site ? pageOf(site, scheme, html, `/${basename(widgetScript)}`) : html;
      await page.goto(server.page(`/${encodeURIComponent(name)}`, { html: whole }));
      return page;
    },
    reach: async (page, state) => void (await page.evaluate(`reach('${state}')`)),
    close: async () => void (await Promise.all([session.close(), server.close()])),
  };
}

/** A theme on a page without other styles; the ground behind it suits it in the picture of the documentation. */
export const themeOn = (name: string, ground = 'Canvas'): Site => {
  const css = (scheme: Scheme): { readonly css: string } => ({
    css: `html { color-scheme: ${scheme} } body { font: 1rem/1.5 system-ui, sans-serif; background: ${ground} }`,
  });
  return { name, sheets: [`/themes/${name}.css`], light: css('light'), dark: css('dark') };
};
