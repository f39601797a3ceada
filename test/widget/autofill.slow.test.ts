/**
 * Chrome's autofill with a saved profile: it fills in the email address, and leaves the honeypot field empty.
 */
import { describe, expect, it } from 'vitest';
import type { ElementHandle, Page } from 'puppeteer-core';
import { isHeadlessShell } from '../support/browsers/find.ts';
import { modes, pageWith, type AskedField, isRendered } from './modes.ts';
import { setStage } from './stage.ts';

/** The saved profile. */
const saved = [
  { name: 'EMAIL_ADDRESS', value: 'ada@example.com' },
  { name: 'NAME_FIRST', value: 'Ada' },
  { name: 'NAME_LAST', value: 'Lovelace' },
  { name: 'NAME_FULL', value: 'Ada Lovelace' },
  { name: 'COMPANY_NAME', value: 'Analytical Engines' },
  { name: 'PHONE_HOME_WHOLE_NUMBER', value: '+442071234567' },
  { name: 'ADDRESS_HOME_CITY', value: 'London' },
  { name: 'ADDRESS_HOME_ZIP', value: 'W1H 7DL' },
  { name: 'ADDRESS_HOME_COUNTRY', value: 'GB' },
];

/** Common fields. */
const fields: readonly AskedField[] = [
  { name: 'First name', autocomplete: 'given-name' },
  { name: 'Company' },
  { name: 'Phone', autocomplete: 'tel' },
  { name: 'City' },
  { name: 'Website' },
];

/** Every subset. */
const combinations = Array.from({ length: 2 ** fields.length }, (_, bits) =>
  fields.filter((_field, position) => bits & (1 << position)),
);

const stage = setStage();

interface Filled {
  readonly email: string;
  readonly honeypot: string;
  readonly others: readonly string[];
}

/** Fills in the form by autofill from its email field, and returns its values. */
async function autofilled(page: Page, root: string): Promise<Filled> {
  const email = (await page.evaluateHandle(`${root}.querySelector('[name=email]')`)) as ElementHandle<HTMLInputElement>;
  await email.click();
  await email.autofill({ address: { fields: saved } });
  const read = `(() => {
    const value = (name) => ${root}.querySelector('[name="' + name + '"]')?.value;
    return { email: value('email'), honeypot: value('hp_field') ?? '', others: ${JSON.stringify(fields.map(({ name }) => `custom_fields[${name}]`))}.map(value).filter((text) => text !== undefined) };
  })()`;
  await page.waitForFunction(`${root}.querySelector('[name=email]').value !== ''`, { timeout: 60_000 });
  return (await page.evaluate(read)) as Filled;
}

// The headless shell, which npm test installs without a Chromium, has no autofill.
describe.skipIf(isHeadlessShell()).each(modes)('autofill of Chrome in $title', ({ markup, root }) => {
  it('fills in the email address, and never the honeypot field, with every combination of custom fields', async () => {
    const page = await stage().session.browser.newPage();
    for (const [position, asked] of combinations.entries()) {
      const names = asked.map(({ name }) => name).join(', ') || 'the address alone';
      await page.goto(
        stage().site.page(`/autofill-${position}`, {
          html: pageWith(markup(`${stage().origin}/signup/autofill/accepted`, asked)),
        }),
      );
      await page.waitForFunction(isRendered);
      const { email, honeypot, others } = await autofilled(page, root);
      expect({ names, email, honeypot }).toEqual({ names, email: 'ada@example.com', honeypot: '' });
      expect(others, names).toHaveLength(asked.length);
    }
  });

  it('fills in custom fields with autocomplete, and the values are sent', async () => {
    const page = await stage().session.browser.newPage();
    await page.goto(
      stage().site.page('/autofill', {
        html: pageWith(markup(`${stage().origin}/signup/filled-${root.length}/accepted`, fields)),
      }),
    );
    await page.waitForFunction(isRendered);
    await autofilled(page, root);
    await page.evaluate(`document.querySelector('newsletter-signup').submit()`);
    await page.waitForFunction(`document.querySelector('newsletter-signup').state === 'success'`);
    const [{ body }] = (await fetch(`${stage().origin}/received/filled-${root.length}`).then((response) =>
      response.json(),
    )) as [{ body: string }];
    expect(JSON.parse(body)).toMatchObject({
      email: 'ada@example.com',
      custom_fields: expect.arrayContaining([
        { name: 'First name', value: 'Ada' },
        { name: 'Phone', value: expect.stringContaining('2071234567') },
      ]),
    });
    expect(body).not.toContain('hp_field');
  });
});
