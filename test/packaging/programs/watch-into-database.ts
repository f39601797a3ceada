/** Copies new subscriptions and changes of status into a table. */
import { DatabaseSync } from 'node:sqlite';
import { createClient } from '@newsletter-kit/core';
import { watchSubscriptions } from '@newsletter-kit/core/watch';
import type { Setting } from './setting.ts';

export default async function program({ options, print }: Setting): Promise<void> {
  const { engine, subscriptions } = createClient(options);
  const database = new DatabaseSync('people.db');
  database.exec('CREATE TABLE people (id PRIMARY KEY, email, status)');
  const watch = watchSubscriptions({ engine, events: ['created', 'status_changed'] });
  await watch.poll(); // The first poll learns and reports nothing.
  await subscriptions.create({ email: 'ada@example.com' });
  const write = database.prepare('REPLACE INTO people VALUES (?, ?, ?)');
  for (const event of (await watch.poll()).events) {
    if (event.type === 'removed') continue;
    const { id, email, status } = event.subscription;
    write.run(id, email ?? null, status);
  }
  print(database.prepare('SELECT email FROM people').all());
}
