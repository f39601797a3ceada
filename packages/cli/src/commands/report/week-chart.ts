/** The weeks of the report as columns over time: who signed up, and how many of them are still there. */
import type { Cohort, SourceReport } from '@newsletter-kit/core/report';
import { number } from '../../output.ts';
import { people } from './columns.ts';

const week = 604_800_000;

/** Fewest weeks of the axis: fewer columns would be as wide as the page. */
const minSlots = 12;
const maxLabels = 5;

/** @param values - the weeks with enough people, in order */
export function weekChart(values: readonly Cohort[], { at, minimum }: SourceReport): string {
  const [first, last] = [values[0], values.at(-1)];
  if (first === undefined || last === undefined) return '';
  const start = Date.parse(first.name);
  const count = slot(last, start) + 1;
  const slots = Math.max(count, minSlots);
  const max = roundUp(Math.max(...values.map(({ signedUp }) => signedUp)));
  const columns = (height: (cohort: Cohort) => number): string =>
    values
      .map((cohort) => {
        const top = Number((100 - (100 * height(cohort)) / max).toFixed(1));
        return `M${slot(cohort, start)} 100V${top}h.8V100z`;
      })
      .join('');
  const step = Math.ceil(count / maxLabels);
  const labels = Array.from({ length: Math.ceil(count / step) }, (_, index) => index * step);
  const label = `People by the week they signed up in, from ${day(start)} to ${day(Date.parse(last.name))}: at most ${people(
    Math.max(...values.map(({ signedUp }) => signedUp)),
  )}. The table has the figures.`;
  const gaps = values.length < count ? ` Weeks of fewer than ${people(minimum)} have no column.` : '';
  const running = 1000 * at < Date.parse(last.name) + week ? ' The last week is not over.' : '';
  return `<figure><figcaption><span class="there">still there</span> <span class="left">left, or not confirmed</span>${gaps}${running}</figcaption>
<svg class="weeks" role="img" aria-label="${label}"><svg viewBox="0 0 ${slots} 100" height="86%" preserveAspectRatio="none" class="plot"><path class="grid" d="M0 0H${slots}M0 50H${slots}M0 100H${slots}"/><path class="left" d="${columns(({ signedUp }) => signedUp)}"/><path class="there" d="${columns(({ signedUp, stillThere }) => signedUp * (stillThere?.share ?? 0))}"/></svg><text y="1em">${number(max)}</text><text y="43%" dy="1em">${number(max / 2)}</text>${labels.map((index) => axisLabel((index + 0.5) / slots, day(start + index * week, count > 52))).join('')}</svg></figure>`;
}

/** Below its column, and within the chart. */
function axisLabel(place: number, text: string): string {
  const [x, anchor] = place < 0.05 ? [0, 'start'] : place > 0.92 ? [1, 'end'] : [place, 'middle'];
  return `<text x="${Number((100 * x).toFixed(2))}%" y="100%" text-anchor="${anchor}">${text}</text>`;
}

function slot({ name }: Cohort, start: number): number {
  return Math.round((Date.parse(name) - start) / week);
}

/** The next number of one digit and zeros, or half of one. */
function roundUp(value: number): number {
  const digit = 10 ** Math.floor(Math.log10(Math.max(value, 1)));
  return Math.max(10, Math.ceil((2 * value) / digit) * (digit / 2));
}

const days = new Intl.DateTimeFormat('en-GB', { timeZone: 'UTC', day: 'numeric', month: 'short' });
const months = new Intl.DateTimeFormat('en-GB', { timeZone: 'UTC', month: 'short', year: 'numeric' });

function day(time: number, isLong = false): string {
  return (isLong ? months : days).format(time);
}
