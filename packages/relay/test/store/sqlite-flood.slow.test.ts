/** One mailbox flooded with mails, on a store in an SQLite file. */
import { join } from 'node:path';
import { scratchFolder } from '../../../../test/support/scratch-folder.ts';
import { openSqliteStore } from '../../src/store/sqlite/open-database.ts';
import { describeFlood } from './mailbox-flood.ts';

describeFlood(() => {
  const path = join(scratchFolder(), 'relay.db');
  return Promise.resolve({ open: () => Promise.resolve(openSqliteStore(path)) });
});
