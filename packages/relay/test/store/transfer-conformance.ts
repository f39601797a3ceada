/** The suite of export and import, run by every store. */
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { claimMs, type NewSignup, type SignupStore } from '../../src/index.ts';
import { openSqliteStore } from '../../src/store/sqlite/open-database.ts';
import { exportLines, importLines } from '../../src/store/transfer.ts';
import { scratchFolder } from '../../../../test/support/scratch-folder.ts';
import { clicked } from '../clicked.ts';

const start = Date.UTC(2026, 10, 20, 12);
const forms = ['default'];
const consent = {
  kind: 'given',
  sentence: 'Yes 🌷',
  version: '2026',
  page: 'https://shop.example/',
  visitor: '192.0.2.0/24',
} as const;

export const signup = (n: number, changes: Partial<NewSignup> = {}): NewSignup => ({
  form: 'default',
  submission: {
    email: `p${n}@example.com`,
    utm_source: 'fair',
    custom_fields: [
      { name: 'Age', value: n },
      { name: 'Topics', value: ['a', 'b'] },
    ],
    consent: 'Yes 🌷',
    audit: {
      page: 'https://shop.example/join',
      touch_rule: 'utm',
      touch: 'first',
      first_touch: { at: '2026-11-01T00:00:00.000Z', rule: 'utm', utm_source: 'fair' },
      last_touch: { at: '2026-11-20T00:00:00.000Z', rule: 'referrer', referring_site: 'https://news.example' },
    },
  },
  suspected: null,
  needsConfirmation: false,
  origin: 'https://shop.example',
  idempotencyKey: `key ${n}`,
  consent,
  receivedAt: start + n,
  ...changes,
});

export const open = (): SignupStore => {
  const store = openSqliteStore(join(scratchFolder(), 'relay.db'));
  onTestFinished(() => store.close());
  return store;
};

export async function* each(lines: readonly string[]): AsyncGenerator<string, void> {
  yield* lines;
}

export async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const list: Item[] = [];
  for await (const item of items) list.push(item);
  return list;
}

export const linesOf = (store: SignupStore): Promise<string[]> => all(exportLines(store));

/** Two entries of one signup have no order among themselves. */
const inOrder = (values: readonly unknown[]): unknown[] =>
  values.toSorted((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1));

/** Signups in every state, over more than one page and one transaction. */
export async function filled(): Promise<SignupStore> {
  const store = open();
  await Promise.all(
    Array.from({ length: 603 }, (_, n) =>
      store.accept(signup(n, { suspected: n % 100 === 7 ? 'the honeypot was filled in' : null })),
    ),
  );
  const unconfirmed = await Promise.all([2000, 2001].map((n) => store.accept(signup(n, { needsConfirmation: true }))));
  for (const id of unconfirmed.slice(1)) await clicked(store, id, start + 2009, { ...consent, sentence: null });
  const claimed = await store.claim({ forms, limit: 3, now: start + 3000 });
  const [delivered, dead] = claimed.map(({ id }) => id);
  await store.settle([delivered ?? ''], { state: 'delivered', at: start + 4000 });
  await store.settle([dead ?? ''], { state: 'dead', at: start + 4000, reason: 'The API refused it.' });
  expect(await store.counts()).toMatchObject({ delivered: 1, dead: 1, sent: 1, unconfirmed: 1, review: 6 });
  return store;
}

/** @param openEmpty - opens an empty store, which is closed after the test */
export function describeTransfer(openEmpty: () => Promise<SignupStore>): void {
  it('is complete, and adds nothing when it is imported again', async () => {
    const from = await filled();
    const lines = await linesOf(from);
    const to = await openEmpty();
    const seen: number[] = [];
    const result = { signups: 605, added: 605, consents: 606 };
    expect(
      await importLines(to, each(lines), { onProgress: ({ signups, consents }) => void seen.push(signups + consents) }),
    ).toEqual(result);
    expect(seen).toEqual([500, 1000, 1211]);
    // What was being sent waits, to be looked for first; all else is the same.
    const expected = lines.map((line) =>
      line.includes('"state":"sent"')
        ? { ...(JSON.parse(line) as object), state: 'waiting', tried: true }
        : (JSON.parse(line) as unknown),
    );
    expect(inOrder((await linesOf(to)).map((line) => JSON.parse(line) as unknown))).toEqual(inOrder(expected));
    expect(await importLines(to, each(lines))).toEqual({ ...result, added: 0 });
    expect(await linesOf(to)).toHaveLength(lines.length);
  });

  it('has only the signups and consents of the given forms', async () => {
    const from = open();
    for (const [n, form] of ['default', 'jobs', 'removed'].entries()) await from.accept(signup(n, { form }));
    const to = await openEmpty();
    const result = await importLines(to, each(await linesOf(from)), { forms: ['jobs', 'default'] });
    expect(result).toEqual({ signups: 2, added: 2, consents: 2 });
    expect((await linesOf(to)).map((line) => line.includes('"form":"removed"'))).toEqual([false, false, false, false]);
  });

  it('moves the hashes of erased people, whatever the forms', async () => {
    const from = open();
    await from.erase('p1@example.com');
    const to = await openEmpty();
    await importLines(to, each(await linesOf(from)), { forms: ['jobs'] });
    await importLines(to, each(await linesOf(from)));
    expect(await linesOf(to)).toEqual(await linesOf(from));
    expect(await to.person('P1@example.com')).toMatchObject({ suppressed: true });
  });

  it('keeps duplicates detectable, and the consent of a person findable', async () => {
    const from = open();
    const id = await from.accept(signup(1));
    const to = await openEmpty();
    await importLines(to, each(await linesOf(from)));
    await to.accept(
      signup(1, { receivedAt: start + claimMs, submission: { email: 'P1@example.com', utm_term: 'again' } }),
    );
    expect((await to.claim({ forms, limit: 9, now: start + claimMs })).map((each) => each.id)).toEqual([id]);
    expect((await to.person('p1@EXAMPLE.com')).consents).toMatchObject([{ signup: id, ...consent }, {}]);
  });
}
