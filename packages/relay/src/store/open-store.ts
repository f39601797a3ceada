/** Opens the store an address names. */
import { openSqliteStore } from './sqlite/sqlite-store.ts';
import type { SignupStore } from './signup-store.ts';

/** Where signups are kept. */
export interface StoreAddress {
  readonly kind: 'sqlite';
  readonly path: string;
}

/** One adapter per kind of address. */
const adapters: Readonly<Record<StoreAddress['kind'], (address: StoreAddress) => SignupStore>> = {
  sqlite: ({ path }) => openSqliteStore(path),
};

/** @throws StartupError with one sentence that says what to do */
export function openStore(address: StoreAddress): SignupStore {
  return adapters[address.kind](address);
}
