/** The snippet of the operator's page, pasted into a page of a website. */
import { readFile } from 'node:fs/promises';
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { serve } from '../../packages/relay/test/commands/relay-process.ts';
import { onPort, sandboxApi } from '../../packages/relay/test/sandbox-api.ts';
import { buildIfStale } from '../../scripts/build.ts';
import { scratchFolder } from '../support/scratch-folder.ts';
import { hosted } from './hosted.ts';
import { useBrowser } from './use-browser.ts';
import { addedByBuilder, complaintsOf, notice, subscribe } from './visitor.ts';

beforeAll(() => buildIfStale('start'));
const session = useBrowser();

const page = {
  RELAY_PAGE: 'true',
  RELAY_PAGE_FIELDS: 'First Name, Topics=boats|<food>',
  RELAY_PAGE_CONSENT: 'I want the letter & can leave with a "click".',
  RELAY_CONSENT_REQUIRED: 'true',
};

/**
 * A website with the snippet that the operator of a relay with these settings copies.
 *
 * @param place - puts it into the page
 */
async function pasted(settings: Readonly<Record<string, string>>, place = (code: string): string => code) {
  let snippet = '';
  const site = await hosted({
    fetch: () =>
      new Response(`<!doctype html><title>A site</title><main>${place(snippet)}</main>`, {
        headers: { 'content-type': 'text/html' },
      }),
  });
  onTestFinished(() => site.close());
  const folder = scratchFolder();
  const api = sandboxApi();
  const relay = await serve(folder, {
    NEWSLETTER_API_URL: `${await onPort(api.fetch)}/v2`,
    RELAY_ALLOWED_ORIGINS: site.origin,
    ...settings,
  });
  const operator = await session.browser.newPage();
  await operator.goto(`${relay.address}/operator`);
  await operator.waitForSelector('#enter:not([hidden])');
  await operator.type('#token', (await readFile(`${folder}/relay.db-operator`, 'utf8')).trim());
  await operator.keyboard.press('Enter');
  await operator.waitForSelector('#forms pre');
  snippet = await operator.$eval('#forms pre', ({ textContent }) => textContent);
  await operator.close();
  const visitor = await session.browser.newPage();
  return { visitor, open: () => visitor.goto(site.origin), received: api.received, relay };
}

it.each([
  ['a bare page', undefined],
  ['a page that a builder puts together', addedByBuilder],
])('signs up from %s', async (_, place) => {
  const { visitor, open, received } = await pasted({}, place);
  const complaints = complaintsOf(visitor);
  await open();
  // Looks in each frame: a form that the script draws late mutates nothing outside of its own tree.
  await visitor.waitForSelector('newsletter-signup >>> input[part][name=email]', { visible: true });
  await subscribe(visitor, { email: 'ada@example.com' });
  await notice(visitor, 'success');
  await expect.poll(() => received).toMatchObject([{ email: 'ada@example.com' }]);
  expect(complaints.filter((each) => !each.includes('favicon'))).toEqual([]);
});

it('signs up with the fields and the consent of the hosted form', async () => {
  const { visitor, open, received } = await pasted(page);
  await open();
  await visitor.locator('newsletter-signup >>> input[part][name=email]').fill('ada@example.com');
  await visitor.locator('newsletter-signup >>> input[part][name="custom_fields[First Name]"]').fill('Ada');
  for (const name of ['custom_fields[Topics][]', 'consent'])
    await visitor.locator(`newsletter-signup >>> input[part][name="${name}"]`).click();
  await visitor.locator('newsletter-signup >>> button[part]').click();
  await notice(visitor, 'success');
  await expect.poll(() => received).toMatchObject([{ email: 'ada@example.com', custom_fields: topics('Ada') }]);
});

it('signs up without a script', async () => {
  const { visitor, open, received } = await pasted(page);
  await visitor.setJavaScriptEnabled(false);
  await open();
  await visitor.type('[name=email]', 'grace@example.com');
  await visitor.type('[name="custom_fields[First Name]"]', 'Grace');
  for (const name of ['custom_fields[Topics][]', 'consent']) await visitor.click(`[name="${name}"]`);
  await Promise.all([visitor.waitForNavigation(), visitor.click('button')]);
  expect(visitor.url()).toMatch(/\/thanks$/);
  await expect.poll(() => received).toMatchObject([{ email: 'grace@example.com', custom_fields: topics('Grace') }]);
});

const topics = (name: string) => [
  { name: 'First Name', value: name },
  { name: 'Topics', value: ['boats'] },
];
