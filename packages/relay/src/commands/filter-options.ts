/** The filter of signups as options of a command. */
import { filterParts, readFilter } from '../ops/signup-filter.ts';
import type { SignupFilter } from '../store/signup-store.ts';
import { UsageError, type Given, type Option } from './command.ts';

const words: Readonly<Record<string, string>> = {
  state: 'STATES',
  form: 'NAME',
  email: 'ADDRESS',
  reason: 'WORDS',
  since: 'WHEN',
  until: 'WHEN',
  id: 'IDS',
};

/** One option per part of a filter. */
export const filterOptions: Readonly<Record<string, Option>> = Object.fromEntries(
  filterParts.map(({ name, about }) => [name, { about, value: words[name] ?? 'TEXT' }]),
);

/**
 * The filter that was given.
 *
 * @param fallback - parts that hold where nothing else is said
 * @throws UsageError that names every mistake
 */
export function givenFilter({ values }: Given, fallback: Readonly<Record<string, string>> = {}): SignupFilter {
  const parts = Object.fromEntries(
    Object.entries({ ...fallback, ...values }).filter(([name]) => name in filterOptions),
  );
  const read = readFilter(parts, Date.now());
  if (!read.ok) throw new UsageError(`${read.mistakes.join('; ')}.`);
  return read.filter;
}
