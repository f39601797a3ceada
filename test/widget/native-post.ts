/** A browser without JavaScript posts the form of a page to a real relay, whose signups reach the sandbox's API. */
import type { Page } from 'puppeteer-core';
import type { Subscription } from '@newsletter-kit/core';
import { onPort, sandboxApi } from '../../packages/relay/test/sandbox-api.ts';
import { runRelay } from '../../packages/relay/test/running-relay.ts';
import type { Site } from './site.ts';
import type { Stage } from './stage.ts';
import { waitUntil } from '../support/waits.ts';

export interface NativeRelay {
  readonly endpoint: string;
  /** Where it sends visitors after a signup. */
  readonly thanks: string;
  /** The subscription of this address, once it is delivered. */
  subscription(email: string): Promise<Subscription>;
}

/** Starts a relay that takes the posts of this site. The test that calls it ends it. */
export async function relayFor(site: Site): Promise<NativeRelay> {
  const api = sandboxApi();
  const thanks = site.page('/thanks', { html: '<!doctype html><title>Thanks</title><h1>Thank you' });
  const relay = runRelay({
    api: api.fetch,
    settings: { RELAY_ALLOWED_ORIGINS: site.origin, RELAY_THANKS_URL: thanks, RELAY_LIMIT_IP: '0' },
  });
  relay.start();
  return {
    endpoint: `${await onPort((request) => Promise.resolve(relay.fetch(request)))}/signup`,
    thanks,
    subscription: (email) =>
      waitUntil(
        `the signup of ${email} is delivered`,
        async () => (await api.subscriptions()).find((each) => each.email === email) ?? null,
      ),
  };
}

/** A browser without JavaScript, and a relay; `show` opens a page with this content. */
export async function withoutScript({ site, session }: Pick<Stage, 'site' | 'session'>) {
  const page = await session.browser.newPage();
  await page.setJavaScriptEnabled(false);
  const show = (path: string, html: string): Promise<unknown> =>
    page.goto(site.page(path, { html: `<!doctype html><meta charset="utf-8"><title>A page</title>${html}` }));
  return { page, show, relay: await relayFor(site) };
}

/** Sample values by the type of the control. */
const samples: Readonly<Record<string, string>> = {
  date: '2026-03-01',
  'datetime-local': '2026-03-01T17:30',
};

/** Fills in the form that the page shows, as far as that is needed, and presses its button. */
export async function fillInAndPost(page: Page, email: string): Promise<void> {
  const trigger = await page.$('[popovertarget]');
  await trigger?.click();
  await page.type('form [name=email]', email);
  for (const control of await page.$$('form :is(input, select):not([name=email], [type=hidden])')) {
    const { type, inputMode } = await control.evaluate((input) => {
      const { type: kind, inputMode: mode } = input as HTMLInputElement;
      return { type: kind, inputMode: mode };
    });
    const sample = samples[type];
    // A date is typed in the order of the browser's locale.
    if (sample) await control.evaluate((input, value) => ((input as HTMLInputElement).value = value), sample);
    else if (type === 'checkbox' || type === 'radio') await control.click();
    else if (type === 'select-one') await control.press('End');
    else await control.type(inputMode === 'numeric' ? '42' : inputMode === 'decimal' ? '1.5' : 'Ada');
  }
  await Promise.all([page.waitForNavigation(), page.click('form button')]);
}
