import type { Page } from 'puppeteer-core';
import { expect, test } from 'vitest';
import { describeInBrowser, isLive, open } from './browser.ts';
import { findings } from './findings.ts';

const views = ['subscribers', 'requests', 'inbox', 'clock', 'faults'] as const;

const overflow = (page: Page) => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);

describeInBrowser('for everyone', () => {
  test.each([
    ['light', 'desktop'],
    ['dark', 'desktop'],
    ['light', 'phone'],
    ['dark', 'phone'],
  ])('the window has no accessibility findings and fits: %s, %s', async (scheme, device) => {
    const { page, call, control, show } = await open({ dark: scheme === 'dark', phone: device === 'phone' });
    await isLive(page);
    await call('POST', '/subscriptions', {
      email: `${'long'.repeat(15)}@${'very-long-label.'.repeat(6)}example.com`,
      utm_source: 'x'.repeat(300),
      double_opt_override: 'on',
    });
    await call('GET', '/subscriptions?limit=500');
    await call('GET', '/nowhere');
    await call('PATCH', '/subscriptions', { subscription_ids: ['sub_1'], new_status: 'inactive' });
    await control('POST', '/faults', { match: 'authors.*', effect: { status: 500 } });
    await control('POST', '/clock', { advance: 'PT1M' });
    for (const view of views) {
      await show(view);
      expect([view, await findings(page)]).toEqual([view, []]);
      expect([view, await overflow(page)]).toEqual([view, 0]);
    }
    await show('requests');
    for (const n of [1, 2, 4]) {
      await page.locator(`[data-n="${n}"] > .request`).click();
      await page.waitForFunction(
        (title) => document.querySelector('#request-detail h3')?.textContent.startsWith(title),
        {},
        `Request ${n}`,
      );
      await page.$$eval('#request-detail details', (all) => all.forEach((one) => (one.open = true)));
      expect([n, await findings(page)]).toEqual([n, []]);
      expect([n, await overflow(page)]).toEqual([n, 0]);
    }
    await page.evaluate(() => void (document.documentElement.dir = 'rtl'));
    expect(await overflow(page)).toBe(0);
    await page.evaluate(() => void (document.documentElement.dir = 'ltr'));
    await show('subscribers');
    await page.locator('#panel-subscribers tbody button').click();
    await page.waitForSelector('#subscriber[open]');
    expect(await findings(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.click('#open-reset');
    await page.waitForSelector('#reset[open]');
    expect(await findings(page)).toEqual([]);
  });

  test('every view can be reached and used by keyboard alone', async () => {
    const { page, reads } = await open();
    await isLive(page);
    const focus = () => page.evaluate(() => document.activeElement?.textContent ?? '');
    const seen: string[] = [];
    for (let step = 0; step < 30 && !(await focus()).startsWith('Clock'); step += 1) {
      await page.keyboard.press('Tab');
      seen.push(await focus());
    }
    expect(seen[0]).toBe('Skip to content');
    expect(seen.at(-1)).toMatch(/^Clock/);
    await page.keyboard.press('Enter');
    await reads('#panel-clock.chosen h2', 'Clock');
  });
});
