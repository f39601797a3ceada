/**
 * The operator's page of a running relay in the browser of a phone.
 */
import { readFile } from 'node:fs/promises';
import type { Page } from 'puppeteer-core';
import { describe, expect, it } from 'vitest';
import { findings } from '../../packages/sandbox/test/ui/findings.ts';
import { servers, session } from './servers-and-browser.ts';

/** Posts as the demo page does. */
async function signUp(email: string, more: Readonly<Record<string, unknown>> = {}): Promise<void> {
  const answer = await fetch(`${servers.relayUrl}/signup`, {
    method: 'POST',
    headers: { origin: servers.demoUrl, 'content-type': 'application/json' },
    body: JSON.stringify({ email, ...more }),
  });
  expect(answer.status).toBe(202);
}

const isSubscribed = async (email: string): Promise<boolean> =>
  (await servers.api.subscriptions.list({ email })).items.length === 1;

/** Adds a fault to the sandbox. */
async function fault(body: unknown): Promise<void> {
  const answer = await fetch(`${servers.sandboxUrl}/_sandbox/faults`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect(answer.status).toBe(201);
}

const clearFaults = (): Promise<Response> => fetch(`${servers.sandboxUrl}/_sandbox/faults`, { method: 'DELETE' });

async function open(token?: string): Promise<{ page: Page; complaints: string[] }> {
  const page = await session.browser.newPage();
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => {
    // The browser logs the 401 of a wrong token.
    if (message.type() === 'error' && !message.text().includes('401')) complaints.push(message.text());
  });
  await page.setViewport({ width: 390, height: 844, isMobile: true, hasTouch: true });
  await page.goto(`${servers.relayUrl}/operator`);
  await page.waitForSelector('#enter:not([hidden])');
  if (token !== undefined) {
    await page.type('#token', token);
    await page.keyboard.press('Enter');
  }
  return { page, complaints };
}

const storedToken = (): Promise<string> =>
  readFile(`${servers.relayFile}-operator`, 'utf8').then((text) => text.trim());

/** Lists the signups of one state. */
async function filter(page: Page, state: string): Promise<void> {
  await page.select('#newest select', state);
  await page.waitForFunction(
    (each) => {
      const states = [...document.querySelectorAll('#newest .badge')].map(({ textContent }) => textContent);
      return states.length > 0 && states.every((other) => other === each);
    },
    {},
    state,
  );
}

const text = (page: Page, selector: string): Promise<string> =>
  page.$eval(selector, (element) => (element instanceof HTMLElement ? element.innerText : ''));

async function pictured(page: Page, name: string): Promise<void> {
  const folder = process.env['PICTURES'];
  if (folder) await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true });
}

