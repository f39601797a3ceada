/** A process that takes a lock and keeps it until it is killed. */
import { once } from 'node:events';
import { withLock } from '../../../src/hosts/node/durable-file.ts';

await withLock(process.argv[2] ?? '', async () => {
  process.stdout.write('held\n');
  setInterval(() => undefined, 60_000);
  // A promise that nothing refers to may be collected, and the lock with it.
  await once(process, 'SIGTERM');
});
