/** How a command reaches what is kept: the store itself, or, where a running relay holds it, that relay. */
import process from 'node:process';
import { readConfig, type RelayConfig } from '../config.ts';
import { storeOperator, type Operator } from '../ops/operator.ts';
import { loadOrCreateOperatorToken, operatorTokenFile } from '../secret-file.ts';
import { relayOperator } from '../ops/relay-operator.ts';
import { StoreInUseError } from '../startup-error.ts';

/** Lets `work` operate what the configuration names, and lets go of it. */
export async function withOperator(work: (operator: Operator) => Promise<void>): Promise<void> {
  const config = readConfig(process.env);
  // Loaded only now: an old Node lacks what it stands on, and is told so first.
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
 * The token of this configuration, or the one kept beside its file. Undefined with PostgreSQL: relays that share a
 * store must be given the token they share.
 */
export function operatorToken({ store, operator }: Pick<RelayConfig, 'store' | 'operator'>): string | undefined {
  if (operator.token !== undefined || store.kind === 'postgres') return operator.token;
  return loadOrCreateOperatorToken(operatorTokenFile(store.path));
}

/** Where a relay that listens there can be asked from this machine. */
export function addressOf({ host, port }: RelayConfig['listen']): string {
  const near = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return `http://${near.includes(':') ? `[${near}]` : near}:${port}`;
}
