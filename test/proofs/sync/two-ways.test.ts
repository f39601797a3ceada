/** Few histories; `two-ways.slow.test.ts` has many. */
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { sharedPostgres } from '../../../packages/relay/test/postgres-server.ts';
import { history, inBatches, inMemory, inPostgres, playInAllWays, table } from './two-ways.ts';

const seed = Number(process.env['TEST_SEED'] ?? 1);

it('plans the same in memory and in the smallest batches', async () => {
  await fc.assert(
    fc.asyncProperty(history, (each) => playInAllWays(each, [inMemory, inBatches])),
    { seed, numRuns: 1000 },
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
    { seed, numRuns: 15 },
  );
  const [kept] = await sql('SELECT count(*)::int AS pairs FROM newsletter_sync_at_rest');
  expect(kept?.['pairs']).toBeGreaterThan(10);
});
