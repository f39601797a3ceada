/** The recipes beside other analytics: each signup is one event, without anything personal in it. */
import type { Page } from 'puppeteer-core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { isRendered, modes, pageWith } from './modes.ts';
import { startReceiver, toolNames, type Receiver } from './receivers.ts';
import { setStage } from './stage.ts';

const stage = setStage();

const email = 'ada.secret+tag@example.com';
const firstName = 'Lovelace';
const [elements, pages] = modes;

/** A form of the element, or of the page, which also tells the page the address. */
const form = (endpoint: string, attributes = '', mode = elements): string =>
  mode?.markup(endpoint, [{ name: 'First name' }], `expose-email ${attributes}`) ?? '';

/** What a test has at hand: the page, the endpoint, and the receiver. */
interface Visit {
  readonly page: Page;
  readonly receiver: Receiver;
  /** Lets the endpoint send its held answer. */
  release(): Promise<unknown>;
}

interface Door {
  /** How many signups the tool counts. Default: 1. */
  readonly count?: number;
  /** The answers of the endpoint. Default: `accepted`. */
  readonly answers?: string;
  readonly markup?: (endpoint: string, site: string) => string;
  readonly head?: (receiver: Receiver) => string;
  /** Default: signs up once. */
  readonly act?: (visit: Visit) => Promise<void>;
  /** Whether the test brings the tool's script, or it never comes. Default: it comes at once. */
  readonly isLate?: boolean;
  readonly hasScript?: boolean;
}

const controls = (name: string, tag: string): string => `${tag} >>> [name="${name}"], ${tag} form [name="${name}"]`;

async function fillIn(page: Page, tag = 'newsletter-signup'): Promise<void> {
  const input = await page.waitForSelector(controls('email', tag), { visible: true });
  await (await page.$(controls('custom_fields[First name]', tag)))?.type(firstName);
  await input?.type(email);
}

async function signUp(page: Page, tag = 'newsletter-signup'): Promise<void> {
  await fillIn(page, tag);
  await page.keyboard.press('Enter');
  await page.waitForSelector(`${tag}:state(success)`);
}

const doors: Readonly<Record<string, Door>> = {
  'a form of the element': {},
  'a form of the page': { markup: (endpoint) => form(endpoint, '', pages) },
  'the tool before the recipe': { head: ({ code, recipe }) => code + recipe },
  'a form in a dialog': {
    markup: (endpoint) => form(endpoint, 'layout="dialog"'),
    async act({ page }) {
      await page.waitForFunction(isRendered);
      await page.evaluate(`document.querySelector('newsletter-signup').open()`);
      await signUp(page);
    },
  },
  'two forms on the page': {
    count: 2,
    markup: (endpoint) => `<div id="one">${form(endpoint)}</div><div id="two">${form(endpoint, '', pages)}</div>`,
    async act({ page }) {
      await signUp(page, '#one newsletter-signup');
      await signUp(page, '#two newsletter-signup');
    },
  },
  'a second signup with the same form': {
    count: 2,
    async act({ page }) {
      await signUp(page);
      await page.evaluate(`document.querySelector('newsletter-signup').reset()`);
      await signUp(page);
    },
  },
  'a second attempt after an error': {
    answers: 'broken,accepted',
    async act({ page }) {
      await fillIn(page);
      await page.keyboard.press('Enter');
      await page.waitForSelector('newsletter-signup:state(error)');
      await page.keyboard.press('Enter');
      await page.waitForSelector('newsletter-signup:state(success)');
    },
  },
  'a refusal': {
    count: 0,
    answers: 'refused',
    async act({ page }) {
      await fillIn(page);
      await page.keyboard.press('Enter');
      await page.waitForSelector('newsletter-signup:state(error)');
    },
  },
  'ten times Enter': {
    answers: 'held',
    async act({ page, release }) {
      await fillIn(page);
      for (let time = 0; time < 10; time += 1) await page.keyboard.press('Enter');
      await release();
      await page.waitForSelector('newsletter-signup:state(success)');
    },
  },
  'a form that is removed while it is sent': {
    answers: 'held',
    async act({ page, receiver, release }) {
      await fillIn(page);
      await page.keyboard.press('Enter');
      await page.waitForSelector('newsletter-signup:state(busy)');
      await page.evaluate(`document.querySelector('newsletter-signup').remove()`);
      await release();
      await expect.poll(() => receiver.signups()).toBe(1);
    },
  },
  'a page of thanks with the same recipe': {
    markup: (endpoint, site) => form(endpoint, `redirect="${site}/thanks"`),
    async act({ page }) {
      await fillIn(page);
      await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
      expect(page.url()).toContain('/thanks');
    },
  },
  'a tool that comes after the signup': {
    isLate: true,
    async act({ page, receiver }) {
      await signUp(page);
      expect(receiver.received).toEqual([]);
      receiver.bring();
      await expect.poll(() => receiver.signups()).toBe(1);
    },
  },
  'a tool that never comes': { count: 0, isLate: true },
  'a page without JavaScript': {
    count: 0,
    hasScript: false,
    markup: (endpoint) => form(endpoint, '', pages),
    async act({ page }) {
      await fillIn(page);
      await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
    },
  },
};

describe.each(toolNames)('the recipe for %s', (name) => {
  it.each(Object.entries(doors))('counts %s', async (title, door) => {
    const {
      count = 1,
      answers = 'accepted',
      markup = form,
      head = ({ recipe, code }) => recipe + code,
      act = ({ page }) => signUp(page),
      isLate = false,
      hasScript = true,
    } = door;
    const { site, session, origin } = stage();
    const receiver = await startReceiver(name);
    onTestFinished(receiver.close);
    if (!isLate) receiver.bring();
    const box = crypto.randomUUID();
    const scripts = `${head(receiver)}<script src="/signup-form.js" async></script>`;
    site.page('/thanks', { html: pageWith('<h1>Thanks</h1>', scripts) });
    const page = await session.browser.newPage();
    const errors: unknown[] = [];
    page.on('pageerror', (error) => errors.push(error));
    await page.setJavaScriptEnabled(hasScript);
    const html = pageWith(markup(`${origin}/signup/${box}/${answers}`, site.origin), scripts);
    // A tool that does not come keeps the page loading.
    await page.goto(`${site.page(`/${box}`, { html })}?utm_source=fair`, { waitUntil: 'domcontentloaded' });

    await act({ page, receiver, release: () => fetch(`${origin}/release/${box}`) });
    await expect.poll(() => receiver.signups()).toBe(count);
    // What the page has sent beyond that arrives before this.
    if (hasScript) {
      await page.evaluate((address) => navigator.sendBeacon(address), `${receiver.origin}/end`);
      await expect.poll(() => receiver.received.map(({ path }) => path)).toContain('/end');
    }
    expect(receiver.signups(), title).toBe(count);
    expect(receiver.received.filter(({ text }) => /secret|example\.com|Lovelace/i.test(text))).toEqual([]);
    expect(errors).toEqual([]);
  });
});
