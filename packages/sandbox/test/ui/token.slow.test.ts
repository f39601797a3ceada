/** The web interface of a sandbox that requires a control token. */
import { expect, test } from 'vitest';
import { describeInBrowser, isLive, open } from './browser.ts';

describeInBrowser('the window with a control token', () => {
  test('the interface works once it was opened with the token, later without it, and shows e-mails', async () => {
    const { page, address, call, show, reads } = await open({ path: '/?token=sesame-open', token: 'sesame-open' });
    await isLive(page);
    expect(page.url()).toBe(`${address}/`);
    await page.goto(address);
    await isLive(page);
    await call('POST', '/subscriptions', { email: 'ada@example.com', double_opt_override: 'on' });
    await show('inbox');
    await reads('#panel-inbox', 'e-mail to ada@example.com');
    await page.click('#panel-inbox summary');
    const frame = await page.waitForFrame((one) => one.url().endsWith('/html'));
    const target = page.browserContext().waitForTarget((one) => one.url().endsWith('/confirm'));
    await (await frame.waitForSelector('a.button'))?.click();
    const confirmation = await (await target).page();
    await confirmation?.waitForSelector('button');
    await Promise.all([confirmation?.waitForNavigation(), confirmation?.click('button')]);
    expect(await confirmation?.$eval('body', (body) => body.textContent)).toContain('Your subscription is confirmed');
  });

  test('the interface without the token shows what is missing', async () => {
    const { reads } = await open({ token: 'sesame-open' });
    await reads('#state', 'refused');
    await reads('body', 'require a token');
  });
});
