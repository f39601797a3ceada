/** The histories of visits, walked without a browser; `test/widget/histories.test.ts` walks them in the tag. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, test } from 'vitest';
import {
  chooseTouch,
  clickSource,
  knownTouches,
  referrerSource,
  storedTouches,
  type TimedVisit,
  type Touch,
  type VisitOptions,
} from '../../src/signup/index.ts';
import { histories, links, sources, type Link, type Sent, type Step } from './histories/index.ts';

const site = 'https://example.com';
const minute = 60_000;

/** How a page with these attributes reads its visits. */
function optionsOf({ attributes = {} }: Sent): VisitOptions {
  const refIs = attributes['ref-is'];
  return {
    referralParameter: attributes['referral-param'],
    refIs: refIs === 'code' || refIs === 'source' ? refIs : undefined,
    sameSite: attributes['same-site']?.split(' '),
    clickSource: 'click-ids' in attributes ? clickSource : undefined,
    referrerSource: 'referrer-medium' in attributes ? referrerSource : undefined,
  };
}

/** Walks a history as the page does: visits in memory, and a store that is used once consent is given. */
function walk(steps: readonly Step[], sent: Sent): Touch | undefined {
  let now = Date.UTC(2026, 0, 1);
  let store = '';
  let isGranted = false;
  let visits: TimedVisit[] = [];
  const touches = (): readonly Touch[] => knownTouches(isGranted ? store : '', visits, now, optionsOf(sent));
  for (const step of steps) {
    if (step === 'grant' || step === 'refuse') isGranted = step === 'grant';
    else if (step === 'back' || step === 'reload') continue;
    else if ('minutes' in step) now += step.minutes * minute;
    else if ('days' in step) now += step.days * 1440 * minute;
    else if ('load' in step) visits = [{ url: site + step.load, referrer: step.from ?? '', at: now }];
    else visits.push({ url: site + step.push, referrer: '', at: now });
    if (isGranted && sent.attributes?.['storage'] !== 'none') store = storedTouches(touches());
  }
  return chooseTouch(touches(), sent.attributes?.['attribution'] === 'last' ? 'last' : 'first');
}

const cases = (rows: readonly Link[]): readonly { readonly name: string; readonly row: Link; readonly sent: Sent }[] =>
  rows.flatMap((row) =>
    row.sent.map((sent) => ({ name: [row.title, ...Object.keys(sent.attributes ?? {})].join(' + '), row, sent })),
  );

describe('forty histories of visits', () => {
  it('are forty', () => {
    expect(histories).toHaveLength(40);
  });

  test.each(cases([...histories, ...links]))('$name', ({ row, sent }) => {
    const touch = walk(row.steps, sent);
    expect(touch?.attribution ?? {}).toEqual(sent.attribution);
    expect(touch?.details ?? {}).toEqual(sent.details ?? {});
  });
});

/** A text in a cell of a table. */
const cell = (text: string): string => text.replaceAll('|', '\\|');

function sentWords({ sent }: Link): string {
  return sent
    .map(({ attributes = {}, attribution, details = {} }) => {
      const values = Object.entries({ ...attribution, ...details }).map(([name, value]) => `\`${name}=${value}\``);
      const names = Object.entries(attributes).map(([name, value]) => `\`${value ? `${name}="${value}"` : name}\``);
      return `${names.length > 0 ? `with ${names.join(' ')}: ` : ''}${values.join(', ') || 'nothing'}`;
    })
    .join('<br>');
}

it('are in the documentation; else run this test with -u', async () => {
  const path = fileURLToPath(new URL('../../../../docs/src/content/docs/website/visits.md', import.meta.url));
  const keys = Object.keys(sources);
  const rows = histories.map((row, index) => {
    const { text, by } = row.ga4;
    const ga4 = by ? `${text} [(${keys.indexOf(by) + 1})](#sources)` : `${text}*`;
    return `| ${[index + 1, row.title, sentWords(row), ga4, row.plausible, row.ghost].map((each) => cell(String(each))).join(' | ')} |`;
  });
  const parts = {
    histories: [
      '| | Visits | The tag sends | Google Analytics 4 | Plausible | Ghost |',
      '|---|---|---|---|---|---|',
      ...rows,
    ],
    links: [
      '| Visits | The tag sends |',
      '|---|---|',
      ...links.map((row) => `| ${cell(row.title)} | ${cell(sentWords(row))} |`),
    ],
    sources: Object.values(sources).map(([name, url], index) => `${index + 1}. ${url ? `[${name}](${url})` : name}`),
  };
  let page = readFileSync(path, 'utf8');
  for (const [name, lines] of Object.entries(parts))
    page = page.replace(
      new RegExp(`(<!-- ${name} -->\\n\\n)[^]*?(\\n\\n<!-- /${name} -->)`),
      (_, start: string, end: string) => start + lines.join('\n') + end,
    );
  await expect(page).toMatchFileSnapshot(path);
});
