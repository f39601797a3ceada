/**
 * `newsletter sync apply` with 1,000,000 contacts in PostgreSQL and as many subscriptions: the memory of the command in
 * a first run, which writes every contact, in a second, and in a third, where the database knows each pair at rest.
 */
import { reportFigures } from '../figure.ts';
import { SyncCommand, type Run } from './sync-command.ts';

const size = 1_000_000;
const command = new SyncCommand();
try {
  await command.start();
  const database = await command.database();
  await command.fill(database, 'contacts', size);
  const runs: Run[] = [];
  for (let run = 1; run <= 3; run += 1) runs.push(await command.apply(database, 'contacts'));
  const [written] = await command.query('SELECT count(*)::int AS tokens FROM newsletter_sync_tokens', database);
  if (written?.['tokens'] !== size) throw new Error(`The first run wrote ${JSON.stringify(written)} tokens.`);
  const listed = (of: (run: Run) => number): string => runs.map((each) => Math.round(of(each))).join(', ');
  reportFigures({
    memory: {
      value: Math.max(...runs.map(({ megabytes }) => megabytes)),
      detail: `three runs: ${listed(({ megabytes }) => megabytes)} MB, ${listed(({ seconds }) => seconds)} s, ${listed((each) => each.requests)} requests, answered at once`,
    },
  });
} finally {
  await command.stop();
}
