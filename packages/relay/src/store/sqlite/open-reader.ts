/** What operators read of an SQLite store, on a connection of its own that ends a read which takes too long. */
import { realpathSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { readMs, type StoreReads, type WebhookQueue } from '../signup-store.ts';
import { asStoreUnavailable, readTookTooLong } from '../database-errors.ts';
import type { ReadDatabase } from '../acts/act.ts';
import { overviewReads } from '../acts/overview.ts';
import { recordReads } from '../acts/records.ts';
import { webhookReads } from '../acts/webhooks.ts';
import { actsIn } from './driver.ts';
import { dialect, tallied } from './sql-parts.ts';

/** What this connection reads. */
export interface SqliteReader extends StoreReads {
  readonly webhooks: Pick<WebhookQueue, 'overview'>;
  close(this: void): Promise<void>;
}

/** Opens the store in a file that this process has open already. */
export function openSqliteReader(path: string): SqliteReader {
  const db = new DatabaseSync(realpathSync(path), { readOnly: true, timeout: readMs });
  let deadline = Infinity;
  // Node has no other way to end a statement: what an SQL function throws ends the one that has called it.
  db.function('check_time', () => {
    if (performance.now() > deadline) throw readTookTooLong();
    return 1;
  });
  const { prepare, carryOut } = actsIn({ prepare: (text) => db.prepare(text) });
  const read: ReadDatabase['readLong'] =
    (act) =>
    (...values) => {
      deadline = performance.now() + readMs;
      return asStoreUnavailable('read', () => carryOut(act(...values)));
    };
  const limited: ReadDatabase = {
    dialect,
    prepare,
    // At one row of a thousand: the clock takes longer than a row.
    inTime: '(random() & 1023 OR check_time())',
    readOne: read,
    readLong: read,
  };
  return {
    ...overviewReads(limited, tallied(limited)),
    ...recordReads(limited),
    webhooks: webhookReads(limited),
    close: () => Promise.resolve(db.close()),
  };
}
