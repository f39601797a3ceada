/** The conformance suite of confirmation mails to a mailbox, run by every store. */
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ClaimedSignup, SignupStore } from '../../src/index.ts';
import { mailboxOf, mailboxSignups, mayBeSent } from '../../src/store/mailbox-mails.ts';
import { newSignup } from '../new-signup.ts';
import type { Place } from './conformance.ts';
import { clicked } from '../clicked.ts';

const start = Date.UTC(2026, 10, 20, 12);
const minute = 60_000;
const day = 86_400_000;
/** Two forms of one publication, and one of another. */
const mailsOf = { default: 'pub_one', footer: 'pub_one', other: 'pub_two' };
const forms = Object.keys(mailsOf);
const spellings = ['ada@gmail.com', 'A.da+1@googlemail.com', 'ADA@ｇmail.com', 'a.d.a+2@gmail.com'];

/** @param place - makes room for a store of a test's own */
export function describeMailboxes(place: () => Promise<Place>): void {
  const fresh = async (): Promise<SignupStore> => {
    const store = await (await place()).open();
    onTestFinished(() => store.close());
    return store;
  };
  const claim = (store: SignupStore, now: number) => store.claim({ forms, limit: 20, now, mailsOf });
  let asked = 0;
  const add = (store: SignupStore, now: number, form: keyof typeof mailsOf): Promise<string> => {
    asked += 1;
    const email = spellings[asked % spellings.length] ?? '';
    const submission = { email, utm_term: String(asked) };
    return store.accept(newSignup(email, { form, submission, needsConfirmation: true, receivedAt: now }));
  };
  /** Sends the mails that are due. */
  const mail = async (store: SignupStore, now: number, isSent = true) => {
    const mails = await claim(store, now);
    for (const { id } of isSent ? mails : [])
      await store.settle([id], { state: 'unconfirmed', at: now, nextAttemptAt: null, reason: null });
    return mails;
  };
  /** Asks for a mail. @returns those that are sent, or that may be */
  const ask = async (store: SignupStore, now: number, form: keyof typeof mailsOf = 'default', isSent = true) => {
    await add(store, now, form);
    return mail(store, now, isSent);
  };
  const only = ([mail]: readonly ClaimedSignup[]): ClaimedSignup => {
    if (!mail) throw new Error('No mail was granted.');
    return mail;
  };

  describe('confirmation mails to a mailbox', () => {
    it('are sent at once, after ten minutes, and then ever more rarely, to whoever got none when the wait is over', async () => {
      const store = await fresh();
      expect(await ask(store, start)).toHaveLength(1);
      const sent = [0];
      for (let at = start; sent.length < 6;) {
        const [form, other] = sent.length % 2 ? (['footer', 'default'] as const) : (['default', 'footer'] as const);
        expect(await ask(store, at + 1, form)).toEqual([]);
        expect(await ask(store, at + 2, other)).toEqual([]);
        const waiting = await store.list({ reason: 'the mailbox has one already' }, { limit: 99 });
        const next = (await store.nextDueAt(forms, 'unconfirmed')) ?? 0;
        expect(waiting.map(({ reason, nextAttemptAt }) => [reason, nextAttemptAt])).toEqual(
          waiting.map(() => [waiting[0]?.reason, next]),
        );
        expect(await claim(store, next - 1)).toEqual([]);
        expect(await mail(store, next)).toHaveLength(1);
        sent.push((next - start) / minute);
        at = next;
      }
      // After 10 minutes, then a day, two, four, eight.
      expect(sent).toEqual([0, 10, 1450, 4330, 10_090, 21_610]);
      expect(await store.counts()).toMatchObject({ unconfirmed: 11 });
    });

    it('of a form cover its signups that were there before, in every spelling, once they are sent', async () => {
      const store = await fresh();
      const [first, second, other] = await Promise.all([
        add(store, start, 'default'),
        add(store, start + 1, 'default'),
        add(store, start + 1, 'footer'),
      ]);
      expect(await claim(store, start + 2)).toMatchObject([{ id: first }]);
      const after = await add(store, start + 3, 'default');
      // Deferred, and sent after nine minutes.
      await store.settle([first], { state: 'unconfirmed', at: start, nextAttemptAt: start + 9 * minute, reason: 'no' });
      expect(await claim(store, start + 3)).toEqual([]);
      expect(await mail(store, start + 9 * minute)).toMatchObject([{ id: first }]);
      expect(await mail(store, start + 10 * minute + 2)).toEqual([]);
      expect(await mail(store, start + 19 * minute)).toMatchObject([{ id: other }]);
      expect(await store.nextDueAt(forms, 'unconfirmed')).toBeNull();
      for (const id of [second, after])
        expect(await store.list({ ids: [id] }, { limit: 1 })).toMatchObject([{ nextAttemptAt: null, reason: null }]);
    });

    it('that are refused cover nothing', async () => {
      const store = await fresh();
      const [first, second] = [await add(store, start, 'default'), await add(store, start, 'default')];
      expect(await claim(store, start)).toMatchObject([{ id: first }]);
      await store.settle([first], { state: 'dead', at: start, reason: 'unknown mailbox', ofMail: true });
      expect(await mail(store, start + 10 * minute)).toMatchObject([{ id: second }]);
    });

    it('cover nothing any more once the address that they went to is erased', async () => {
      const store = await fresh();
      const [first, second] = [await add(store, start, 'default'), await add(store, start, 'default')];
      expect(await mail(store, start)).toMatchObject([{ id: first }]);
      expect(await mail(store, start + 10 * minute)).toEqual([]);
      const [signup] = await store.list({ ids: [first] }, { limit: 1 });
      expect(await store.erase(signup?.submission?.email ?? '')).toMatchObject({ signups: 1 });
      expect(await mail(store, start + 10 * minute)).toMatchObject([{ id: second }]);
    });

    it('are counted for a signup that was due in a later hour', async () => {
      const store = await fresh();
      const later = await add(store, start, 'default');
      await store.settle([later], {
        state: 'unconfirmed',
        at: start,
        nextAttemptAt: start + 60 * minute,
        reason: 'held',
      });
      expect(await mail(store, start + 1)).toEqual([]);
      expect(await ask(store, start + 59 * minute, 'footer')).toHaveLength(1);
      expect(await mail(store, start + 60 * minute)).toEqual([]);
      expect(await mail(store, start + 69 * minute)).toMatchObject([{ id: later }]);
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
      await clicked(store, id, start + 1);
      expect(await ask(store, start + 2)).toHaveLength(1);
      expect(await store.person('ada@gmail.com')).toMatchObject({
        mails: [{ publication: 'pub_one', mails: 1, lastMailAt: start + 2, suppressedAt: null }],
      });
      const second = await add(store, start + 3, 'footer');
      expect(await mail(store, start + 4)).toEqual([]);
      // Not with the erasure of another address of the mailbox, which its link still has to show.
      const open = await store.list({ states: ['unconfirmed'] }, { limit: 9 });
      const [other, first] = open.map(({ submission }) => submission?.email ?? '');
      await store.erase(first ?? '');
      expect(await store.person('ada@gmail.com')).toMatchObject({ mails: [{ mails: 1 }] });
      expect((await store.linked(second))?.open).toHaveLength(1);
      await store.erase(other ?? '');
      expect(await store.person('ada@gmail.com')).toMatchObject({ mails: [] });
      expect(await ask(store, start + 5)).toHaveLength(1);
    });

    it('are tried again after a failure, without a turn of their own', async () => {
      const store = await fresh();
      const { id } = only(await ask(store, start));
      await store.settle([id], { state: 'unconfirmed', at: start, nextAttemptAt: start + 50, reason: 'deferred' });
      expect(await claim(store, start + 50)).toMatchObject([{ id }]);
      expect(await store.person('ada@gmail.com')).toMatchObject({ mails: [{ mails: 1, lastMailAt: start + 50 }] });
      // Another one has its turn meanwhile.
      await store.settle([id], {
        state: 'unconfirmed',
        at: start,
        nextAttemptAt: start + 11 * minute,
        reason: 'deferred',
      });
      expect(await ask(store, start + 11 * minute - 1, 'footer')).toHaveLength(1);
      expect(await mail(store, start + 11 * minute)).toEqual([]);
      expect(await mail(store, start + 21 * minute)).toMatchObject([{ id }]);
      expect(await store.person('ada@gmail.com')).toMatchObject({ mails: [{ mails: 2 }] });
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
      expect(await store.person('ada@gmail.com')).toMatchObject({
        mails: [{ mails: 2, lastMailAt: start + day + minute }],
      });
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
      await clicked(store, id, start + 1);
      expect(await store.claim({ forms: ['default'], limit: 9, now: start + 3 })).toMatchObject([{ id, tried: false }]);
    });

    it('that wait for their turn are sent when an operator redrives them', async () => {
      const store = await fresh();
      await ask(store, start);
      expect(await ask(store, start + minute, 'footer')).toEqual([]);
      expect((await store.overview(start)).held).toMatchObject([{ state: 'unconfirmed', count: 1 }]);
      expect(await store.redrive({ states: ['unconfirmed'] }, start + minute)).toBe(1);
      expect(await mail(store, start + minute)).toMatchObject([{ form: 'footer' }]);
      expect(await store.person('ada@gmail.com')).toMatchObject({ mails: [{ mails: 2 }] });
    });

    it('that were refused are sent again when an operator redrives them', async () => {
      const store = await fresh();
      const { id } = only(await ask(store, start));
      await store.settle([id], { state: 'dead', at: start, reason: 'unknown mailbox', ofMail: true });
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
      await clicked(store, second.id, start + 31 * day);
      expect(await ask(store, start + 31 * day)).toHaveLength(1);

      await store.stopMails(second.id, mailbox, start + 32 * day);
      expect(await store.list({ ids: [second.id] }, { limit: 1 })).toHaveLength(1);
      await store.erase('ada@gmail.com');
      expect(await ask(store, start + 33 * day)).toHaveLength(0);
      expect((await store.person('ada@gmail.com')).mails[0]).toMatchObject({ suppressedAt: start + 32 * day });
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

  describe('the click in a confirmation mail', () => {
    const words = { sentence: 'Yes, weekly 🌷.', version: '2026-11', page: null, visitor: '192.0.2.0' };
    /** Three signups of a mailbox, of which the first was mailed. */
    const three = async (store: SignupStore) => {
      const ids = [
        await add(store, start, 'default'),
        await add(store, start + 1, 'default'),
        await add(store, start + 1, 'footer'),
      ];
      await mail(store, start + 2);
      const [first = '', second = '', third = ''] = ids;
      return { first, second, third };
    };
    const state = async (store: SignupStore, id: string) =>
      (await store.list({ ids: [id] }, { limit: 1 })).map(({ state: is, nextAttemptAt, reason }) => ({
        is,
        nextAttemptAt,
        reason,
      }))[0];

    it('finds the open signups of the mailbox behind a link, with the words of their first entry', async () => {
      const store = await fresh();
      const { first, second, third } = await three(store);
      const request = { kind: 'requested', ...words } as const;
      const email = 'a.da@gmail.com';
      const asks = { needsConfirmation: true, consent: request, receivedAt: start + 3 };
      const withWords = await store.accept(newSignup(email, asks));
      const elsewhere = await store.accept(newSignup(email, { ...asks, form: 'other' }));
      await mail(store, start + 4);
      for (const id of [first, third]) {
        const linked = await store.linked(id);
        expect(linked?.signup).toMatchObject({ id, state: 'unconfirmed' });
        expect(linked?.open.map((each) => each.id)).toEqual([first, second, third, withWords].toSorted());
        expect(linked?.open.find((each) => each.id === withWords)).toEqual({
          id: withWords,
          form: 'default',
          submission: { email },
          receivedAt: start + 3,
          consent: { sentence: words.sentence, version: words.version },
        });
      }
      expect((await store.linked(elsewhere))?.open.map((each) => each.id)).toEqual([elsewhere]);
      expect(await store.linked('018f0000-0000-7000-8000-00000000000f')).toBeNull();
      await store.erase('ada@gmail.com');
      expect((await store.linked(withWords))?.open.map((each) => each.id)).toContain(withWords);
    });

    it('confirms what was chosen, deletes what it replaces, and leaves the rest without a mail', async () => {
      const store = await fresh();
      const { first, second, third } = await three(store);
      const submission = { email: 'ada@gmail.com', custom_fields: [{ name: 'Name', value: 'Ada 🌷' }] };
      const confirmed = [{ id: first, form: 'default', submission, status: 'inactive', consent: words }];
      const click = { at: start + 9, confirmed, superseded: [second], left: [third] };
      expect(await store.confirmPerson(click)).toEqual([first]);
      expect(await store.list({ ids: [first] }, { limit: 1 })).toMatchObject([
        { state: 'waiting', submission, dueAt: start + 9, tried: false, status: 'inactive', reason: null },
      ]);
      expect(await state(store, second)).toBeUndefined();
      expect(await state(store, third)).toEqual({ is: 'unconfirmed', nextAttemptAt: null, reason: null });
      expect((await store.person('ada@gmail.com')).consents).toMatchObject([
        { signup: first, kind: 'confirmed', ...words },
      ]);
      // What was left is still open, and its mailbox is mailed at once for something else.
      expect((await store.linked(first))?.open.map(({ id }) => id)).toEqual([third]);
      expect(await ask(store, start + 10, 'footer')).toHaveLength(1);
      // Its content is that of the choice.
      const again = newSignup('', { submission, receivedAt: start + 11 });
      await store.accept(again);
      expect(await store.claim({ forms, limit: 9, now: start + 11 })).toMatchObject([
        { id: first, submission, confirmed: true },
      ]);
    });

    it('changes nothing if one of the signups that were shown is no longer open', async () => {
      const store = await fresh();
      const { first, second, third } = await three(store);
      const ofFirst = { at: start + 9, superseded: [], left: [] };
      const choose = (id: string) => [
        { id, form: 'default', submission: { email: 'ada@gmail.com' }, status: null, consent: words },
      ];
      await store.stopMails(third, mailboxOf('ada@gmail.com', 'pub_one'), start + 5);
      for (const gone of [
        { left: [third] },
        { superseded: [second, third] },
        { confirmed: [...choose(first), ...choose(third)] },
      ])
        expect(await store.confirmPerson({ ...ofFirst, confirmed: choose(first), ...gone })).toEqual([]);
      expect(await store.counts()).toMatchObject({ unconfirmed: 2, waiting: 0 });
      // Of two clicks at once, the first decides.
      const clicks = [first, second].map((id) =>
        store.confirmPerson({ ...ofFirst, confirmed: choose(id), superseded: [id === first ? second : first] }),
      );
      expect((await Promise.all(clicks)).map((ids) => ids.length).toSorted()).toEqual([0, 1]);
      expect(await store.counts()).toMatchObject({ unconfirmed: 0, waiting: 1 });
    });

    it('makes due what came after the page was opened, as the mail that covered it is gone', async () => {
      const store = await fresh();
      const { first, second, third } = await three(store);
      await mail(store, start + 10 * minute + 2);
      const covered = await state(store, second);
      expect(covered).toEqual({ is: 'unconfirmed', nextAttemptAt: null, reason: null });
      await clicked(store, first, start + 11 * minute, words);
      expect(await state(store, third)).toMatchObject({ nextAttemptAt: null });
      // The mail of the third was not clicked: it counts.
      expect(await mail(store, start + 20 * minute)).toEqual([]);
      expect(await mail(store, start + 20 * minute + 2)).toMatchObject([{ id: second }]);
    });

    it('delivers its signup, also where an equal one with an earlier time waits for its click', async () => {
      const store = await fresh();
      const post = (receivedAt: number) =>
        store.accept(newSignup('ada@gmail.com', { needsConfirmation: true, idempotencyKey: 'k1', receivedAt }));
      const id = await post(start + 5);
      await mail(store, start + 5);
      // At a relay whose clock is behind.
      await post(start);
      expect(await clicked(store, id, start + 9, words)).toBe(true);
      expect(await store.claim({ forms, limit: 9, now: start + 9 })).toMatchObject([{ id }]);
    });

    it('is not undone by the refusal of a later mail while its signup is delivered', async () => {
      const store = await fresh();
      const { id } = only(await ask(store, start));
      await clicked(store, id, start + 1, words);
      await store.claim({ forms, limit: 9, now: start + 1 });
      await store.settle([id], { state: 'dead', at: start + 2, reason: 'full', ofMail: true });
      await store.settle([id], { state: 'delivered', at: start + 3 });
      expect(await store.list({ ids: [id] }, { limit: 1 })).toMatchObject([{ state: 'delivered', reason: null }]);
    });

    it('keeps what is claimed at the same time', async () => {
      const store = await fresh();
      for (let n = 0; n < 10; n += 1) {
        const { id } = only(await ask(store, start + n * day));
        const at = start + n * day + 1;
        const [other] = await Promise.all([add(store, at, 'footer'), clicked(store, id, at, words)]);
        await Promise.all([mail(store, at), clicked(store, id, at, words)]);
        await mail(store, at);
        expect((await store.linked(other))?.open.map((each) => each.id)).toEqual([other]);
        await clicked(store, other, at, words);
      }
    });

    it('shows the newest of very many signups', async () => {
      const store = await fresh();
      const ids: string[] = [];
      for (let n = 0; n <= mailboxSignups; n += 1) ids.push(await add(store, start + n, 'default'));
      for (let n = 0; n < 4; n += 1) await mail(store, start + 100);
      expect((await store.linked(ids[0] ?? ''))?.open.map(({ id }) => id)).toEqual(ids.slice(0, 1));
      const last = ids.at(-1) ?? '';
      expect((await store.linked(last))?.open.map(({ id }) => id)).toEqual(ids.slice(1));
    });
  });
}
