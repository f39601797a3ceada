/**
 * `newsletter-relay move`: everything from the file into PostgreSQL, while signups keep coming; nothing lost, nothing
 * doubled.
 */
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { eventually } from '../eventually.ts';
import { sharedPostgres } from '../postgres-server.ts';
import { environment, publicationId } from '../running-relay.ts';
import { onPort } from '../sandbox-api.ts';
import { scratchFolder } from '../../../../test/support/scratch-folder.ts';
import { run, serve, startProcess, type ServingRelay } from './relay-process.ts';

const server = sharedPostgres();

const columns =
  'id, form, state, received_at, origin, submission, intent, content, attempts, next_attempt_at, settled_at, last_error';

const fileOf = (folder: string): string => `${folder}/relay.db`;

/** All rows of both stores, as text and in order, so that they can be compared. */
const inFile = (folder: string): string[] => {
  const db = new DatabaseSync(fileOf(folder), { readOnly: true });
  const rows = db.prepare(`SELECT ${columns} FROM signup ORDER BY id`).all();
  db.close();
  return rows.map((row) =>
    JSON.stringify(Object.values(row).map((value) => (typeof value === 'number' ? String(value) : value))),
  );
};
const inDatabase = async (to: string): Promise<string[]> => {
  const texts = columns.split(', ').map((name) => `${name}::text`);
  return (
    await server.run(`SELECT ${texts.join(', ')} FROM newsletter_relay.signup ORDER BY id::text COLLATE "C"`, to)
  ).map((row) => JSON.stringify(Object.values(row)));
};
const emails = async (to: string): Promise<unknown[]> =>
  (
    await server.run(
      `SELECT submission::json->>'email' AS email FROM newsletter_relay.signup WHERE submission IS NOT NULL`,
      to,
    )
  ).map(({ email }) => email);

/** Fills a file with signups of every state. */
async function filled(folder: string, count: number): Promise<void> {
  const store = openSqliteStore(fileOf(folder));
  const origin = 'https://shop.example';
  const start = Date.now() - 3_600_000;
  const sent = Array.from({ length: count }, (_, n) => ({
    form: 'default',
    submission: { email: `old${n}@example.com`, publicationId },
    suspected: n % 10 === 3,
    origin: n % 7 === 0 ? null : origin,
    idempotencyKey: n % 2 === 0 ? `key-${n}` : null,
    receivedAt: start + n,
  }));
  await Promise.all(sent.map((signup) => store.accept(signup)));
  const claimed = await store.claim(count, Date.now());
  const at = Date.now();
  await Promise.all(
    claimed.map(async ({ id }, n) => {
      if (n % 4 === 0) await store.settle([id], { state: 'delivered', at: at - (n % 8) * 86_400_000 });
      if (n % 4 === 1) await store.settle([id], { state: 'dead', at, reason: 'no such "field"\0' });
      if (n % 4 === 2) await store.settle([id], { state: 'waiting', at, nextAttemptAt: at + 3_600_000, reason: '503' });
    }),
  );
  await store.eraseDelivered(at - 86_400_000);
  await store.close();
}

interface Load {
  readonly acknowledged: string[];
  readonly answers: Set<number>;
  stop(): Promise<void>;
}

/** Signs people up, one after the other for each caller, until it is stopped or the relay is gone. */
function load(relay: ServingRelay, prefix: string): Load {
  const acknowledged: string[] = [];
  const answers = new Set<number>();
  let going = true;
  let next = 0;
  const caller = async (): Promise<void> => {
    while (going) {
      const email = `${prefix}${next++}@example.com`;
      const answer = await relay.signUp(email).catch(() => null);
      if (answer === null) return;
      answers.add(answer.status);
      await answer.arrayBuffer().catch(() => null);
      if (answer.status === 202) acknowledged.push(email);
      await sleep(2);
    }
  };
  const callers = Promise.all([caller(), caller(), caller()]);
  return {
    acknowledged,
    answers,
    async stop() {
      going = false;
      await callers;
    },
  };
}

const commandOf = (folder: string, relay: ServingRelay | null, more: Readonly<Record<string, string>> = {}) => ({
  ...environment,
  RELAY_STORE: `sqlite:${fileOf(folder)}`,
  RELAY_PORT: relay ? new URL(relay.address).port : '4020',
  ...more,
});

