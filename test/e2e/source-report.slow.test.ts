/**
 * The page of the report on sources in every engine: it fits, loads nothing, has no finding of axe, and prints. With
 * `PICTURES=guide` its picture is that of the documentation, else one for review in .output/source-report.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { renderSourceReport } from '../../packages/cli/src/commands/report/html.ts';
import { cohortOf, largeReport, realisticReport, smallReport } from '../../packages/cli/test/report-sample.ts';
import { root } from '../../scripts/root.ts';
import { findings } from '../../packages/sandbox/test/ui/findings.ts';
import { enginesToTest } from '../support/browsers/engines.ts';
import { scratchFolder } from '../support/scratch-folder.ts';
import { windows, type Window } from '../widget/window.ts';
import { useBrowser } from './use-browser.ts';

const realistic = realisticReport();
const names = [
  'W'.repeat(100),
  'رسالة '.repeat(16),
  '\u202Eright to left',
  '<b>bold</b>',
  'https://example.com/?a=1&amp;b=2',
];
const reports = {
  realistic,
  'the largest': largeReport(),
  '12 people': smallReport(12),
  nobody: smallReport(0),
  'long names': {
    ...realistic,
    cohorts: { ...realistic.cohorts, source: names.map((name) => cohortOf(name, 1_234_567)) },
  },
} as const;

/** Writes a page to a file. @returns its address */
function fileOf(html: string): string {
  const path = join(scratchFolder(), 'sources.html');
  writeFileSync(path, html);
  return pathToFileURL(path).href;
}

function addressOf(name: keyof typeof reports): string {
  return fileOf(renderSourceReport(reports[name], { title: 'The Harbour Letter' }));
}

describe.each(enginesToTest())('in $title', ({ name: engine }) => {
  let window: Window;
  beforeAll(async () => {
    window = await windows[engine]();
  });
  afterAll(() => window?.close());

  it.each(Object.keys(reports) as (keyof typeof reports)[])('fits in 360 pixels: %s', async (name) => {
    await window.open(
      fileOf(`<!doctype html><title>Narrow</title><iframe width="360" height="640" src="${addressOf(name)}"></iframe>`),
    );
    const facts = `(() => {
      for (const details of document.querySelectorAll('details')) details.open = true;
      const { clientWidth, scrollWidth } = document.documentElement;
      const wide = [...document.querySelectorAll('main *')].filter(
        (element) => !element.closest('thead, svg') && element.getBoundingClientRect().right > clientWidth);
      return JSON.stringify([innerWidth, scrollWidth - clientWidth, wide.map(({ outerHTML }) => outerHTML.slice(0, 80))]);
    })()`;
    expect(JSON.parse(String(await window.ask(facts, true)))).toEqual([360, 0, []]);
  });

  it('applies its style sheet, draws the bars, and loads nothing', async () => {
    await window.open(addressOf('long names'));
    const facts = `(() => {
      const width = (selector) => document.querySelector(selector).getBoundingClientRect().width;
      return JSON.stringify({
        accent: getComputedStyle(document.querySelector('td line')).stroke,
        part: Math.round(10 * width('#source td line') / width('#source td svg')),
        loaded: performance.getEntriesByType('resource').length,
        names: [...document.querySelectorAll('#source th bdi')].map(({ textContent }) => textContent),
      });
    })()`;
    expect(JSON.parse(String(await window.ask(facts)))).toEqual({
      accent: expect.stringMatching(/^rgb|^color/),
      part: 8,
      loaded: 0,
      names,
    });
  });

  it.each(['realistic', '12 people'] as const)('has no finding of axe: %s', async (name) => {
    await window.open(addressOf(name));
    expect(await findings({ evaluate: (expression) => window.ask(expression) })).toEqual([]);
  });
});

describe('in Chromium', () => {
  const session = useBrowser();

  it.each([
    ['light', 1200],
    ['dark', 1200],
    ['light', 360],
    ['dark', 360],
  ] as const)('has no finding of axe: %s, %i pixels', async (scheme, width) => {
    const page = await session.browser.newPage();
    await page.setViewport({ width, height: 800 });
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
    await page.goto(addressOf('realistic'));
    await page.evaluate(`for (const details of document.querySelectorAll('details')) details.open = true`);
    expect(await findings(page)).toEqual([]);
  });

  it('has a picture in the documentation', async () => {
    const page = await session.browser.newPage();
    await page.setViewport({ width: 1100, height: 1100 });
    await page.goto(addressOf('realistic'));
    const folder = join(root, process.env['PICTURES'] === 'guide' ? '.github/guide' : '.output/source-report');
    mkdirSync(folder, { recursive: true });
    const picture = sharp(await page.screenshot()).png({ palette: true, compressionLevel: 9, effort: 10 });
    expect((await picture.toFile(join(folder, 'sources.png'))).size).toBeLessThan(150_000);
  });

  it('prints on pages of A4', async () => {
    const page = await session.browser.newPage();
    await page.goto(addressOf('realistic'));
    const pdf = Buffer.from(await page.pdf({ preferCSSPageSize: true })).toString('latin1');
    expect(pdf.match(/\/Type \/Page\b(?!s)/g)).toHaveLength(2);
    expect(pdf).toMatch(/\/MediaBox \[0 0 59[45][.\d]* 84[12][.\d]*\]/);
  });
});
