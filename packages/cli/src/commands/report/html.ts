/**
 * The report on sources as one self-contained page: it loads nothing and runs nothing, so it can be mailed, printed and
 * kept. The bars are SVG by hand, because a library of charts needs a script and is many times the size of the data.
 */
import { createHash } from 'node:crypto';
import { escapeHtml } from '@newsletter-kit/core/endpoint';
import { historyStaleAfter, type Cohort, type ReportDimension, type SourceReport } from '@newsletter-kit/core/report';
import { count, number } from '../../output.ts';
import { cellOf, date, people, percent, tileOf } from './columns.ts';
import { figuresOf, type Figure } from './figures.ts';
import { reportStyle } from './html-style.ts';
import { weekChart } from './week-chart.ts';

/** What the page says about itself. */
export interface AboutReport {
  /** Name of the publication. */
  readonly title: string;
}

interface Section {
  readonly dimension: ReportDimension;
  /** What a value is called. */
  readonly one: string;
  readonly many: string;
  /** Most values that are listed, which keeps the page below 150 kB. */
  readonly most: number;
}

const sections: readonly Section[] = [
  { dimension: 'week', one: 'week', many: 'weeks', most: 104 },
  { dimension: 'source', one: 'source', many: 'sources', most: 200 },
  { dimension: 'medium', one: 'medium', many: 'media', most: 100 },
  { dimension: 'campaign', one: 'campaign', many: 'campaigns', most: 100 },
  { dimension: 'referring_site', one: 'referring site', many: 'referring sites', most: 100 },
];

/** Rows of a table before the rest of it is folded. */
const visibleRows = 10;

