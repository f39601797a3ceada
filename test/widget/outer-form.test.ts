/**
 * The tag in a form of the page, as ASP.NET Web Forms and SharePoint have it: HTML has no form in a form, so the parser
 * drops the one inside the tag, and its end tag ends the page's.
 */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'puppeteer-core';
import { expect, it } from 'vitest';
import { root } from '../../scripts/root.ts';
import { notice } from '../e2e/visitor.ts';
import { waitUntil } from '../support/waits.ts';
import { relayFor } from './native-post.ts';
import { setStage } from './stage.ts';

const stage = setStage();

/** What Web Forms send around the content of a page with a default button, which Enter presses anywhere in the form. */
const webForm = (content: string): string => `<!doctype html><html lang="en"><meta charset="utf-8"><title>A page</title>
<form method="post" action="./Default.aspx" id="form1" onkeypress="if (event.key === 'Enter') return find.click(), false">
<div class="aspNetHidden"><input type="hidden" name="__VIEWSTATE" value="/wEPDwUKLTI="></div>
<p><input name="ctl00$Query"> <input type="submit" id="find" name="ctl00$Find" value="Find"></p>
<div>${content}</div>
<p><input name="ctl00$City" id="city" value="Oslo"> <input type="submit" id="save" name="ctl00$Save" value="Save"></p>
</form>`;

const script = (attributes = ''): string => `<script src="/signup-form.js" ${attributes}></script>`;
const form = (attributes: string): string => `<form ${attributes} method="post">
  <label>Email address <input type="email" name="email" required></label><button>Subscribe</button></form>`;

/** Every shape of a snippet, with the endpoint where the tag has it. */
const shapes: Readonly<Record<string, (endpoint: string) => string>> = {
  'the tag alone': (endpoint) => `<newsletter-signup endpoint="${endpoint}"></newsletter-signup>${script()}`,
  'the script alone': (endpoint) => script(`data-endpoint="${endpoint}"`),
  'a form for visitors without the script': (endpoint) =>
    `<newsletter-signup endpoint="${endpoint}">${form(`slot="fallback" action="${endpoint}"`)}</newsletter-signup>${script()}`,
  'a form of the owner': (endpoint) =>
    `<newsletter-signup endpoint="${endpoint}">${form(`action="${endpoint}"`)}</newsletter-signup>${script()}`,
  'a div': (endpoint) =>
    `<div data-newsletter-signup data-endpoint="${endpoint}">${form(`slot="fallback" action="${endpoint}"`)}</div>${script()}`,
};

/** The tags of the documentation that have their endpoint. */
const documented = globSync(['README.md', 'widget/README.md', 'docs/src/content/docs/**/*.md'], { cwd: root }).flatMap(
  (path) =>
    [
      ...readFileSync(join(root, path), 'utf8').matchAll(
        /<newsletter-signup [^>{]*endpoint="(https:[^"]*)"[^>{]*>[^]*?<\/newsletter-signup>/g,
      ),
    ].map(([markup, endpoint = ''], index) => ({ name: `${path}, ${index + 1}`, markup, endpoint })),
);

/** Opens a page with this content in its form. */
async function open(path: string, contentFor: (endpoint: string) => string) {
  const { site, session } = stage();
  const relay = await relayFor(site);
  const page = await session.browser.newPage();
  const warnings: string[] = [];
  page.on('console', (message) => message.type() === 'warn' && warnings.push(message.text()));
  await page.goto(site.page(path, { html: webForm(contentFor(relay.endpoint)) }));
  await page.waitForSelector('newsletter-signup >>> input[part][name=email]', { visible: true });
  return { page, relay, warnings };
}

async function signUp(page: Page, email: string): Promise<void> {
  await page.type('newsletter-signup >>> input[part][name=email]', email);
  await page.click('newsletter-signup >>> button[part]');
  await notice(page, 'success');
}

/** What a button of the page's form sends. */
async function sentBy(page: Page, button: string): Promise<readonly string[]> {
  const request = page.waitForRequest((each) => each.method() === 'POST');
  await page.click(button);
  return [...new URLSearchParams((await request).postData()).keys()];
}

const names = Object.keys(shapes);
const withForm = names.slice(2);

it.each(names)(
  '%s signs up, the form of the page is sent without the address, and its owner is warned',
  async (name) => {
    const { page, relay, warnings } = await open(`/${names.indexOf(name)}`, shapes[name] ?? String);
    await signUp(page, 'ada@example.com');
    await relay.subscription('ada@example.com');
    const own = ['__VIEWSTATE', 'ctl00$Query', 'ctl00$Find'];
    if (withForm.includes(name)) {
      await waitUntil('the owner is warned', () => warnings.length > 0);
      expect(await sentBy(page, '#find')).toEqual(own);
    } else expect(await sentBy(page, '#find')).toEqual([...own, 'ctl00$City']);
    expect(warnings).toEqual(withForm.includes(name) ? [expect.stringContaining('stands in another form')] : []);
  },
);

it('the tag alone leaves later fields in the form of the page, and Enter in its own form', async () => {
  const { page, relay } = await open('/enter', shapes['the tag alone'] ?? String);
  await page.type('newsletter-signup >>> input[part][name=email]', 'ada@example.com\n');
  await notice(page, 'success');
  await relay.subscription('ada@example.com');
  expect(await sentBy(page, '#save')).toEqual(['__VIEWSTATE', 'ctl00$Query', 'ctl00$City', 'ctl00$Save']);
});

it('the doctor shows the warning', async () => {
  const { page } = await open('/doctor', (endpoint) =>
    (shapes['a form of the owner']?.(endpoint) ?? '').replace('<newsletter-signup', '$& debug'),
  );
  await page.waitForSelector('newsletter-signup >>> [part=debug]::-p-text(stands in another form)');
});

it('every tag of the documentation that has its endpoint signs up', async () => {
  expect(documented.length).toBeGreaterThan(5);
  for (const { name, markup, endpoint } of documented) {
    const path = `/documented-${documented.findIndex((each) => each.name === name)}`;
    const { page, relay } = await open(path, (address) => markup.replaceAll(endpoint, address) + script());
    await signUp(page, 'ada@example.com');
    await relay.subscription('ada@example.com');
    await page.close();
  }
});
