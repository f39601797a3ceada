/** `newsletter-relay restore`: prepares a store that was restored from a backup, before the relay starts. */
import process from 'node:process';
import type { Command } from '@commander-js/extra-typings';
import { readStoreConfig } from '../config/read.ts';
import { storeName } from '../config/store-address.ts';
import { refuseRemote, withStore } from './with-operator.ts';

export function define(command: Command) {
  return command.action(async () => {
    refuseRemote(command);
    const { store: address } = readStoreConfig(process.env);
    const count = await withStore(address, (store) => store.restored(Date.now()));
    process.stdout.write(`Marked: ${count} signups in ${storeName(address)} are looked up before they are sent.\n`);
  });
}
