/** The conformance suite of the store interface, run by every store. */
import { createHash } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  claimMs,
  everySignup,
  repeatWindowMs,
  type Claim,
  type Consent,
  type NewSignup,
  type DeliveryOutcome,
  type SignupCounts,
  type SignupFilter,
  type SignupState,
  type SignupStore,
  type ConfirmationScan,
} from '../../src/index.ts';
import { clicked } from '../clicked.ts';
import { found } from '../new-signup.ts';
import { signupId } from '../../src/store/signup-identity.ts';

const start = Date.UTC(2026, 10, 20, 12);

const signup = (changes: Partial<NewSignup> = {}): NewSignup => ({
  form: 'default',
  submission: {
    email: 'ada+news@bücher.example',
    utm_source: 'Spring Sale 🌷',
    custom_fields: [{ name: 'Topics', value: ['CSS', 'Ä'] }],
  },
  suspected: null,
  needsConfirmation: false,
  origin: 'https://shop.example',
  idempotencyKey: null,
  consent: null,
  receivedAt: start,
  ...changes,
});
const forms = ['default'];
const publicationId = 'pub_00000000-0000-4000-8000-000000000001';
const keep = { delivered: null, review: null, dead: null, unconfirmed: null, consent: null };
/** Claims signups whose confirmation mail is due. */
const mailsOf = { default: publicationId };
const none: SignupCounts = { unconfirmed: 0, review: 0, waiting: 0, sent: 0, delivered: 0, dead: 0 };
const consent: Consent = {
  sentence: 'Yes, send me the news 🌷.',
  version: '2026-11',
  page: 'https://shop.example/news',
  visitor: '192.0.2.0',
};
/** All that is held about a person who was erased. */
const erased = { signups: [], consents: [], mails: [], suppressed: true };
const given = { kind: 'given', ...consent } as const;
const failed = (nextAttemptAt: number, tried = false) =>
  ({ state: 'waiting', at: start, nextAttemptAt, reason: 'the service answered 503', tried }) as const;
const ofPerson = (email: string): NewSignup => signup({ submission: { email } });

export interface Place {
  /** Opens the same store again and again, as after a restart. */
  readonly open: () => Promise<SignupStore>;
}

