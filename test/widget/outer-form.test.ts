/**
 * The tag in a form of the page, as ASP.NET Web Forms and SharePoint have it: HTML has no form in a form, so the parser
 * drops the one inside the tag, and its end tag ends the page's.
 */
import type { Page } from 'puppeteer-core';
import { expect, it } from 'vitest';
import { notice } from '../e2e/visitor.ts';
import { waitUntil } from '../support/waits.ts';
import { openIn, script, signUp } from './outer-form.ts';
import { setStage } from './stage.ts';

const stage = setStage();

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
    const { page, relay, warnings } = await openIn(stage, `/${names.indexOf(name)}`, shapes[name] ?? String);
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
  const { page, relay } = await openIn(stage, '/enter', shapes['the tag alone'] ?? String);
  await page.type('newsletter-signup >>> input[part][name=email]', 'ada@example.com\n');
  await notice(page, 'success');
  await relay.subscription('ada@example.com');
  expect(await sentBy(page, '#save')).toEqual(['__VIEWSTATE', 'ctl00$Query', 'ctl00$City', 'ctl00$Save']);
});

it('the doctor shows the warning', async () => {
  const { page } = await openIn(stage, '/doctor', (endpoint) =>
    (shapes['a form of the owner']?.(endpoint) ?? '').replace('<newsletter-signup', '$& debug'),
  );
  await page.waitForSelector('newsletter-signup >>> [part=debug]::-p-text(stands in another form)');
});

it('the trigger of a dialog opens it, and does not send the form of the page', async () => {
  const { page, relay } = await openIn(
    stage,
    '/dialog',
    (endpoint) =>
      `<newsletter-signup endpoint="${endpoint}" layout="dialog"><button slot="trigger">Open</button></newsletter-signup>${script()}`,
  );
  await signUp(page, 'ada@example.com');
  await relay.subscription('ada@example.com');
});
