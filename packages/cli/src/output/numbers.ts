/** Numbers and times as people read them. */

const grouped = new Intl.NumberFormat('en');

export function count(amount: number, singular: string, plural = `${singular}s`): string {
  return `${grouped.format(amount)} ${amount === 1 ? singular : plural}`;
}

/** `1,234 a second`, or a minute where that is more telling. */
export function rate(amount: number, ms: number): string {
  const perSecond = ms > 0 ? (amount * 1000) / ms : 0;
  return perSecond >= 1 ? `${grouped.format(Math.round(perSecond))} a second` : `${grouped.format(Math.round(perSecond * 60))} a minute`;
}