it('moves every row as it is from a file that no relay holds, and the file refuses to be used again', async () => {
  const [folder, to] = [scratchFolder(), await server.database()];
  await filled(folder, 2500);
  const rows = inFile(folder);
  expect(new Set(rows.map((row) => (JSON.parse(row) as string[])[2]))).toEqual(
    new Set(['waiting', 'review', 'delivered', 'dead']),
  );

  const { code, stdout, stderr } = await run(['move', '--to', to], commandOf(folder, null));
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toMatch(/2500 signups are moved to postgres:\/\/127\.0\.0\.1:\d+\/test_\w+\. Set RELAY_STORE/);
  expect(await inDatabase(to)).toEqual(rows.map((row) => row.replaceAll(String.raw`\u0000`, '')));

  const again = await run(['serve'], { ...commandOf(folder, null), RELAY_PORT: '0' });
  expect([again.code, again.stderr]).toEqual([
    1,
    expect.stringMatching(/has been moved to postgres:\/\/127\.0\.0\.1:\d+\/test_\w+: name that in RELAY_STORE/),
  ]);
  expect(again.stderr + stdout).not.toContain('quite-secret');
  // To do it once more is no mistake.
  expect((await run(['move', '--to', to], commandOf(folder, null))).code).toBe(0);
});

it('moves while signups keep coming and are delivered: each one acknowledged is in the new store and at the API once', async () => {
  const [folder, to] = [scratchFolder(), await server.database()];
  await filled(folder, 3000);
  const before = openSqliteStore(fileOf(folder));
  const waiting = (await before.list({ states: ['waiting'] }, { limit: 5000 })).filter(
    ({ nextAttemptAt }) => nextAttemptAt !== null && nextAttemptAt <= Date.now(),
  );
  await before.close();
  const received: string[] = [];
  const api = await onPort(async (request) => {
    const { email } = (await request.json()) as { email?: string };
    if (email === undefined)
      return Response.json({ status: 404, statusText: 'not_found', errors: [] }, { status: 404 });
    received.push(email);
    return Response.json(
      { data: { id: `sub_${crypto.randomUUID()}`, email, status: 'active', created: 1, subscription_tier: 'free' } },
      { status: 201 },
    );
  });
  const relay = await serve(folder, { NEWSLETTER_API_URL: `${api}/v2` });
  const signups = load(relay, 'new');
  await eventually('some are in', () => signups.acknowledged.length > 50);

  const key = { 'idempotency-key': 'one-and-the-same-key' };
  await relay.signUp('twice@example.com', {}, key);
  const { code, stderr } = await run(['move', '--to', to], commandOf(folder, relay));
  expect([code, stderr]).toEqual([0, '']);
  expect((await relay.signUp('twice@example.com', {}, key)).status).toBe(202);
  expect((await relay.signUp('twice@example.com')).status).toBe(202);
  const atTheMove = signups.acknowledged.length;
  await eventually('signups go on in the new store', () => signups.acknowledged.length > atTheMove + 50);
  await signups.stop();

  expect(signups.answers).toEqual(new Set([202]));
  const kept = await emails(to);
  expect(kept.length).toBe(new Set(kept).size);
  expect(signups.acknowledged.filter((email) => !kept.includes(email))).toEqual([]);
  expect(kept.filter((email) => email === 'twice@example.com')).toHaveLength(1);
  expect(await server.run('SELECT count(*)::int AS count FROM newsletter_relay.signup', to)).toEqual([
    { count: 3000 + new Set([...signups.acknowledged, 'twice@example.com']).size },
  ]);

  const wanted = new Set([
    ...signups.acknowledged,
    'twice@example.com',
    ...waiting.map(({ submission }) => submission?.email),
  ]);
  await eventually('all that was due is delivered', () => wanted.size === new Set(received).size, 60_000);
  expect(received.length).toBe(wanted.size);
  expect(relay.output()).toContain('set RELAY_STORE to it before the next start');
  expect(relay.output()).not.toContain('quite-secret');
});

it('goes on after SIGKILL of the relay in the middle', async () => {
  const [folder, to] = [scratchFolder(), await server.database()];
  await filled(folder, 6000);
  const hanging = await onPort(() => new Promise(() => undefined));
  const acknowledged: string[] = [];
  for (let round = 0; round < 3; round += 1) {
    // A delivery under way holds the end of a move back: it is killed before that for sure.
    const relay = await serve(folder, { NEWSLETTER_API_URL: `${hanging}/v2` });
    const signups = load(relay, `round${round}-`);
    const command = startProcess(['move', '--to', to], commandOf(folder, relay));
    // Only through its relay: a command that finds nobody at the file would do all of it alone.
    await eventually(
      'the move is as far',
      () => [...command.output().matchAll(/^(\d+) %/gm)].some(([, percent]) => Number(percent) >= round * 40),
      30_000,
    );
    relay.child.kill('SIGKILL');
    await relay.ended;
    await signups.stop();
    acknowledged.push(...signups.acknowledged);
    expect((await command.ended).stderr).not.toContain('quite-secret');
  }
  // Until it is over, nobody serves the new store; what is erased meanwhile is erased in both.
  expect((await run(['serve'], { ...environment, RELAY_STORE: to, RELAY_PORT: '0' })).stderr).toMatch(
    /A move into the store .* is not over/,
  );
  await run(['erase', 'old1@example.com'], commandOf(folder, null));
  const relay = await serve(folder);
  // It is told after the line that the relay takes signups.
  await eventually('the relay tells of the move', () => relay.output().includes('a move was begun and is not over'));
  const { code, stderr } = await run(['move', '--to', to], commandOf(folder, relay));
  expect([code, stderr]).toEqual([0, '']);
  relay.child.kill('SIGTERM');
  expect((await relay.ended).code).toBe(0);

  expect(inFile(folder).length).toBe((await inDatabase(to)).length);
  const kept = await emails(to);
  expect(kept.length).toBe(new Set(kept).size);
  expect(acknowledged.filter((email) => !kept.includes(email))).toEqual([]);
  expect(kept).not.toContain('old1@example.com');
  expect(kept).toContain('old2@example.com');
});

