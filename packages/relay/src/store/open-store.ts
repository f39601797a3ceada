/** Opens a store with the adapter of its address: SQLite or PostgreSQL. */
import { StartupError } from '../errors.ts';
import type { StoreAddress } from '../config/store-address.ts';
import type { SignupStore } from './signup-store.ts';

/**
 * Loads the adapter of the address alone.
 *
 * @throws StartupError with one sentence that says what to do and contains no password
 */
export async function openStore(address: StoreAddress): Promise<SignupStore> {
  switch (address.kind) {
    case 'sqlite':
      return (await import('./sqlite/open-database.ts')).openSqliteStore(address.path);
    case 'postgres':
      return (await import('./postgres/postgres-store.ts')).openPostgresStore(address.url);
    case 'durable-object':
      throw new StartupError('The storage of a Durable Object can be opened only by the Worker itself.');
  }
}
