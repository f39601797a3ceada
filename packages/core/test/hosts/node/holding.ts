/** A process that takes a lock and keeps it until it is killed. */
import { withLock } from '../../../src/hosts/node/durable-file.ts';

await withLock(process.argv[2] ?? '', async () => {
  process.stdout.write('held\n');
  setInterval(() => undefined, 60_000);
  await new Promise(() => undefined);
});
