/** A real store, but for what a test puts in place of it. */
import type { SignupStore } from '../src/store/signup-store.ts';

export function changedStore(store: SignupStore, changes: Partial<SignupStore>): SignupStore {
  return new Proxy(store, {
    get(target, name) {
      const value: unknown = Reflect.get(name in changes ? changes : target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
