/** What an operator can see and do. The same whether it reaches the store itself or a running relay that holds it. */
import { addressKey } from '@newsletter-kit/core/signup';
import type { Overview, SignupFilter, SignupStore, StoredSignup } from '../store/signup-store.ts';
import type { Minute } from './rates.ts';

/** How things stand. */
export interface Status extends Overview {
  /** Whether an operator has paused delivery. */
  readonly paused: boolean;
  /** What a running relay knows besides; null where none was asked. */
  readonly running: Running | null;
}

/** What only the running process knows. */
export interface Running {
  /** When it started, in milliseconds since the Unix epoch. */
  readonly since: number;
  /** Why the API takes no signups at present; null while it does. */
  readonly trouble: string | null;
  /** The last hour, minute by minute, oldest first. */
  readonly minutes: readonly Minute[];
}

/** A page of signups, and where the next one begins. */
export interface SignupPage {
  readonly signups: readonly StoredSignup[];
  /** Give as `after` for the next page; null where there is none. */
  readonly next: string | null;
}

/** Everything an operator can ask for. */
export interface Operator {
  status(): Promise<Status>;
  /** Stops or starts delivery; signups are taken and kept all the same. It lasts over restarts. */
  setPaused(paused: boolean): Promise<void>;
  /** Signups that match, oldest first. */
  list(filter: SignupFilter, page?: { readonly after?: string | undefined; readonly limit?: number | undefined }): Promise<SignupPage>;
  /** Puts dead and reviewed signups that match back in line. @returns how many */
  redrive(filter: SignupFilter): Promise<number>;
  /** Deletes everything kept about an address, at once. @returns how many signups that were */
  erase(address: string): Promise<number>;
}

/** Most signups of one page. */
export const largestPage = 500;

/** The operator of a store in this process. */
export function storeOperator(store: SignupStore, { running = () => null, wake = () => {}, now = Date.now }: StoreOperatorOptions = {}): Operator {
  return {
    async status() {
      return { ...(await store.overview(now())), paused: await store.paused(), running: running() };
    },
    async setPaused(paused) {
      await store.setPaused(paused);
      wake();
    },
    async list(filter, { after, limit = 100 } = {}) {
      const size = Math.min(Math.max(1, limit), largestPage);
      const signups = await store.list(filter, { after, limit: size });
      return { signups, next: signups.length === size ? (signups.at(-1)?.id ?? null) : null };
    },
    async redrive(filter) {
      const count = await store.redrive(filter, now());
      if (count > 0) wake();
      return count;
    },
    erase: (address) => store.erase(addressKey(address)),
  };
}

/** Options of {@link storeOperator}. */
export interface StoreOperatorOptions {
  /** What the running relay knows. Default: nothing is running. */
  readonly running?: () => Running | null;
  /** Called where something new may be due. */
  readonly wake?: () => void;
  readonly now?: () => number;
}

/** Every signup that matches, page by page. */
export async function* everySignup(operator: Pick<Operator, 'list'>, filter: SignupFilter): AsyncGenerator<StoredSignup> {
  let after: string | undefined;
  do {
    const page = await operator.list(filter, { after, limit: largestPage });
    yield* page.signups;
    after = page.next ?? undefined;
  } while (after !== undefined);
}
