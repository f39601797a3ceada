/** The conformance suite of confirmation mails to a mailbox, run by every store. */
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ClaimedSignup, SignupStore } from '../../src/index.ts';
import { mailboxOf, mayBeSent } from '../../src/store/mailbox-mails.ts';
import { newSignup } from '../new-signup.ts';
import type { Place } from './conformance.ts';

const start = Date.UTC(2026, 10, 20, 12);
const minute = 60_000;
const day = 86_400_000;
/** Two forms of one publication, and one of another. */
const mailsOf = { default: 'pub_one', footer: 'pub_one', other: 'pub_two' };
const click = { sentence: null, version: null, page: null, visitor: null };
const spellings = ['ada@gmail.com', 'A.da+1@googlemail.com', 'ADA@ｇmail.com', 'a.d.a+2@gmail.com'];

/** @param place - makes room for a store of a test's own */
export function describeMailboxes(place: () => Promise<Place>): void {
  const fresh = async (): Promise<SignupStore> => {
    const store = await (await place()).open();
    onTestFinished(() => store.close());
    return store;
  };
  const claim = (store: SignupStore, now: number) =>
    store.claim({ forms: Object.keys(mailsOf), limit: 20, now, mailsOf });
  let asked = 0;
  /** Asks for a mail. @returns those that are sent, or that may be */
  const ask = async (store: SignupStore, now: number, form: keyof typeof mailsOf = 'default', isSent = true) => {
    asked += 1;
    const email = spellings[asked % spellings.length] ?? '';
    const submission = { email, utm_term: String(asked) };
    await store.accept(newSignup(email, { form, submission, needsConfirmation: true, receivedAt: now }));
    const mails = await claim(store, now);
    for (const { id } of isSent ? mails : [])
      await store.settle([id], { state: 'unconfirmed', at: now, nextAttemptAt: null, reason: null });
    return mails;
  };
  const only = ([mail]: readonly ClaimedSignup[]): ClaimedSignup => {
    if (!mail) throw new Error('No mail was granted.');
    return mail;
  };

  describe('confirmation mails to a mailbox', () => {
    it('are sent at once, after ten minutes, and then ever more rarely, each only when it is asked for', async () => {
      const store = await fresh();
      const sent: number[] = [];
      const moments = [0, 1, 9, 10, 11, 60, 1449, 1450, 1451, 4329, 4330, 10_089, 10_090, 10_091, 21_609, 21_610];
      for (const minutes of moments) {
        const mails = await ask(store, start + minutes * minute, minutes % 2 ? 'footer' : 'default');
        if (mails.length > 0) sent.push(minutes);
      }
      // After 10 minutes, then a day, two, four, eight.
      expect(sent).toEqual([0, 10, 1450, 4330, 10_090, 21_610]);
      expect(await store.counts()).toMatchObject({ unconfirmed: moments.length });
      expect((await store.list({ states: ['unconfirmed'], reason: 'has one already' }, { limit: 99 })).length).toBe(
        moments.length - sent.length,
      );
      expect(await claim(store, start + 100 * day)).toEqual([]);
    });

    it('are one for many signups that are due at once', async () => {
      const store = await fresh();
      for (let n = 0; n < 12; n += 1) {
        const email = spellings[n % spellings.length] ?? '';
        const submission = { email, utm_term: String(n) };
        await store.accept(newSignup(email, { submission, needsConfirmation: true, receivedAt: start + n }));
      }
      expect(await claim(store, start + 20)).toHaveLength(1);
      expect(await claim(store, start + 20)).toEqual([]);
    });

    it('are counted for each publication by itself', async () => {
      const store = await fresh();
      expect(await ask(store, start)).toHaveLength(1);
      expect(await ask(store, start, 'footer')).toHaveLength(0);
      expect(await ask(store, start, 'other')).toHaveLength(1);
    });

    it('are not forgotten by a restart', async () => {
      const { open } = await place();
      for (let n = 0; n < 3; n += 1) {
        const store = await open();
        expect(await ask(store, start + n)).toHaveLength(n === 0 ? 1 : 0);
        await store.close();
      }
    });

    it('begin anew after a confirmation, and after an erasure', async () => {
      const store = await fresh();
      const { id } = only(await ask(store, start));
      await store.confirmPerson(id, start + 1, click, mailboxOf('ada@gmail.com', 'pub_one'));
      expect(await ask(store, start + 2)).toHaveLength(1);
      expect(await store.person('ada@gmail.com')).toMatchObject({
        mails: [{ publication: 'pub_one', mails: 1, lastMailAt: start + 2, suppressedAt: null }],
      });
      await store.erase('a.da@gmail.com');
      expect(await store.person('ada@gmail.com')).toMatchObject({ mails: [] });
      expect(await ask(store, start + 3)).toHaveLength(1);
    });

    it('are tried again after a failure, without a turn of their own', async () => {
      const store = await fresh();
      const { id } = only(await ask(store, start));
      await store.settle([id], { state: 'unconfirmed', at: start, nextAttemptAt: start + 50, reason: 'deferred' });
      expect(await claim(store, start + 50)).toMatchObject([{ id }]);
      expect(await store.person('ada@gmail.com')).toMatchObject({ mails: [{ mails: 1 }] });
    });

    it('that may have been sent are tried once more after a day, and counted again', async () => {
      const store = await fresh();
      const { id } = only(await ask(store, start, 'default', false));
      await store.settle([id], mayBeSent({ tried: false }, start));
      expect(await claim(store, start + day - 1)).toEqual([]);
      // Also where the clock is set back.
      await store.pullForward(start - day, minute);
      expect(await claim(store, start)).toEqual([]);
      expect(await claim(store, start + day)).toMatchObject([{ id, tried: true }]);
      const deferred = { at: start + day, nextAttemptAt: start + day + minute, reason: 'deferred', tried: true };
      await store.settle([id], { state: 'unconfirmed', ...deferred });
      expect(await claim(store, start + day + minute)).toMatchObject([{ id, tried: true }]);
      expect(await store.person('ada@gmail.com')).toMatchObject({ mails: [{ mails: 2, lastMailAt: start + day }] });
      await store.settle([id], mayBeSent({ tried: true }, start + day));
      expect(await claim(store, start + 100 * day)).toEqual([]);
      expect(await store.list({ reason: 'has not confirmed the mail' }, { limit: 9 })).toMatchObject([{ id }]);
    });

    it('that may have been sent are not tried again before the turn of their mailbox', async () => {
      const store = await fresh();
      const { id } = only(await ask(store, start, 'default', false));
      await store.settle([id], mayBeSent({ tried: false }, start));
      expect(await ask(store, start + 10 * minute)).toHaveLength(1);
      expect(await claim(store, start + day)).toEqual([]);
      expect(await store.person('ada@gmail.com')).toMatchObject({ mails: [{ mails: 2 }] });
    });

    it('that the server has refused after all were not sent', async () => {
      const store = await fresh();
      const { id } = only(await ask(store, start, 'default', false));
      for (let n = 0; n < 3; n += 1) {
        await store.settle([id], mayBeSent({ tried: false }, start + n));
        const refused = { at: start + n, nextAttemptAt: start + n + 1, reason: 'deferred', tried: false };
        await store.settle([id], { state: 'unconfirmed', ...refused });
        expect(await claim(store, start + n + 1)).toMatchObject([{ id, tried: false }]);
      }
      expect(await store.person('ada@gmail.com')).toMatchObject({ mails: [{ mails: 1 }] });
    });

    it('that may have been sent are no attempt at the API', async () => {
      const store = await fresh();
      const { id } = only(await ask(store, start, 'default', false));
      await store.settle([id], mayBeSent({ tried: false }, start));
      await store.confirmPerson(id, start + 1, click);
      expect(await store.claim({ forms: ['default'], limit: 9, now: start + 3 })).toMatchObject([{ id, tried: false }]);
    });

    it('that were refused are sent again when an operator redrives them', async () => {
      const store = await fresh();
      const { id } = only(await ask(store, start));
      await store.settle([id], { state: 'dead', at: start, reason: 'unknown mailbox' });
      expect(await store.redrive({ ids: [id] }, start + 1)).toBe(1);
      expect(await claim(store, start + 1)).toMatchObject([{ id }]);
    });

    it('end with the objection of its owner, also after an erasure, until it confirms one', async () => {
      const store = await fresh();
      const mailbox = mailboxOf('ada@gmail.com', 'pub_one');
      const { id } = only(await ask(store, start));
      const second = only(await ask(store, start + 10 * minute));
      for (let n = 0; n < 2; n += 1) await store.stopMails(id, mailbox, start + 11 * minute + n);
      expect(await store.list({ ids: [id] }, { limit: 1 })).toEqual([]);
      expect(await ask(store, start + 30 * day)).toHaveLength(0);
      expect(await ask(store, start + 30 * day, 'other')).toHaveLength(1);
      // Not even a mail that was deferred.
      await store.settle([second.id], { state: 'unconfirmed', at: start, nextAttemptAt: start, reason: 'deferred' });
      expect(await claim(store, start + 30 * day)).toEqual([]);
      await store.confirmPerson(second.id, start + 31 * day, click, mailbox);
      expect(await ask(store, start + 31 * day)).toHaveLength(1);

      await store.stopMails(second.id, mailbox, start + 32 * day);
      expect(await store.list({ ids: [second.id] }, { limit: 1 })).toHaveLength(1);
      await store.erase('ada@gmail.com');
      expect(await ask(store, start + 33 * day)).toHaveLength(0);
      expect(await store.person('ada@gmail.com')).toMatchObject({ mails: [{ suppressedAt: start + 32 * day }] });
    });

    it('are not held back for years by a clock that was wrong once', async () => {
      const store = await fresh();
      await ask(store, start + 1825 * day);
      expect(await ask(store, start)).toHaveLength(1);
      expect(await ask(store, start + minute)).toHaveLength(0);
    });

    it('are forgotten at the end of their retention', async () => {
      const store = await fresh();
      const never = { delivered: null, review: null, dead: null, unconfirmed: null, consent: null };
      await ask(store, start);
      await store.expire({ ...never, mailboxes: start });
      expect(await ask(store, start + minute)).toHaveLength(0);
      await store.expire({ ...never, mailboxes: start + 1 });
      expect(await ask(store, start + 2 * minute)).toHaveLength(1);
    });
  });
}
