/** When: the times that a service stamps, and the waits that it asks for. */

/** Services stamp no time before this one. */
const earliest = Date.UTC(1995, 0);

/** Nor after this one, where the caller knows no better. */
const latestOfAll = Date.UTC(2100, 0);

/**
 * A point in time as a service stamps it, in milliseconds since the Unix epoch: a number of seconds or milliseconds,
 * also as a text or in `/Date(…)/`, or a date and time (ISO 8601, also with a blank for the T; UTC without a zone; or
 * in English with its zone, as in HTTP). The unit of a number is the one that gives a time between 1995 and `latest`.
 *
 * @param latest - in milliseconds since the Unix epoch; default: the year 2100
 * @returns undefined for anything else, and for a time outside of these years
 */
export function momentOf(value: unknown, latest = latestOfAll): number | undefined {
  const [, digits] = /^(?:\/Date\()?(\d+(?:\.\d+)?)(?:(?:[+-]\d{4})?\)\/)?$/.exec(String(value)) ?? [];
  const number = typeof value === 'string' && digits ? Number(digits) : value;
  const readings = typeof number === 'number' ? [number * 1000, number] : [dateIn(value)];
  return readings.find((moment) => moment >= earliest && moment <= latest);
}

function dateIn(value: unknown): number {
  if (typeof value !== 'string') return Number.NaN;
  const [iso, day, time = '00:00', zone = 'Z'] =
    /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?) ?(Z|UTC|[+-]\d\d:?\d\d)?)?$/i.exec(value.trim()) ?? [];
  if (iso !== undefined) return Date.parse(`${day}T${time}${/^utc$/i.test(zone) ? 'Z' : zone}`);
  if (!/ (?:GMT|UTC|[+-]\d{4})(?![a-z])/i.test(value)) return Number.NaN;
  // Behind the zone, a program may write its name or a clock of its own.
  const [upToZone = ''] = /^.*?\b\d{4}\b.*? (?:GMT|UTC|[+-]\d{4})(?![a-z])/i.exec(value) ?? [];
  return Date.parse(value) || Date.parse(upToZone);
}

/** The same in whole seconds; a number of seconds as it is. */
export function secondsOf(value: unknown, latest?: number): number | undefined {
  const moment = momentOf(value, latest);
  if (moment === undefined) return undefined;
  return typeof value === 'number' && moment === value * 1000 ? value : Math.floor(moment / 1000);
}

/** A day: nobody asks for a longer wait. */
const longestWait = 86_400_000;

/**
 * How long a service asks to wait, in milliseconds: a number of seconds up to a day, or the moment until which, as
 * {@link momentOf} reads it.
 *
 * @param now - by the clock of the service, in milliseconds since the Unix epoch
 * @returns 0 where the moment has passed; undefined where it says nothing of use
 */
export function waitOf(value: string | undefined, now: number): number | undefined {
  if (value === undefined) return undefined;
  const text = value.trim();
  const number = Number(text);
  if (text !== '' && number >= 0 && number * 1000 <= longestWait) return number * 1000;
  const moment = momentOf(text, now + longestWait);
  return moment === undefined ? undefined : Math.max(0, moment - now);
}