/** Renders the report as an HTML document in UTF-8. */
export function renderSourceReport(report: SourceReport, { title }: AboutReport): string {
  const { total, cohorts } = report;
  const figures = figuresOf(report, [total, ...Object.values(cohorts).flat()]);
  const tiles = figures.map((figure) => tileOf(figure, total)).join('');
  // The column with the bars comes first.
  const isStillThere = ({ id }: Figure): boolean => id === 'stillThere';
  const columns = [...figures.filter(isStillThere), ...figures.filter((figure) => !isStillThere(figure))];
  const style = reportStyle(
    total.stillThere?.share,
    columns.map((column) => column.title),
  );
  const hash = createHash('sha256').update(style).digest('base64');
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Sources: ${escapeHtml(title)}</title>
<style>${style}</style>
<header>
<p>${isolated(title)}, sources of its readers</p>
<h1>${headline(report)}</h1>
${standouts(report)}
</header>
<main>
${total.signedUp === 0 ? '' : [`<dl class="tiles">${tiles}</dl>`, ...sections.map((section) => sectionOf(report, columns, section)), explanation(report, columns)].join('\n')}
</main>
<footer><p>Read on ${date(report.at)}, days in UTC. Made with <code>newsletter report sources</code>.</p></footer>
</html>
`;
}

function headline({ total, signups, minimum }: SourceReport): string {
  if (total.signedUp === 0) return 'Nobody has signed up yet.';
  const time = signups ? ` in ${span(signups.to - signups.from)}` : '';
  const fate = total.stillThere
    ? `<em>${percent(total.stillThere.share)}</em> are still there.`
    : `Too few to tell how many stay: that takes ${people(minimum)}.`;
  return `<span>${people(total.signedUp)} signed up${time}.</span> <span>${fate}</span>`;
}

/** A duration in weeks, or in years where it is long. */
function span(seconds: number): string {
  const weeks = Math.max(1, Math.ceil(seconds / 604_800));
  return weeks > 104 ? `about ${Math.round(weeks / 52.18)} years` : count(weeks, 'week', 'weeks');
}

/** The sources whose intervals lie farthest above and below the share of all people, where there are any. */
function standouts({ total, cohorts }: SourceReport): string {
  const all = total.stillThere?.share ?? Number.NaN;
  const known = cohorts.source.flatMap(({ kind, name, stillThere }) =>
    kind === 'value' && stillThere ? [{ name, ...stillThere }] : [],
  );
  const best = known.filter(({ low }) => low > all).toSorted((a, b) => b.low - a.low)[0];
  const worst = known.filter(({ high }) => high < all).toSorted((a, b) => a.high - b.high)[0];
  const sentences = [
    best && `Readers from ${isolated(best.name)} stay most: ${percent(best.share)} of ${number(best.of)}.`,
    worst && `Readers from ${isolated(worst.name)} stay least: ${percent(worst.share)} of ${number(worst.of)}.`,
  ].filter(Boolean);
  return sentences.length === 0 ? '' : `<p>${sentences.join(' ')}</p>`;
}

function sectionOf(report: SourceReport, columns: readonly Figure[], section: Section): string {
  const { dimension, one, many, most } = section;
  const heading = `<section id="${dimension}"><h2>By ${one}</h2>`;
  const cohorts = report.cohorts[dimension];
  const values = cohorts.filter(({ kind }) => kind === 'value');
  if (cohorts.every(({ kind }) => kind === 'none')) return `${heading}<p>No signup has a ${one}.</p></section>`;
  const listed = dimension === 'week' ? values.slice(-most) : values.slice(0, most);
  const more = values.length - listed.length;
  const missing =
    more === 0
      ? ''
      : `<p>${count(more, one, many)} more: see <code>newsletter report sources --by ${dimension} --format csv</code>.</p>`;
  const rows = (shown: readonly Cohort[], isFolded = false): readonly string[] =>
    shown.map((cohort) => row(titleOf(cohort, isFolded) + label(cohort, section, report.minimum), cohort, columns));
  if (dimension === 'week') {
    if (values.length === 0) return monthsOf(report, columns);
    const all = [...listed, ...cohorts.filter(({ kind }) => kind !== 'value')];
    const whole = table('People by the week they signed up in', columns, rows(all, true));
    return `${heading}${weekChart(values, report)}${folded('The weeks as a table', whole + missing)}</section>`;
  }
  const top = listed.length > visibleRows + 3 ? listed.slice(0, visibleRows) : listed;
  const folds = listed.slice(top.length);
  const sums = cohorts.filter(({ kind }) => kind !== 'value');
  return `${heading}${table(`People by ${one}, most people first`, columns, rows([...top, ...sums]))}${
    folds.length === 0
      ? ''
      : folded(
          `${count(folds.length, one, many)} more`,
          table(`People by ${one}, continued`, columns, rows(folds, true)) + missing,
        )
  }</section>`;
}

/** The months, of a list so small that no week has enough people. */
function monthsOf(report: SourceReport, columns: readonly Figure[]): string {
  const section = { one: 'month', many: 'months' };
  const rows = report.months.map((cohort) => row(`>${label(cohort, section, report.minimum)}`, cohort, columns));
  const content = report.months.some(({ kind }) => kind === 'value')
    ? table('People by the month they signed up in', columns, rows)
    : `<p>No month has ${people(report.minimum)} or more.</p>`;
  return `<section id="week"><h2>By month</h2>${content}</section>`;
}

function folded(summary: string, content: string): string {
  return `<details><summary>${summary}</summary>${content}</details>`;
}

/** End tags that HTML does not need are left out: a row is some 150 bytes. */
function table(caption: string, columns: readonly Figure[], rows: readonly string[]): string {
  return `<table><caption>${caption}</caption><thead><tr><td>${columns
    .map(({ title }) => `<th scope=col>${title}`)
    .join('')}<tbody>${rows.join('')}</table>`;
}

function row(name: string, cohort: Cohort, columns: readonly Figure[]): string {
  return `<tr><th${name}${columns.map((column) => `<td>${cellOf(column, cohort)}`).join('')}`;
}

/** The whole of a name that is cut. Folded rows show all of it, because it would double the size of the page. */
function titleOf({ name }: Cohort, isFolded: boolean): string {
  return isFolded || name.length <= 24 ? '>' : ` title="${escapeHtml(name)}">`;
}

/** The text of a row's heading. */
function label({ kind, name, values }: Cohort, { one, many }: Pick<Section, 'one' | 'many'>, minimum: number): string {
  const counted = count(values, one, many);
  switch (kind) {
    case 'value':
      return isolated(name);
    case 'none':
      return `<i>No ${one}</i>`;
    case 'small':
      return `<i>${counted} with fewer than ${minimum} people each</i>`;
    case 'rest':
      return `<i>${counted} ${['week', 'month'].includes(one) ? 'before' : 'with fewer people'}</i>`;
    case 'all':
      return '<i>All</i>';
  }
}

/** A text of somebody else's. Its direction and its marks of direction stay within it. */
function isolated(text: string): string {
  return `<bdi>${escapeHtml(text)}</bdi>`;
}

/** How the figures are to be read, and which of them cannot be known. */
function explanation(report: SourceReport, columns: readonly Figure[]): string {
  const { total, minimum } = report;
  const shown = columns.map(({ id }) => id);
  const lines = [
    'Still there: active when the subscriptions were read. The thin line is the range in which the share lies with 95 % certainty: the fewer people, the longer. The dashed line is the share of all people.',
    `No figure is about fewer than ${people(minimum)}: a dash stands in its place.`,
    ...aboutHistory(report, shown),
    shown.includes('opens') || shown.includes('clicks')
      ? 'Opens and clicks: the mean of the rates of those who have one.'
      : `Opens and clicks are known with <code>--stats</code>, of ${people(minimum)} or more.`,
    total.invalid > 0 && `Not counted: ${count(total.invalid, 'invalid address', 'invalid addresses')}.`,
  ];
  return `<section id="reading"><h2>How to read this</h2><ul>${lines
    .filter((line) => line !== false)
    .map((line) => `<li>${line}`)
    .join('')}</ul></section>`;
}

/** What is known of the days after a signup, and what is not. */
function aboutHistory(report: SourceReport, shown: readonly string[]): readonly (string | false)[] {
  const { at, total, historySince, historyUntil, removed } = report;
  if (historySince === null || historyUntil === null)
    return [
      'How many were still there after some days is not known without a history of who left when. <code>newsletter watch --history FILE</code> keeps one.',
    ];
  const began = date(historySince);
  const daysOf = (isShown: boolean): readonly number[] =>
    total.after.map(({ days }) => days).filter((days) => shown.includes(`after ${days}`) === isShown);
  const [known, none] = [daysOf(true), daysOf(false)];
  const unknown = total.after.filter((one) => one.unknown > 0);
  return [
    known.length > 0 && 'After some days: of those who signed up at least as many days before.',
    none.length > 0 &&
      `After ${none.join(', ')} days: ${at - historyUntil > historyStaleAfter ? `not known, because the history of who left when ends on ${date(historyUntil)}` : 'too early to tell, or too few people'}.`,
    unknown.length > 0 &&
      `Left out, because that day lies before ${began}, when the history of who left began: ${unknown.map(({ days, unknown }) => `${people(unknown)} after ${days} days`).join(', ')}.`,
    removed !== null &&
      removed > 0 &&
      `Not counted: ${count(removed, 'subscription', 'subscriptions')} deleted since ${began}.`,
  ];
}
