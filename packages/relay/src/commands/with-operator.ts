/**
 * Opens the operator interface for a command: of the relay at the address of `--remote`, of the store, or of the
 * running relay that has opened the store.
 */
import { existsSync } from 'node:fs';
import process from 'node:process';
import type { Command } from '@commander-js/extra-typings';
import { UsageError } from '#command-line';
import { isSecureAddress } from '@newsletter-kit/core/endpoint';
import { readStoreConfig, type StoreConfig } from '../config/read.ts';
import type { StoreAddress } from '../config/store-address.ts';
import type { SignupStore } from '../store/signup-store.ts';
import { type Operator, relayOperator, storeOperator } from '../ops/operator.ts';
import { loadOrCreateSecret } from '../secrets.ts';
import { StartupError, StoreInUseError } from '../errors.ts';

/** The value of the option `--remote`, which stands before or behind the name of a command. */
function remoteOf(command: Pick<Command, 'optsWithGlobals'>): string | undefined {
  const { remote }: { readonly remote?: string } = command.optsWithGlobals();
  return remote;
}

/** @throws UsageError if `--remote` is given to a command that works only on this machine */
export function refuseRemote(command: Pick<Command, 'optsWithGlobals' | 'name'>): void {
  if (remoteOf(command) !== undefined)
    throw new UsageError(`${command.name()} works on this machine alone: leave out --remote.`);
}

/** A relay that runs, at the address of `--remote` or on this machine. */
export interface RunningRelay {
  readonly address: string;
  readonly operator: Operator;
}

/** @returns null without `--remote` @throws UsageError if the address or the token cannot be used */
export function remoteRelay(command: Pick<Command, 'optsWithGlobals'>): RunningRelay | null {
  const address = remoteOf(command);
  if (address === undefined) return null;
  const token = process.env['RELAY_OPERATOR_TOKEN']?.trim();
  if (!isSecureAddress(address))
    throw new UsageError('--remote must be the https address of a relay, for example https://signup.example.com.');
  if (!token) throw new UsageError("--remote needs the relay's operator token in RELAY_OPERATOR_TOKEN.");
  const base = new URL(address).href.replace(/\/+$/, '');
  return { address: base, operator: relayOperator(base, token, 'check the address after --remote') };
}

/**
 * Runs `work` with an operator of the relay that `--remote` names, otherwise of the configured store, which it closes
 * afterwards.
 */
export async function withOperator(
  command: Pick<Command, 'optsWithGlobals'>,
  work: (operator: Operator) => Promise<void>,
): Promise<void> {
  const remote = remoteRelay(command);
  if (remote) return work(remote.operator);
  const config = readStoreConfig(process.env);
  if (config.store.kind === 'sqlite' && !existsSync(config.store.path))
    throw new StartupError(
      `There is no store at ${config.store.path}: set RELAY_STORE as the relay has it, or start the relay, which creates it.`,
    );
  return withStore(config.store, (store) => work(storeOperator(store))).catch((error: unknown) => {
    if (!(error instanceof StoreInUseError)) throw error;
    return work(localRelay(config).operator);
  });
}

/** The relay that should run on this machine, by the few settings that name it. */
export function localRelay({ store, listen, operator }: StoreConfig = readStoreConfig(process.env)): RunningRelay {
  const { host, port } = operator.listen ?? listen;
  const local = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  const address = `http://${local.includes(':') ? `[${local}]` : local}:${port}`;
  // A token is stored beside the file of a relay that has run.
  const isNew = store.kind === 'sqlite' && !existsSync(store.path);
  return { address, operator: relayOperator(address, (isNew ? undefined : operatorToken({ store, operator })) ?? '') };
}

/** Works on a store that no relay has open. @throws StartupError if it cannot be opened */
export async function withStore<T>(address: StoreAddress, work: (store: SignupStore) => Promise<T>): Promise<T> {
  // Loaded only now, so that help and completion answer at once.
  const { openStore } = await import('../store/open-store.ts');
  const store = await openStore(address);
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

/**
 * The configured token, or the one in the file beside the store. Undefined with PostgreSQL, because relays that share a
 * store need a configured token, and where the operator has an address of their own.
 */
export function operatorToken({ store, operator }: Pick<StoreConfig, 'store' | 'operator'>): string | undefined {
  if (operator.token !== undefined || operator.listen || store.kind !== 'sqlite') return operator.token;
  return loadOrCreateSecret(`${store.path}-operator`, "The operator's token", 'RELAY_OPERATOR_TOKEN');
}
