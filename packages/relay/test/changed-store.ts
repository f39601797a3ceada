/** A real store with some methods replaced by a test. */
import type { SignupStore } from '../src/store/signup-store.ts';

export function changedStore(store: SignupStore, changes: Partial<SignupStore>): SignupStore {
  return new Proxy(store, {
    get(target, name) {
      const value: unknown = Reflect.get(name in changes ? changes : target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
