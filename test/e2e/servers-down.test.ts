/** What a visitor sees, and what is lost (nothing), while a part of the chain is down. */
import { describe, expect, it } from 'vitest';
import { chain, session } from './stage.ts';
import { arrivalOf, notice, press, subscribe, typedAddress, visit } from './visitor.ts';

describe('while the relay is down', () => {
  it('the visitor reads a calm sentence, keeps what was typed, and gets through once it is back', async () => {
    const { page } = await visit(session.browser, chain.demoUrl);
    await chain.stop('relay');
    await subscribe(page, { email: 'marie+curie@example.org', topics: ['food'] });

    expect(await notice(page, 'error')).toMatch(/could not be reached.*try again/i);
    expect(await typedAddress(page)).toBe('marie+curie@example.org');

    await chain.start('relay');
    await press(page);
    expect(await notice(page, 'success')).toContain('Thank you');
    expect((await arrivalOf(page, 'marie+curie@example.org')).facts).toMatchObject({ Topics: 'food' });
  });
});

describe('while the newsletter API is down', () => {
  it('the signup is accepted, survives a restart of the relay, and arrives once the API is back', async () => {
    const { page } = await visit(session.browser, `${chain.demoUrl}/?utm_source=storm+warning`);
    await chain.stop('sandbox');
    const answer = page.waitForResponse(
      (response) => response.url().endsWith('/signup') && response.request().method() === 'POST',
    );
    await subscribe(page, { email: 'hedy@example.com', birthday: '1994-11-09' });

    expect((await answer).status()).toBe(202);
    expect(await notice(page, 'success')).toContain('Thank you');
    await page.waitForSelector('#connection[data-state=away]');

    await chain.stop('relay');
    await chain.start('sandbox');
    await chain.start('relay');
    await expect
      .poll(
        async () =>
          (await chain.api.subscriptions.list({ email: 'hedy@example.com', expand: ['custom_fields'] })).items,
        { timeout: 60_000 },
      )
      .toMatchObject([
        {
          email: 'hedy@example.com',
          utm_source: 'storm warning',
          custom_fields: [{ name: 'Birthday', value: '1994-11-09' }],
        },
      ]);
    await page.waitForSelector('#connection[data-state=open]');
  });

  it('no address and no key stands in what the servers print', () => {
    // The sandbox's own greeting names its key, which everyone knows.
    const printed = chain.output.filter((line) => !/^\[sandbox\] +Key/.test(line)).join('\n');
    expect(printed).toContain('[relay]');
    expect(printed).not.toMatch(/marie|hedy|sandbox-key/i);
  });
});