/** @param place - makes room for a store of a test's own */
export function describeSignupStore(place: () => Promise<Place>): void {
  const fresh = async (): Promise<SignupStore> => {
    const { open } = await place();
    const store = await open();
    onTestFinished(() => store.close());
    return store;
  };

  /** Claims alone what is due. */
  const claim = (store: SignupStore, limit: number, now: number, more: Partial<Claim> = {}) =>
    store.claim({ forms, limit, now, ...more });

  it('returns a stored signup unchanged', async () => {
    const store = await fresh();
    const id = await store.accept(signup());
    expect(await claim(store, 10, start)).toEqual([
      {
        id,
        form: 'default',
        submission: signup().submission,
        origin: signup().origin,
        receivedAt: start,
        dueAt: start,
        attempts: 0,
        tried: false,
        confirmed: false,
        status: null,
        hasLeft: false,
      },
    ]);
  });

  describe('the status of the subscription', () => {
    const soon = start + 600_000;

    it('is kept as it came, and asked for once more where the first word is only a beginning', async () => {
      const store = await fresh();
      const emails = ['a@example.com', 'b@example.com', 'c@example.com'];
      for (const email of emails) await store.accept(ofPerson(email));
      const ids = (await claim(store, 9, start)).map(({ id }) => id);
      const statuses = ['validating', 'a new word', 'pending'];
      for (const [at, id] of ids.entries())
        await store.settle([id], {
          state: 'delivered',
          at: start + at,
          status: statuses[at] ?? null,
          askAgainAt: at === 1 ? null : soon + at,
        });
      expect((await store.list({}, { limit: 9 })).map(({ status }) => status)).toEqual(statuses.toReversed());
      expect(await store.counts()).toEqual({ ...none, delivered: 3 });
      expect(await store.nextDueAt(forms)).toBe(null);
      expect(await store.nextDueAt(forms, 'delivered')).toBe(soon);
      expect(await store.openStatuses(forms, soon - 1, 9)).toEqual([]);
      expect(await store.openStatuses(forms, soon + 2, 1)).toHaveLength(1);
      expect(await store.openStatuses(forms, soon + 2, 9)).toEqual(
        [0, 2].map((at) => ({
          id: ids[at],
          form: 'default',
          submission: { email: emails[at] },
          settledAt: start + at,
          hasLeft: false,
        })),
      );
      const answers = ids.map((id) => ({ id, status: 'active', askAgainAt: null }));
      expect(await store.settleStatuses([{ id: ids[0] ?? '', status: null, askAgainAt: soon + 9 }])).toHaveLength(1);
      expect(new Set(await store.settleStatuses(answers))).toEqual(
        new Set([ids[0], ids[2]].map((id) => expect.objectContaining({ id }))),
      );
      // Another relay has asked at the same time.
      expect(await store.settleStatuses(answers)).toEqual([]);
      expect((await store.overview(start)).statuses).toEqual([
        { status: 'active', count: 2 },
        { status: 'a new word', count: 1 },
      ]);
      expect(await store.claim({ forms, limit: 9, now: soon * 2 })).toEqual([]);
    });

    it('stands beside the entries of the ledger once the signup is delivered', async () => {
      const store = await fresh();
      await store.accept(signup({ consent: given }));
      const [claimed] = await claim(store, 1, start);
      const statusInLedger = async () => (await store.listConsents({ limit: 9 })).map(({ status }) => status);
      expect(await statusInLedger()).toEqual([null]);
      await store.settle([claimed?.id ?? ''], { state: 'delivered', at: start, status: 'inactive', askAgainAt: null });
      expect(await statusInLedger()).toEqual(['inactive']);
      expect((await store.person('ada+news@bücher.example')).consents).toMatchObject([{ status: 'inactive' }]);
    });

    it('outlives a transfer of what is delivered alone', async () => {
      const [store, other] = [await fresh(), await fresh()];
      await store.accept(ofPerson('a@example.com'));
      const [claimed] = await claim(store, 1, start);
      await store.settle([claimed?.id ?? ''], { state: 'delivered', at: start, status: 'pending', askAgainAt: soon });
      const [stored] = await store.list({}, { limit: 1 });
      if (!stored) throw new Error('Nothing is stored.');
      const waiting = {
        ...stored,
        id: stored.id.replace(/.$/, (last) => (last === '0' ? '1' : '0')),
        state: 'waiting',
        settledAt: null,
      } as const;
      await other.load([stored, { ...waiting, status: 'inactive' }], []);
      expect((await other.list({}, { limit: 9 })).map(({ state, status }) => [state, status]).toSorted()).toEqual([
        ['delivered', 'pending'],
        ['waiting', null],
      ]);
      expect(await other.openStatuses(forms, soon, 9)).toMatchObject([{ id: stored.id }]);
    });
  });

  describe('a person who leaves', () => {
    const later = start + 5000;
    const delivered = { state: 'delivered', at: start + 1, status: 'active', askAgainAt: null } as const;

    /** A signup that is being sent. */
    async function sent(more: Partial<Claim> = {}) {
      const store = await fresh();
      await store.accept(ofPerson('ada@example.com'));
      const [claimed] = await claim(store, 1, start, more);
      return { store, id: claimed?.id ?? '' };
    }

    const left = (store: SignupStore, at = later) => store.openStatuses(forms, at, 9);

    it('deletes a signup that has surely not reached the API', async () => {
      const store = await fresh();
      const id = await store.accept(ofPerson('ada@example.com'));
      await store.leave(id, later);
      expect(await store.counts()).toEqual(none);
    });

    it('is due once a signup is delivered, and until it is unsubscribed', async () => {
      const { store, id } = await sent();
      await store.settle([id], delivered);
      expect(await store.nextDueAt(forms, 'delivered')).toBeNull();
      for (let n = 0; n < 2; n += 1) await store.leave(id, later);
      expect(await left(store, later - 1)).toEqual([]);
      expect(await left(store)).toMatchObject([{ id, hasLeft: true, submission: { email: 'ada@example.com' } }]);
      // The answer to a question of before.
      expect(await store.settleStatuses([{ id, status: 'active', askAgainAt: null }])).toEqual([]);
      const again = { id, hasLeft: true, status: 'active', askAgainAt: later + 1 };
      expect(await store.settleStatuses([again])).toHaveLength(1);
      expect(await left(store, later + 1)).toMatchObject([{ hasLeft: true }]);
      expect(await store.settleStatuses([{ ...again, status: 'inactive', askAgainAt: null }])).toHaveLength(1);
      expect(await store.nextDueAt(forms, 'delivered')).toBeNull();
      expect(await store.list({}, { limit: 9 })).toMatchObject([{ state: 'delivered', status: 'inactive' }]);
    });

    it('while the signup is sent is due as soon as that has succeeded', async () => {
      const { store, id } = await sent();
      await store.leave(id, start);
      expect(await left(store)).toEqual([]);
      await store.settle([id], delivered);
      expect(await left(store)).toMatchObject([{ id, hasLeft: true }]);
      expect((await store.counts()).delivered).toBe(1);
    });

    it('while it is sent in bulk is due as soon as it is found', async () => {
      const batch = { id: '00000000-0000-7000-8000-000000000001', publicationId: 'pub_one' };
      const { store, id } = await sent({ batch });
      await store.leave(id, start);
      await store.leaseScan('pub_one', start, later);
      const found = [{ email: 'ada@example.com', status: 'active', askAgainAt: null }];
      await store.confirm('pub_one', found, start + 2, { until: 0, newest: null, cursor: null, startedAt: null });
      expect(await left(store)).toMatchObject([{ id, hasLeft: true }]);
    });

    it('is known to each later attempt, also after a redrive', async () => {
      const { store, id } = await sent();
      await store.leave(id, start);
      await store.settle([id], failed(start + 9, true));
      expect(await claim(store, 1, later)).toMatchObject([{ id, tried: true, hasLeft: true }]);
      await store.settle([id], { state: 'dead', at: later, reason: 'refused' });
      expect(await store.redrive({}, later)).toBe(1);
      expect(await claim(store, 1, later)).toMatchObject([{ id, hasLeft: true }]);
    });

    it('changes nothing where the content is erased', async () => {
      const { store, id } = await sent();
      await store.settle([id], delivered);
      await store.expire({ ...keep, delivered: later });
      await store.leave(id, later);
      expect(await store.nextDueAt(forms, 'delivered')).toBeNull();
    });
  });

  it('writes the other signups of a group if one cannot be written', async () => {
    const store = await fresh();
    const broken = { ...ofPerson('broken@example.com'), receivedAt: 1.5 }; // no whole number: the column refuses it
    const results = await Promise.allSettled([
      store.accept(ofPerson('a@example.com')),
      store.accept(broken),
      store.accept(ofPerson('b@example.com')),
    ]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(await store.counts()).toEqual({ ...none, waiting: 2 });
  });

  it('claims a signup once, until it is released', async () => {
    const store = await fresh();
    const id = await store.accept(signup());
    expect(await claim(store, 10, start)).toHaveLength(1);
    expect(await store.counts()).toEqual({ ...none, sent: 1 });
    expect(await claim(store, 10, start)).toEqual([]);
    await store.release([id]);
    expect(await claim(store, 10, start)).toMatchObject([{ id, attempts: 0, tried: false }]);
  });

  it('claims only the given forms, up to the limit', async () => {
    const store = await fresh();
    for (const [i, form] of ['default', 'footer', 'footer', 'other'].entries())
      await store.accept({ ...ofPerson(`p${i}@example.com`), form, receivedAt: start + i });
    expect(await claim(store, 10, start, { forms: [] })).toEqual([]);
    const taken = await claim(store, 2, start, { forms: ['footer', 'other'] });
    expect(taken.map(({ form }) => form)).toEqual(['footer', 'footer']);
    expect((await claim(store, 9, start, { forms: ['footer', 'other'] })).map(({ form }) => form)).toEqual(['other']);
    expect(await store.counts()).toEqual({ ...none, waiting: 1, sent: 3 });
  });

  it('claims new signups before the backlog, and the backlog before retries, the oldest of each first', async () => {
    const store = await fresh();
    const add = (name: string, receivedAt: number) => store.accept({ ...ofPerson(`${name}@example.com`), receivedAt });
    await add('repetition', start - 9e6);
    for (const { id } of await claim(store, 1, start)) await store.settle([id], failed(start + 1));
    await add('old2', start - 7e6);
    await add('old1', start - 8e6);
    await add('new2', start + 20);
    await add('new1', start + 10);
    const names = (await claim(store, 9, start + 100)).map(({ submission }) => submission.email.split('@')[0]);
    expect(names).toEqual(['new1', 'new2', 'old1', 'old2', 'repetition']);
  });

  it('claims a new signup whatever the clock says', async () => {
    const store = await fresh();
    await store.accept(signup());
    expect(await claim(store, 1, start - 86_400_000)).toHaveLength(1);
  });

  it('makes retries due that wait too long after the clock was set back', async () => {
    const store = await fresh();
    const id = await store.accept(signup());
    await claim(store, 1, start);
    await store.settle([id], failed(start + 60_000));
    const earlier = start - 86_400_000;
    expect(await claim(store, 1, earlier)).toEqual([]);
    expect(await store.pullForward(earlier, 3_600_000)).toBe(1);
    expect(await store.pullForward(earlier, 3_600_000)).toBe(0);
    expect(await claim(store, 1, earlier)).toMatchObject([{ id }]);
  });

  it('counts a claim that is never settled as an attempt that may have reached the API', async () => {
    const store = await fresh();
    const id = await store.accept(signup());
    await claim(store, 1, start);
    expect(await claim(store, 1, start + claimMs - 1)).toEqual([]);
    expect(await claim(store, 1, start + claimMs)).toMatchObject([{ id, attempts: 1, tried: true }]);
    await store.release([id]);
    expect(await claim(store, 1, start + claimMs)).toMatchObject([{ id, attempts: 1, tried: true }]);
    await store.settle([id], failed(start));
    expect(await claim(store, 1, start + claimMs)).toMatchObject([{ id, attempts: 2, tried: true }]);
  });

  it('counts signups that were never attempted, up to the limit', async () => {
    const store = await fresh();
    expect(await store.backlog(forms, 5)).toBe(0);
    for (let i = 0; i < 8; i += 1) await store.accept(ofPerson(`p${i}@example.com`));
    await store.accept(signup({ form: 'footer' }));
    expect(await store.backlog(forms, 5)).toBe(5);
    expect(await store.backlog(forms, 50)).toBe(8);
    expect(await store.backlog(['default', 'footer'], 50)).toBe(9);
    const [first] = await claim(store, 2, start);
    await store.settle([first?.id ?? ''], failed(start + 1000));
    expect(await store.backlog(forms, 50)).toBe(6);
  });

  it('claims a signup again when its next attempt is due, and counts the attempts', async () => {
    const store = await fresh();
    const id = await store.accept(signup());
    await claim(store, 1, start);
    await store.settle([id], failed(start + 5000));
    expect(await claim(store, 1, start + 4999)).toEqual([]);
    expect(await store.nextDueAt(forms)).toBe(start + 5000);
    expect(await store.nextDueAt(['footer'])).toBeNull();
    expect(await claim(store, 1, start + 5000)).toMatchObject([{ id, attempts: 1, tried: false }]);
  });

  it('counts every state, and claims neither dead letters nor signups in review', async () => {
    const store = await fresh();
    const dead = await store.accept(ofPerson('dead@example.com'));
    const delivered = await store.accept(ofPerson('delivered@example.com'));
    await store.accept({ ...ofPerson('review@example.com'), suspected: 'the honeypot was filled in' });
    await claim(store, 10, start);
    await store.settle([dead], { state: 'dead', at: start, reason: 'refused' });
    await store.settle([delivered], { state: 'delivered', at: start });
    await store.accept(ofPerson('waiting@example.com'));
    expect(await store.counts()).toEqual({ ...none, waiting: 1, review: 1, delivered: 1, dead: 1 });
    expect(await claim(store, 10, start + 1e9)).toHaveLength(1);
  });

  it('settles many signups at once', async () => {
    const store = await fresh();
    const ids = await Promise.all(
      ['ada', 'grace', 'linus'].map((name) => store.accept(ofPerson(`${name}@example.com`))),
    );
    await claim(store, 10, start);
    await store.settle(ids, failed(start + 5000));
    expect(await claim(store, 10, start + 4999)).toEqual([]);
    const again = await claim(store, 10, start + 5000);
    expect(again.map(({ id, attempts }) => [id, attempts]).toSorted()).toEqual(ids.map((id) => [id, 1]).toSorted());
    await store.settle(ids.slice(1), { state: 'delivered', at: start + 6000 });
    expect(await store.counts()).toEqual({ ...none, sent: 1, delivered: 2 });
  });

  it('returns the end of the first claim as the next due time while all signups are claimed', async () => {
    const store = await fresh();
    expect(await store.nextDueAt(forms)).toBeNull();
    await store.accept(signup());
    expect(await store.nextDueAt(forms)).toBeLessThanOrEqual(start);
    await claim(store, 1, start);
    expect(await store.nextDueAt(forms)).toBe(start + claimMs);
  });

  describe('duplicates', () => {
    it.each([
      [
        'the same idempotency key for the same person, even days later',
        { idempotencyKey: 'k1' },
        { ...ofPerson('ada+news@bücher.example'), idempotencyKey: 'k1', receivedAt: start + 3 * 86_400_000 },
      ],
      ['the same person and content within ten minutes', {}, { receivedAt: start + repeatWindowMs - 1 }],
      [
        'the same, its address spelt in other case',
        {},
        { submission: { ...signup().submission, email: 'ADA+news@BÜCHER.example' }, receivedAt: start + 1 },
      ],
      ['the same person and content, the first with a key', { idempotencyKey: 'k1' }, { receivedAt: start + 1 }],
    ] as const)('are joined when they are claimed: %s', async (_case, first, second) => {
      const store = await fresh();
      const id = await store.accept(signup(first));
      await store.accept(signup(second));
      const later = start + 4 * 86_400_000;
      expect((await claim(store, 10, later)).map((each) => each.id)).toEqual([id]);
      expect(await store.counts()).toEqual({ ...none, sent: 1 });
      await store.settle([id], { state: 'delivered', at: later });
      await store.accept(signup(second));
      expect(await claim(store, 10, later)).toEqual([]);
      expect(await store.counts()).toEqual({ ...none, delivered: 1 });
    });

    it.each([
      ['the same content after ten minutes', {}, { receivedAt: start + repeatWindowMs }],
      [
        'one idempotency key, two people',
        { idempotencyKey: 'k1' },
        { ...ofPerson('bob@example.com'), idempotencyKey: 'k1' },
      ],
      ['one person, other content', {}, { ...ofPerson(signup().submission.email), receivedAt: start + 1 }],
      ['another form', {}, { form: 'footer', receivedAt: start + 1 }],
    ] as const)('are no repeats: %s', async (_case, first, second) => {
      const store = await fresh();
      const ids = [await store.accept(signup(first)), await store.accept(signup(second))];
      const taken: string[] = [];
      for (let now = start + repeatWindowMs; now < start + repeatWindowMs + 60_000; now += 10_000)
        for (const { id } of await claim(store, 10, now, { forms: ['default', 'footer'] })) {
          taken.push(id);
          await store.settle([id], { state: 'delivered', at: now });
        }
      expect(taken.toSorted()).toEqual(ids.toSorted());
    });

    it('keeps a post that equals a suspected one', async () => {
      const store = await fresh();
      await store.accept(signup({ suspected: 'the honeypot was filled in', idempotencyKey: 'k1' }));
      const id = await store.accept(signup({ idempotencyKey: 'k1', receivedAt: start + 1 }));
      expect(await claim(store, 10, start + 1)).toMatchObject([{ id }]);
      expect(await store.counts()).toEqual({ ...none, review: 1, sent: 1 });
    });

    it('accepts a signup again that was refused', async () => {
      const store = await fresh();
      const refused = await store.accept(signup());
      await claim(store, 1, start);
      await store.settle([refused], { state: 'dead', at: start, reason: 'refused' });
      const id = await store.accept(signup({ receivedAt: start + 1 }));
      expect(await claim(store, 10, start + 1)).toMatchObject([{ id }]);
    });

    it('merges a duplicate with an earlier time of receipt, after the clock was set back', async () => {
      const store = await fresh();
      const id = await store.accept(signup());
      expect(await claim(store, 9, start)).toMatchObject([{ id }]);
      await store.accept(signup({ receivedAt: start - 1000 }));
      await store.accept({ ...ofPerson(signup().submission.email), receivedAt: start - 2000 });
      expect(await claim(store, 9, start)).toEqual([]);
      expect(await store.counts()).toEqual({ ...none, waiting: 1, sent: 1 });
    });

    it('merges concurrent double submissions', async () => {
      const store = await fresh();
      await Promise.all(Array.from({ length: 50 }, () => store.accept(signup())));
      expect(await claim(store, 100, start)).toHaveLength(1);
      expect(await store.counts()).toEqual({ ...none, sent: 1 });
    });

    it('claims a later signup of a person only after the earlier one is settled', async () => {
      const store = await fresh();
      const first = await store.accept(signup());
      const second = await store.accept({ ...ofPerson(signup().submission.email), receivedAt: start + 1 });
      expect((await claim(store, 10, start + 1)).map(({ id }) => id)).toEqual([first]);
      expect(await claim(store, 10, start + 60_000)).toEqual([]);
      await store.settle([first], { state: 'delivered', at: start });
      expect((await claim(store, 10, start + 120_000)).map(({ id }) => id)).toEqual([second]);
    });
  });

  describe('batches', () => {
    const batch = { id: '018f0000-0000-7000-8000-000000000001', publicationId };
    const scan: ConfirmationScan = { until: 1000, newest: 2000, cursor: 'c2', startedAt: start };

    it('contain signups that were never attempted until they are confirmed', async () => {
      const store = await fresh();
      const ids: string[] = [];
      for (let i = 0; i < 4; i += 1)
        ids.push(await store.accept({ ...ofPerson(`p${i}@example.com`), receivedAt: start + i }));
      const [attempted] = await claim(store, 1, start);
      await store.settle([attempted?.id ?? ''], failed(start));
      expect((await claim(store, 2, start, { batch })).map(({ id }) => id)).toEqual(ids.slice(1, 3));
      expect(await claim(store, 9, start, { batch })).toMatchObject([{ id: ids[3] }]);
      expect(await store.openBatches(publicationId)).toEqual([
        { id: batch.id, claimedAt: start, sentAt: null, open: 3 },
      ]);
      expect(await store.openBatches('pub_other')).toEqual([]);
      await store.batchSent(batch.id, start + 5);
      expect((await claim(store, 9, start + 10 * claimMs)).map(({ id }) => id)).toEqual([ids[0]]);

      expect(await store.leaseScan(publicationId, start, start + 60_000)).toEqual({ scan: null });
      const seen = await store.confirm(
        publicationId,
        [found('P1@example.com'), found('p0@example.com'), found('nobody@example.com')],
        start + 7,
        scan,
      );
      expect(seen).toEqual([{ id: ids[1], form: 'default', dueAt: start + 1, status: 'active' }]);
      expect(await store.leaseScan(publicationId, start, start + 60_000)).toEqual({ scan });
      expect(await store.openBatches(publicationId)).toEqual([
        { id: batch.id, claimedAt: start, sentAt: start + 5, open: 2 },
      ]);
      expect(await store.list({ ids: [ids[1] ?? ''] }, { limit: 1 })).toMatchObject([
        { state: 'delivered', settledAt: start + 7, attempts: 1 },
      ]);

      await store.endBatch(batch.id, failed(start, true));
      expect(await store.openBatches(publicationId)).toEqual([]);
      expect(await claim(store, 9, start)).toMatchObject([
        { id: ids[2], tried: true, attempts: 1 },
        { id: ids[3], tried: true, attempts: 1 },
      ]);
    });

    it('are found again after a restart', async () => {
      const { open } = await place();
      const before = await open();
      const id = await before.accept(signup());
      await before.claim({ forms, limit: 9, now: start, batch });
      await before.confirm(publicationId, [], start, scan);
      await before.close();
      const after = await open();
      onTestFinished(() => after.close());
      expect(await after.openBatches(publicationId)).toMatchObject([{ id: batch.id, sentAt: null, open: 1 }]);
      expect(await claim(after, 9, start + 10 * claimMs)).toEqual([]);
      expect(await after.leaseScan(publicationId, start + 1e6, start + 2e6)).toEqual({ scan });
      expect(await after.confirm(publicationId, [found(signup().submission.email)], start, scan)).toMatchObject([
        { id },
      ]);
    });

    it('release unsent signups as if they had not been claimed', async () => {
      const store = await fresh();
      const id = await store.accept(signup());
      await claim(store, 9, start, { batch });
      await store.release([id]);
      expect(await store.backlog(forms, 9)).toBe(1);
      expect(await store.openBatches(publicationId)).toMatchObject([{ open: 0 }]);
      await store.endBatch(batch.id, failed(start));
      expect(await claim(store, 9, start)).toMatchObject([{ id, attempts: 0, tried: false }]);
    });

    it('contain at most one signup per person', async () => {
      const store = await fresh();
      const first = await store.accept(signup());
      await store.accept({ ...ofPerson(signup().submission.email), receivedAt: start + 1 });
      expect((await claim(store, 9, start + 1, { batch })).map(({ id }) => id)).toEqual([first]);
      expect(await store.counts()).toEqual({ ...none, waiting: 1, sent: 1 });
    });
  });

  describe('consent', () => {
    it('is in the ledger as soon as a signup is stored, and outlives the signup’s content', async () => {
      const store = await fresh();
      const id = await store.accept(signup({ consent: given }));
      await store.accept(signup({ receivedAt: start + repeatWindowMs * 2 }));
      await claim(store, 9, start);
      await store.settle([id], { state: 'delivered', at: start });
      const all = { delivered: start + 1, review: start + 1, dead: start + 1, unconfirmed: start + 1 };
      expect(await store.expire({ ...all, consent: null })).toBe(1);
      const entry = {
        ...consent,
        signup: id,
        kind: 'given',
        at: start,
        form: 'default',
        person: expect.any(String),
        status: null,
      };
      expect((await store.person('ADA+news@BÜCHER.example')).consents).toEqual([entry]);
      expect((await store.person('bob@example.com')).consents).toEqual([]);
      expect(await store.listConsents({ limit: 9 })).toEqual([entry]);
      expect(await store.listConsents({ after: id, limit: 9 })).toEqual([]);
      expect(JSON.stringify(await store.listConsents({ limit: 9 }))).not.toContain('@');
      expect(await store.expire({ ...all, consent: start })).toBe(0);
      expect(await store.expire({ ...all, consent: start + 1 })).toBe(1);
      expect(await store.listConsents({ limit: 9 })).toEqual([]);
    });

    it('is erased with the person, unless it is kept explicitly', async () => {
      const store = await fresh();
      await store.accept(signup({ consent: given }));
      expect(await store.erase(signup().submission.email, { keepConsent: true })).toEqual({ signups: 1, consents: 0 });
      expect(await store.erase(signup().submission.email)).toEqual({ signups: 0, consents: 1 });
      expect(await store.person(signup().submission.email)).toEqual(erased);
    });

    it('precedes the delivery of a signup that needs confirmation', async () => {
      const store = await fresh();
      const id = await store.accept(signup({ needsConfirmation: true, consent: given }));
      await store.accept(signup({ needsConfirmation: true, receivedAt: start + 1 }));
      expect(await store.counts()).toEqual({ ...none, unconfirmed: 2 });
      expect(await claim(store, 9, start)).toEqual([]);
      expect(await store.backlog(forms, 9)).toBe(0);
      expect(await store.nextDueAt(forms)).toBeNull();
      expect(await store.nextDueAt(forms, 'unconfirmed')).toBeLessThanOrEqual(start);
      // The second is a repeat: a person gets one mail.
      expect((await claim(store, 9, start, { mailsOf })).map((each) => each.id)).toEqual([id]);
      expect(await claim(store, 9, start, { mailsOf })).toEqual([]);
      await store.settle([id], {
        state: 'unconfirmed',
        at: start,
        nextAttemptAt: start + 5,
        reason: 'the mail server is down',
      });
      expect(await claim(store, 9, start + 5, { mailsOf })).toMatchObject([{ id, confirmed: false }]);
      await store.settle([id], { state: 'unconfirmed', at: start, nextAttemptAt: null, reason: null });
      expect(await store.nextDueAt(forms, 'unconfirmed')).toBeNull();

      const click: Consent = { sentence: null, version: null, page: null, visitor: '198.51.100.0' };
      expect(await clicked(store, '018f0000-0000-7000-8000-00000000000f', start, click)).toBe(false);
      expect(await clicked(store, id, start + 9, click)).toBe(true);
      expect(await clicked(store, id, start + 10, click)).toBe(false);
      expect((await store.person(signup().submission.email)).consents).toMatchObject([
        { signup: id, kind: 'given' },
        { signup: id, kind: 'confirmed', at: start + 9, visitor: '198.51.100.0' },
      ]);
      // How long the person took is no delay of the delivery.
      expect(await store.overview(start + 10)).toMatchObject({
        oldestWaitingSince: start + 9,
        forms: [{ form: 'default', open: 1, oldestSince: start + 9 }],
      });
      expect(await claim(store, 9, start + 9)).toMatchObject([
        { id, attempts: 0, tried: false, confirmed: true, dueAt: start + 9 },
      ]);
    });

    it('given by a click is kept if the mail is recorded after it', async () => {
      const store = await fresh();
      const id = await store.accept(signup({ needsConfirmation: true }));
      await claim(store, 9, start, { mailsOf });
      await clicked(store, id, start, consent);
      const mailed: DeliveryOutcome = { state: 'unconfirmed', at: start, nextAttemptAt: null, reason: null };
      await store.settle([id], mailed);
      expect(await store.counts()).toEqual({ ...none, waiting: 1 });
      await claim(store, 9, start);
      await store.settle([id], mailed);
      expect(await store.counts()).toEqual({ ...none, sent: 1 });
    });

    it('is requested again after a failed mail, not after a failed delivery', async () => {
      const store = await fresh();
      const dead: DeliveryOutcome = { state: 'dead', at: start, reason: 'refused' };
      const id = await store.accept(signup({ needsConfirmation: true }));
      await claim(store, 9, start, { mailsOf });
      await store.settle([id], { ...dead, ofMail: true });
      expect(await store.redrive({}, start)).toBe(1);
      expect(await store.counts()).toEqual({ ...none, unconfirmed: 1 });
      await clicked(store, id, start, consent);
      await claim(store, 9, start);
      await store.settle([id], dead);
      expect(await store.redrive({}, start)).toBe(1);
      expect(await store.counts()).toEqual({ ...none, waiting: 1 });
    });

    it('has the request, which keeps its time, its page and its visitor when it is confirmed', async () => {
      const store = await fresh();
      const request = {
        kind: 'requested',
        sentence: null,
        version: null,
        page: consent.page,
        visitor: '192.0.2.0',
      } as const;
      const id = await store.accept(signup({ needsConfirmation: true, consent: request }));
      const later = start + 3 * repeatWindowMs;
      await clicked(store, id, later, { ...consent, sentence: null, page: null, visitor: '198.51.100.0' });
      expect((await store.person(signup().submission.email)).consents).toMatchObject([
        { ...request, signup: id, at: start },
        { kind: 'confirmed', signup: id, at: later, visitor: '198.51.100.0' },
      ]);
      expect(await store.list({}, { limit: 1 })).toMatchObject([{ id, receivedAt: start, dueAt: later }]);
      expect(await claim(store, 1, later)).toMatchObject([{ id, dueAt: later }]);
    });

    it.each<[string, NewSignup, (store: SignupStore) => Promise<unknown>]>([
      ['its signup expires', signup(), (store) => store.expire({ ...keep, unconfirmed: start + 1 })],
      ['its signup is discarded', signup(), (store) => store.discard({})],
      [
        'its signup in review expires',
        signup({ suspected: 'the honeypot was filled in' }),
        (store) => store.expire({ ...keep, review: start + 1 }),
      ],
      ['its person is erased', signup(), (store) => store.erase(signup().submission.email)],
      [
        'its person is erased, and consent is kept',
        signup(),
        (store) => store.erase(signup().submission.email, { keepConsent: true }),
      ],
    ])(
      'has no request and no unclear words any more when %s before it is confirmed',
      async (_case, changes, remove) => {
        const store = await fresh();
        for (const kind of ['requested', 'unclear'] as const) {
          await store.accept({ ...changes, needsConfirmation: true, consent: { ...given, kind } });
          expect(await store.listConsents({ limit: 9 })).toMatchObject([{ kind, sentence: given.sentence }]);
          await remove(store);
          expect(await store.listConsents({ limit: 9 })).toEqual([]);
        }
      },
    );

    it('is exported in whole signups, however small the pages are', async () => {
      const store = await fresh();
      const ids: string[] = [];
      for (const email of ['a@example.com', 'b@example.com']) {
        const id = await store.accept({
          ...signup({ needsConfirmation: true, consent: given }),
          submission: { email },
        });
        await clicked(store, id, start, consent);
        ids.push(id);
      }
      const pages = [];
      for (let after: string | undefined; ;) {
        const page = await store.listConsents({ after, limit: 1 });
        if (page.length === 0) break;
        pages.push(page.map(({ signup: of, kind }) => [of, kind]).toSorted());
        after = page.at(-1)?.signup;
      }
      expect(pages).toEqual(
        ids.toSorted().map((id) => [
          [id, 'confirmed'],
          [id, 'given'],
        ]),
      );
    });

    it('is requested by mail also after a review', async () => {
      const store = await fresh();
      const id = await store.accept(signup({ needsConfirmation: true, suspected: 'the honeypot was filled in' }));
      expect(await store.redrive({ ids: [id] }, start)).toBe(1);
      expect(await store.counts()).toEqual({ ...none, unconfirmed: 1 });
    });
  });

  it('deletes signups in review at the end of their retention', async () => {
    const store = await fresh();
    const dead = await store.accept(ofPerson('dead@example.com'));
    await claim(store, 9, start);
    await store.settle([dead], { state: 'dead', at: start + 5, reason: 'refused' });
    await store.accept({ ...ofPerson('review@example.com'), suspected: 'the honeypot was filled in' });
    await store.accept({ ...ofPerson('unconfirmed@example.com'), needsConfirmation: true });
    await store.accept(ofPerson('waiting@example.com'));
    expect(await store.expire(keep)).toBe(0);
    expect(
      await store.expire({ delivered: start, review: start, dead: start + 5, unconfirmed: start, consent: start }),
    ).toBe(0);
    expect(await store.expire({ ...keep, review: start + 1 })).toBe(1);
    expect(await store.expire({ ...keep, dead: start + 6 })).toBe(1);
    expect(await store.expire({ ...keep, unconfirmed: start + 1 })).toBe(1);
    expect(await store.counts()).toEqual({ ...none, waiting: 1 });
  });

  it('merges duplicates in review', async () => {
    const store = await fresh();
    const id = await store.accept(
      signup({ suspected: 'the honeypot was filled in', idempotencyKey: 'beyond the limit' }),
    );
    for (const utm_term of ['a', 'b'])
      await store.accept(
        signup({
          suspected: 'the honeypot was filled in',
          idempotencyKey: 'beyond the limit',
          submission: { ...signup().submission, utm_term },
          receivedAt: start + 1,
        }),
      );
    await store.accept({ ...ofPerson('robot@example.com'), suspected: 'the honeypot was filled in' });
    await store.accept({ ...ofPerson('robot@example.com'), suspected: 'the honeypot was filled in' });
    expect(await store.expire(keep)).toBe(3);
    expect(await store.counts()).toEqual({ ...none, review: 2 });
    expect(await store.list({ ids: [id] }, { limit: 1 })).toHaveLength(1);
  });

  it('imports an export once, and marks signups that may have reached the API', async () => {
    const from = await fresh();
    await from.accept(signup({ consent: given, idempotencyKey: 'k1' }));
    await from.accept(ofPerson('bob@example.com'));
    await from.accept({ ...ofPerson('robot@example.com'), suspected: 'the honeypot was filled in' });
    const [sent] = await claim(from, 1, start);
    const signups = await from.list({}, { limit: 9 });
    const consents = await from.listConsents({ limit: 9 });
    const to = await fresh();
    expect(await to.load(signups, consents)).toBe(3);
    expect(await to.load(signups, consents)).toBe(0);
    expect(await to.listConsents({ limit: 9 })).toEqual(consents);
    expect(await to.counts()).toEqual({ ...none, waiting: 2, review: 1 });
    expect(await to.backlog(forms, 9)).toBe(1);
    const claimed = await claim(to, 9, start + claimMs);
    expect(claimed.find(({ id }) => id === sent?.id)).toMatchObject({ tried: true, attempts: 1 });
    // What was sent before the move and is sent again after it is one signup.
    await to.accept(signup({ idempotencyKey: 'k1', receivedAt: start + 1 }));
    await to.settle(
      claimed.map(({ id }) => id),
      { state: 'delivered', at: start },
    );
    expect(await claim(to, 9, start + 1)).toEqual([]);
    expect(await to.counts()).toEqual({ ...none, delivered: 2, review: 1 });
  });

  it('keeps every record over a restart, and claimed signups wait again', async () => {
    const { open } = await place();
    const before = await open();
    await Promise.all(Array.from({ length: 100 }, (_, i) => before.accept(ofPerson(`p${i}@example.com`))));
    const [claimed] = await before.claim({ forms, limit: 1, now: start });
    await before.close();
    const after = await open();
    onTestFinished(() => after.close());
    expect(await after.counts()).toEqual({ ...none, waiting: 99, sent: 1 });
    const again = await after.claim({ forms, limit: 1000, now: start + claimMs });
    expect(again).toHaveLength(100);
    expect(again.find(({ id }) => id === claimed?.id)).toMatchObject({ tried: true, attempts: 1 });
  });

  it('writes what is pending before it closes', async () => {
    const { open } = await place();
    const before = await open();
    await before.accept({ ...ofPerson('ada@example.com') });
    const accepted = before.accept(signup());
    await before.close();
    await expect(accepted).resolves.toEqual(expect.any(String));
    const after = await open();
    onTestFinished(() => after.close());
    expect((await after.counts()).waiting).toBe(2);
  });

  it('passes its own write probe', async () => {
    const store = await fresh();
    await expect(store.probe(start, 'fill')).resolves.toBeUndefined();
    expect(await store.list({}, { limit: 9 })).toEqual([]);
  });

  describe('for operators', () => {
    it('lists signups with all properties, newest first, page by page', async () => {
      const store = await fresh();
      const ids: string[] = [];
      for (let i = 0; i < 5; i += 1)
        ids.unshift(await store.accept({ ...ofPerson(`p${i}@example.com`), receivedAt: start + i }));
      const first = await store.list({}, { limit: 2 });
      expect(first.map(({ id }) => id)).toEqual(ids.slice(0, 2));
      expect(first[0]).toEqual({
        id: ids[0],
        form: 'default',
        state: 'waiting',
        submission: { email: 'p4@example.com' },
        origin: 'https://shop.example',
        receivedAt: start + 4,
        dueAt: start + 4,
        attempts: 0,
        tried: false,
        needsConfirmation: false,
        nextAttemptAt: start + 4,
        settledAt: null,
        reason: null,
        status: null,
        intent: null,
      });
      expect((await store.list({}, { after: ids[1], limit: 10 })).map(({ id }) => id)).toEqual(ids.slice(2));
      expect(await store.list({}, { after: ids[4], limit: 10 })).toEqual([]);
    });

    it('lists the reason and time of a dead letter', async () => {
      const store = await fresh();
      const id = await store.accept(signup());
      await settled(store, id, { state: 'dead', at: start + 7, reason: 'the service answered 400' });
      expect(await store.list({ states: ['dead'] }, { limit: 1 })).toMatchObject([
        {
          id,
          state: 'dead',
          attempts: 1,
          settledAt: start + 7,
          nextAttemptAt: null,
          reason: 'the service answered 400',
        },
      ]);
    });

    const kept = async (store: SignupStore): Promise<Record<string, string>> => {
      const ids: Record<string, string> = {};
      const add = async (name: string, changes: Partial<NewSignup>, outcome?: DeliveryOutcome): Promise<void> => {
        ids[name] = await store.accept({ ...ofPerson(`${name}@example.com`), ...changes });
        if (outcome) await settled(store, ids[name], outcome);
      };
      await add(
        'email',
        { receivedAt: start + 1 },
        { state: 'dead', at: start, reason: 'Email is not a 100% valid_address.' },
      );
      await add(
        'tier',
        { receivedAt: start + 2, form: 'footer' },
        { state: 'dead', at: start, reason: 'No such tier.' },
      );
      await add('robot', { receivedAt: start + 3, suspected: 'the honeypot was filled in' });
      await add('done', { receivedAt: start + 4 }, { state: 'delivered', at: start + 10 });
      await add('next', { receivedAt: start + 5, form: 'footer' });
      return ids;
    };

    it.each<[string, (ids: Record<string, string>) => SignupFilter, string[]]>([
      ['nothing in particular', () => ({}), ['next', 'done', 'robot', 'tier', 'email']],
      ['a state', () => ({ states: ['dead'] }), ['tier', 'email']],
      ['several states', () => ({ states: ['review', 'delivered'] }), ['done', 'robot']],
      ['no state', () => ({ states: [] }), []],
      ['a form', () => ({ form: 'footer' }), ['next', 'tier']],
      ['a part of the reason, in any case', () => ({ reason: '100% VALID_' }), ['email']],
      [
        'the time of receipt, its end left out',
        () => ({ receivedFrom: start + 2, receivedUntil: start + 4 }),
        ['robot', 'tier'],
      ],
      [
        'ids, of which one is none',
        (ids) => ({ ids: [ids['done'] ?? '', ids['tier'] ?? '', "' OR 1"] }),
        ['done', 'tier'],
      ],
      ['a person', () => ({ email: 'TIER@example.com' }), ['tier']],
      ['several at once', () => ({ states: ['dead', 'waiting'], form: 'footer', receivedFrom: start + 3 }), ['next']],
    ])('finds signups by %s', async (_case, filter, names) => {
      const store = await fresh();
      const ids = await kept(store);
      const found = await store.list(filter(ids), { limit: 10 });
      expect(found.map(({ id }) => Object.keys(ids).find((name) => ids[name] === id))).toEqual(names);
    });

    it('marks what waits in a restored store as possibly sent, and nothing else', async () => {
      const store = await fresh();
      const ids = [await store.accept(ofPerson('ada@example.com')), await store.accept(ofPerson('bob@example.com'))];
      await store.accept({ ...ofPerson('eve@example.com'), suspected: 'a robot' });
      const [sent] = await store.claim({ forms, limit: 1, now: start });
      await store.settle([sent?.id ?? ''], { state: 'delivered', at: start });
      expect(await store.restored(start + 10)).toBe(1);
      const batch = { id: signupId(start), publicationId: 'pub_1' };
      expect(await store.claim({ forms, limit: 9, now: start + 10, batch })).toEqual([]);
      const [claimed, ...others] = await store.claim({ forms, limit: 9, now: start + 10 });
      expect([ids.includes(claimed?.id ?? ''), claimed?.tried, claimed?.attempts, others]).toEqual([true, true, 0, []]);
    });

    it('keeps when it was last erased', async () => {
      const store = await fresh();
      await store.expire(keep, start + 5);
      expect((await store.overview(start)).lastErasureAt).toBe(start + 5);
    });

    it('redrives only selected dead letters and signups in review', async () => {
      const store = await fresh();
      const ids = await kept(store);
      expect(await store.redrive({ reason: 'tier' }, start + 50)).toBe(1);
      expect(await store.counts()).toEqual({ ...none, waiting: 2, review: 1, delivered: 1, dead: 1 });
      expect(await store.list({ ids: [ids['tier'] ?? ''] }, { limit: 1 })).toMatchObject([
        { state: 'waiting', attempts: 0, tried: false, settledAt: null, reason: null },
      ]);
      expect(await store.redrive({}, start + 60)).toBe(2);
      expect(await store.counts()).toEqual({ ...none, waiting: 4, delivered: 1 });
      expect(
        (await store.claim({ forms: ['default', 'footer'], limit: 10, now: start + 100 })).map(({ id }) => id).sort(),
      ).toEqual(['email', 'next', 'robot', 'tier'].map((name) => ids[name]).sort());
    });

    it('redrives mails that are held, each by its reason, and none that is being sent or was sent', async () => {
      const store = await fresh();
      const due = start + 5 * 3_600_000;
      const ids: string[] = [];
      for (const [n, suspected] of ['no room', 'no room', 'one already', 'due now', null].entries())
        ids.push(
          await store.accept({
            ...ofPerson(`p${n}@example.com`),
            suspected,
            needsConfirmation: true,
            ...(suspected && { heldUntil: suspected === 'due now' ? start : due + n }),
          }),
        );
      const [first = '', second = '', third = '', now = '', sent = ''] = ids;
      const mails = async (at: number) =>
        (await store.claim({ forms, limit: 9, now: at, mailsOf })).map(({ id }) => id).toSorted();
      expect(await mails(start)).toEqual([now, sent]);
      await store.settle([sent], { state: 'unconfirmed', at: start, nextAttemptAt: null, reason: null });
      expect(await store.pullForward(start, 1000)).toBe(0);
      // One that may have been sent.
      for (const each of await store.list({ ids: [first] }, { limit: 1 }))
        await store.load([{ ...each, id: signupId(start), tried: true }], []);
      const held = (reason: string, count: number) => ({ state: 'unconfirmed', reason, count });
      expect((await store.overview(start)).held).toEqual([held('no room', 2), held('one already', 1)]);
      expect(await store.redrive({ states: ['unconfirmed'], reason: 'one' }, start + 10)).toBe(1);
      expect(await mails(start + 10)).toEqual([third]);
      await store.settle([third], { state: 'unconfirmed', at: start, nextAttemptAt: due, reason: 'deferred' });
      expect((await store.overview(start)).held).toEqual([held('no room', 2), held('deferred', 1)]);
      expect(await store.redrive({}, start + 20)).toBe(3);
      expect(await mails(start + 20)).toEqual([first, second, third]);
      expect((await store.overview(start)).held).toEqual([]);
      expect((await store.person('p2@example.com')).mails).toMatchObject([{ mails: 1 }]);
      expect(await store.counts()).toEqual({ ...none, unconfirmed: 6 });
    });

    it('discards only selected dead letters and signups in review or unconfirmed', async () => {
      const store = await fresh();
      await kept(store);
      await store.accept({ ...ofPerson('unconfirmed@example.com'), needsConfirmation: true });
      expect(await store.discard({ reason: 'tier' })).toBe(1);
      expect(await store.counts()).toEqual({ ...none, unconfirmed: 1, waiting: 1, review: 1, delivered: 1, dead: 1 });
      expect(await store.discard({})).toBe(3);
      expect(await store.counts()).toEqual({ ...none, waiting: 1, delivered: 1 });
    });

    it('returns an overview', async () => {
      const store = await fresh();
      expect(await store.overview(start)).toEqual({
        counts: none,
        due: 0,
        oldestWaitingSince: null,
        forms: [],
        deadByReason: [],
        held: [],
        unclearConsents: [],
        statuses: [],
        lastErasureAt: null,
      });
      await kept(store);
      for (const [index, sentence] of ['nein', 'Yes 🌷.', 'Yes 🌷.', 'of long ago'].entries())
        await store.accept({
          ...ofPerson(`p${index}@example.com`),
          suspected: 'the honeypot was filled in',
          consent: { ...consent, kind: 'unclear', sentence },
          receivedAt: sentence === 'of long ago' ? start - 31 * 86_400_000 : start,
        });
      const another = await store.accept({ ...ofPerson('another@example.com'), receivedAt: start + 8 });
      await settled(store, another, { state: 'dead', at: start, reason: 'No such tier.' });
      const later = await store.accept({ ...ofPerson('later@example.com'), receivedAt: start - 5 });
      await settled(store, later, failed(start + 1000));
      expect(await store.overview(start + 100)).toEqual({
        counts: { ...none, waiting: 2, review: 5, delivered: 1, dead: 3 },
        due: 1,
        lastErasureAt: null,
        oldestWaitingSince: start - 5,
        forms: [
          { form: 'default', open: 1, oldestSince: start - 5 },
          { form: 'footer', open: 1, oldestSince: start + 5 },
        ],
        deadByReason: [
          { reason: 'No such tier.', count: 2 },
          { reason: 'Email is not a 100% valid_address.', count: 1 },
        ],
        held: [{ state: 'review', reason: 'the honeypot was filled in', count: 5 }],
        unclearConsents: [
          { form: 'default', sentence: 'Yes 🌷.', count: 2 },
          { form: 'default', sentence: 'nein', count: 1 },
        ],
        statuses: [{ status: null, count: 1 }],
      });
    });

    it('erases all signups of one person, in any spelling of the address, and no others', async () => {
      const store = await fresh();
      await kept(store);
      const before = await store.counts();
      await store.accept({ ...ofPerson('Ada@Example.com'), idempotencyKey: 'k1' });
      await store.accept({ ...ofPerson('ada@example.com'), form: 'footer' });
      const delivered = await store.accept({
        ...ofPerson('ada@example.com'),
        origin: null,
        receivedAt: start + 3 * repeatWindowMs,
      });
      await settled(store, delivered, { state: 'delivered', at: start });
      await store.accept({ ...ofPerson('ada@example.com'), suspected: 'the honeypot was filled in' });
      expect(await store.erase('ADA@example.COM')).toEqual({ signups: 4, consents: 0 });
      expect(await store.counts()).toEqual(before);
      expect(await store.erase('ada@example.com')).toEqual({ signups: 0, consents: 0 });
    });

    it('keeps the hash of an erased address, once for all spellings, page by page', async () => {
      const store = await fresh();
      expect(await store.suppressions({ limit: 10 })).toEqual([]);
      expect(await store.person('ada@bücher.example')).toEqual({ ...erased, suppressed: false });
      await store.accept(ofPerson('Ada@BÜCHER.example'));
      for (const address of ['Ada@BÜCHER.example', 'ada@xn--bcher-kva.example', 'nobody@example.com'])
        await store.erase(address);
      const hashes = ['ada@xn--bcher-kva.example', 'nobody@example.com']
        .map((key) => createHash('sha256').update(key).digest('hex'))
        .toSorted();
      expect(await store.suppressions({ limit: 10 })).toEqual(hashes);
      expect(await store.suppressions({ limit: 1 })).toEqual(hashes.slice(0, 1));
      expect(await store.suppressions({ after: hashes[0], limit: 10 })).toEqual(hashes.slice(1));
      expect(await store.person('ADA@bücher.example')).toEqual(erased);
      await store.accept(ofPerson('nobody@example.com'));
      expect(await store.counts()).toMatchObject({ waiting: 1 });
    });

    it('does not restore a signup that was erased during its delivery', async () => {
      const store = await fresh();
      const id = await store.accept(signup());
      await claim(store, 1, start);
      expect(await store.erase(signup().submission.email)).toEqual({ signups: 1, consents: 0 });
      await store.settle([id], failed(start));
      expect(await store.counts()).toEqual(none);
      expect(await claim(store, 1, start + 10)).toEqual([]);
    });

    it('erases the content of signups delivered long ago, and still counts them', async () => {
      const store = await fresh();
      const ids = await kept(store);
      const counts = await store.counts();
      expect(await store.expire({ ...keep, delivered: start + 10 })).toBe(0);
      expect(await store.expire({ ...keep, delivered: start + 11 })).toBe(1);
      expect(await store.expire({ ...keep, delivered: start + 11 })).toBe(0);
      expect(await store.counts()).toEqual(counts);
      expect(await store.list({ states: ['delivered'] }, { limit: 10 })).toMatchObject([
        { id: ids['done'], submission: null, settledAt: start + 10 },
      ]);
      expect(await store.erase('done@example.com')).toEqual({ signups: 0, consents: 0 });
    });

    it('pages through thousands of signups, each once, while new ones arrive', async () => {
      const store = await fresh();
      await Promise.all(
        Array.from({ length: 1200 }, (_, i) =>
          store.accept({ ...ofPerson(`p${i}@example.com`), receivedAt: start + (i % 7) }),
        ),
      );
      const states = new Set<SignupState>();
      const seen: string[] = [];
      for await (const { id, state } of everySignup(store)) {
        seen.push(id);
        states.add(state);
        if (seen.length === 700) await store.accept({ ...ofPerson('late@example.com'), receivedAt: start + 100 });
      }
      expect(new Set(seen).size).toBe(1200);
      expect(seen).toEqual(seen.toSorted().toReversed());
      expect([...states]).toEqual(['waiting']);
    });

    it('keeps a pause of delivery over a restart', async () => {
      const { open } = await place();
      const before = await open();
      expect(await before.paused()).toBe(false);
      await before.setPaused(true);
      await before.close();
      const after = await open();
      onTestFinished(() => after.close());
      expect(await after.paused()).toBe(true);
      await after.setPaused(false);
      expect(await after.paused()).toBe(false);
    });
  });
}

/** Takes everything that is due, settles one, and gives the rest back. */
async function settled(store: SignupStore, id: string, outcome: DeliveryOutcome): Promise<void> {
  for (const claimed of await store.claim({ forms: ['default', 'footer'], limit: 1000, now: start + 1e9 }))
    if (claimed.id !== id) await store.release([claimed.id]);
  await store.settle([id], outcome);
}
