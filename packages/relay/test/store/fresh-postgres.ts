/** Opens a PostgreSQL store on a new database. */
import { onTestFinished } from 'vitest';
import type { SignupStore } from '../../src/index.ts';
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts';
import { sharedPostgres } from '../postgres-server.ts';

export const server = sharedPostgres();

export const forms = ['default'];

/** Opens a store that is closed after the test. */
export async function open(address: string): Promise<SignupStore> {
  const store = await openPostgresStore(address);
  onTestFinished(() => store.close());
  return store;
}

/** A store on a database of its own. */
export async function fresh(): Promise<{ address: string; store: SignupStore }> {
  const address = await server.database();
  return { address, store: await open(address) };
}
