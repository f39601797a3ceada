/** Opens the store an address names. */
import type { MoveTarget } from './move.ts';
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
  /** Told where everything is, once it was moved there while the store was open. */
  readonly onMoved?: ((to: string) => void) | undefined;
}

type Kind = StoreAddress['kind'];
type Adapter<K extends Kind> = (
  address: Extract<StoreAddress, { kind: K }>,
  options: OpenStoreOptions,
) => Promise<SignupStore>;

/** One adapter per kind of address, each loaded when it is wanted. */
const adapters: { readonly [K in Kind]: Adapter<K> } = {
  sqlite: async ({ path }, options) => {
    const { openSqliteStore } = await import('./sqlite/sqlite-store.ts');
    const { MovableStore } = await import('./movable-store.ts');
    return new MovableStore({
      store: openSqliteStore(path),
      target: (url) => openMoveTarget(url, { onTrouble: options.onTrouble }),
      nameOf: (url) => storeName({ kind: 'postgres', url }),
      onMoved: options.onMoved,
    });
  },
  postgres: async ({ url }, options) => (await import('./postgres/postgres-store.ts')).openPostgresStore(url, options),
};

/** @throws StartupError with one sentence that says what to do, and holds no password */
export function openStore(address: StoreAddress, options: OpenStoreOptions = {}): Promise<SignupStore> {
  return address.kind === 'sqlite' ? adapters.sqlite(address, options) : adapters.postgres(address, options);
}

/** Opens what is moved into. @throws StartupError with one sentence that says what to do, and holds no password */
export async function openMoveTarget(url: string, options: OpenStoreOptions = {}): Promise<MoveTarget> {
  return (await import('./postgres/move-target.ts')).openMoveTarget(url, options);
}

/** An address for people to read: without user and password. */
export function storeName(address: StoreAddress): string {
  if (address.kind === 'sqlite') return address.path;
  const { host, pathname } = new URL(address.url);
  return `postgres://${host}${pathname}`;
}
