/** The destinations of webhooks on the operator's page, in the browser of a phone. */
import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { serve } from '../../packages/relay/test/commands/relay-process.ts';
import { onPort, sandboxApi } from '../../packages/relay/test/sandbox-api.ts';
import { startReceiver, webhookSettings } from '../../packages/relay/test/webhooks/receiver.ts';
import { findings } from '../../packages/sandbox/test/ui/findings.ts';
import { scratchFolder } from '../support/scratch-folder.ts';
import { useBrowser } from './use-browser.ts';

const session = useBrowser();

it('shows why webhooks are held, and sends them after a click', async () => {
  const receiver = await startReceiver();
  receiver.instead = () => Promise.resolve(new Response(null, { status: 410 }));
  const folder = scratchFolder();
  const api = sandboxApi();
  const relay = await serve(folder, {
    NEWSLETTER_API_URL: `${await onPort(api.fetch)}/v2`,
    ...webhookSettings(receiver),
  });
  const page = await session.browser.newPage();
  await page.setViewport({ width: 360, height: 800, isMobile: true, hasTouch: true });
  expect((await relay.signUp('ada@example.com')).status).toBe(202);
  await page.goto(`${relay.address}/operator`);
  await page.waitForSelector('#enter:not([hidden])');
  await page.type('#token', (await readFile(`${folder}/relay.db-operator`, 'utf8')).trim());
  await page.keyboard.press('Enter');
  const shown = (): Promise<string> =>
    page.$eval('#webhooks', (element) => (element instanceof HTMLElement ? element.innerText : ''));
  await expect.poll(shown).toContain('Held. The receiver answered 410');
  expect(await shown()).toMatch(/1 to default, the oldest for/);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
  expect(await findings(page)).toEqual([]);
  const pictures = process.env['PICTURES'];
  if (pictures) await page.screenshot({ path: `${pictures}/operator-webhooks.png`, fullPage: true });

  receiver.instead = null;
  await page.locator('#destinations button').click();
  await expect.poll(shown).toMatch(/0 to default/);
  expect(receiver.received.at(-1)).toMatchObject({ data: { email: 'ada@example.com' } });
});
