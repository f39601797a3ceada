/** What every store must do, whatever it is made of. */
import { expect, it, onTestFinished } from 'vitest';
import { repeatWindowMs, type NewSignup, type SignupStore } from '../../src/index.ts';

const start = Date.UTC(2026, 10, 20, 12);

const signup = (changes: Partial<NewSignup> = {}): NewSignup => ({
  form: 'default',
  submission: { email: 'ada+news@bücher.example', utm_source: 'Spring Sale 🌷', custom_fields: [{ name: 'Topics', value: ['CSS', 'Ä'] }] },
  suspected: false,
  origin: 'https://shop.example',
  idempotencyKey: null,
  receivedAt: start,
  ...changes,
});
const ofPerson = (email: string): NewSignup => signup({ submission: { email } });

/** @param open - opens the same store again and again, as after a restart */
export function describeSignupStore(place: () => { open: () => SignupStore }): void {
  const fresh = (): SignupStore => {
    const store = place().open();
    onTestFinished(() => store.close());
    return store;
  };

  it('gives back for delivery exactly what it was given', async () => {
    const store = fresh();
    const { id } = await store.accept(signup());
    expect(await store.claim(10, start)).toEqual([
      { id, form: 'default', submission: signup().submission, receivedAt: start, attempts: 0 },
    ]);
  });

  it('gives a signup to one claimer only, until it is released', async () => {
    const store = fresh();
    const { id } = await store.accept(signup());
    await store.claim(10, start);
    expect(await store.claim(10, start)).toEqual([]);
    await store.release(id);
    expect(await store.claim(10, start)).toHaveLength(1);
  });

  it('takes what is due longest first, and no more than it is asked for', async () => {
    const store = fresh();
    for (const offset of [30, 10, 20]) await store.accept({ ...ofPerson(`p${offset}@example.com`), receivedAt: start + offset });
    const taken = await store.claim(2, start + 100);
    expect(taken.map(({ receivedAt }) => receivedAt - start)).toEqual([10, 20]);
    expect((await store.claim(2, start + 100)).map(({ receivedAt }) => receivedAt - start)).toEqual([30]);
  });

  it('keeps a signup back until its next attempt is due, and counts the attempts', async () => {
    const store = fresh();
    const { id } = await store.accept(signup());
    await store.claim(1, start);
    await store.settle(id, { state: 'waiting', at: start, nextAttemptAt: start + 5000, reason: 'the service answered 503' });
    expect(await store.claim(1, start + 4999)).toEqual([]);
    expect(await store.nextDueAt()).toBe(start + 5000);
    expect(await store.claim(1, start + 5000)).toMatchObject([{ id, attempts: 1 }]);
  });

  it('counts every state, and delivers neither the dead nor what is in review', async () => {
    const store = fresh();
    const dead = await store.accept(ofPerson('dead@example.com'));
    const delivered = await store.accept(ofPerson('delivered@example.com'));
    await store.accept({ ...ofPerson('review@example.com'), suspected: true });
    await store.claim(10, start);
    await store.settle(dead.id, { state: 'dead', at: start, reason: 'refused' });
    await store.settle(delivered.id, { state: 'delivered', at: start });
    await store.accept(ofPerson('waiting@example.com'));
    expect(await store.counts()).toEqual({ waiting: 1, review: 1, delivered: 1, dead: 1 });
    expect(await store.claim(10, start + 1e9)).toHaveLength(1);
  });

  it('knows that nothing is due when all that waits is claimed', async () => {
    const store = fresh();
    expect(await store.nextDueAt()).toBeNull();
    await store.accept(signup());
    expect(await store.nextDueAt()).toBe(start);
    await store.claim(1, start);
    expect(await store.nextDueAt()).toBeNull();
  });

  it.each([
    ['the same idempotency key for the same person, even days later', { idempotencyKey: 'k1' }, { idempotencyKey: 'k1', receivedAt: start + 3 * 86_400_000 }, true],
    ['the same person and content within ten minutes', {}, { receivedAt: start + repeatWindowMs - 1 }, true],
    ['the same, its address spelt in other case', {}, { submission: { ...signup().submission, email: 'ADA+news@BÜCHER.example' } }, true],
    ['the same person and content, the first with a key', { idempotencyKey: 'k1' }, {}, true],
  ] as const)('counts as one: %s', async (_case, first, second, repeated) => {
    const store = fresh();
    const { id } = await store.accept(signup(first));
    expect(await store.accept(signup(second))).toEqual({ id, repeated });
    expect((await store.counts()).waiting).toBe(1);
  });

  it.each([
    ['the same content after ten minutes', {}, { receivedAt: start + repeatWindowMs }],
    ['one idempotency key, two people', { idempotencyKey: 'k1' }, { ...ofPerson('bob@example.com'), idempotencyKey: 'k1' }],
    ['one person, other content', {}, ofPerson(signup().submission.email)],
    ['a suspected post first, the person after it', { suspected: true, idempotencyKey: 'k1' }, { idempotencyKey: 'k1' }],
    ['another form', {}, { form: 'footer' }],
  ] as const)('keeps apart: %s', async (_case, first, second) => {
    const store = fresh();
    await store.accept(signup(first));
    expect(await store.accept(signup(second))).toMatchObject({ repeated: false });
    const { waiting, review } = await store.counts();
    expect(waiting + review).toBe(2);
  });

  it('lets a person try again whose signup was refused', async () => {
    const store = fresh();
    const { id } = await store.accept(signup());
    await store.claim(1, start);
    await store.settle(id, { state: 'dead', at: start, reason: 'refused' });
    expect(await store.accept(signup())).toMatchObject({ repeated: false });
  });

  it('collapses double submissions that arrive at the same moment', async () => {
    const store = fresh();
    const all = await Promise.all(Array.from({ length: 50 }, () => store.accept(signup())));
    expect(new Set(all.map(({ id }) => id)).size).toBe(1);
    expect(all.filter(({ repeated }) => !repeated)).toHaveLength(1);
  });

  it('keeps everything over a restart, and what was claimed waits again', async () => {
    const { open } = place();
    const before = open();
    await Promise.all(Array.from({ length: 100 }, (_, i) => before.accept(ofPerson(`p${i}@example.com`))));
    const [claimed] = await before.claim(1, start);
    await before.close();
    const after = open();
    onTestFinished(() => after.close());
    expect(await after.counts()).toEqual({ waiting: 100, review: 0, delivered: 0, dead: 0 });
    expect((await after.claim(1000, start)).map(({ id }) => id)).toContain(claimed?.id);
  });

  it('writes what is pending before it closes', async () => {
    const { open } = place();
    const before = open();
    const accepted = before.accept(signup());
    await before.close();
    await expect(accepted).resolves.toMatchObject({ repeated: false });
    const after = open();
    onTestFinished(() => after.close());
    expect((await after.counts()).waiting).toBe(1);
  });

  it('passes its own write probe', async () => {
    await expect(fresh().probe(start)).resolves.toBeUndefined();
  });
}