describe('the operator’s page', () => {
  it('opens on the newest signups, masked until one is asked for, with and without a slash in its address', async () => {
    await signUp('newest@example.com', { utm_source: '<b>fair</b>', audit: { page: `${servers.demoUrl}/join` } });
    await expect.poll(() => isSubscribed('newest@example.com')).toBe(true);
    const { page, complaints } = await open(await storedToken());
    const requested: string[] = [];
    page.on('request', (request) => requested.push(request.url()));
    await page.goto(`${servers.relayUrl}/operator/`);
    await expect.poll(() => text(page, '#newest article')).toMatch(/n•••@example\.com\s+delivered/);
    const row = await text(page, '#newest article');
    for (const part of ['form default', 'from <b>fair</b>', `on ${servers.demoUrl}/join`]) expect(row).toContain(part);
    expect(await page.content()).not.toContain('newest@');
    await page.locator('#newest article .address button').click();
    await expect.poll(() => text(page, '#newest article .address')).toContain('newest@example.com');
    await page.locator('#newest article .address button').click();
    await expect.poll(() => page.content()).not.toContain('newest@');
    await signUp('later@example.com');
    await expect.poll(() => text(page, '#newest article')).toMatch(/l•••@example\.com\s+delivered/);
    expect(requested.filter((url) => !url.startsWith(servers.relayUrl))).toEqual([]);
    expect(await findings(page)).toEqual([]);
    await pictured(page, 'operator-newest');
    await page.setViewport({ width: 1280, height: 900 });
    await pictured(page, 'operator-newest-wide');
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'dark' }]);
    expect(await findings(page)).toEqual([]);
    await pictured(page, 'operator-newest-wide-dark');
    await page.locator('#leave').click();
    await expect.poll(() => text(page, '#newest')).not.toContain('@');
    expect(complaints).toEqual([]);
  });

  it('has the snippet of a form, and selects it where the browser does not copy', async () => {
    const { page } = await open(await storedToken());
    await expect
      .poll(() => text(page, '#forms pre'))
      .toContain(`<newsletter-signup endpoint="${servers.relayUrl}/signup">`);
    await page.evaluate(() => Object.defineProperty(navigator, 'clipboard', { value: undefined }));
    await page.locator('#forms article > button').click();
    await expect.poll(() => text(page, '#notice')).toContain('It is selected');
    expect(await page.evaluate(() => String(getSelection()))).toBe(await text(page, '#forms pre'));
  });

  it('shows and requests no data before the right token is entered', async () => {
    const { page } = await open('a-token-somebody-guessed');
    await page.waitForFunction(() => document.getElementById('wrong')?.textContent !== '');
    expect(await text(page, '#wrong')).toContain('The token is wrong');
    expect(await page.$('#board[hidden]')).not.toBeNull();
    expect(await findings(page)).toEqual([]);
    await pictured(page, 'operator-sign-in');
  });

  it('lists dead letters with their reasons, and redrives all of a reason with one button', async () => {
    await fault({ match: 'subscriptions.create', effect: { status: 400 }, times: 2 });
    await signUp('ada+first@example.com');
    await signUp('grace@example.com');
    await signUp('robot@example.com', { hp_field: 'filled' });
    const { page, complaints } = await open(await storedToken());
    // One may be refused before the other; the page refreshes by itself.
    await expect.poll(() => text(page, '#dead .reasons')).toMatch(/^2 ×/);
    await expect.poll(() => text(page, '#state')).toBe('3 signups held');
    expect(await text(page, '#tiles')).toMatch(/Dead letters\n+2|2\n+Dead letters/i);
    await filter(page, 'dead');
    expect(await text(page, '#newest')).toContain('a•••@example.com');
    expect(await text(page, '#newest')).toContain('g•••@example.com');
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
    expect(await findings(page)).toEqual([]);
    await pictured(page, 'operator-phone');

    await page.locator('#dead .reasons button').click();
    await page.waitForSelector('#dead[hidden]');
    for (const email of ['ada+first@example.com', 'grace@example.com'])
      await expect.poll(() => isSubscribed(email)).toBe(true);
    expect(complaints).toEqual([]);
  });

  it('approves a suspected signup', async () => {
    const { page } = await open(await storedToken());
    await page.waitForSelector('#review:not([hidden])');
    await filter(page, 'review');
    expect(await text(page, '#newest article')).toContain('r•••@example.com');
    await page.locator('#review .reasons button').click();
    await page.waitForSelector('#review[hidden]');
    // The focus goes on to something that is still there.
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('main');
    await expect.poll(() => isSubscribed('robot@example.com')).toBe(true);
  });

  it('shows, exports and, after a confirmation, erases all data about a person by keyboard', async () => {
    await signUp('person@example.com', {
      consent: 'Yes, send me the news.',
      custom_fields: [{ name: 'First Name', value: '<b>Ada</b>' }],
    });
    await signUp('Person@Example.com', { hp_field: 'filled' });
    await expect.poll(() => isSubscribed('person@example.com')).toBe(true);
    const { page, complaints } = await open(await storedToken());
    await page.waitForSelector('#unclear-consents:not([hidden])');
    expect(await text(page, '#unclear-consents')).toContain('“Yes, send me the news.” (1, form "default")');
    await page.setViewport({ width: 360, height: 800, isMobile: true, hasTouch: true });
    await page.waitForSelector('#board:not([hidden])');
    await page.focus('#address');
    await page.keyboard.type('PERSON@example.com');
    await page.keyboard.press('Enter');
    await page.waitForSelector('#person h3');
    const focused = (): Promise<string> => page.evaluate(() => document.activeElement?.textContent ?? '');
    expect(await focused()).toBe('PERSON@example.com: 2 signups and 1 entry of the consent ledger');
    const shown = await text(page, '#person');
    for (const part of [
      'Signup: delivered',
      'Signup: review',
      '<b>Ada</b>',
      'Consent: unclear',
      'Yes, send me the news.',
      '127.0.0.0/24',
    ])
      expect(shown).toContain(part);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
    expect(await findings(page)).toEqual([]);
    await pictured(page, 'operator-person');

    await page.evaluate(() => {
      const { createObjectURL } = URL;
      URL.createObjectURL = (blob: Blob) => {
        void blob.text().then((content) => (document.body.dataset['downloaded'] = content));
        return createObjectURL(blob);
      };
    });
    await page.keyboard.press('Tab');
    expect(await focused()).toBe('Download everything');
    await page.keyboard.press('Enter');
    await page.waitForSelector('body[data-downloaded]');
    const exported = await page.evaluate(() => document.body.dataset['downloaded'] ?? '');
    expect(JSON.parse(exported)).toMatchObject({
      signups: [{ state: 'delivered' }, { state: 'review' }],
      consents: [{ kind: 'unclear', sentence: 'Yes, send me the news.' }],
    });

    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.waitForSelector('#confirm[open]');
    expect(await text(page, '#confirm')).toMatch(
      /deletes 2 signups and 1 entry of the consent ledger of PERSON@example\.com\. One signup that is not yet delivered/,
    );
    expect(await focused()).toBe('Cancel');
    expect(await findings(page)).toEqual([]);
    await pictured(page, 'operator-erase');
    await page.keyboard.press('Escape');
    await page.waitForSelector('#confirm:not([open])');
    expect(await focused()).toBe('Erase…');

    // The button ignores clicks until the answer of the dialog has arrived, a moment after it has closed.
    await page.waitForSelector('#person .danger:not([aria-disabled])');
    await page.keyboard.press('Enter');
    await page.waitForSelector('#confirm[open]');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.waitForFunction(() =>
      document.querySelector('#person h3')?.textContent?.endsWith(': erased; a hash of the address is held'),
    );
    expect(await text(page, '#notice')).toBe('Erased: 2 signups and 1 entry of the consent ledger.');
    expect(complaints).toEqual([]);
    await page.locator('#leave').click();
    expect(await page.$eval('#person', (element) => element.textContent)).toBe('');
  });

  it('keeps the consent ledger of an erased person if that box is ticked', async () => {
    await signUp('kept@example.com', { consent: true });
    await expect.poll(() => isSubscribed('kept@example.com')).toBe(true);
    const { page } = await open(await storedToken());
    await page.waitForSelector('#board:not([hidden])');
    await page.type('#address', 'kept@example.com');
    await page.keyboard.press('Enter');
    await page.locator('#person .danger').click();
    await page.locator('#keep').click();
    await page.locator('#confirm-yes').click();
    await page.waitForFunction(() =>
      document.querySelector('#person h3')?.textContent?.endsWith(': 0 signups and 1 entry of the consent ledger'),
    );
  });

  it('discards dead letters one by one and by reason, after a confirmation', async () => {
    await fault({ match: 'subscriptions.create', effect: { status: 400 }, times: 2 });
    await signUp('dead@example.com');
    await signUp('refused@example.com');
    await signUp('robot-2@example.com', { hp_field: 'filled' });
    const { page } = await open(await storedToken());
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'dark' }]);
    await page.evaluate(() => (document.documentElement.dir = 'rtl'));
    await expect.poll(() => text(page, '#dead .reasons')).toMatch(/^2 ×/);
    await filter(page, 'review');
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
    expect(await findings(page)).toEqual([]);
    await pictured(page, 'operator-discard-dark-rtl');
    await page.locator('#newest article .actions button:nth-child(2)').click();
    await page.locator('#confirm-yes').click();
    await page.waitForSelector('#review[hidden]');
    await page.locator('#dead .reasons .actions button:nth-child(2)').click();
    expect(await text(page, '#confirm-text')).toContain('2 at present');
    await page.locator('#confirm-yes').click();
    await page.waitForSelector('#dead[hidden]');
    expect(await text(page, '#notice')).toBe('2 signups deleted.');
    for (const email of ['dead@example.com', 'refused@example.com', 'robot-2@example.com'])
      expect(await isSubscribed(email)).toBe(false);
  });

  it('pauses and resumes delivery', async () => {
    const { page } = await open(await storedToken());
    await page.waitForSelector('#pause:not([hidden])');
    await page.locator('#pause').click();
    await page.waitForFunction(() => document.getElementById('state')?.textContent === 'paused');
    await signUp('waits@example.com');
    await page.waitForFunction(() => document.title.startsWith('(1)'));
    await expect.poll(() => text(page, '#forms .facts')).toMatch(/Backlog\s+1, the oldest for/);
    await page.locator('#pause').click();
    await page.waitForFunction(() => document.getElementById('state')?.textContent === 'nothing waits');
  });

  it('explains in words why delivery is held up, also in dark mode', async () => {
    await fault({ match: 'subscriptions.create', effect: { status: 401 } });
    const { page } = await open(await storedToken());
    await page.setViewport({ width: 900, height: 900 });
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'dark' }]);
    await signUp('held@example.com');
    await page.waitForSelector('#trouble:not([hidden])');
    expect(await text(page, '#trouble')).toContain('set a valid key');
    expect(await findings(page)).toEqual([]);
    await pictured(page, 'operator-dark');
    await clearFaults();
    await page.waitForSelector('#trouble[hidden]', { timeout: 60_000 });
  });

  it('forgets the token when the tab is closed', async () => {
    const { page } = await open(await storedToken());
    await page.waitForSelector('#leave:not([hidden])');
    await page.locator('#leave').click();
    await page.waitForSelector('#enter:not([hidden])');
    expect(await page.evaluate(() => sessionStorage.length + localStorage.length + document.cookie.length)).toBe(0);
  });
});
