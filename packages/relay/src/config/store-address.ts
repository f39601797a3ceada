/** The address of a store: parses RELAY_STORE. */

/** Where signups are kept. */
export type StoreAddress =
  | { readonly kind: 'sqlite'; readonly path: string }
  /** The storage of a Durable Object, on Cloudflare Workers; not an address of RELAY_STORE. */
  | { readonly kind: 'durable-object' }
  | {
      readonly kind: 'postgres';
      /** `postgres://user:password@host:port/database`; a secret. */
      readonly url: string;
    };

/** The format of RELAY_STORE, for an error message. The rejected value is not repeated: it may contain a password. */
export const storeAddressFormat =
  'must be sqlite: and the path of a file, for example sqlite:./relay.db, or postgres://user:password@host:5432/database';

/** @returns null if the text is not an address of {@link storeAddressFormat} */
export function readStoreAddress(text: string): StoreAddress | null {
  const path = /^sqlite:(.+)$/.exec(text)?.[1];
  if (path && path !== ':memory:') return { kind: 'sqlite', path };
  if (/^postgres(ql)?:\/\//.test(text) && URL.canParse(text) && new URL(text).pathname.length > 1)
    return { kind: 'postgres', url: text };
  return null;
}

/** The address without user and password, for messages. */
export function storeName(address: StoreAddress): string {
  if (address.kind === 'sqlite') return address.path;
  if (address.kind === 'durable-object') return 'Durable Object';
  const { host, pathname } = new URL(address.url);
  return `postgres://${host}${pathname}`;
}
