/** The moment that a date in the editor means. Pure. */

/** Ends with Z or a difference to UTC. */
const zoned = /(?:Z|[+-]\d\d:?\d\d)$/i;

/**
 * Unix seconds of a date as n8n's picker or an expression gives it; what names no zone is in the given one. Undefined
 * where it is no date.
 */
export function toSeconds(value: unknown, zone: string): number | undefined {
  const text = value instanceof Date ? value.toISOString() : String(value).trim().replace(' ', 'T');
  const asUtc = Date.parse(zoned.test(text) ? text : `${text.includes('T') ? text : `${text}T00:00:00`}Z`);
  if (Number.isNaN(asUtc)) return undefined;
  if (zoned.test(text)) return Math.floor(asUtc / 1000);
  // Twice, because the difference itself changes in the hours around a change of the clocks.
  const near = asUtc - differenceOf(zone, asUtc);
  return Math.floor((asUtc - differenceOf(zone, near)) / 1000);
}

/** Milliseconds that the zone's clocks are ahead of UTC at this moment. */
function differenceOf(zone: string, moment: number): number {
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
