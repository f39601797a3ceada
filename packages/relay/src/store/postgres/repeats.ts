/** Which of a group of signups are kept already, or twice in the group itself. Pure. */
import type { Fingerprint } from '../fingerprint.ts';
import { repeatWindowMs, type NewSignup, type SignupState } from '../signup-store.ts';

/** A signup that is to be kept, with all it is recognised by. */
export interface Arrival extends Fingerprint {
  readonly id: string;
  readonly signup: NewSignup;
}

/** One that was kept earlier. */
export interface Earlier {
  readonly id: string;
  readonly intent: string | null;
  readonly content: string | null;
  readonly receivedAt: number;
  readonly state: SignupState;
}

/** @returns for each arrival the identifier of the one it repeats, or null */
export function repeats(arrivals: readonly Arrival[], kept: readonly Earlier[]): (string | null)[] {
  const byIntent = new Map<string, string>();
  const byContent = new Map<string, Earlier[]>();
  const remember = (earlier: Earlier): void => {
    if (earlier.intent !== null && !byIntent.has(earlier.intent)) byIntent.set(earlier.intent, earlier.id);
    if (earlier.content === null || earlier.state === 'dead') return;
    const others = byContent.get(earlier.content);
    if (others) others.push(earlier);
    else byContent.set(earlier.content, [earlier]);
  };
  kept.forEach(remember);
  return arrivals.map(({ id, intent, content, signup: { receivedAt } }) => {
    const earlier =
      (intent === null ? undefined : byIntent.get(intent)) ??
      byContent.get(content)?.find((each) => each.receivedAt > receivedAt - repeatWindowMs)?.id;
    if (earlier === undefined) remember({ id, intent, content, receivedAt, state: 'waiting' });
    return earlier ?? null;
  });
}
