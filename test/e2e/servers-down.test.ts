/** Signups while the relay or the newsletter API is down: none is lost. */
import { describe, expect, it } from 'vitest';
import { servers, session } from './servers-and-browser.ts';
import { arrivalOf, notice, press, subscribe, typedAddress, visit } from './visitor.ts';
import { waitUntil } from '../support/waits.ts';

describe('while the relay is down', () => {
  it('shows a message, keeps the input, and sends the signup once the relay is back', async () => {
    const { page } = await visit(session.browser, servers.demoUrl);
    await servers.stop('relay');
    await subscribe(page, { email: 'marie+curie@example.org', topics: ['food'] });

    expect(await notice(page, 'error')).toMatch(/could not be reached.*try again/i);
    expect(await typedAddress(page)).toBe('marie+curie@example.org');

    await servers.start('relay');
    await press(page);
    expect(await notice(page, 'success')).toContain('Thank you');
    expect((await arrivalOf(page, 'marie+curie@example.org')).facts).toMatchObject({ Topics: 'food' });
  });
});

describe('while the newsletter API is down', () => {
  it('accepts the signup, keeps it over a restart of the relay, and delivers it once the API is back', async () => {
    const { page } = await visit(session.browser, `${servers.demoUrl}/?utm_source=storm+warning`);
    await servers.stop('sandbox');
    const answer = page.waitForResponse(
      (response) => response.url().endsWith('/signup') && response.request().method() === 'POST',
    );
    await subscribe(page, { email: 'hedy@example.com', birthday: '1994-11-09' });

    expect((await answer).status()).toBe(202);
    expect(await notice(page, 'success')).toContain('Thank you');
    await page.waitForSelector('#connection[data-state=away]');

    await servers.stop('relay');
    await servers.start('sandbox');
    await servers.start('relay');
    const person = { email: 'hedy@example.com', expand: ['custom_fields'] } as const;
    await waitUntil('the signup is delivered', async () =>
      expect((await servers.api.subscriptions.list(person)).items).toMatchObject([
        {
          email: 'hedy@example.com',
          utm_source: 'storm warning',
          custom_fields: [{ name: 'Birthday', value: '1994-11-09' }],
        },
      ]),
    );
    await page.waitForSelector('#connection[data-state=open]');
  });

  it('prints no address and no key', () => {
    // The sandbox's own greeting names its key, which everyone knows.
    const printed = servers.output.filter((line) => !/^\[sandbox\] +Key/.test(line)).join('\n');
    expect(printed).toContain('[relay]');
    expect(printed).not.toMatch(/marie|hedy|sandbox-key/i);
  });
});
