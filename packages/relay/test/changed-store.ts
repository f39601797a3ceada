/** A real store with some methods replaced by a test. */
import { type SignupStore, StoreUnavailableError } from '../src/index.ts';

export function changedStore(store: SignupStore, changes: Partial<SignupStore>): SignupStore {
  return new Proxy(store, {
    get(target, name) {
      const value: unknown = Reflect.get(name in changes ? changes : target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

/** A store on a full disk, until it has room: what is posted is not stored. */
export function fullStore(store: SignupStore): { readonly store: SignupStore; makeRoom(this: void): void } {
  let isFull = true;
  const accept: SignupStore['accept'] = (signup) =>
    isFull ? Promise.reject(new StoreUnavailableError('full')) : store.accept(signup);
  return { store: changedStore(store, { accept }), makeRoom: () => void (isFull = false) };
}
