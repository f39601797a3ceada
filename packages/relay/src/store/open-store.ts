/** Opens the store an address names. */
import type { SignupStore } from './signup-store.ts';

/** Where signups are kept. */
export type StoreAddress =
  | { readonly kind: 'sqlite'; readonly path: string }
  | {
      readonly kind: 'postgres';
      /** `postgres://user:password@host:port/database`; a secret. */
      readonly url: string;
    };

/** Options of {@link openStore}. */
export interface OpenStoreOptions {
  /** Told of failures of a store's own upkeep, which it repeats by itself. Their messages hold no secret. */
  readonly onTrouble?: ((error: Error) => void) | undefined;
}

type Kind = StoreAddress['kind'];
type Adapter<K extends Kind> = (
  address: Extract<StoreAddress, { kind: K }>,
  options: OpenStoreOptions,
) => Promise<SignupStore>;

/** One adapter per kind of address, each loaded when it is wanted. */
const adapters: { readonly [K in Kind]: Adapter<K> } = {
  sqlite: async ({ path }) => (await import('./sqlite/sqlite-store.ts')).openSqliteStore(path),
  postgres: async ({ url }, options) => (await import('./postgres/postgres-store.ts')).openPostgresStore(url, options),
};

/** @throws StartupError with one sentence that says what to do, and holds no password */
export function openStore(address: StoreAddress, options: OpenStoreOptions = {}): Promise<SignupStore> {
  return address.kind === 'sqlite' ? adapters.sqlite(address, options) : adapters.postgres(address, options);
}

/** An address for people to read: without user and password. */
export function storeName(address: StoreAddress): string {
  if (address.kind === 'sqlite') return address.path;
  const { host, pathname } = new URL(address.url);
  return `postgres://${host}${pathname}`;
}
