/** What an operator can see and do. The same whether it reaches the store itself or a running relay that holds it. */
import { StartupError } from '../startup-error.ts';
import type { MoveProgress } from '../store/move.ts';
import type { Overview, SignupFilter, SignupStore } from '../store/signup-store.ts';
import type { Minute } from './rates.ts';

/** How things stand. */
export interface Status extends Overview {
  /** Whether an operator has paused delivery. */
  readonly paused: boolean;
  /** Whether relays may hold the store that were not asked: any number of them share it. */
  readonly shared: boolean;
  /** What a running relay knows besides; null where none was asked. */
  readonly running: Running | null;
}

/** What only the running process knows. */
export interface Running {
  /** When it started, in milliseconds since the Unix epoch. */
  readonly since: number;
  /** Why the API takes no signups at present; null while it does. */
  readonly trouble: string | null;
  /** Why signups cannot be kept at present; null while they can. */
  readonly storeTrouble: string | null;
  /** The last hour, minute by minute, oldest first. */
  readonly minutes: readonly Minute[];
}

/** Everything an operator can ask for. Pausing, listing and erasing are the store's own. */
export interface Operator extends Pick<SignupStore, 'list' | 'erase' | 'setPaused'> {
  status(): Promise<Status>;
  /** Puts dead and reviewed signups that match back in line. @returns how many */
  redrive(filter: SignupFilter): Promise<number>;
  /**
   * Begins to move everything to another store, goes on with it, or joins a move under way.
   * @param to - `postgres://…`; a secret
   */
  move(to: string): Promise<MoveProgress>;
  /** How the move stands; null where none was begun. */
  moving(): Promise<MoveProgress | null>;
}

/** Options of {@link storeOperator}. */
export interface StoreOperatorOptions {
  /** What the running relay knows. Default: nothing is running. */
  readonly running?: () => Running | null;
  /** Called where something new may be due. */
  readonly wake?: () => void;
  readonly now?: () => number;
}

/** The operator of a store in this process. */
export function storeOperator(
  store: SignupStore,
  { running = () => null, wake = () => {}, now = Date.now }: StoreOperatorOptions = {},
): Operator {
  return {
    async status() {
      return {
        ...(await store.overview(now())),
        paused: await store.paused(),
        shared: store.shared,
        running: running(),
      };
    },
    async setPaused(paused) {
      await store.setPaused(paused);
      wake();
    },
    list: (filter, page) => store.list(filter, page),
    async redrive(filter) {
      const count = await store.redrive(filter, now());
      if (count > 0) wake();
      return count;
    },
    erase: (address) => store.erase(address),
    async move(to) {
      if (!store.moving) throw new StartupError('RELAY_STORE names PostgreSQL already: there is no file to move from.');
      return store.moving.start(to);
    },
    async moving() {
      return store.moving?.progress() ?? null;
    },
  };
}