it('begins anew where the new store lost what was copied into it', async () => {
  const [folder, to] = [scratchFolder(), await server.database()];
  await filled(folder, 3000);
  const relay = await serve(folder, { NEWSLETTER_API_URL: `${await onPort(() => new Promise(() => undefined))}/v2` });
  const command = startProcess(['move', '--to', to], commandOf(folder, relay));
  await eventually(
    'rows arrive',
    () =>
      server
        .run('SELECT 1 FROM newsletter_relay.signup LIMIT 1', to)
        .then(({ length }) => length > 0)
        .catch(() => false),
    30_000,
  );
  relay.child.kill('SIGKILL');
  await Promise.all([relay.ended, command.ended]);
  await server.run('DROP SCHEMA newsletter_relay CASCADE', to);
  expect(await run(['move', '--to', to], commandOf(folder, null))).toMatchObject({ code: 0, stderr: '' });
  expect((await inDatabase(to)).length).toBe(3000);
});

it('finishes where only the new store was not told any more that it is over', async () => {
  const [folder, to] = [scratchFolder(), await server.database()];
  await filled(folder, 10);
  await run(['move', '--to', to], commandOf(folder, null));
  await server.run(`UPDATE newsletter_relay.setting SET name = 'moving_from' WHERE name = 'moved_from'`, to);
  expect((await run(['status'], { ...environment, RELAY_STORE: to })).stderr).toMatch(
    /run "newsletter-relay move --to" with this one again/,
  );
  expect(await run(['move', '--to', to], commandOf(folder, null))).toMatchObject({ code: 0, stderr: '' });
  expect((await run(['status'], { ...environment, RELAY_STORE: to })).code).toBe(0);
});

it('takes the new store from the environment, where no list of processes shows its password', async () => {
  const [folder, to] = [scratchFolder(), await server.database()];
  await filled(folder, 10);
  expect(await run(['move'], commandOf(folder, null))).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('RELAY_MOVE_TO, or --to, must be postgres://'),
  });
  expect(
    await run(['move'], commandOf(folder, null, { RELAY_MOVE_TO: 'mysql://x:not-the-password@y/z' })),
  ).toMatchObject({ code: 2, stderr: expect.not.stringContaining('not-the-password') });
  expect(await run(['move'], commandOf(folder, null, { RELAY_MOVE_TO: to }))).toMatchObject({ code: 0, stderr: '' });
  expect(await inDatabase(to)).toHaveLength(10);
});

it('refuses a store that is not empty, one that a relay uses, and a wrong password without saying it', async () => {
  const [folder, full] = [scratchFolder(), await server.database()];
  await filled(folder, 10);
  const other = scratchFolder();
  await filled(other, 10);
  await run(['move', '--to', full], commandOf(other, null));
  expect(await run(['move', '--to', full], commandOf(folder, null))).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('is not empty'),
  });

  const used = await server.database();
  await serve(scratchFolder(), { RELAY_STORE: used });
  expect(await run(['move', '--to', used], commandOf(folder, null))).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('A relay is using the store'),
  });

  const relay = await serve(folder);
  const wrong = await run(['move', '--to', server.address('postgres', 'not-the-password')], commandOf(folder, relay));
  expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining('the password is wrong')]);
  expect(wrong.stdout + wrong.stderr + relay.output()).not.toContain('not-the-password');
  expect(await run(['move', '--to', 'mysql://somewhere:not-the-password@x/y'], commandOf(folder, relay))).toMatchObject(
    { code: 2, stderr: expect.not.stringContaining('not-the-password') },
  );
  expect((await relay.signUp('still@example.com')).status).toBe(202);
});
