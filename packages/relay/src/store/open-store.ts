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

type Kind = StoreAddress['kind'];
type Adapter<K extends Kind> = (address: Extract<StoreAddress, { kind: K }>) => Promise<SignupStore>;

/** One adapter per kind of address, each loaded when it is wanted. */
const adapters: { readonly [K in Kind]: Adapter<K> } = {
  sqlite: async ({ path }) => (await import('./sqlite/sqlite-store.ts')).openSqliteStore(path),
  postgres: async ({ url }) => (await import('./postgres/postgres-store.ts')).openPostgresStore(url),
};

/** @throws StartupError with one sentence that says what to do, and holds no password */
export function openStore(address: StoreAddress): Promise<SignupStore> {
  return address.kind === 'sqlite' ? adapters.sqlite(address) : adapters.postgres(address);
}

/** An address for people to read: without user and password. */
export function storeName(address: StoreAddress): string {
  if (address.kind === 'sqlite') return address.path;
  const { host, pathname } = new URL(address.url);
  return `postgres://${host}${pathname}`;
}
