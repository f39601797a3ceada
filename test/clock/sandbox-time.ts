/** Lets a client live by the clock of a sandbox: a wait turns it, and takes no time. */
import type { Sandbox } from '@newsletter-kit/sandbox';

/** What the client's host has of time. */
export function timeOf({ clock }: Pick<Sandbox, 'clock'>) {
  return {
    now: () => clock.now(),
    monotonic: () => clock.now(),
    sleep: (ms: number): Promise<void> => {
      clock.advance(ms);
      return Promise.resolve();
    },
  };
}
