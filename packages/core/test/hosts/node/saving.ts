/** A process that saves one login after another until it is killed. */
import { createFileTokenStore } from '../../../src/hosts/node/index.ts';

const store = createFileTokenStore(process.argv[2] ?? '');
for (let n = 0; n < 100_000; n++) {
  const accessToken = `token ${process.pid} ${n}`;
  // Large, so that a file that is not written at once would be caught half-written.
  await store.save({
    accessToken,
    refreshToken: null,
    issuedAt: 0,
    expiresAt: null,
    scopes: Array.from({ length: 2000 }, () => accessToken),
  });
  process.stdout.write('saved\n');
}
