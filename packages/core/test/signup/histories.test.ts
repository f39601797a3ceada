/** The histories of visits, walked without a browser; `test/widget/histories.test.ts` walks them in the tag. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, test } from 'vitest';
import { chooseTouch, clickSource, referrerSource } from '../../src/signup/index.ts';
import { histories, links, sources, type Link, type Sent } from './histories/index.ts';
import { walk, type WalkOptions } from './histories/walk.ts';

/** How a page with these attributes reads its visits. */
function optionsOf({ attributes = {} }: Sent): WalkOptions {
  const refIs = attributes['ref-is'];
  return {
    referralParameter: attributes['referral-param'],
    refIs: refIs === 'code' || refIs === 'source' ? refIs : undefined,
    sameSite: attributes['same-site']?.split(' '),
    clickSource: 'click-ids' in attributes ? clickSource : undefined,
    referrerSource: 'referrer-medium' in attributes ? referrerSource : undefined,
    remembers: attributes['storage'] !== 'none',
  };
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
    const { touches } = walk(row.steps, optionsOf(sent));
    const touch = chooseTouch(touches, sent.attributes?.['attribution'] === 'last' ? 'last' : 'first');
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
