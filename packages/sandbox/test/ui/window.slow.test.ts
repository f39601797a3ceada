import { expect, test } from 'vitest';
import { describeInBrowser, openWindow } from './browser.ts';

const rows = '#panel-subscribers tbody tr';

describeInBrowser('the window', () => {
  test('the search finds subscribers that are not in the list yet', async () => {
    const { page, call, reads, address } = await openWindow('subscribers', { seed: 'empty' });
    await call('POST', '/subscriptions', { email: 'first.of.all@example.com', utm_source: 'lighthouse' });
    await call('POST', '/bulk_subscriptions', {
      subscriptions: Array.from({ length: 120 }, (_, n) => ({ email: `reader+${n}@example.org` })),
    });
    await reads('#found', '50 of 121 subscribers');
    await page.goto(address, { waitUntil: 'load' });
    await reads('#found', '50 of 121 subscribers');
    expect(await page.$$eval(rows, (all) => all.map((row) => row.textContent).join(' '))).not.toContain('first.of.all');

    await page.type('#panel-subscribers input[type=search]', 'OF.ALL');
    await reads('#found', '1 subscriber of 121');
    await reads(rows, 'first.of.all@example.com');
    await page.click('#panel-subscribers input[type=search]', { count: 3 });
    await page.keyboard.type('lighthouse');
    await reads('#found', '1 subscriber of 121');

    await page.$eval('#panel-subscribers input[type=search]', (input) => {
      input.value = '';
      input.dispatchEvent(new Event('input'));
    });
    await reads('#found', '50 of 121 subscribers');
    for (const shown of [100, 121]) {
      await page.locator('#panel-subscribers button ::-p-text(Show more)').click();
      await page.waitForFunction((where, count) => document.querySelectorAll(where).length === count, {}, rows, shown);
    }
    await reads('#found', /^121 subscribers$/);
  });

  test('the status filter shows only the subscribers of that status', async () => {
    const { page, control, reads } = await openWindow();
    const { body } = await control<{ matching: number }>('GET', '/subscriptions?status=inactive&limit=1');
    expect(body.matching).toBeGreaterThan(0);
    await page.select('#panel-subscribers select', 'inactive');
    await reads('#found', `${body.matching} subscriber`);
    expect(new Set(await page.$$eval(`${rows} .badge`, (badges) => badges.map((badge) => badge.textContent)))).toEqual(
      new Set(['inactive']),
    );
  });

  test('a subscriber opens in full, and Escape returns to the same row', async () => {
    const { page, call, reads } = await openWindow();
    await call('POST', '/subscriptions', {
      email: 'ada+full@example.com',
      utm_campaign: 'Frühling 🌷',
      custom_fields: [{ name: 'First Name', value: 'Ada' }],
    });
    await reads(rows, 'ada+full@example.com');
    await page.locator(`${rows}:first-child button`).click();
    await reads('#subscriber[open]', /ada\+full@example\.com.*sub_.*First Name.*Frühling 🌷.*E-mails received/s);
    expect(await page.$eval('#subscriber input', ({ value }) => value)).toBe('Ada');
    await page.keyboard.press('Escape');
    await page.waitForFunction(() => !document.querySelector('#subscriber[open]'));
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('ada+full@example.com');
  });

  test('closing a subscriber returns the focus to its row, although the row changed', async () => {
    const { page, call, control, reads } = await openWindow('subscribers', { seed: 'empty' });
    await control('POST', '/clock', { freeze: true });
    await call('POST', '/subscriptions', { email: 'ada@example.com', double_opt_override: 'on' });
    await reads(rows, 'validating');
    await page.locator(`${rows}:first-child button`).click();
    await reads('#subscriber[open]', 'ada@example.com');
    await control('POST', '/clock', { advance: 'PT1H' });
    await reads(rows, /ada@example\.com.*pending/s);
    await page.keyboard.press('Escape');
    await page.waitForFunction(() => !document.querySelector('#subscriber[open]'));
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('ada@example.com');
  });

  test('a subscriber is unsubscribed, and the dialog follows changes from elsewhere', async () => {
    const { page, call, control, reads } = await openWindow('subscribers', { seed: 'empty' });
    await call('POST', '/custom_fields', { kind: 'string', display: 'First Name' });
    const created = await call<{ data: { id: string } }>('POST', '/subscriptions', {
      email: 'ines@example.com',
      double_opt_override: 'off',
    });
    const path = `/subscriptions/${created.body.data.id}`;
    await page.locator(`${rows}:first-child button`).click();
    await reads('#subscriber[open]', 'ines@example.com');
    const input = await page.waitForSelector('#subscriber input[aria-label="First Name"]');
    await input?.type('Agnes\n');
    await reads(rows, 'Agnes');
    await control('PUT', path, { custom_fields: [{ name: 'First Name', value: 'Ines' }] });
    await page.waitForFunction((field) => field?.value === 'Ines', {}, input);
    await page.locator('#subscriber button ::-p-text(Unsubscribe)').click();
    await reads('#subscriber .badge', 'inactive');
    await page.waitForFunction(
      () => !document.querySelector('#subscriber .tools')?.textContent.includes('Unsubscribe'),
    );
    expect(await control('GET', path)).toMatchObject({ body: { data: { status: 'inactive' } } });
  });

  test('the log shows each request as it arrives, with its reasons, and can show errors only', async () => {
    const { page, call, show, reads } = await openWindow('subscribers', { seed: 'empty' });
    await call('HEAD', '');
    await show('requests');
    await reads('#panel-requests li', /HEAD/);
    expect(await page.$eval('#views', ({ textContent }) => textContent)).not.toContain('failed');
    await call('GET', '/custom_fields');
    await call('GET', '/subscriptions?limit=500');
    await reads('#panel-requests li', /400.*GET.*\/subscriptions\?limit=500.*"limit" must be at most 100/s);
    await reads('#panel-requests li', /200.*\/custom_fields.*List custom fields/s);
    await page.select('#request-outcome', '4xx,5xx,0xx');
    await page.waitForFunction(() => document.querySelectorAll('#panel-requests li').length === 2);
    await reads('#panel-requests ol', /limit=500.*HEAD/s);
    await page.select('#request-outcome', '');
    await page.type('#panel-requests input[type=search]', 'must be at MOST');
    await page.waitForFunction(() => document.querySelectorAll('#panel-requests li').length === 1);
    await reads('#views', '1 failed');
  });

  test('a request opens in full below its row, one at a time, and the nearest valid request is copied', async () => {
    const { page, call, reads } = await openWindow('requests', { seed: 'empty' });
    await page.evaluate(() => {
      Object.defineProperty(navigator, 'clipboard', {
        value: { writeText: (text: string) => Promise.resolve(void (document.body.dataset['copied'] = text)) },
      });
    });
    await call('POST', '/subscriptions', { email: "o'brien@example.com", tier: 'gold' });
    await page.locator('.request').click();
    await reads('#request-detail', /Request 1.*POST.*Why it was refused.*"tier" must be "free" or "premium"/s);
    await reads('#request-detail .message', /Request application\/json.*Headers.*"o'brien@example\.com"/s);
    await reads('#request-detail .message', /Answer application\/json.*"statusText".*"bad_request"/s);
    await reads('#request-detail dd', 'Bearer [hidden]');
    await page.locator('#request-detail .nearest button').click();
    const copied = await page.evaluate(() => document.body.dataset['copied']);
    expect(await call('POST', '/subscriptions', JSON.parse(copied ?? ''))).toMatchObject({ status: 200 });

    await page.locator('[data-n="2"] > .request').click();
    await reads('#request-detail', 'Request 2');
    expect(await page.$$eval('details[name=request][open]', (all) => all.length)).toBe(1);
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => document.querySelector('#request-detail') === null);
  });

  test('a request is sent again with the selected key, and both are linked', async () => {
    const { page, call, reads } = await openWindow('requests', { seed: 'empty' });
    await call('GET', '/custom_fields');
    await page.locator('.request').click();
    await reads('#request-detail', 'Request 1');
    expect(await page.$eval('#again-key', (key) => (key as HTMLSelectElement).value)).toBe('sandbox-key');
    await page.select('#again-key', '');
    await page.locator('#request-detail button.primary').click();
    await reads('#panel-requests li', /401.*repeats 1/s);
    await reads('#request-detail', /Request 2.*Sends request 1 again/s);
    await page.locator('#request-detail button ::-p-text(Sends request 1 again)').click();
    await reads('#request-detail', /Request 1.*Was sent again as request 2/s);
  });

  test('a request with a secret is not sent again, and the page says why', async () => {
    const { page, call, reads } = await openWindow('requests', { seed: 'empty' });
    await call('GET', '/subscriptions?token=a-secret');
    await page.locator('.request').click();
    await page.locator('#request-detail button.primary').click();
    await reads('#notice', 'it contained a secret');
  });

  test('the log is cleared', async () => {
    const { page, call, reads } = await openWindow('requests', { seed: 'empty' });
    await call('GET', '/nowhere');
    await reads('#views', '1 failed');
    await page.locator('#panel-requests button ::-p-text(Clear)').click();
    await reads('#panel-requests .empty', 'No request yet.');
    await page.waitForFunction(() => document.querySelector('#views')?.textContent.includes('failed') === false);
    expect(await page.$('.request')).toBeNull();
  });

  test('advancing the clock runs scheduled events: an address is checked, then waits for confirmation', async () => {
    const { page, call, control, show, reads } = await openWindow('subscribers', { seed: 'empty' });
    await control('POST', '/clock', { freeze: true });
    const created = await call('POST', '/subscriptions', { email: 'ada@example.com', double_opt_override: 'on' });
    expect(created).toMatchObject({ body: { data: { status: 'validating' } } });
    await reads(rows, 'validating');
    await show('clock');
    await reads('#panel-clock dl', 'subscription.validated');
    await reads('#now', '(stopped)');
    const before = await page.$eval('#clock-face', (face) => face.textContent);
    await page.locator('#panel-clock button ::-p-text(1 minute)').click();
    await reads('#notice', 'Events that ran: 1 × subscription.validated.');
    await page.waitForFunction((old) => document.querySelector('#clock-face')?.textContent !== old, {}, before);
    await show('subscribers');
    await reads(rows, 'pending');
    await show('clock');
    await page.locator('#panel-clock button ::-p-text(14 days)').click();
    await expect
      .poll(async () => Date.parse((await control<{ now: string }>('GET', '/clock')).body.now))
      .toBeGreaterThan(Date.now() + 13 * 86_400_000);
    expect(await control('GET', '/clock')).toMatchObject({ body: { frozen: true } });
  });

  test('a fault that is set appears in the log of the next request, and no longer once removed', async () => {
    const { page, call, reads } = await openWindow('faults', { seed: 'empty' });
    await page.select('#fault-match', 'customFields.list');
    for (const [id, title] of [
      ['#fault-effect', 'Answer 429'],
      ['#fault-occasion', 'every request'],
    ] as const)
      await page.$eval(
        id,
        (select, begin) => {
          const list = select as HTMLSelectElement;
          list.selectedIndex = [...list.options].findIndex(({ text }) => text.startsWith(begin));
        },
        title,
      );
    await page.click('#add-fault button.primary');
    await reads('#panel-faults li', /"status":429,"retryAfter":2.*"match":"customFields\.list"/s);
    expect((await call('GET', '/custom_fields')).status).toBe(429);
    await reads('#panel-requests li', /429.*\/custom_fields.*Fault fault_\d+/s);
    await reads('#panel-faults li', 'matched 1 request, happened 1 time.');
    await page.locator('#panel-faults button ::-p-text(Remove)').click();
    await page.waitForFunction(() => document.querySelectorAll('#panel-faults li').length === 0);
    expect((await call('GET', '/custom_fields')).status).toBe(200);

    // One for the next request alone is used up by it, and says so.
    await page.select('#fault-occasion', '0');
    await page.click('#add-fault button.primary');
    await reads('#views', 'Faults 1 set');
    expect((await call('GET', '/custom_fields')).status).toBe(429);
    await reads('#panel-faults li', 'matched 1 request, happened 1 time: used up.');
    await page.waitForFunction(() => document.querySelector('#views')?.textContent?.includes('set') === false);
    expect((await call('GET', '/custom_fields')).status).toBe(200);
  });

  test('a confirmation arrives in the inbox, and its button makes the subscription active', async () => {
    const { page, call, show, reads } = await openWindow('inbox', { seed: 'empty' });
    await call('POST', '/subscriptions', {
      email: 'ada@example.com',
      double_opt_override: 'on',
      send_welcome_email: true,
    });
    await reads('#panel-inbox li', /Please confirm.*pending.*Confirmation e-mail to ada@example\.com/s);
    await page.locator('#panel-inbox li summary').click();
    const frame = await page.waitForSelector('#panel-inbox iframe').then((element) => element?.contentFrame());
    expect(
      await frame?.waitForSelector('h1').then((title) => title?.evaluate((element) => element.textContent)),
    ).toContain('Please confirm');

    await page.locator('#panel-inbox li button.primary').click();
    await reads('#notice', 'The subscription is active now.');
    await reads('#panel-inbox li', 'Welcome to');
    expect(await page.$$('#panel-inbox li button.primary')).toHaveLength(0);
    await show('subscribers');
    await reads(rows, 'active');
    expect(await call('GET', '/subscriptions')).toMatchObject({ body: { data: [{ status: 'active' }] } });
  });

  test('reset asks for confirmation, then loads the selected seed', async () => {
    const { page, reads, control } = await openWindow();
    await page.click('#open-reset');
    await page.waitForSelector('#reset[open]');
    await page.select('#reset-seed', 'empty');
    await page.click('#reset button.primary');
    await reads('#panel-subscribers', 'No subscribers yet.');
    expect(await control('GET', '/subscriptions')).toMatchObject({ body: { total: 0 } });
  });

  test('data of subscribers and requests is never rendered as markup', async () => {
    const { page, call, reads } = await openWindow();
    const hostile = '<img src=x onerror="alert(1)"><script>alert(2)</script><a href="javascript:alert(3)">x</a>';
    await call('POST', '/custom_fields', { kind: 'string', display: hostile });
    await call('POST', '/subscriptions', {
      email: "o'brien&amp;<b>@example.com",
      utm_source: hostile,
      referring_site: 'javascript:alert(4)',
      custom_fields: [
        { name: hostile, value: hostile },
        { name: `${hostile}2`, value: 'x' },
      ],
    });
    await call('POST', '/subscriptions', {
      email: 'o+brien@example.com',
      utm_source: hostile,
      referring_site: 'javascript:alert(4)',
      custom_fields: [{ name: hostile, value: hostile }],
    });
    await call('GET', `/${encodeURIComponent(hostile)}`);
    await reads(rows, hostile);
    await page.locator(`${rows}:first-child button`).click();
    await reads('#subscriber[open]', 'javascript:alert(4)');
    expect(
      await page.$$eval(
        'main img, main script, #subscriber img, #subscriber script, a[href^="javascript:"], [onerror]',
        (found) => found.length,
      ),
    ).toBe(0);
  });
});
