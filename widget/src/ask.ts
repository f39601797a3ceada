/** Gives an endpoint what it asks for before it takes a signup, and sends again. */
import type { Ask, Submission } from '@newsletter-kit/core/signup';
import type { Failure } from './send.ts';
import { passTurnstile } from './turnstile.ts';

/** What goes along with an entry because the endpoint asked for it. */
type Given = Pick<Submission, 'token' | 'proof'>;

/** Sends the same entry under the same key, with what is given. */
export type Resend = (given: Given) => Promise<Failure | undefined>;

/** How often the same signup is sent again, at most. */
const patience = 2;

/** Longest time an endpoint can let a token age, in seconds. */
const longestWait = 60;

/**
 * Answers what is asked for, and once more what is asked for then.
 *
 * @param form - the element, for the check a visitor has to see
 * @param failed - how the first attempt ended
 * @returns how the last attempt ended; undefined where the endpoint has taken the signup
 * @throws where the form cannot give what is asked for
 */
export async function answer(form: Element, failed: Failure, resend: Resend): Promise<Failure | undefined> {
  let last: Failure | undefined = failed;
  for (let again = 0; last?.ask && again < patience; again += 1) last = await resend(await find(last.ask, form));
  return last;
}

async function find({ token, wait_seconds = 0, proof_of_work, turnstile }: Ask, form: Element): Promise<Given> {
  const aged = new Promise((resolve) => setTimeout(resolve, Math.min(wait_seconds, longestWait) * 1000));
  let proof: string | undefined;
  if (proof_of_work) proof = await (await import('./proof.ts')).solve(proof_of_work);
  else if (turnstile) proof = await passTurnstile(turnstile, form);
  await aged;
  return { ...(token && { token }), ...(proof && { proof }) };
}
