/** What narrows an event down. Pure. */
import { isRecord } from '../isRecord.ts';

/** The values that count, by the field of a subscription; a field that is not named here may hold anything. */
export type Filter = Readonly<Record<string, readonly string[]>>;

/** The filter that a collection of parameters makes, which are named as the fields. */
export function toFilter(entered: Readonly<Record<string, unknown>>): Filter {
  const lists = Object.entries(entered).map(([name, value]): [string, string[]] => [
    name,
    Array.isArray(value) ? value.map(comparable) : [],
  ]);
  return Object.fromEntries(lists.filter(([, values]) => values.length > 0).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

export function matches(filter: Filter, subscription: unknown): boolean {
  if (!isRecord(subscription)) return false;
  return Object.entries(filter).every(([name, values]) => values.includes(comparable(subscription[name])));
}

function comparable(value: unknown): string {
  return String(value ?? '')
    .trim()
    .toLowerCase();
}
