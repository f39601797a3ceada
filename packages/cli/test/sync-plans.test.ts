/** The query plans of `newsletter sync` in a database whose statistics are older than its rows. */
import { test } from '@newsletter-kit/sandbox/vitest';
import type { EventEmitter } from 'node:events';
import pg from 'pg';
import { expect, onTestFinished, vi } from 'vitest';
import { settle, syncFixture, type SyncFixture } from './sync-fixture.ts';

/** A node of a plan, as EXPLAIN ANALYZE prints it. */
interface PlanNode {
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Join Filter'?: number;
  readonly Plans?: readonly PlanNode[];
}

interface Executed {
  readonly statement: string;
  /** Rows that its nodes returned or removed, each time that they ran. */
  readonly rows: number;
}

function rowsOf(node: PlanNode): number {
  const removed = (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Join Filter'] ?? 0);
  const own = (node['Actual Rows'] + removed) * node['Actual Loops'];
  return (node.Plans ?? []).reduce((sum, each) => sum + rowsOf(each), own);
}

/** Makes PostgreSQL send the plan of every statement to the client that ran it. @returns takes those that came in */
async function observeStatements(sql: SyncFixture['sql']): Promise<() => readonly Executed[]> {
  const settings = {
    // As large tables have it: no hash table of all rows fits.
    work_mem: '64',
    hash_mem_multiplier: '1',
    session_preload_libraries: `'auto_explain'`,
    'auto_explain.log_min_duration': '0',
    'auto_explain.log_analyze': 'on',
    'auto_explain.log_timing': 'off',
    'auto_explain.log_format': `'json'`,
    'auto_explain.log_level': `'notice'`,
  };
  const [database] = await sql('SELECT current_database() AS name');
  for (const [name, value] of Object.entries(settings))
    await sql(`ALTER DATABASE ${String(database?.['name'])} SET ${name} = ${value}`);
  const emit = vi.spyOn(pg.Client.prototype as EventEmitter, 'emit');
  onTestFinished(() => emit.mockRestore());
  return () =>
    emit.mock.calls.splice(0).flatMap(([name, notice]: readonly unknown[]) => {
      const [, json] = /plan:(.*)/s.exec(name === 'notice' ? String((notice as Error).message) : '') ?? [];
      if (json === undefined) return [];
      const { 'Query Text': statement, Plan: plan } = JSON.parse(json) as { 'Query Text': string; Plan: PlanNode };
      return [{ statement, rows: rowsOf(plan) }];
    });
}

/** Contacts after the growth. */
const size = 1200;
/** More rows than a few joins and sorts of all contacts handle. */
const isSlow = ({ rows }: Executed): boolean => rows > 40 * size;

test('handles rows in proportion to the contacts, whatever the statistics of its tables say', async ({
  sandboxOnPort: sandbox,
}) => {
  const { client, sync, sql, config, write } = await syncFixture(sandbox);
  const fill = async (from: number, to: number): Promise<void> => {
    const subscriptions = Array.from({ length: to - from }, (_, index) => ({ email: `r${from + index}@example.com` }));
    await client.subscriptions.bulkCreate({ subscriptions });
    settle(sandbox);
    await sql(
      `INSERT INTO contacts (email) SELECT 'r' || n || '@example.com' FROM generate_series(${from}, ${to - 1}) n`,
    );
  };
  await fill(0, 10);
  for (let run = 0; run < 2; run += 1) expect(await sync('apply')).toMatchObject({ code: 0 });
  await sql('VACUUM ANALYZE');
  await fill(10, size);
  const statements = await observeStatements(sql);
  for (const name of ['default', 'another']) {
    write({ ...config, name });
    for (let run = 1; run <= 2; run += 1) {
      expect(await sync('apply')).toMatchObject({ code: 0 });
      const executed = statements();
      expect(executed.length).toBeGreaterThan(10);
      expect(executed.filter(isSlow)).toEqual([]);
    }
  }
  const atRest = await sql(`SELECT count(*)::int AS pairs FROM newsletter_sync_at_rest GROUP BY scope`);
  expect(atRest).toEqual([{ pairs: size }, { pairs: size }]);
  await sql(`DELETE FROM contacts WHERE id % 2 = 0`);
  await sync('apply', '--accept');
  expect(statements().filter(isSlow)).toEqual([]);
  expect(await sql(`SELECT count(*)::int AS pairs FROM newsletter_sync_at_rest GROUP BY scope ORDER BY 1`)).toEqual([
    { pairs: size / 2 },
    { pairs: size },
  ]);
});
