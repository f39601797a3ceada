/** Ten thousand spellings of one mailbox, over twenty restarts and two forms: its mails come at the stated times. */
import { expect, it } from 'vitest';
import type { SignupStore } from '../../src/index.ts';
import { newSignup } from '../new-signup.ts';
import type { Place } from './conformance.ts';

const start = Date.UTC(2026, 10, 20, 12);
const day = 86_400_000;
const restarts = 20;
const asksADay = 500;
const mailsOf = { default: 'pub_one', footer: 'pub_one' };
const forms = Object.keys(mailsOf);
const address = 'victim@gmail.com';

/** The n-th spelling: letters of the domain in full width, dots and a tag; every tenth is the same address. */
function spelling(n: number): string {
  const wide = (text: string, bits: number): string =>
    Array.from(text, (letter, at) =>
      letter !== '.' && bits & (1 << at) ? String.fromCodePoint((letter.codePointAt(0) ?? 0) + 0xfee0) : letter,
    ).join('');
  const domain = wide(n % 2 ? 'gmail.com' : 'googlemail.com', n);
  if (n % 10 === 1) return `${n % 20 === 1 ? 'Victim' : 'victim'}@${wide('gmail.com', n)}`;
  return `${Array.from('victim', (letter, at) => (n & (1 << at) ? `${letter}.` : letter))
    .join('')
    .replace(/\.$/, '')}+${n}@${domain}`;
}

/** Claims every mail that is due. @returns how many */
async function mail(store: SignupStore, now: number): Promise<number> {
  let mails = 0;
  while ((await store.nextDueAt(forms, 'unconfirmed')) === 0) {
    const claimed = await store.claim({ forms, limit: 100, now, mailsOf });
    for (const { id } of claimed)
      await store.settle([id], { state: 'unconfirmed', at: now, nextAttemptAt: null, reason: null });
    mails += claimed.length;
  }
  return mails;
}

/** @param place - makes room for a store of a test's own */
export function describeFlood(place: () => Promise<Place>): void {
  it('sends one mailbox its mails at the stated times, however it is spelled, and erases what it had', async () => {
    const { open } = await place();
    const sent: number[] = [];
    const step = day / asksADay;
    for (let restart = 0; restart < restarts; restart += 1) {
      const store = await open();
      // Twenty posts at a time.
      for (let n = 0; n < asksADay; n += 20) {
        const now = start + restart * day + n * step;
        const number = restart * asksADay + n;
        const posts = Array.from({ length: 20 }, (_, more) => {
          const form = forms[more % 2] ?? '';
          const email = spelling(number + more);
          const submission = { email, utm_term: String(number + more) };
          return store.accept(newSignup(email, { form, submission, needsConfirmation: true, receivedAt: now }));
        });
        await Promise.all(posts);
        for (let mails = await mail(store, now); mails > 0; mails -= 1) sent.push(now - start);
      }
      await store.close();
    }
    // The first posts after 10 minutes, and then after 1, 2, 4 and 8 days.
    const second = 20 * step;
    expect(sent).toEqual([0, second, second + day, second + 3 * day, second + 7 * day, second + 15 * day]);

    const store = await open();
    expect(await store.person(address)).toMatchObject({ mails: [{ mails: 6 }] });
    expect((await store.counts()).unconfirmed).toBe(restarts * asksADay);
    const { signups } = await store.erase(address);
    expect(signups).toBe((restarts * asksADay) / 10);
    // Other spellings still wait for the mailbox.
    expect(await store.person(address)).toMatchObject({ signups: [], consents: [], mails: [{ mails: 6 }] });
    await store.close();
  }, 900_000);
}
