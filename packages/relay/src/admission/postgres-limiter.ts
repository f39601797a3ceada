/** Counters in PostgreSQL, for relays that share a database. While it does not answer, each relay counts for itself. */
import { RateLimiterPostgres } from 'rate-limiter-flexible';
import type { SharedCounters } from '../store/signup-store.ts';
import { inMemory, type MakeLimiter } from './limits.ts';

/** Counts where every relay does that uses the same store. */
export function inPostgres({ schema, table, query }: SharedCounters): MakeLimiter {
  const storeClient = {
    async query({ text, values = [] }: { readonly text: string; readonly values?: readonly unknown[] }) {
      const rows = await query(text, values);
      return { rows, rowCount: rows.length };
    },
  };
  return (name, rule) =>
    new RateLimiterPostgres({
      storeClient,
      storeType: 'client',
      schemaName: schema,
      tableName: table,
      tableCreated: true,
      keyPrefix: name,
      points: rule.points,
      duration: rule.seconds,
      insuranceLimiter: inMemory(name, rule),
    });
}
