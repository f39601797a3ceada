/** Moments and days from the date picker and from expressions. A text without a zone is in that of the workflow. */

/** Ends with Z or a difference to UTC. */
const zoned = /(?:Z|[+-]\d\d:?\d\d)$/i;

/**
 * Unix seconds of a date from n8n's picker or an expression; undefined where it is no date.
 *
 * @param zone - the time zone of dates that name none
 */
export function toUnixSeconds(value: unknown, zone: string): number | undefined {
  const text = isDate(value) ? value.toISOString() : String(value).trim().replace(' ', 'T');
  const asUtc = Date.parse(zoned.test(text) ? text : `${text.includes('T') ? text : `${text}T00:00:00`}Z`);
  if (Number.isNaN(asUtc)) return undefined;
  if (zoned.test(text)) return Math.floor(asUtc / 1000);
  // Twice: the offset itself changes in the hours around a daylight saving transition.
  const near = asUtc - utcOffsetMs(zone, asUtc);
  return Math.floor((asUtc - utcOffsetMs(zone, near)) / 1000);
}

/** Milliseconds by which the zone is ahead of UTC at this time. */
function utcOffsetMs(zone: string, moment: number): number {
  const parts = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  }).formatToParts(moment);
  const part = (type: Intl.DateTimeFormatPartTypes): number => Number(parts.find((each) => each.type === type)?.value);
  return (
    Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second')) -
    Math.floor(moment / 1000) * 1000
  );
}

/** Whether it is a date of JavaScript, and a valid one. */
export function isDate(value: unknown): value is Date {
  return value instanceof Date && !Number.isNaN(value.getTime());
}

/** The day of a moment in a zone, as YYYY-MM-DD. */
export function dayIn(zone: string, moment: Date): string {
  return new Date(moment.getTime() + utcOffsetMs(zone, moment.getTime())).toISOString().slice(0, 10);
}
