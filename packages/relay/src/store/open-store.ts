/** Opens a store with the adapter of its address: SQLite or PostgreSQL. */
import { StartupError } from '../errors.ts';
import type { StoreAddress } from '../config/store-address.ts';
import type { SignupStore } from './signup-store.ts';

type Kind = 'sqlite' | 'postgres';
type Adapter<K extends Kind> = (address: Extract<StoreAddress, { kind: K }>) => Promise<SignupStore>;

/** One adapter per kind of address, loaded on demand. */
const adapters: { readonly [K in Kind]: Adapter<K> } = {
  sqlite: async ({ path }) => (await import('./sqlite/open-database.ts')).openSqliteStore(path),
  postgres: async ({ url }) => (await import('./postgres/postgres-store.ts')).openPostgresStore(url),
};

/** @throws StartupError with one sentence that says what to do and contains no password */
export function openStore(address: StoreAddress): Promise<SignupStore> {
  if (address.kind === 'durable-object')
    throw new StartupError('The storage of a Durable Object can be opened only by the Worker itself.');
  return address.kind === 'sqlite' ? adapters.sqlite(address) : adapters.postgres(address);
}
