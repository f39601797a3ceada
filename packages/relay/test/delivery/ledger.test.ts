/** Writing down what became of signups: in parts, so that who comes meanwhile does not wait for all of it. */
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createLog } from '../../src/index.ts';
import { Ledger } from '../../src/delivery/ledger.ts';
import { StoreHealth } from '../../src/ops/store-health.ts';
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { scratchFolder } from '../../../../test/support/scratch-folder.ts';

const ofPerson = (email: string) => ({
  form: 'default',
  submission: { email },
  suspected: false,
  origin: null,
  idempotencyKey: null,
  receivedAt: Date.now(),
});

it('lets a signup in while much is still to be written', async () => {
  const store = openSqliteStore(join(scratchFolder(), 'relay.db'));
  try {
    await Promise.all(Array.from({ length: 1000 }, (_, n) => store.accept(ofPerson(`p${n}@example.com`))));
    const ledger = new Ledger({
      store,
      health: new StoreHealth({ store, log: createLog({ level: 'silent' }), notice: () => {}, now: Date.now }),
      stopping: new AbortController().signal,
    });
    const ids = (await store.claim(1000, Date.now())).map(({ id }) => id);
    const written = ledger.settle(ids, { state: 'delivered', at: Date.now() });
    await store.accept(ofPerson('visitor@example.com'));
    expect((await store.counts()).delivered).toBeLessThan(500);
    await written;
    expect(await store.counts()).toMatchObject({ waiting: 1, delivered: 1000 });
  } finally {
    await store.close();
  }
});
