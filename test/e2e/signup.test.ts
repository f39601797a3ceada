/**
 * Signups through the tag on a website arrive in the newsletter API with their attribution.
 */
import { describe, expect, it } from 'vitest';
import { servers, session } from './servers-and-browser.ts';
import { arrivalOf, notice, problem, showsArrivalInWindow, subscribe, visit, type Entries } from './visitor.ts';
import { waitUntil } from '../support/waits.ts';

const longCampaign = `${'From the harbour wall to the outer mole – '.repeat(8).slice(0, 299)}🌊`;

interface Case {
  readonly name: string;
  readonly entries: Entries;
  /** What the address of the page says. */
  readonly came: Readonly<Record<string, string>>;
  /** The address as it is kept. */
  readonly stored: string;
}

const cases: readonly Case[] = [
  {
    name: 'a plus sign, with a list and a date, from a campaign with spaces, umlauts and an emoji',
    entries: { email: 'ada+letters@example.com', topics: ['boats', 'food'], birthday: '1990-12-10' },
    came: {
      utm_source: 'Küstenblatt am Sonntag',
      utm_medium: 'print',
      utm_campaign: 'Frühjahr & Flut 🌊',
      utm_term: 'tide tables',
      utm_content: 'Titelseite/links',
    },
    stored: 'ada+letters@example.com',
  },
  {
    name: 'an internationalised domain and a campaign of 300 characters',
    entries: { email: 'jörg@bücher.example', topics: ['history'] },
    came: { utm_source: 'long names', utm_campaign: longCampaign },
    stored: 'jörg@bücher.example',
  },
  {
    name: 'upper case, from nowhere in particular',
    entries: { email: 'Grace.HOPPER@Example.ORG', birthday: '1986-12-09' },
    came: {},
    stored: 'Grace.HOPPER@example.org',
  },
];

