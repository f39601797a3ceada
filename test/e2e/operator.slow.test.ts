/**
 * The operator's page of a running relay, used as its operator would: on a phone, in a browser that has JavaScript and
 * nothing else.
 */
import { readFile } from 'node:fs/promises';
import type { Page } from 'puppeteer-core';
import { describe, expect, it } from 'vitest';
import { findings } from '../../packages/sandbox/test/ui/findings.ts';
import { chain, session } from './stage.ts';

/** Posts as the demo page does. */
async function signUp(email: string, more: Readonly<Record<string, unknown>> = {}): Promise<void> {
  const answer = await fetch(`${chain.relayUrl}/signup`, {
    method: 'POST',
    headers: { origin: chain.demoUrl, 'content-type': 'application/json' },
    body: JSON.stringify({ email, ...more }),
  });
  expect(answer.status).toBe(202);
}

const isSubscribed = async (email: string): Promise<boolean> =>
  (await chain.api.subscriptions.list({ email })).items.length === 1;

/** Lets something go wrong at the API, on purpose. */
async function fault(body: unknown): Promise<void> {
  const answer = await fetch(`${chain.sandboxUrl}/_sandbox/faults`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect(answer.status).toBe(201);
}

const clearFaults = (): Promise<Response> => fetch(`${chain.sandboxUrl}/_sandbox/faults`, { method: 'DELETE' });

async function open(token?: string): Promise<{ page: Page; complaints: string[] }> {
  const page = await session.browser.newPage();
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => {
    // A wrong token is answered with 401, which the browser notes by itself.
    if (message.type() === 'error' && !message.text().includes('401')) complaints.push(message.text());
  });
  await page.setViewport({ width: 390, height: 844, isMobile: true, hasTouch: true });
  await page.goto(`${chain.relayUrl}/operator`);
  await page.waitForSelector('#enter:not([hidden])');
  if (token !== undefined) {
    await page.type('#token', token);
    await page.keyboard.press('Enter');
  }
  return { page, complaints };
}

const keptToken = (): Promise<string> => readFile(`${chain.relayFile}-operator`, 'utf8').then((text) => text.trim());

const text = (page: Page, selector: string): Promise<string> =>
  page.$eval(selector, (element) => (element instanceof HTMLElement ? element.innerText : ''));

async function pictured(page: Page, name: string): Promise<void> {
  const folder = process.env['PICTURES'];
  if (folder) await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true });
}

describe('the operator’s page', () => {
  it('shows nothing and asks nothing of the relay before the token is right', async () => {
    const { page } = await open('a-token-somebody-guessed');
    await page.waitForFunction(() => document.getElementById('wrong')?.textContent !== '');
    expect(await text(page, '#wrong')).toContain('not the one');
    expect(await page.$('#board[hidden]')).not.toBeNull();
    expect(await findings(page)).toEqual([]);
    await pictured(page, 'operator-sign-in');
  });

  it('shows dead letters with their reasons, and one button puts them back in line and delivers them', async () => {
    await fault({ match: 'subscriptions.create', effect: { status: 400 }, times: 2 });
    await signUp('ada+first@example.com');
    await signUp('grace@example.com');
    await signUp('robot@example.com', { hp_field: 'filled' });
    const { page, complaints } = await open(await keptToken());
    // One may be refused before the other; the page looks again by itself.
    await expect.poll(() => text(page, '#reasons')).toMatch(/^2 ×/);
    expect(await text(page, '#tiles')).toMatch(/Dead letters\n+2|2\n+Dead letters/i);
    await page.locator('#letters summary').click();
    await page.waitForSelector('#letters article');
    expect(await text(page, '#letters')).toContain('ada+first@example.com');
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
    expect(await findings(page)).toEqual([]);
    await pictured(page, 'operator-phone');

    await page.locator('#reasons button').click();
    await page.waitForSelector('#dead[hidden]');
    for (const email of ['ada+first@example.com', 'grace@example.com'])
      await expect.poll(() => isSubscribed(email)).toBe(true);
    expect(complaints).toEqual([]);
  });

  it('lets a suspected signup through', async () => {
    const { page } = await open(await keptToken());
    await page.waitForSelector('#review:not([hidden])');
    await page.locator('#suspects summary').click();
    await page.locator('#suspects article button').click();
    await page.waitForSelector('#review[hidden]');
    await expect.poll(() => isSubscribed('robot@example.com')).toBe(true);
  });

  it('pauses and resumes delivery', async () => {
    const { page } = await open(await keptToken());
    await page.waitForSelector('#pause:not([hidden])');
    await page.locator('#pause').click();
    await page.waitForFunction(() => document.getElementById('state')?.textContent === 'paused');
    await signUp('waits@example.com');
    await page.waitForFunction(() => document.title.startsWith('(1)'));
    await page.locator('#pause').click();
    await page.waitForFunction(() => document.getElementById('state')?.textContent === 'nothing waits');
  });

  it('says in words what holds delivery up, in the dark too', async () => {
    await fault({ match: 'subscriptions.create', effect: { status: 401 } });
    const { page } = await open(await keptToken());
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

  it('is signed out with the tab', async () => {
    const { page } = await open(await keptToken());
    await page.waitForSelector('#leave:not([hidden])');
    await page.locator('#leave').click();
    await page.waitForSelector('#enter:not([hidden])');
    expect(await page.evaluate(() => sessionStorage.length + localStorage.length + document.cookie.length)).toBe(0);
  });
});
