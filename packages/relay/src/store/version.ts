/** The version of the tables of a store. */
import { StartupError } from '../errors.ts';

/**
 * Whether a store has the tables of this version; false where it has none. Those before the first published version are
 * of nobody, and are not migrated.
 *
 * @param found - the version that is noted in the store; 0 without tables
 * @param tables - what has it, with a verb: `The store relay.db was`
 * @throws StartupError if another version has written them
 */
export function hasTablesOf(current: number, found: number, tables: string): boolean {
  if (found > current)
    throw new StartupError(`${tables} written by a newer relay (version ${found}): update this one.`);
  if (found > 0 && found < current)
    throw new StartupError(
      `${tables} written by a relay before the first published one (version ${found}): export its signups with that relay, and import them into a new store.`,
    );
  return found === current;
}
