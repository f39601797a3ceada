/** What the tests of the PostgreSQL store begin with: an open store on a new database, and a signup. */
import { onTestFinished } from 'vitest';
import type { NewSignup, SignupStore } from '../../src/index.ts';
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts';
import { sharedPostgres } from '../postgres-server.ts';

export const server = sharedPostgres();

export const ofPerson = (email: string): NewSignup => ({
  form: 'default',
  submission: { email },
  suspected: false,
  origin: null,
  idempotencyKey: null,
  receivedAt: Date.now(),
});

/** A store on a database of its own, closed after the test. */
export async function fresh(
  options: Parameters<typeof openPostgresStore>[1] = {},
): Promise<{ address: string; store: SignupStore }> {
  const address = await server.database();
  const store = await openPostgresStore(address, options);
  onTestFinished(() => store.close());
  return { address, store };
}
