/** What every store must do, whatever it is made of. */
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  everySignup,
  repeatWindowMs,
  type NewSignup,
  type Outcome,
  type SignupFilter,
  type SignupState,
  type SignupStore,
} from '../../src/index.ts';

const start = Date.UTC(2026, 10, 20, 12);

const signup = (changes: Partial<NewSignup> = {}): NewSignup => ({
  form: 'default',
  submission: {
    email: 'ada+news@bücher.example',
    utm_source: 'Spring Sale 🌷',
    custom_fields: [{ name: 'Topics', value: ['CSS', 'Ä'] }],
  },
  suspected: false,
  origin: 'https://shop.example',
  idempotencyKey: null,
  receivedAt: start,
  ...changes,
});
const ofPerson = (email: string): NewSignup => signup({ submission: { email } });

interface Place {
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

  it('gives back for delivery exactly what it was given', async () => {
    const store = await fresh();
    const { id } = await store.accept(signup());
    expect(await store.claim(10, start)).toEqual([
      { id, form: 'default', submission: signup().submission, receivedAt: start, attempts: 0 },
    ]);
  });

  it('gives a signup to one claimer only, until it is released', async () => {
    const store = await fresh();
    const { id } = await store.accept(signup());
    await store.claim(10, start);
    expect(await store.claim(10, start)).toEqual([]);
    await store.release([id]);
    expect(await store.claim(10, start)).toHaveLength(1);
  });

  it('takes what is due longest first, and no more than it is asked for', async () => {
    const store = await fresh();
    for (const offset of [30, 10, 20])
      await store.accept({ ...ofPerson(`p${offset}@example.com`), receivedAt: start + offset });
    const taken = await store.claim(2, start + 100);
    expect(taken.map(({ receivedAt }) => receivedAt - start)).toEqual([10, 20]);
    expect((await store.claim(2, start + 100)).map(({ receivedAt }) => receivedAt - start)).toEqual([30]);
  });

  it('tells how many are due and free, counted no further than it is asked to', async () => {
    const store = await fresh();
    expect(await store.backlog(5, start)).toBe(0);
    for (let i = 0; i < 8; i += 1) await store.accept(ofPerson(`p${i}@example.com`));
    expect(await store.backlog(5, start)).toBe(5);
    expect(await store.backlog(50, start)).toBe(8);
    const [first] = await store.claim(2, start);
    await store.settle([first?.id ?? ''], {
      state: 'waiting',
      at: start,
      nextAttemptAt: start + 1000,
      reason: 'the service answered 503',
    });
    expect(await store.backlog(50, start)).toBe(6);
  });

  it('keeps a signup back until its next attempt is due, and counts the attempts', async () => {
    const store = await fresh();
    const { id } = await store.accept(signup());
    await store.claim(1, start);
    await store.settle([id], {
      state: 'waiting',
      at: start,
      nextAttemptAt: start + 5000,
      reason: 'the service answered 503',
    });
    expect(await store.claim(1, start + 4999)).toEqual([]);
    expect(await store.nextDueAt(start + 4999)).toBe(start + 5000);
    expect(await store.claim(1, start + 5000)).toMatchObject([{ id, attempts: 1 }]);
  });

  it('counts every state, and delivers neither the dead nor what is in review', async () => {
    const store = await fresh();
    const dead = await store.accept(ofPerson('dead@example.com'));
    const delivered = await store.accept(ofPerson('delivered@example.com'));
    await store.accept({ ...ofPerson('review@example.com'), suspected: true });
    await store.claim(10, start);
    await store.settle([dead.id], { state: 'dead', at: start, reason: 'refused' });
    await store.settle([delivered.id], { state: 'delivered', at: start });
    await store.accept(ofPerson('waiting@example.com'));
    expect(await store.counts()).toEqual({ waiting: 1, review: 1, delivered: 1, dead: 1 });
    expect(await store.claim(10, start + 1e9)).toHaveLength(1);
  });

  it('settles many at once', async () => {
    const store = await fresh();
    const people = await Promise.all(
      ['ada', 'grace', 'linus'].map((name) => store.accept(ofPerson(`${name}@example.com`))),
    );
    const ids = people.map(({ id }) => id);
    await store.claim(10, start);
    await store.settle(ids, { state: 'waiting', at: start, nextAttemptAt: start + 5000, reason: 'sent in bulk' });
    expect(await store.claim(10, start + 4999)).toEqual([]);
    const again = await store.claim(10, start + 5000);
    expect(again.map(({ id, attempts }) => [id, attempts]).toSorted()).toEqual(ids.map((id) => [id, 1]).toSorted());
    await store.settle(ids.slice(1), { state: 'delivered', at: start + 6000 });
    expect(await store.counts()).toMatchObject({ waiting: 1, delivered: 2 });
  });

  it('knows that nothing is due when all that waits is claimed', async () => {
    const store = await fresh();
    expect(await store.nextDueAt(start)).toBeNull();
    await store.accept(signup());
    expect(await store.nextDueAt(start)).toBe(start);
    await store.claim(1, start);
    expect(await store.nextDueAt(start)).toBeNull();
  });

