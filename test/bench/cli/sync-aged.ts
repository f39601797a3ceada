/**
 * `newsletter sync apply` with 20,000 contacts whose database is older than they are, beside a fresh database: after a
 * growth from 200 contacts, and beside another sync of 200. PostgreSQL has analyzed the small tables, and not again.
 */
import { median, reportFigures } from '../figure.ts';
import { SyncCommand } from './sync-command.ts';

const [few, many, rounds] = [200, 20_000, 5];
const databases = {
  fresh: null,
  grown: 'contacts',
  beside: 'others',
} as const;

type Kind = keyof typeof databases;
const kinds = Object.keys(databases) as readonly Kind[];

const command = new SyncCommand();
try {
  await command.start(['autovacuum=off']);
  const addresses = new Map<Kind, string>();
  const seconds: Record<Kind, number[]> = { fresh: [], grown: [], beside: [] };
  for (const kind of kinds) {
    const database = await command.database();
    addresses.set(kind, database);
    const small = databases[kind];
    if (small !== null) {
      await command.fill(database, small, few);
      for (let run = 1; run <= 2; run += 1) await command.apply(database, small);
      await command.query('VACUUM ANALYZE', database);
    }
    await command.fill(database, 'contacts', many);
    await command.apply(database, 'contacts');
  }
  // In turns, so that other work of the machine meets all alike. Second runs store pairs at rest, third ones read them.
  for (let round = 1; round <= rounds; round += 1)
    for (const [kind, database] of addresses) {
      if (round > 1) await command.query(`DELETE FROM newsletter_sync_at_rest WHERE scope LIKE '% contacts'`, database);
      const [second, third] = [await command.apply(database, 'contacts'), await command.apply(database, 'contacts')];
      seconds[kind].push(second.seconds + third.seconds);
    }
  const medians = Object.fromEntries(kinds.map((kind) => [kind, median(seconds[kind])])) as Record<Kind, number>;
  reportFigures({
    age: {
      value: Math.max(medians.grown, medians.beside) / medians.fresh,
      detail: `20,000 contacts, second and third run together: ${kinds.map((kind) => `${kind} ${medians[kind].toFixed(2)} s`).join(', ')}`,
    },
  });
} finally {
  await command.stop();
}
