/**
 * No axe violation in any state, layout, kind of form, direction, or preference of the visitor.
 */
import { describe, expect, it } from 'vitest';
import { findings } from '../../packages/sandbox/test/ui/findings.ts';
import { answers, prepare, steps, walk } from './journey.ts';
import { languages, pageToWalk, tags, type Layout, type Words } from './pages-to-walk.ts';
import { setStage } from './stage.ts';

/** Preferences of the system. */
const preferences = {
  light: { 'prefers-color-scheme': 'light' },
  dark: { 'prefers-color-scheme': 'dark' },
  'forced colours': { 'forced-colors': 'active' },
  'more contrast': { 'prefers-contrast': 'more' },
} as const satisfies Readonly<Record<string, Readonly<Record<string, string>>>>;

const stage = setStage();

const nextEndpoint = (): string => `${stage().origin}/signup/${crypto.randomUUID()}/${answers}`;
/** Rules that depend on colours; the others need only one colour scheme. */
const painted = ['color-contrast', 'link-in-text-block'];

/** Layouts that can be on one page: only one dialog can be open at a time. */
const together: readonly (readonly [string, readonly Layout[], readonly (keyof typeof tags)[]])[] = [
  ['inline, stacked and card', ['inline', 'stacked', 'card'], ['shadow', 'light']],
  ['an open dialog', ['dialog'], ['shadow']],
  ['an open dialog around a form of the page', ['dialog'], ['light']],
];

/**
 * Not covered by axe: in forced colours, browsers put a backplate in the colour of the page behind text, and keep the
 * author's system colours.
 */
it('keeps the text of the button and the icon of a message readable in forced colours', async () => {
  const page = await stage().session.browser.newPage();
  const devtools = await page.createCDPSession();
  await devtools.send('Emulation.setEmulatedMedia', { features: [{ name: 'forced-colors', value: 'active' }] });
  await prepare(page);
  await page.goto(
    stage().site.page('/forced', {
      html: pageToWalk(languages.en, 'script', tags.shadow(languages.en, nextEndpoint(), 'card')),
    }),
  );
  await page.waitForFunction(`matchMedia('(forced-colors: active)').matches && forms.length === 1`);
  const [words, plate] = (await page.evaluate(
    `[getComputedStyle(forms[0].shadowRoot.querySelector('[part=button-text]')).color, getComputedStyle(document.documentElement).backgroundColor]`,
  )) as string[];
  expect(words).toMatch(/^rgb/);
  expect(words).not.toBe(plate);
  // Without an endpoint a message says that this does not work.
  await page.evaluate(
    `forms[0].endpoint = '', forms[0].querySelectorAll('newsletter-field').forEach((field) => field.remove())`,
  );
  await page.evaluate(`forms[0].updateComplete.then(() => {
    forms[0].shadowRoot.querySelector('[name=email]').value = 'ada@example.com';
    forms[0].submit();
  })`);
  await page.waitForFunction(`forms[0].shadowRoot.querySelector('.error')?.textContent`);
  const icon = (await page.evaluate(`(({ borderTopWidth, borderTopColor, backgroundColor }) =>
    borderTopWidth === '0px' ? backgroundColor : borderTopColor)(getComputedStyle(forms[0].shadowRoot.querySelector('.error'), '::before'))`)) as string;
  expect(icon).toBe(words);
});

describe.each(Object.values(languages) as readonly Words[])('from $dir', (words) => {
  it.each(together)('in every state: %s', { timeout: 120_000 }, async (_, layouts, modes) => {
    const page = await stage().session.browser.newPage();
    const hands = await prepare(page, 'script');
    const forms = layouts.flatMap((layout) => modes.map((mode) => tags[mode](words, nextEndpoint(), layout)));
    await page.goto(
      stage().site.page(`/axe-${words.dir}-${layouts.join('-')}-${modes.join('-')}`, {
        html: pageToWalk(words, 'script', `<h1>${words.title}</h1>${forms.join('\n')}`),
      }),
    );
    await page.waitForFunction(`forms.length === ${forms.length}`);
    await page.evaluate(`Promise.all(forms.map((form) => form.open()))`);
    const devtools = await page.createCDPSession();
    for (const step of steps) {
      await walk(hands, step);
      for (const [preference, wanted] of Object.entries(preferences)) {
        // Colours are compared after transitions.
        const features = { ...wanted, 'prefers-reduced-motion': 'reduce' };
        await devtools.send('Emulation.setEmulatedMedia', {
          features: Object.entries(features).map(([name, value]) => ({ name, value })),
        });
        await page.waitForFunction(
          `matchMedia('${Object.entries(features)
            .map(([name, value]) => `(${name}: ${value})`)
            .join(' and ')}').matches`,
        );
        expect({
          state: step.name,
          preference,
          findings: await findings(page, preference === 'light' ? undefined : painted),
        }).toEqual({ state: step.name, preference, findings: [] });
      }
    }
  });
});
