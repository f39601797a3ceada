/** Formats numbers, counts, durations and dates for a person, in the language of the browser. */
import { html, type TemplateResult } from 'lit';

const numberFormat = new Intl.NumberFormat();

export function formatNumber(value: number): string {
  return numberFormat.format(value);
}

/** A count with its noun: `1 signup`, `1,200 signups`. */
export function formatCount(count: number, singular: string, plural = `${singular}s`): string {
  return `${formatNumber(count)} ${count === 1 ? singular : plural}`;
}

const units = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'min'],
  [1000, 's'],
] as const;

/** A duration in its largest whole unit: `3 min`. */
export function formatDuration(milliseconds: number): string {
  const [size, unit] = units.find(([each]) => milliseconds >= each) ?? [1000, 's'];
  return `${formatNumber(Math.max(0, Math.floor(milliseconds / size)))} ${unit}`;
}

/** Options of {@link dateTime}. */
export interface DateTimeOptions {
  /** Shows only the time for a moment of today, and only the date for any other. */
  readonly short?: boolean;
}

/** A moment as a `<time>` element, with the full date and time in its title. */
export function dateTime(moment: Date | number, { short = false }: DateTimeOptions = {}): TemplateResult {
  const date = new Date(moment);
  const full = date.toLocaleString();
  return html`<time datetime=${date.toISOString()} title=${full}>${short ? shortDateTime(date) : full}</time>`;
}

function shortDateTime(date: Date): string {
  return date.toDateString() === new Date().toDateString()
    ? date.toLocaleTimeString()
    : date.toLocaleDateString(undefined, { dateStyle: 'medium' });
}
