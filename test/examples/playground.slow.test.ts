/** The playground in Chromium. */
import type { Page } from 'puppeteer-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSite } from '../../examples/demo/site.ts';
import { findings } from '../../packages/sandbox/test/ui/findings.ts';
import { buildIfStale } from '../../scripts/build.ts';
import { readElements } from '../../widget/scripts/manifest.ts';
import { hosted, type Hosted } from '../e2e/hosted.ts';
import { useBrowser, type Opened } from '../e2e/use-browser.ts';
import { complaintsOf } from '../e2e/visitor.ts';

const session = useBrowser();
let site: Hosted;
let address = '';

beforeAll(async () => {
  await buildIfStale('widget');
  site = await hosted(createSite({ sandboxUrl: 'http://127.0.0.1:9', signupEndpoint: 'http://127.0.0.1:9/signup' }));
  address = `${site.origin}/playground`;
});
afterAll(() => site?.close());

async function openIn(scheme: string, query: string): Promise<Opened> {
  const page = await session.browser.newPage();
  await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
  await page.setViewport({ width: 1440, height: 1000 });
  const complaints = complaintsOf(page);
  await page.goto(address + query, { waitUntil: 'load' });
  await page.waitForSelector('#snippets pre');
  return { page, complaints };
}

const open = async (query = ''): Promise<Page> => (await openIn('light', query)).page;

const snippet = (page: Page): Promise<string> =>
  page.$$eval('#snippets code', (all) => all.map(({ textContent }) => textContent).join('\n'));
const press = (page: Page, name: string, value: string): Promise<void> =>
  page.$eval(`input[name="${name}"][value="${value}"]`, (radio) => (radio as HTMLInputElement).click());

/** The notice in the visible preview, once its form is in this state. */
async function previewReaches(page: Page, state: string): Promise<string> {
  const frame = await (await page.waitForSelector('.frame iframe'))?.contentFrame();
  const notice = await frame?.waitForSelector(`newsletter-signup:state(${state}) >>> [part~=notice]`, {
    timeout: 60_000,
  });
  return (await notice?.evaluate(({ textContent }) => textContent)) ?? '';
}

