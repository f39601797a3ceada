/** Days and times as people keep them: typed into a table, exported from a spreadsheet, or stored in a CRM. */

/** Order of day and month in a date such as 01/02/2026. */
export type DateOrder = 'dmy' | 'mdy';

const yearFirst = /^(?<year>\d{4})(?<mark>[-./])(?<a>\d{1,2})\k<mark>(?<b>\d{1,2})(?:,?[ T]+(?<time>.+))?$/i;
const yearLast = /^(?<a>\d{1,2})(?<mark>[-./])(?<b>\d{1,2})\k<mark>(?<year>\d{4})(?:,?[ T]+(?<time>.+))?$/i;
const clock = /^(\d{1,2})(:\d\d(?::\d\d(?:\.\d+)?)?)\s*(?:([ap])\.?m\.?)?\s*(Z|UTC|GMT|[+-]\d\d:?\d\d)?$/i;
const count = /^(?:-?[1-9]\d{5,12}|[1-9]\d{4})(?:\.\d+)?$/;

/** The order that a date shows: by a number above 12, or by dots, which only languages with the day first write. */
export function dateOrderIn(text: string): DateOrder | undefined {
  const { a, mark, b } = yearLast.exec(text.trim())?.groups ?? {};
  if (mark === '.' || Number(a) > 12) return 'dmy';
  return Number(b) > 12 ? 'mdy' : undefined;
}

/** Whether it can be two days: 01/02/2026. */
export const isAmbiguousDate = (text: string): boolean => yearLast.test(text.trim()) && dateOrderIn(text) === undefined;

/**
 * A day or time as people keep it, in ISO 8601: a day alone where it has no time, and a time with its zone where it has
 * one. Read are `2026-01-31`, `2026/1/31`, `31.1.2026`, `31/1/2026` and `1/31/2026`, each also with a time after a
 * blank or `T`; dates of JavaScript; and by their size the days of a spreadsheet (1927 to 2173), Unix seconds, and
 * milliseconds. Numbers of six to eight digits are seconds only at a midnight: others are days without hyphens.
 *
 * @param order - of day and month, where a date does not show it
 * @returns undefined for anything else, and for days that no calendar has
 */
export function dateIn(value: unknown, order?: DateOrder): string | undefined {
  if (value instanceof Date) return stampOf(value.getTime());
  const text = typeof value === 'string' ? value.trim() : typeof value === 'number' ? String(value) : '';
  if (count.test(text)) return counted(Number(text));
  const written = yearFirst.exec(text) ?? yearLast.exec(text);
  if (!written) return undefined;
  const { year = '', a = '', b = '', time } = written.groups ?? {};
  const known = text.startsWith(year) ? 'mdy' : (dateOrderIn(text) ?? order);
  if (known === undefined) return undefined;
  const [month, day] = known === 'mdy' ? [a, b] : [b, a];
  const date = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  // `Date.parse` takes 31 April for 1 May.
  if (stampOf(Date.parse(date))?.startsWith(date) !== true) return undefined;
  const iso = time === undefined ? date : `${date}T${timeIn(time)}`;
  return utcOf(iso) === undefined ? undefined : iso;
}

/** The second in UTC of a day or time of {@link dateIn}: without a zone it is in UTC, and a day is its midnight. */
export const utcOf = (iso: string): string | undefined => stampOf(Date.parse(/T[\d:.]+$/.test(iso) ? `${iso}Z` : iso));

/** Undefined beyond the years of four digits. */
function stampOf(milliseconds: number): string | undefined {
  const iso = Number.isNaN(milliseconds) ? '' : new Date(milliseconds).toISOString();
  return /^\d/.test(iso) ? `${iso.slice(0, 19)}Z` : undefined;
}

/** Days from 30 December 1899, where spreadsheets begin, to 1970. */
const daysTo1970 = 25_569;

function counted(number: number): string | undefined {
  const size = Math.abs(number);
  if (size >= 1e10) return stampOf(number);
  if (size >= 1e5) return size >= 1e8 || size % 86_400 === 0 ? stampOf(number * 1000) : undefined;
  return stampOf(Math.round((number - daysTo1970) * 86_400) * 1000)?.slice(0, Number.isInteger(number) ? 10 : 19);
}

/** Empty where it is no time. */
function timeIn(text: string): string {
  const [, hours, rest = '', half, zone = ''] = clock.exec(text) ?? [];
  if (hours === undefined) return '';
  const hour = half === undefined ? Number(hours) : (Number(hours) % 12) + (/p/i.test(half) ? 12 : 0);
  const offset = zone.replace(/^[a-z]+$/i, 'Z').replace(/^([+-]\d\d):?/, '$1:');
  return `${String(hour).padStart(2, '0')}${rest}${offset}`;
}
