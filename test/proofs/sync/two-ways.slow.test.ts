/**
 * The plans of a sync in memory, in batches and in PostgreSQL, over random histories; `SYNC_RUNS` sets another number,
 * and `TEST_SEED` repeats a run.
 */
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { sharedPostgres } from '../../../packages/relay/test/postgres-server.ts';
import { history, inBatches, inMemory, inPostgres, playInAllWays, table } from './two-ways.ts';

const numRuns = Number(process.env['SYNC_RUNS'] ?? 20_000);

it('plans the same in memory and in the smallest batches', { timeout: 1_800_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(history, (each) => playInAllWays(each, [inMemory, inBatches])),
    { numRuns },
  );
});

it('plans the same in memory and with contacts in PostgreSQL', async () => {
  const server = sharedPostgres();
  const database = await server.database();
  const sql = (text: string) => server.run(text, database);
  await sql(table);
  const inTheDatabase = inPostgres(database, sql);
  await fc.assert(
    fc.asyncProperty(history, (each) => playInAllWays(each, [inMemory, inTheDatabase])),
    { numRuns: Math.max(15, numRuns / 200) },
  );
  const [kept] = await sql('SELECT count(*)::int AS pairs FROM newsletter_sync_at_rest');
  expect(kept?.['pairs']).toBeGreaterThan(10);
});
