import { operations } from '@newsletter-kit/core/contract';
import { expect, test } from 'vitest';
import { describeInBrowser, open } from './browser.ts';

describeInBrowser('the documentation', () => {
  test('lists every operation, and finds one by a word', async () => {
    const { page } = await open({ path: '/docs' });
    await page.waitForSelector('#list li');
    const listed = await page.$$eval('#list a', (links) => links.map((link) => link.getAttribute('href')?.slice(2)));
    // The two grants of the token endpoint share one place.
    expect(listed.toSorted()).toEqual(
      operations
        .map(({ id }) => id as string)
        .filter((id) => id !== 'oauth.refresh')
        .toSorted(),
    );
    await page.type('#search', 'enroll');
    const visible = await page.$$eval('#list li', (items) =>
      items.filter((item) => item.checkVisibility()).map((item) => item.textContent),
    );
    expect(visible).toEqual([expect.stringContaining('Enroll')]);
  });

  test('shows the parameters, answers and assumptions of an operation', async () => {
    const { page, reads } = await open({ path: '/docs' });
    await page.waitForSelector('#list li');
    await page.click('a[href="#/subscriptions.create"]');
    await reads('main h2', 'Create a subscription');
    await reads('main .assumed', 'A known address is not an error');
    for (const text of [
      'double_opt_override',
      'not_set',
      'subscriptions:write',
      'The rate limit is exceeded.',
      'Custom fields that are unknown or have no name are dropped',
      'Whether to send the welcome e-mail of the publication.',
      'default false',
    ])
      await reads('main', text);
    expect(await page.title()).toContain('subscriptions.create');
  });

  test('the form sends the operation with the key filled in, and shows the answer', async () => {
    const { page, reads, call } = await open({ path: '/docs#/subscriptions.create', seed: 'empty' });
    await page.waitForSelector('#try-body');
    expect(await page.$eval('#try-key', (key) => (key as HTMLInputElement).value)).toBe('sandbox-key');
    await reads('.try code', '-H "Authorization: Bearer $NEWSLETTER_API_KEY"');
    await page.click('.try button.primary');
    await reads('.answer', /200.*ada@example\.com/s);
    expect(await call('GET', '/subscriptions')).toMatchObject({ body: { data: [{ email: 'ada@example.com' }] } });
  });

  test('repeatable parameters are sent once for each checked value', async () => {
    const { page, reads, control } = await open({ path: '/docs#/subscriptions.list' });
    await page.waitForSelector('.checks');
    for (const value of ['stats', 'tags']) await page.click(`.checks input[value=${value}]`);
    await page.type('#try-limit', '2');
    await page.click('.try button.primary');
    await reads('.answer', /"stats": \{.*"tags": \[/s);
    const { body } = await control<{ data: { query: object }[] }>('GET', '/requests');
    expect(body.data.at(-1)?.query).toEqual({ 'expand[]': 'stats, tags', limit: '2' });
  });

  test('an error answer is shown unchanged', async () => {
    const { page, reads } = await open({ path: '/docs#/customFields.create' });
    await page.waitForSelector('#try-key');
    await page.click('#try-key', { count: 3 });
    await page.keyboard.type('wrong');
    await page.click('.try button.primary');
    await reads('.answer', /401.*INVALID_API_KEY/s);
  });

  test('form bodies are sent as forms', async () => {
    const { page, reads } = await open({ path: '/docs#/oauth.introspect' });
    await page.waitForSelector('#try-body');
    await page.click('.try button.primary');
    await reads('.answer', /200.*"active": false/s);
  });
});
