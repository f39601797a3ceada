/** `newsletter-relay restore`: prepares a store that was restored from a backup, before the relay starts. */
import process from 'node:process';
import type { Command } from '@commander-js/extra-typings';
import { readStoreConfig } from '../config/read.ts';
import { storeName } from '../config/store-address.ts';
import { refuseRemote } from './with-operator.ts';

export function define(command: Command) {
  return command.action(async () => {
    refuseRemote(command);
    const { store: address } = readStoreConfig(process.env);
    // Loaded only now, so that help and completion answer at once.
    const { openStore } = await import('../store/open-store.ts');
    const store = await openStore(address);
    try {
      const count = await store.restored(Date.now());
      process.stdout.write(`Marked: ${count} signups in ${storeName(address)} are looked up before they are sent.\n`);
    } finally {
      await store.close();
    }
  });
}
