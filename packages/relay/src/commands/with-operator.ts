/** Opens the operator interface for a command: of the store, or of the running relay that has opened the store. */
import { existsSync } from 'node:fs';
import process from 'node:process';
import { readStoreConfig, type StoreConfig } from '../config.ts';
import { type Operator, relayOperator, storeOperator } from '../ops/operator.ts';
import { loadOrCreateOperatorToken, operatorTokenFile } from '../secrets.ts';
import { StartupError, StoreInUseError } from '../startup-error.ts';

/** Runs `work` with an operator of the configured store, and closes the store afterwards. */
export async function withOperator(work: (operator: Operator) => Promise<void>): Promise<void> {
  const config = readStoreConfig(process.env);
  if (config.store.kind === 'sqlite' && !existsSync(config.store.path))
    throw new StartupError(
      `There is no store at ${config.store.path}: set RELAY_STORE as the relay has it, or start the relay, which creates it.`,
    );
  // Loaded only now, so that help and completion answer at once.
  const { openStore } = await import('../store/open-store.ts');
  let store;
  try {
    store = await openStore(config.store);
  } catch (error) {
    if (!(error instanceof StoreInUseError)) throw error;
    return work(relayOperator(addressOf(config.listen), operatorToken(config) ?? ''));
  }
  try {
    await work(storeOperator(store));
  } finally {
    await store.close();
  }
}

/**
 * The configured token, or the one in the file beside the store. Undefined with PostgreSQL: relays that share a store
 * need a configured token.
 */
export function operatorToken({ store, operator }: Pick<StoreConfig, 'store' | 'operator'>): string | undefined {
  if (operator.token !== undefined || store.kind !== 'sqlite') return operator.token;
  return loadOrCreateOperatorToken(operatorTokenFile(store.path));
}

/** The address at which this machine reaches a relay that listens there. */
export function addressOf({ host, port }: StoreConfig['listen']): string {
  const local = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return `http://${local.includes(':') ? `[${local}]` : local}:${port}`;
}
