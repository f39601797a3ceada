/** A page whose whole content stands in a form, as ASP.NET Web Forms and SharePoint have it. */
import type { Page } from 'puppeteer-core';
import { notice } from '../e2e/visitor.ts';
import { relayFor } from './native-post.ts';
import type { setStage } from './stage.ts';

/** What Web Forms send around the content of a page with a default button, which Enter presses anywhere in the form. */
const webForm = (content: string): string => `<!doctype html><html lang="en"><meta charset="utf-8"><title>A page</title>
<form method="post" action="./Default.aspx" id="form1" onkeypress="if (event.key === 'Enter') return find.click(), false">
<div class="aspNetHidden"><input type="hidden" name="__VIEWSTATE" value="/wEPDwUKLTI="></div>
<p><input name="ctl00$Query"> <input type="submit" id="find" name="ctl00$Find" value="Find"></p>
<div>${content}</div>
<p><input name="ctl00$City" id="city" value="Oslo"> <input type="submit" id="save" name="ctl00$Save" value="Save"></p>
</form>`;

export const script = (attributes = ''): string => `<script src="/signup-form.js" ${attributes}></script>`;

/** Opens a page with this content in its form. */
export async function openIn(
  stage: ReturnType<typeof setStage>,
  path: string,
  contentFor: (endpoint: string) => string,
) {
  const { site, session } = stage();
  const relay = await relayFor(site);
  const page = await session.browser.newPage();
  const warnings: string[] = [];
  page.on('console', (message) => message.type() === 'warn' && warnings.push(message.text()));
  await page.goto(site.page(path, { html: webForm(contentFor(relay.endpoint)) }));
  if (await page.$('[slot=trigger]')) {
    await page.waitForSelector('newsletter-signup >>> dialog');
    await page.click('[slot=trigger]');
  }
  await page.waitForSelector('newsletter-signup >>> input[part][name=email]', { visible: true });
  return { page, relay, warnings };
}

export async function signUp(page: Page, email: string): Promise<void> {
  await page.type('newsletter-signup >>> input[part][name=email]', email);
  for (const control of await page.$$('newsletter-signup >>> [required]:not([name=email])'))
    await ((await control.evaluate((input) => (input as HTMLInputElement).type === 'checkbox'))
      ? control.click()
      : control.type('Ada'));
  await page.click('newsletter-signup >>> button[part]');
  await notice(page, 'success');
}
