/** ISO 8601 durations, as the clock is advanced by: `P14D`, `PT90M`, `P1Y2M3W4DT5H6M7.5S`. */

const pattern =
  /^P(?=[\dT])(?:(\d{1,4})Y)?(?:(\d{1,5})M)?(?:(\d{1,6})W)?(?:(\d{1,7})D)?(?:T(?=\d)(?:(\d{1,8})H)?(?:(\d{1,9})M)?(?:(\d{1,11}(?:[.,]\d{1,3})?)S)?)?$/;

/**
 * The time that lies so much later, in milliseconds. Years and months are those of the calendar, in UTC: a month after
 * 31 January is the last day of February.
 *
 * @throws RangeError where `duration` is none
 */
export function addDuration(time: number, duration: string): number {
  const match = pattern.exec(duration);
  if (!match)
    throw new RangeError(
      `"${duration.slice(0, 40)}" is not a duration. Write it as in ISO 8601: P14D for 14 days, PT90M for 90 minutes.`,
    );
  const [years, months, weeks, days, hours, minutes, seconds] = match
    .slice(1)
    .map((part) => Number((part ?? '0').replace(',', '.')));
  const moved = addMonths(time, (years ?? 0) * 12 + (months ?? 0));
  const inDays = (weeks ?? 0) * 7 + (days ?? 0);
  return moved + ((inDays * 24 + (hours ?? 0)) * 60 + (minutes ?? 0)) * 60_000 + Math.round((seconds ?? 0) * 1000);
}

function addMonths(time: number, months: number): number {
  if (months === 0) return time;
  const date = new Date(time);
  const day = date.getUTCDate();
  date.setUTCDate(1);
  date.setUTCMonth(date.getUTCMonth() + months);
  const lastDay = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
  return date.setUTCDate(Math.min(day, lastDay));
}