  it.each([
    [
      'the same idempotency key for the same person, even days later',
      { idempotencyKey: 'k1' },
      { idempotencyKey: 'k1', receivedAt: start + 3 * 86_400_000 },
      true,
    ],
    ['the same person and content within ten minutes', {}, { receivedAt: start + repeatWindowMs - 1 }, true],
    [
      'the same, its address spelt in other case',
      {},
      { submission: { ...signup().submission, email: 'ADA+news@BÜCHER.example' } },
      true,
    ],
    ['the same person and content, the first with a key', { idempotencyKey: 'k1' }, {}, true],
  ] as const)('counts as one: %s', async (_case, first, second, repeated) => {
    const store = await fresh();
    const { id } = await store.accept(signup(first));
    expect(await store.accept(signup(second))).toEqual({ id, repeated });
    expect((await store.counts()).waiting).toBe(1);
  });

  it.each([
    ['the same content after ten minutes', {}, { receivedAt: start + repeatWindowMs }],
    [
      'one idempotency key, two people',
      { idempotencyKey: 'k1' },
      { ...ofPerson('bob@example.com'), idempotencyKey: 'k1' },
    ],
    ['one person, other content', {}, ofPerson(signup().submission.email)],
    [
      'a suspected post first, the person after it',
      { suspected: true, idempotencyKey: 'k1' },
      { idempotencyKey: 'k1' },
    ],
    ['another form', {}, { form: 'footer' }],
  ] as const)('keeps apart: %s', async (_case, first, second) => {
    const store = await fresh();
    await store.accept(signup(first));
    expect(await store.accept(signup(second))).toMatchObject({ repeated: false });
    const { waiting, review } = await store.counts();
    expect(waiting + review).toBe(2);
  });

  it('lets a person try again whose signup was refused', async () => {
    const store = await fresh();
    const { id } = await store.accept(signup());
    await store.claim(1, start);
    await store.settle([id], { state: 'dead', at: start, reason: 'refused' });
    expect(await store.accept(signup())).toMatchObject({ repeated: false });
  });

  it('collapses double submissions that arrive at the same moment', async () => {
    const store = await fresh();
    const all = await Promise.all(Array.from({ length: 50 }, () => store.accept(signup())));
    expect(new Set(all.map(({ id }) => id)).size).toBe(1);
    expect(all.filter(({ repeated }) => !repeated)).toHaveLength(1);
  });

  it('keeps everything over a restart, and what was claimed waits again', async () => {
    const { open } = await place();
    const before = await open();
    await Promise.all(Array.from({ length: 100 }, (_, i) => before.accept(ofPerson(`p${i}@example.com`))));
    const [claimed] = await before.claim(1, start);
    await before.close();
    const after = await open();
    onTestFinished(() => after.close());
    expect(await after.counts()).toEqual({ waiting: 100, review: 0, delivered: 0, dead: 0 });
    expect((await after.claim(1000, start)).map(({ id }) => id)).toContain(claimed?.id);
  });

  it('writes what is pending before it closes', async () => {
    const { open } = await place();
    const before = await open();
    await before.accept({ ...ofPerson('ada@example.com') });
    const accepted = before.accept(signup());
    await before.close();
    await expect(accepted).resolves.toMatchObject({ repeated: false });
    const after = await open();
    onTestFinished(() => after.close());
    expect((await after.counts()).waiting).toBe(2);
  });

  it('passes its own write probe', async () => {
    await expect((await fresh()).probe(start)).resolves.toBeUndefined();
  });