describe('a signup on the demo page', () => {
  it.each(cases)('arrives in the live view and in the API: $name', async ({ entries, came, stored }) => {
    const { page, complaints } = await visit(
      session.browser,
      `${servers.demoUrl}/?${new URLSearchParams(came).toString()}`,
    );
    await subscribe(page, entries);

    expect(await notice(page, 'success')).toContain('Thank you');
    const { facts, took } = await arrivalOf(page, stored);
    console.info(`button to display: ${took} ms`);
    expect(took).toBeGreaterThan(0);
    expect(facts).toMatchObject({
      ...(came['utm_source'] && { Source: came['utm_source'] }),
      ...(came['utm_campaign'] && { Campaign: came['utm_campaign'] }),
      ...(entries.topics && { Topics: entries.topics.join(', ') }),
      ...(entries.birthday && { Birthday: entries.birthday }),
    });

    const { items } = await servers.api.subscriptions.list({ email: stored, expand: ['custom_fields'] });
    expect(items).toHaveLength(1);
    expect(items[0]).toMatchObject({
      email: stored,
      utm_source: '',
      utm_medium: '',
      utm_campaign: '',
      utm_term: '',
      utm_content: '',
      ...came,
      custom_fields: expect.arrayContaining([
        ...(entries.topics ? [{ name: 'Topics', kind: 'list', value: entries.topics }] : []),
        ...(entries.birthday ? [{ name: 'Birthday', kind: 'date', value: entries.birthday }] : []),
      ]),
    });
    expect(complaints).toEqual([]);
  });

  it.each([
    [1280, 800, 'ltr'],
    [820, 600, 'ltr'],
    [390, 844, 'ltr'],
    [390, 844, 'rtl'],
  ])('is shown beside the form without scrolling in %i × %i, %s, and after a reload', async (width, height, dir) => {
    const email = `window-${width}-${dir}@example.com`;
    const { page } = await visit(session.browser, `${servers.demoUrl}/?utm_source=window&utm_campaign=${dir}`);
    await page.setViewport({ width, height });
    await page.evaluate((direction) => (document.documentElement.dir = direction), dir);
    await subscribe(page, { email, topics: ['boats', 'food'] });
    expect(await notice(page, 'success')).toContain('Thank you');
    // What arrived covers nothing of the thanks, which stand without the room of the fields.
    const boxOf = async (name: string) => {
      const box = await (await page.$(name))?.boundingBox();
      if (!box) throw new Error(`The page has no ${name}.`);
      return box;
    };
    const [form, panel] = [await boxOf('newsletter-signup'), await boxOf('latest-arrival')];
    const isBeside = panel.x >= form.x + form.width || panel.x + panel.width <= form.x;
    expect(isBeside || panel.y >= form.y + form.height).toBe(true);
    expect(form.height).toBeLessThan(400);
    const scrolled = await page.evaluate(() => scrollY);
    expect(await showsArrivalInWindow(page, email)).toBe(true);
    expect(await page.evaluate(() => scrollY)).toBe(scrolled);
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);

    // A visitor who was never here sees the same: it comes from the sandbox.
    const context = await session.browser.createBrowserContext();
    const { page: other } = await visit(context, servers.demoUrl);
    for (const later of [page, other]) {
      await later.reload({ waitUntil: 'load' });
      await later.waitForSelector('#connection[data-state=open]');
      expect((await arrivalOf(later, email)).facts).toMatchObject({ Source: 'window', Topics: 'boats, food' });
    }
    await context.close();
  });

  it('shows no subscription of the sandbox’s seed', async () => {
    const { page } = await visit(session.browser, servers.demoUrl);
    const shown = await page.$$eval('#arrivals .arrival', (all) => all.map((item) => item.getAttribute('data-email')));
    const { items } = await servers.api.subscriptions.list({ limit: 100, direction: 'asc' });
    expect(items.length).toBeGreaterThan(50);
    expect(items.filter(({ email }) => shown.includes(String(email)))).toEqual([]);
  });

  it('can be folded and unfolded with the keyboard on a phone', async () => {
    const { page } = await visit(session.browser, servers.demoUrl);
    await page.setViewport({ width: 390, height: 844 });
    const summary = await page.waitForSelector('latest-arrival summary');
    const isOpen = (): Promise<boolean> => page.$eval('latest-arrival details', ({ open }) => open);
    await summary?.focus();
    for (const open of [false, true]) {
      await page.keyboard.press('Enter');
      expect(await isOpen()).toBe(open);
    }
    await page.keyboard.press('Tab');
    expect(await page.evaluate(() => document.activeElement?.ariaLabel)).toBe('Newest subscription');
  });

  it('creates one subscription for two signups of the same person', async () => {
    // The last one shows when the others have been delivered.
    for (const email of ['edsger@example.net', 'EDSGER@example.net', 'last@example.net']) {
      const { page } = await visit(session.browser, servers.demoUrl);
      await subscribe(page, { email });
      await notice(page, 'success');
    }
    const subscribed = async (email: string) => (await servers.api.subscriptions.list({ email })).items.length;
    await waitUntil('the last one is delivered', async () => (await subscribed('last@example.net')) === 1);
    expect(await subscribed('edsger@example.net')).toBe(1);
  });

  it('is not sent with an invalid address', async () => {
    const { page } = await visit(session.browser, servers.demoUrl);
    let sent = 0;
    page.on('request', (request) => (sent += request.method() === 'POST' ? 1 : 0));
    await subscribe(page, { email: 'ada at example' });
    expect(await problem(page)).toContain('name@example.com');
    expect(sent).toBe(0);
  });

  it('never brings the API key to the page', async () => {
    const { page } = await visit(session.browser, servers.demoUrl);
    const bodies: Promise<string>[] = [];
    page.on('response', (response) => {
      if (!response.url().endsWith('/events')) bodies.push(response.text().catch(() => ''));
    });
    await page.reload({ waitUntil: 'load' });
    const received = (await Promise.all(bodies)).join('\n');
    expect(received).toContain('newsletter-signup');
    expect(received).not.toContain('sandbox-key');
  });
});
