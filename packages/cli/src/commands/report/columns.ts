/** The figures of a row of the report's page, as text and as a bar. */
import type { Cohort, Share, SourceReport } from '@newsletter-kit/core/report';
import { count, number } from '../../output.ts';

/** A column with figures. */
export interface Column {
  readonly id: string;
  readonly title: string;
  readonly cell: (cohort: Cohort) => string;
}

/** The columns of which at least one cell is known. */
export function columnsOf({ total, cohorts }: SourceReport): readonly Column[] {
  const all = [total, ...Object.values(cohorts).flat()];
  return [
    {
      id: 'stillThere',
      title: 'Still there',
      cell: ({ stillThere }) => (stillThere ? bar(stillThere) : '<i>too few people</i>'),
    },
    { id: 'signedUp', title: 'Signed up', cell: ({ signedUp }) => number(signedUp) },
    { id: 'confirmed', title: 'Confirmed', cell: ({ confirmed }) => share(confirmed) },
    ...total.after.flatMap(({ days }, index): Column[] =>
      all.some(({ after }) => after[index]?.stayed)
        ? [{ id: `after ${days}`, title: `After ${days} days`, cell: ({ after }) => share(after[index]?.stayed) }]
        : [],
    ),
    ...(['opens', 'clicks'] as const)
      .filter((id) => all.some((cohort) => cohort[id]))
      .map((id) => ({
        id,
        title: id === 'opens' ? 'Opens' : 'Clicks',
        cell: ({ [id]: mean }: Cohort) => (mean ? percent(mean.rate) : '–'),
      })),
  ];
}

function share(known: Share | null | undefined): string {
  return known ? percent(known.share) : '–';
}

/** The share, and a bar of it with its interval as a thin line. Few bytes, as there may be hundreds of them. */
function bar({ share, low, high }: Share): string {
  const [length, from, to] = [share, low, high].map((part) => Math.round(part * 100));
  return `${percent(share)}<svg role=img aria-label="${from} to ${to} %"><line x2=${length}% /><line x1=${from}% x2=${to}% /></svg>`;
}

const dates = new Intl.DateTimeFormat('en-GB', { timeZone: 'UTC', dateStyle: 'long' });

/** A share as whole percent. Only nothing is 0 %, and only all of it is 100 %. */
export function percent(part: number): string {
  const rounded = Math.round(part * 100);
  if (rounded === 0 && part > 0) return '&lt;1 %';
  if (rounded === 100 && part < 1) return '&gt;99 %';
  return `${rounded} %`;
}

export function people(amount: number): string {
  return count(amount, 'person', 'people');
}

/** @param seconds - Unix time */
export function date(seconds: number): string {
  return dates.format(seconds * 1000);
}
