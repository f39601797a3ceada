/** Formats numbers and durations for people. */

const grouped = new Intl.NumberFormat('en');

export function count(amount: number, singular: string, plural = `${singular}s`): string {
  return `${number(amount)} ${amount === 1 ? singular : plural}`;
}

/** `1,234`. */
export function number(amount: number): string {
  return grouped.format(amount);
}

/** `2 h 5 min`, `40 s`. */
export function duration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60)];
  if (hours > 0) return `${hours} h ${minutes} min`;
  return minutes > 0 ? `${minutes} min ${seconds % 60} s` : `${seconds} s`;
}

/** `1,234 a second`, or a minute where the rate is below one. */
export function rate(amount: number, ms: number): string {
  const perSecond = ms > 0 ? (amount * 1000) / ms : 0;
  return perSecond >= 1
    ? `${grouped.format(Math.round(perSecond))} a second`
    : `${grouped.format(Math.round(perSecond * 60))} a minute`;
}
