/** The figures on the report's page, as text and as a bar. */
import type { Cohort, Share } from '@newsletter-kit/core/report';
import { count, number } from '../../output.ts';
import type { Figure } from './figures.ts';

/** The figure in its cell of a table. */
export function cellOf({ id, of }: Figure, cohort: Cohort): string {
  const known = of(cohort);
  if (known === null) return id === 'stillThere' ? '<i>too few people</i>' : '–';
  if (typeof known === 'number') return number(known);
  if ('rate' in known) return percent(known.rate);
  return id === 'stillThere' ? bar(known) : percent(known.share);
}

/** The figure of all people, large; empty where it is not known. */
export function tileOf({ title, of }: Figure, total: Cohort): string {
  const known = of(total);
  if (known === null) return '';
  const tile = (figure: string, note: string): string =>
    `<div><dt>${title}</dt><dd>${figure} <small>${note}</small></dd></div>`;
  if (typeof known === 'number') return tile(number(known), 'people');
  return 'rate' in known
    ? tile(percent(known.rate), `mean of ${number(known.of)}`)
    : tile(percent(known.share), `of ${number(known.of)}`);
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
