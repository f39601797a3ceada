/** Looks whether a call whose answer was lost has happened, in the list where it would stand. */
import type { CallOptions } from './arguments.ts';
import { AbortedError } from './errors.ts';
import type { Named } from './failure.ts';
import { find, listArguments, lookUpOf, type Finding } from './happened.ts';
import type { Host, HostAnswer } from './host.ts';
import { clockSkewMs } from './limits.ts';
import type { Page } from './pages.ts';

type Values = Readonly<Record<string, unknown>>;

/** Reads the first page of a list. */
type ReadList = (
  id: NonNullable<ReturnType<typeof lookUpOf>>['list'],
  args: Values,
  options: CallOptions,
) => Promise<Page<unknown>>;

/** A call that may have happened. */
export interface Doubtful {
  readonly operation: Named;
  readonly args: Values;
  readonly options: CallOptions;
  /**
   * The moment it must have ended, and the one at which it was first sent and its answer lost; by the host's monotonic
   * clock.
   */
  readonly deadline: number;
  readonly since: number;
}

export interface Look {
  /** Notes what an answer tells of the service's clock, by which records tell their times. */
  heard(answer: Pick<HostAnswer, 'headers'>): void;
  /** What cannot be read tells nothing. @throws AbortedError */
  happened(call: Doubtful): Promise<Finding>;
}

export function createLook(host: Pick<Host, 'now' | 'monotonic'>, readList: ReadList): Look {
  /** The last answer with a `Date`, and when it came. It is read only when somebody looks: few calls ever do. */
  let dated: { readonly headers: HostAnswer['headers']; readonly at: number } | null = null;
  return {
    heard({ headers }) {
      if (headers['date'] !== undefined) dated = { headers, at: host.now() };
    },
    async happened({ operation, args, options, deadline, since }) {
      const lookUp = lookUpOf(operation.id);
      if (!lookUp) return 'unclear';
      const records: unknown[] = [];
      try {
        const first = await readList(lookUp.list, listArguments(lookUp, args), {
          ...options,
          totalTimeoutMs: deadline - host.monotonic(),
        });
        for (let page: Page<unknown> | null = first; page !== null; page = await page.next())
          records.push(...page.items);
      } catch (error) {
        if (error instanceof AbortedError) throw error;
        return 'unclear';
      }
      const skew = dated && clockSkewMs(dated.headers, dated.at);
      const now = host.now() + (skew ?? 0);
      return find(lookUp, records, args, {
        from: now - (host.monotonic() - since),
        to: now,
        known: skew !== null,
      });
    },
  };
}
