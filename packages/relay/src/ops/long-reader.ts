/** What reads a store for so long that nothing is cleared away there: the store grows until it ends. */
import type { RelayContext } from '../context.ts';
import { diskSpaceOf } from '../health.ts';

/** Size of an SQLite store's log that is long due to be emptied, in megabytes: four times what is kept of it. */
const longLogMb = 256;

/** Age of a transaction of PostgreSQL that is long, in minutes. */
const longReadMinutes = 60;

/** Says so, and what to do; null where nothing does. */
export async function longReaderText({
  config,
  store,
}: Pick<RelayContext, 'config' | 'store'>): Promise<string | null> {
  const disk = await diskSpaceOf(config.store)().catch(() => null);
  const logMb = Math.floor((disk?.logBytes ?? 0) / 1024 ** 2);
  if (logMb > longLogMb)
    return `The log of the store has ${logMb} MB: it is emptied once no other program reads the store, so end one that does.`;
  const minutes = Math.floor(((await store.oldestReaderMs?.().catch(() => 0)) ?? 0) / 60_000);
  return minutes > longReadMinutes
    ? `A transaction in PostgreSQL is open for ${minutes} minutes, and nothing is cleared away meanwhile: find it in pg_stat_activity, and end it.`
    : null;
}
