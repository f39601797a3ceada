/** The rules that keep people out, each with a way to switch it off at a border of our code. */
import type { SignupStore } from '@newsletter-kit/relay';
import type { MemoryStore } from './relay-store.ts';
import type { Creation } from './service.ts';
import type { Contact, Door } from './world.ts';

export interface Guard {
  readonly name: string;
  /** Changes a creation on its way to the service. */
  readonly creation?: (creation: Creation, door: Door) => Creation;
  /** Changes the relay's store. */
  readonly store?: (store: SignupStore, memory: MemoryStore) => SignupStore;
  /** Changes the contacts that the sync is given. */
  readonly contacts?: (contacts: readonly Contact[]) => readonly Contact[];
  /** Repeats a call whose answer was lost. */
  readonly repeatsLostCalls?: true;
  /** Leaves the steps after a restored backup out. */
  readonly ignoresRestoring?: true;
}
