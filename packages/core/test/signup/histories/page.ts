/** Generates the tables of histories in the documentation. */
import { histories, links, roads, sources, type Link } from './index.ts';
import type { History } from './types.ts';
import { pagePath, withSections } from '../../../../../test/support/documentation.ts';

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

function tableOf(rows: readonly History[]): string {
  const keys = Object.keys(sources);
  return [
    '| | Visits | The tag sends | Google Analytics 4 | Plausible | Ghost |',
    '|---|---|---|---|---|---|',
    ...rows.map((row, index) => {
      const [{ text, by }, ...others] = row.others;
      const ga4 = by ? `${text} [(${keys.indexOf(by) + 1})](#sources)` : `${text}*`;
      const cells = [index + 1, row.title, sentWords(row), ga4, ...others];
      return `| ${cells.map((each) => cell(String(each))).join(' | ')} |`;
    }),
  ].join('\n');
}

/** The text of the page, by its path from the root of the repository. */
export function generate(): Readonly<Record<string, string>> {
  return withSections(pagePath('website/visits'), {
    histories: tableOf(histories),
    roads: tableOf(roads),
    links: [
      '| Visits | The tag sends |',
      '|---|---|',
      ...links.map((row) => `| ${cell(row.title)} | ${cell(sentWords(row))} |`),
    ].join('\n'),
    sources: Object.values(sources)
      .map(([name, url], index) => `${index + 1}. ${url ? `[${name}](${url})` : name}`)
      .join('\n'),
  });
}