describe('the playground', () => {
  it('has a control with a name for every attribute, custom property and slot of the tag', async () => {
    const page = await open('?field.0.name=City');
    const elements = await readElements();
    const names = elements.flatMap(({ tagName, attributes, cssProperties, slots }) => [
      ...(attributes ?? []).map(({ name }) => (tagName === 'newsletter-field' ? 'field.0.' : 'attribute.') + name),
      ...(cssProperties ?? []).map(({ name }) => `style.${name}`),
      ...(slots ?? []).flatMap(({ name }) => (['', 'fallback'].includes(name) ? [] : [`slot.${name}`])),
    ]);
    expect(names.length).toBeGreaterThan(60);
    const labelled = await page.$$eval('#options [name]', (controls) =>
      controls.flatMap((control) =>
        (control as HTMLInputElement).labels?.length ? [control.getAttribute('name')] : [],
      ),
    );
    expect(labelled).toEqual(expect.arrayContaining(names));
  });

  it('adds choices to the snippet and the address, and Back removes them', async () => {
    const page = await open();
    await page.type('[name="attribute.endpoint"]', 'https://signup.example/a?b&c');
    await page.select('[name="attribute.attribution"]', 'last');
    await page.$eval('[aria-label="Pick --newsletter-accent"]', (picker) => {
      (picker as HTMLInputElement).value = '#123456';
      picker.dispatchEvent(new Event('input', { bubbles: true }));
    });
    expect(await snippet(page)).toContain('style="--newsletter-accent: #123456"');
    expect(await snippet(page)).toContain('attribution="last"');
    expect(await snippet(page)).toContain('action="https://signup.example/a?b&amp;c" method="post">');

    const shared = await open(new URL(page.url()).search);
    expect(await snippet(shared)).toBe(await snippet(page));

    await page.goBack();
    expect(await snippet(page)).not.toContain('--newsletter-accent');
    await page.goBack();
    expect(await snippet(page)).not.toContain('attribution=');
    await page.goBack();
    expect(await snippet(page)).toContain('"https://relay.example/signup"');
    expect(new URL(page.url()).search).toBe('');
  });

  it('says what it made of an address, and keeps it in the examples', async () => {
    const page = await open('?language=de');
    expect(await page.$eval('#endpoint', ({ textContent }) => textContent)).toContain('Enter the address');
    await page.type('[name="attribute.endpoint"]', 'signup.example.org/');
    expect(await page.$eval('#endpoint', ({ textContent }) => textContent)).toContain(
      'Endpoint: https://signup.example.org/signup, a relay',
    );
    expect(await page.$eval('[name="attribute.endpoint"]', (input) => (input as HTMLInputElement).value)).toBe(
      'signup.example.org/',
    );
    await page.click('.examples ::-p-text(Consent)');
    expect(await snippet(page)).toMatch(
      /<newsletter-signup endpoint="https:\/\/signup\.example\.org\/signup" lang="de">[^]*\nI have read the privacy notice\.$/,
    );
    expect(await page.$$eval('.snippet h3', (all) => all.at(-1)?.textContent)).toContain('RELAY_CONSENT_SENTENCES');
  });

  it.each([
    ['light', 'auto', 'rgb(255, 255, 255)'],
    ['dark', 'auto', 'rgb(18, 18, 18)'],
    ['dark', 'light', 'rgb(255, 255, 255)'],
  ])('in a %s page, a preview in %s colours has %s', async (scheme, chosen, colour) => {
    const { page } = await openIn(scheme, `?scheme=${chosen}`);
    const frame = await (await page.waitForSelector('.frame iframe'))?.contentFrame();
    await frame?.waitForSelector('newsletter-signup');
    expect(await frame?.evaluate(() => getComputedStyle(document.documentElement).backgroundColor)).toBe(colour);
    expect(await page.$eval('.frame iframe', (element) => getComputedStyle(element).backgroundColor)).toBe(colour);
    expect(await page.$eval('[name=direction] + span', (word) => (word as HTMLElement).innerText)).toBe('LTR');
  });

  it('adds fields, which the preview shows in their order', async () => {
    const page = await open();
    for (const name of ['Topics', 'City']) {
      await page.click('#add-field');
      // The name of the new field has the focus.
      await page.keyboard.down('Control');
      await page.keyboard.press('a');
      await page.keyboard.up('Control');
      await page.keyboard.type(name);
    }
    await page.click('button[aria-label="Move up City"]');
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('City');
    expect(await snippet(page)).toMatch(/name="City".*\n.*name="Topics"/);
    const frame = await (await page.$('.frame iframe'))?.contentFrame();
    await frame?.waitForSelector('newsletter-signup >>> [part=field]:nth-child(3)');
    const labels = await frame?.$$eval('newsletter-signup >>> label', (all) =>
      all.map(({ textContent }) => textContent.trim()),
    );
    expect(labels?.map((label) => label.split(/[\s(]/)[0])).toEqual(['Email', 'City', 'Topics']);
    await page.keyboard.press('Enter');
    await page.click('button[aria-label="Remove City"]');
    expect(await snippet(page)).not.toContain('City');
  });

  it.each([
    ['invalid', 'error', /^$/],
    ['refused', 'error', /cannot take signups/],
    ['limited', 'error', /4\d seconds/],
    ['unavailable', 'error', /5 minutes/],
    ['success', 'success', /Thank you/],
    ['offline', 'error', /offline/],
  ])('shows the state %s', async (state, reached, words) => {
    const page = await open();
    await press(page, 'state', state);
    expect(await previewReaches(page, reached)).toMatch(words);
    await page.waitForSelector('#events li');
    expect(await page.evaluate(() => document.activeElement?.tagName)).not.toBe('IFRAME');
  });

  it('keeps the form busy in the state busy, until the tag ends the wait', async () => {
    const page = await open();
    await press(page, 'state', 'busy');
    await previewReaches(page, 'busy');
    const frame = await (await page.$('.frame iframe'))?.contentFrame();
    const answer = frame?.evaluate(() =>
      fetch('answers/busy', { method: 'POST', signal: AbortSignal.timeout(1000) }).catch(({ name }: Error) => name),
    );
    expect(await answer).toBe('TimeoutError');
  });

  it('shows the chosen language, from right to left if it is written so', async () => {
    const page = await open();
    await page.select('#language', 'ar');
    const frame = await (await page.waitForSelector('.frame iframe'))?.contentFrame();
    await frame?.waitForFunction(() => document.querySelector('newsletter-signup button')?.textContent === 'اشترك');
    expect(await frame?.evaluate(() => document.documentElement.dir)).toBe('rtl');
    expect(await snippet(page)).toContain('/languages/ar.js');
    expect(await snippet(page)).toContain('lang="ar" dir="rtl"');
  });

  it('copies the snippet for each place and confirms it', async () => {
    const page = await open();
    for (const name of ['clipboard-read', 'clipboard-write'])
      await session.browser
        .defaultBrowserContext()
        .setPermission(new URL(address).origin, { permission: { name }, state: 'granted' });
    await page.bringToFront();
    const places = await page.$$eval('#platform option', (all) => all.map((option) => option.getAttribute('value')));
    expect(places.length).toBeGreaterThan(20);
    const copied = new Set<string>();
    for (const place of places) {
      await page.select('#platform', place ?? '');
      const title = await page.$eval('.snippet h3', ({ textContent }) => textContent);
      await page.click('.snippet button');
      await page.waitForFunction(
        (what) => document.querySelector('#copied')?.textContent === `Copied the snippet: ${what}.`,
        {},
        title,
      );
      const text = await page.evaluate(() => navigator.clipboard.readText());
      expect(text, title).toBe(await page.$eval('.snippet code', ({ textContent }) => textContent));
      copied.add(text);
    }
    expect(copied.size).toBeGreaterThan(8);
  });

  it.each(['320', '480', '768'])('shows the whole preview of %s pixels on a phone', async (width) => {
    const page = await open(`?width=${width}&attribute.layout=card`);
    await page.setViewport({ width: 360, height: 800 });
    const edge = await page.waitForFunction(() => {
      const { left = 0, right = Infinity } = document.querySelector('.frame iframe')?.getBoundingClientRect() ?? {};
      return left >= 0 && right <= innerWidth && right;
    });
    expect(await edge.jsonValue()).toBeGreaterThan(300);
  });

  it.each([
    [1440, 'light', ''],
    [1440, 'dark', '?mode=enhance&field.0.name=Topics&field.0.kind=list&field.0.options=AI,Code&platform=vue'],
    [320, 'light', '?width=768&scheme=dark&state=invalid'],
  ])('has no axe violation at %i pixels, %s %s', async (width, scheme, query) => {
    const { page, complaints } = await openIn(scheme, query);
    await page.setViewport({ width, height: 900 });
    await page.$$eval('details', (all) => all.forEach((details) => (details.open = true)));
    expect(await findings(page)).toEqual([]);
    const cut = await page.$$eval('html, .examples, .snippet pre', (all) =>
      all.filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth).map(({ className }) => className),
    );
    expect(cut).toEqual([]);
    expect(complaints).toEqual([]);
  });
});
