/**
 * Deduplication: decides which due signups are claimed, which are duplicates of another signup, and which have to wait
 * for another signup of the same person. Pure.
 */
import { personOfFingerprint } from './signup-identity.ts';
import type { Candidate, SignupOfPerson } from './rows.ts';
import { repeatWindowMs, type SignupState } from './signup-store.ts';

/** What happens to the candidates of a claim. */
export interface ClaimPlan {
  readonly claimed: readonly Candidate[];
  /** Ids of signups to delete. */
  readonly duplicates: readonly string[];
  /** Ids of signups to postpone by `blockedMs`. */
  readonly blocked: readonly string[];
}

/** The hashes of the people whose signups {@link planClaim} has to know. */
export function peopleOf(candidates: readonly Candidate[]): readonly string[] {
  return [...new Set(candidates.map(personOf))];
}

/**
 * @param candidates - due signups, in the order in which they are claimed
 * @param signupsOfPeople - all signups of the people of the candidates, the candidates included
 * @param state - state of the candidates: `unconfirmed` ones are claimed for a mail and block nothing
 */
export function planClaim(
  candidates: readonly Candidate[],
  signupsOfPeople: readonly SignupOfPerson[],
  state: 'waiting' | 'unconfirmed',
): ClaimPlan {
  const byPerson = Map.groupBy(signupsOfPeople, personOf);
  const claimed: Candidate[] = [];
  const duplicates: string[] = [];
  const blocked: string[] = [];
  for (const signup of candidates) {
    const others = byPerson.get(personOf(signup))?.filter(({ id }) => id !== signup.id) ?? [];
    const relation = relationTo(others, signup);
    if (relation === 'duplicate') {
      duplicates.push(signup.id);
      byPerson.set(personOf(signup), others);
    } else if (relation === 'blocked' && state !== 'unconfirmed') blocked.push(signup.id);
    else {
      claimed.push(signup);
      if (state !== 'unconfirmed') byPerson.set(personOf(signup), [...others, { ...signup, state: 'sent' }]);
    }
  }
  return { claimed, duplicates, blocked };
}

function personOf({ content }: SignupOfPerson): string {
  return personOfFingerprint(content);
}

/**
 * Compares a signup with the others of its person.
 *
 * - `duplicate`: another signup has the same intent or content.
 * - `blocked`: another signup is being sent; if both were sent concurrently, the older values might win.
 *
 * A signup counts as earlier if it has come further, or else was received earlier: with different clocks on two relays,
 * or a clock that was set back, a duplicate may have the earlier time of receipt. What waits for a click is no original
 * of what was confirmed.
 */
function relationTo(others: readonly SignupOfPerson[], signup: SignupOfPerson): 'duplicate' | 'blocked' | 'free' {
  const own = progress[signup.state] ?? 0;
  const earlier = others.filter(({ id, state }) => {
    const lead = (progress[state] ?? own) - own;
    return lead > 0 || (lead === 0 && id < signup.id);
  });
  const isDuplicate = earlier.some(
    ({ intent, content, state, dueAt }) =>
      (intent !== null && intent === signup.intent) ||
      (content === signup.content && state !== 'dead' && Math.abs(dueAt - signup.dueAt) < repeatWindowMs),
  );
  // An attempt that may have reached the API is kept: the earlier signup may wait for it.
  if (isDuplicate && signup.state !== 'sent') return 'duplicate';
  return earlier.some(({ state }) => state === 'sent') ? 'blocked' : 'free';
}

/** How far signups have come that may still reach the API, or have. */
const progress: Readonly<Partial<Record<SignupState, number>>> = { unconfirmed: 0, waiting: 1, sent: 2, delivered: 2 };
