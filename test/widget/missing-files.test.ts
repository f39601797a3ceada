/** A website that lacks one of the files beside the script: its owner hears of it, and the form does what it can. */
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Page } from 'puppeteer-core';
import { describe, expect, it } from 'vitest';
import { chunks } from '../../widget/vite.config.ts';
import { widgetScript } from '../../scripts/build.ts';
import { setStage } from './stage.ts';
import { waitUntil } from '../support/waits.ts';

const stage = setStage();

/** A file that is missing, the page that needs it, and what the visitor still gets. */
interface Case {
  readonly file: string;
  readonly attributes?: string;
  readonly query?: string;
  readonly answer?: string;
  readonly content?: string;
  /** The body that the endpoint receives. */
  readonly posted: RegExp;
  /** What the visitor sees; undefined after a native post. */
  readonly state?: 'success' | 'error';
  readonly text?: string;
}

const number = '<newsletter-field name="Size" kind="integer" value="42"></newsletter-field>';
const json = /^\{"email":"ada@example.com","audit":/;
/** Posts of the browser where nothing can send: attributes of the tag, query of its page, and the end of the body. */
const natively = [
  ['utm-medium="footer"', '?p=1?utm_source=fair&ref=alpha#x', 'utm_medium=footer&utm_source=fair&ref=alpha'],
  ['referral-param="via"', '?via=anna&ref=blog', 'ref=blog&referral_code=anna'],
  ['ref-is="code"', '?ref=anna', 'referral_code=anna'],
  ['ref-is="source"', '?ref=gBZbSVal1X&utm_source=x', 'utm_source=x'],
  ['ref-is="none"', '?ref=anna&utm_source=x', 'utm_source=x'],
  ['click-ids', '?gclid=Cj0&p=1', 'parameters=gclid\\+p'],
] as const;
const cases: readonly Case[] = [
  ...natively.map(([attributes, query, posted]) => ({
    file: 'signup.js',
    attributes,
    query,
    posted: new RegExp(`^email=ada%40example\\.com&hp_field=&${posted}$`),
  })),
  { file: 'dialog.js', attributes: 'layout="dialog"', posted: json, state: 'success', text: 'Thank you.' },
  { file: 'protection.js', answer: 'asksProof', posted: json, state: 'error', text: 'does not work right now' },
  { file: 'proof.js', answer: 'asksProof', posted: json, state: 'error', text: 'does not work right now' },
  { file: 'answer.js', answer: 'refused', posted: json, state: 'error', text: 'Not accepted.' },
  { file: 'typed-numbers.js', content: number, posted: /"value":42/, state: 'success', text: 'Thank you.' },
  { file: 'rules.js', attributes: 'click-ids', posted: json, state: 'success', text: 'Thank you.' },
  { file: 'doctor.js', attributes: 'debug', answer: 'broken', posted: json, state: 'error', text: 'try again' },
  { file: 'languages/de.js', attributes: 'lang="de"', posted: json, state: 'success', text: 'Thank you.' },
];

describe.each(cases)('without $file, with $attributes', (given) => {
  const { file, attributes = '', query = '', answer = 'accepted', content = '', posted, state, text } = given;
  it('warns the owner by an event, and the form does what it can', async () => {
    const { site, session, origin } = stage();
    const folder = `/without/${cases.indexOf(given)}`;
    const parts = ['signup-form', ...chunks].map((name) => `${name}.js`);
    for (const part of parts.filter((name) => name !== file))
      site.script(`${folder}/${part}`, await readFile(join(dirname(widgetScript), part), 'utf8'));
    const box = `without-${cases.indexOf(given)}`;
    const page = await session.browser.newPage();
    const warnings: Record<string, string>[] = [];
    await page.exposeFunction('warned', (warning: Record<string, string>) => warnings.push(warning));
    await page.goto(
      site.page(folder, {
        html: `<!doctype html><html lang="en"><meta charset="utf-8"><title>A file is missing</title>
          <script>addEventListener('newsletter-warning', ({ reason, message }) => warned({ reason, message }))</script>
          <script src="${folder}/languages/de.js"></script><script src="${folder}/signup-form.js"></script>
          <newsletter-signup endpoint="${origin}/signup/${box}/${answer}" ${attributes}>${content}</newsletter-signup>`,
      }) + query,
    );
    await submit(page, state === undefined);
    const bodies = await received(origin, box);
    expect(bodies).toHaveLength(1);
    expect(bodies[0]).toMatch(posted);
    await waitUntil('one warning has come', () => warnings.filter(({ reason }) => reason === 'file').length === 1);
    const advice = file.startsWith('languages/') ? '.' : ', or use signup-form-complete.js.';
    expect(warnings.find(({ reason }) => reason === 'file')?.['message']).toContain(
      `cannot load ${file}: upload it beside the script${advice}`,
    );
    if (state) {
      await page.waitForSelector(`newsletter-signup:state(${state})`);
      expect(await page.$eval('newsletter-signup >>> [role=status]', ({ textContent }) => textContent)).toContain(text);
    }
  });
});

/** Types an address and presses Enter; waits for the page of the endpoint, or for its answer. */
async function submit(page: Page, leaves: boolean): Promise<void> {
  const input = await page.waitForSelector('newsletter-signup >>> [name=email]', { visible: true });
  await input?.type('ada@example.com');
  const away = leaves
    ? page.waitForNavigation()
    : page.waitForSelector('newsletter-signup:state(success), newsletter-signup:state(error)');
  await input?.press('Enter');
  await away;
}

async function received(origin: string, box: string): Promise<readonly string[]> {
  const requests: unknown = await fetch(`${origin}/received/${box}`).then((response) => response.json());
  return (requests as readonly { readonly body: string }[]).map(({ body }) => body);
}
