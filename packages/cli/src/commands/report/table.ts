/** The report on sources as a table for a terminal, and as CSV for spreadsheets. */
import type { Cohort, ReportDimension, Share, SourceReport } from '@newsletter-kit/core/report';
import { stringify } from 'csv-stringify/sync';
import { count, number } from '../../output.ts';
import { figuresOf, type Figure } from './figures.ts';

/** Narrowest column of names. */
const narrowestName = 12;

/**
 * The table of a dimension and, below it, what its figures mean and what cannot be known.
 *
 * @param width - of the terminal, in characters
 */
export function tableOf(report: SourceReport, by: ReportDimension, width: number): string {
  const { total, cohorts } = report;
  if (total.signedUp + total.invalid === 0) return 'There are no subscriptions.';
  const rows = [...cohorts[by], total];
  const cells = figuresOf(report, rows).map((figure) => [...figure.lines, ...rows.map((row) => cellOf(figure, row))]);
  const widths = cells.map((column) => Math.max(...column.map((text) => text.length)));
  const names = ['', headings[by], ...rows.map((cohort) => nameOf(cohort, by, report.minimum))];
  const needed = (gap: number): number => widths.reduce((sum, each) => sum + each + gap, 0);
  const gap = width - needed(2) < narrowestName ? 1 : 2;
  const room = Math.max(narrowestName, width - needed(gap));
  const nameWidth = Math.min(room, Math.max(...names.map(columnsIn)));
  const lines = names.map((name, row) =>
    [fit(name, nameWidth), ...cells.map((column, index) => (column[row] ?? '').padStart((widths[index] ?? 0) + gap))]
      .join('')
      .trimEnd(),
  );
  const rule = '─'.repeat(nameWidth + needed(gap));
  return [...lines.slice(0, 2), rule, ...lines.slice(2, -1), rule, lines.at(-1), '', ...notes(report)].join('\n');
}

const headings: Readonly<Record<ReportDimension, string>> = {
  source: 'Source',
  medium: 'Medium',
  campaign: 'Campaign',
  referring_site: 'Referring site',
  week: 'Week of signup',
};

function nameOf({ kind, name, values }: Cohort, by: ReportDimension, minimum: number): string {
  const names: Readonly<Record<Cohort['kind'], string>> = {
    value: name,
    rest: `(${number(values)} ${by === 'week' ? 'earlier' : 'more'})`,
    small: `(${number(values)} under ${minimum} people)`,
    none: '(none)',
    all: 'All',
  };
  return names[kind];
}

function cellOf({ id, of }: Figure, cohort: Cohort): string {
  const known = of(cohort);
  if (known === null) return '–';
  if (typeof known === 'number') return number(known);
  if ('rate' in known) return percent(known.rate);
  return id === 'confirmed' ? percent(known.share) : interval(known);
}

/** A whole percentage. Only nothing is 0 %, and only all of it is 100 %. */
function whole(share: number): number {
  return share === 0 || share === 1 ? share * 100 : Math.min(99, Math.max(1, Math.round(share * 100)));
}

const percent = (share: number): string => `${whole(share)} %`;

function interval({ share, low, high }: Share): string {
  return `${whole(share)} ${`${Math.floor(low * 100)}–${Math.ceil(high * 100)}`.padStart(5)}`;
}

/** What the figures mean, and what they cannot tell. */
function notes({ at, signups, minimum, total, historySince, historyUntil, removed }: SourceReport): readonly string[] {
  const days = new Intl.ListFormat('en-GB').format(total.after.map((each) => String(each.days)));
  const isKnown = total.after.some(({ stayed }) => stayed !== null);
  return [
    `${count(total.signedUp, 'person', 'people')} signed up${signups ? ` from ${date(signups.from)} to ${date(signups.to)}` : ''}; read on ${date(at)}.`,
    `Shares in percent, with their 95 % interval. –: known of fewer than ${minimum} people.`,
    ...(total.invalid > 0
      ? [`${count(total.invalid, 'invalid address', 'invalid addresses')} not counted as people.`]
      : []),
    ...(removed === null || removed === 0
      ? []
      : [`${count(removed, 'subscription')} deleted since ${date(historySince ?? at)}: in no figure.`]),
    historySince === null
      ? `Who was still there after ${days} days cannot be known without a history:\nthe API does not tell when somebody left. Run newsletter watch --history FILE.`
      : isKnown
        ? `After some days: of those for whom that day lies in the history, which began\non ${date(historySince)}. Who left before is not known to the day.`
        : `The history, from ${date(historySince)} to ${date(historyUntil ?? historySince)}, cannot tell yet\nwho was still there after ${days} days. Keep newsletter watch --history running.`,
  ];
}

function date(seconds: number): string {
  return new Date(seconds * 1000).toISOString().slice(0, 10);
}

/** Characters that take two columns of a terminal. */
const wide =
  /[\p{Emoji_Presentation}\u1100-\u115F\u2E80-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6]/u;
const segments = new Intl.Segmenter();

const signsOf = (text: string): readonly string[] => Array.from(segments.segment(text), ({ segment }) => segment);

function columnsIn(text: string): number {
  return signsOf(text).reduce((sum, sign) => sum + (wide.test(sign) ? 2 : 1), 0);
}

/** A text as wide as its column. */
function fit(text: string, width: number): string {
  let fitting = text;
  if (columnsIn(text) > width) {
    const signs = [...signsOf(text)];
    while (columnsIn(signs.join('')) > width - 1) signs.pop();
    fitting = `${signs.join('')}…`;
  }
  return fitting + ' '.repeat(Math.max(0, width - columnsIn(fitting)));
}

/** The cohorts of a dimension, and everybody, as CSV. Shares are numbers from 0 to 1. */
export function csvOf({ total, cohorts }: SourceReport, by: ReportDimension): string {
  const rows = [...cohorts[by], total].map((cohort) => csvRow(cohort, by));
  return stringify(rows, { header: true, escape_formulas: true, record_delimiter: '\r\n' });
}

function csvRow(cohort: Cohort, by: ReportDimension): Readonly<Record<string, string | number>> {
  const { kind, name, values, signedUp, invalid, confirmed, stillThere, after, opens, clicks } = cohort;
  return Object.fromEntries([
    [by, name],
    ['kind', kind],
    ['values', values],
    ['signed_up', signedUp],
    ['invalid', invalid],
    ...shareCells('confirmed', confirmed),
    ...shareCells('still_there', stillThere),
    ...after.flatMap(({ days, stayed, unknown }) => [
      ...shareCells(`after_${days}_days`, stayed),
      [`after_${days}_days_of`, stayed?.of ?? ''] as const,
      [`after_${days}_days_unknown`, unknown] as const,
    ]),
    ['opens', rounded(opens?.rate)],
    ['clicks', rounded(clicks?.rate)],
  ]);
}

function shareCells(name: string, share: Share | null): readonly (readonly [string, string | number])[] {
  return [
    [name, rounded(share?.share)],
    [`${name}_low`, rounded(share?.low)],
    [`${name}_high`, rounded(share?.high)],
  ];
}

const rounded = (value: number | undefined): string | number => (value === undefined ? '' : Number(value.toFixed(4)));