  describe('for operators', () => {
    it('lists signups newest first, with all that is known of them, page by page', async () => {
      const store = await fresh();
      const ids: string[] = [];
      for (let i = 0; i < 5; i += 1)
        ids.unshift((await store.accept({ ...ofPerson(`p${i}@example.com`), receivedAt: start + i })).id);
      const first = await store.list({}, { limit: 2 });
      expect(first.map(({ id }) => id)).toEqual(ids.slice(0, 2));
      expect(first[0]).toEqual({
        id: ids[0],
        form: 'default',
        state: 'waiting',
        submission: { email: 'p4@example.com' },
        origin: 'https://shop.example',
        receivedAt: start + 4,
        attempts: 0,
        nextAttemptAt: start + 4,
        settledAt: null,
        reason: null,
      });
      expect((await store.list({}, { after: ids[1], limit: 10 })).map(({ id }) => id)).toEqual(ids.slice(2));
      expect(await store.list({}, { after: ids[4], limit: 10 })).toEqual([]);
    });

    it('tells of a dead letter why and when', async () => {
      const store = await fresh();
      const { id } = await store.accept(signup());
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
      const add = async (name: string, changes: Partial<NewSignup>, outcome?: Outcome): Promise<void> => {
        ids[name] = (await store.accept({ ...ofPerson(`${name}@example.com`), ...changes })).id;
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
      await add('robot', { receivedAt: start + 3, suspected: true });
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
      ['several at once', () => ({ states: ['dead', 'waiting'], form: 'footer', receivedFrom: start + 3 }), ['next']],
    ])('finds signups by %s', async (_case, filter, names) => {
      const store = await fresh();
      const ids = await kept(store);
      const found = await store.list(filter(ids), { limit: 10 });
      expect(found.map(({ id }) => Object.keys(ids).find((name) => ids[name] === id))).toEqual(names);
    });

    it('lets the dead and the suspected that a filter means wait again, and nothing else', async () => {
      const store = await fresh();
      const ids = await kept(store);
      expect(await store.redrive({ reason: 'tier' }, start + 50)).toBe(1);
      expect(await store.counts()).toEqual({ waiting: 2, review: 1, delivered: 1, dead: 1 });
      expect(await store.list({ ids: [ids['tier'] ?? ''] }, { limit: 1 })).toMatchObject([
        { state: 'waiting', attempts: 0, nextAttemptAt: start + 50, settledAt: null, reason: null },
      ]);
      expect(await store.redrive({}, start + 60)).toBe(2);
      expect(await store.counts()).toEqual({ waiting: 4, review: 0, delivered: 1, dead: 0 });
      expect((await store.claim(10, start + 100)).map(({ id }) => id).sort()).toEqual(
        ['email', 'next', 'robot', 'tier'].map((name) => ids[name]).sort(),
      );
    });

    it('sums up how things stand', async () => {
      const store = await fresh();
      expect(await store.overview(start)).toEqual({
        counts: { waiting: 0, review: 0, delivered: 0, dead: 0 },
        due: 0,
        oldestWaitingSince: null,
        deadByReason: [],
      });
      await kept(store);
      const another = await store.accept({ ...ofPerson('another@example.com'), receivedAt: start + 8 });
      await settled(store, another.id, { state: 'dead', at: start, reason: 'No such tier.' });
      const later = await store.accept({ ...ofPerson('later@example.com'), receivedAt: start - 5 });
      await settled(store, later.id, {
        state: 'waiting',
        at: start,
        nextAttemptAt: start + 1000,
        reason: 'the service answered 503',
      });
      expect(await store.overview(start + 100)).toEqual({
        counts: { waiting: 2, review: 1, delivered: 1, dead: 3 },
        due: 1,
        oldestWaitingSince: start - 5,
        deadByReason: [
          { reason: 'No such tier.', count: 2 },
          { reason: 'Email is not a 100% valid_address.', count: 1 },
        ],
      });
    });

    it('removes all signups of one person, however the address is spelt, and nobody else', async () => {
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
      await settled(store, delivered.id, { state: 'delivered', at: start });
      await store.accept({ ...ofPerson('ada@example.com'), suspected: true });
      expect(await store.erase('ADA@example.COM')).toBe(4);
      expect(await store.counts()).toEqual(before);
      expect(await store.erase('ada@example.com')).toBe(0);
      expect(await store.accept({ ...ofPerson('ada@example.com'), idempotencyKey: 'k1' })).toMatchObject({
        repeated: false,
      });
    });

    it('does not bring back what was erased while it was being delivered', async () => {
      const store = await fresh();
      const { id } = await store.accept(signup());
      await store.claim(1, start);
      expect(await store.erase(signup().submission.email)).toBe(1);
      await store.settle([id], {
        state: 'waiting',
        at: start,
        nextAttemptAt: start,
        reason: 'the service answered 503',
      });
      expect(await store.counts()).toEqual({ waiting: 0, review: 0, delivered: 0, dead: 0 });
      expect(await store.claim(1, start + 10)).toEqual([]);
    });

    it('erases what was sent of signups delivered long ago, while they are counted as before', async () => {
      const store = await fresh();
      const ids = await kept(store);
      const counts = await store.counts();
      expect(await store.eraseDelivered(start + 10)).toBe(0);
      expect(await store.eraseDelivered(start + 11)).toBe(1);
      expect(await store.eraseDelivered(start + 11)).toBe(0);
      expect(await store.counts()).toEqual(counts);
      expect(await store.list({ states: ['delivered'] }, { limit: 10 })).toMatchObject([
        { id: ids['done'], submission: null, settledAt: start + 10 },
      ]);
      expect(await store.erase('done@example.com')).toBe(0);
      expect(await store.accept({ ...ofPerson('done@example.com'), receivedAt: start + 5 })).toMatchObject({
        repeated: false,
      });
    });

    it('walks thousands of signups, each once, whatever comes in meanwhile', async () => {
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

    it('remembers over a restart that delivery is paused', async () => {
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
async function settled(store: SignupStore, id: string, outcome: Outcome): Promise<void> {
  for (const claimed of await store.claim(1000, start + 1e9)) if (claimed.id !== id) await store.release([claimed.id]);
  await store.settle([id], outcome);
}
