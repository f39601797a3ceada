/**
 * The page behind a link whose signup is confirmed: what the API says of the subscription, as far as it is known. It
 * promises nothing.
 */
import { getsMail, isInvalid, isUnconfirmed, isUnsubscribed } from '@newsletter-kit/core/facts';
import type { Form } from '../config/form.ts';
import type { StoredSignup } from '../store/signup-store.ts';

/** What a page about a signup says. */
export interface StatePage {
  readonly title: string;
  readonly paragraphs: readonly string[];
  /** After how many seconds the page asks again by itself; null if it does not. */
  readonly refreshSeconds: number | null;
}

/** Seconds until the page asks again, after it was shown for the first and for the second time. */
const refreshes = [5, 20];

/** @param seen - how often the page has asked again */
export function statePage(
  { state, status, submission }: Pick<StoredSignup, 'state' | 'status' | 'submission'>,
  form: Pick<Form, 'confirmation'> | undefined,
  seen: number,
): StatePage {
  const address = submission?.email ?? 'this address';
  const isOpen = state === 'waiting' || state === 'sent';
  const noted = (text: string): StatePage => ({
    title: 'Thank you, we have noted it',
    paragraphs: [text],
    refreshSeconds: isOpen ? (refreshes[seen] ?? null) : null,
  });
  const told = (title: string, ...paragraphs: readonly string[]): StatePage => ({
    title,
    paragraphs,
    refreshSeconds: null,
  });
  if (isOpen) return noted(`Your confirmation for ${address} is on its way to the newsletter service.`);
  if (state !== 'delivered')
    return noted(`The newsletter service did not take the signup of ${address}. Whoever publishes it can see that.`);
  if (getsMail(status)) return told('You are subscribed', `The newsletter goes to ${address}.`);
  if (isUnsubscribed(status)) {
    const sender = form?.confirmation?.from.address;
    return told(
      'This address had left the newsletter',
      `${address} was unsubscribed before, and stays so: nobody is brought back by a form alone.`,
      `To come back, write to ${sender ?? 'whoever publishes it'} from that address and ask to be added again.`,
    );
  }
  if (isInvalid(status))
    return told(
      'The newsletter cannot be sent to this address',
      `The newsletter service has found that ${address} takes no mail. Check how it is written, and sign up again.`,
    );
  if (isUnconfirmed(status))
    return noted(
      `When we last asked, the newsletter service had not yet finished with ${address}: it checks the address, or asks you by a mail of its own to confirm.`,
    );
  return noted(
    status === null
      ? `The newsletter service has the signup of ${address}. What became of it is not known here.`
      : `The newsletter service says of ${address}: “${status}”.`,
  );
}
