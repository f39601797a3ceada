/** A process that takes a lock and keeps it until it is killed. */
import { withLock } from '../../../src/hosts/node/durable-file.ts';

await withLock(process.argv[2] ?? '', async () => {
  process.stdout.write('held\n');
  // Only what a timer can still resolve is kept: a promise that nothing refers to is collected, and the lock with it.
  await new Promise((resolve) => setTimeout(resolve, 600_000));
});
