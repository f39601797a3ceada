/** Days and times as people keep them: typed into a table, exported from a spreadsheet, or stored in a CRM. */

/** Order of day and month in a date such as 01/02/2026. */
export type DateOrder = 'dmy' | 'mdy';

const yearFirst = /^(?<year>\d{4})(?<mark>[-./])(?<a>\d{1,2})\k<mark>(?<b>\d{1,2})(?:,?[ T]+(?<time>.+))?$/i;
const yearLast = /^(?<a>\d{1,2})(?<mark>[-./])(?<b>\d{1,2})\k<mark>(?<year>\d{4})(?:,?[ T]+(?<time>.+))?$/i;
const clock =
  /^(\d{1,2})(:\d\d(?::\d\d(?:\.\d+)?)?)\s*(?:([ap])\.?m\.?)?\s*(?:Z|UTC|GMT)?(?:([+-])(\d\d?):?(\d\d)?)?$/i;
/** As English writes a day with its month in words: `Jan 9, 2024`, `9 January 2024`, `04-Aug-2022`. */
const inWords =
  /^(?:[a-z]{3,9}\.?,? )?(?:(?<first>[a-z]{3})[a-z]{0,6}\.? (?<day>\d{1,2}),?|(?<before>\d{1,2})[ -](?<month>[a-z]{3})[a-z]{0,6}\.?)[ -](?<year>\d{4})(?<rest>.*)$/i;
const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
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
 * blank or `T`; days with an English month, such as `9 Jan 2024`; dates of JavaScript; and by their size the days of a
 * spreadsheet (1927 to 2173), Unix seconds, and milliseconds. Numbers of six to eight digits are seconds only at a
 * midnight: others are days without hyphens.
 *
 * @param order - of day and month, where a date does not show it
 * @returns undefined for anything else, and for days that no calendar has
 */
export function dateIn(value: unknown, order?: DateOrder): string | undefined {
  if (value instanceof Date) return stampOf(value.getTime());
  const text = typeof value === 'string' ? value.trim() : typeof value === 'number' ? String(value) : '';
  if (count.test(text)) return counted(Number(text));
  const numeric = withoutWords(text);
  const written = yearFirst.exec(numeric) ?? yearLast.exec(numeric);
  if (!written) return undefined;
  const { year = '', a = '', b = '', time } = written.groups ?? {};
  const known = numeric.startsWith(year) ? 'mdy' : (dateOrderIn(text) ?? order);
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

/** A day whose month is a word, with the month as a number. */
function withoutWords(text: string): string {
  const { first, day, before, month = first, year, rest } = inWords.exec(text)?.groups ?? {};
  const number = months.indexOf((month ?? '').toLowerCase()) + 1;
  return number === 0 ? text : `${year}-${number}-${day ?? before}${rest}`;
}

/** Empty where it is no time. */
function timeIn(text: string): string {
  const [, hours, rest = '', half, sign, zoneHours = '', zoneMinutes = '00'] = clock.exec(text) ?? [];
  if (hours === undefined) return '';
  const hour = half === undefined ? Number(hours) : (Number(hours) % 12) + (/p/i.test(half) ? 12 : 0);
  const offset = sign ? `${sign}${zoneHours.padStart(2, '0')}:${zoneMinutes}` : /(?:Z|UTC|GMT)$/i.test(text) ? 'Z' : '';
  return `${String(hour).padStart(2, '0')}${rest}${offset}`;
}
