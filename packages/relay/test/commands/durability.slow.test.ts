/** Durability of signups answered with 202: SIGKILL under load, a full disk, and a sync before each answer. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { waitUntil } from '../../../../test/support/waits.ts';
import { canMount, canTrace } from '../machine.ts';
import { onPort, sandboxApi, type SandboxApi } from '../sandbox-api.ts';
import { scratchFolder } from '../../../../test/support/scratch-folder.ts';
import { serve, type ServingRelay } from './relay-process.ts';

/** Maximum number of deliveries in flight. */
const concurrency = 5;

const times = (api: SandboxApi): Map<unknown, number> => {
  const counted = new Map<unknown, number>();
  // Alone, or in bulk where many wait.
  const sent = api.received.flatMap((body) =>
    Array.isArray(body['subscriptions']) ? (body['subscriptions'] as { email: string }[]) : [body],
  );
  for (const { email } of sent) counted.set(email, (counted.get(email) ?? 0) + 1);
  return counted;
};

/** Nearly as much as one signup may hold, so that little traffic fills a disk. */
const longTexts = { utm_content: '🌷'.repeat(500), utm_term: '🌱'.repeat(500), utm_campaign: '🌻'.repeat(500) };

interface Load {
  /** The addresses that were answered with 202. */
  readonly acknowledged: string[];
  /** The first answer that was none. */
  refused: Response | null;
}

/** Posts with `callers` at a time until `ends`, or until the relay is gone. */
async function load(
  relay: ServingRelay,
  callers: number,
  nameOf: (n: number) => string,
  ends: (so: Load) => boolean,
): Promise<Load> {
  const so: Load = { acknowledged: [], refused: null };
  let next = 0;
  const call = async (): Promise<void> => {
    while (!ends(so)) {
      const email = nameOf(next++);
      const answer = await relay.signUp(email, longTexts).catch(() => null);
      if (answer === null) return;
      if (answer.status !== 202) so.refused ??= answer.clone();
      await answer.arrayBuffer().catch(() => null);
      if (answer.status === 202) so.acknowledged.push(email);
    }
  };
  await Promise.all(Array.from({ length: callers }, call));
  return so;
}

it('SIGKILL empties no limit', async () => {
  const folder = scratchFolder();
  const variables = { RELAY_LIMIT_IP: '2/1d' };
  const statuses: number[] = [];
  for (let n = 0; n < 4; n += 1) {
    const relay = await serve(folder, variables);
    statuses.push((await relay.signUp(`p${n}@example.com`)).status);
    relay.child.kill('SIGKILL');
    await relay.ended;
  }
  expect(statuses).toEqual([202, 202, 429, 429]);
});

it('SIGKILL under load loses no acknowledged signup, and repeats only deliveries whose answer was lost', async () => {
  const api = sandboxApi();
  const folder = scratchFolder();
  const variables = { NEWSLETTER_API_URL: `${await onPort(api.fetch)}/v2` };
  const acknowledged: string[] = [];
  const kills = 4;
  for (let round = 0; round < kills; round++) {
    const relay = await serve(folder, variables);
    // In the middle of it, at another moment each time.
    const enough = (so: Load): boolean => so.acknowledged.length >= 40 + round * 35 && !relay.child.kill('SIGKILL');
    const so = await load(relay, 16, (n) => `r${round}-${n}@example.com`, enough);
    acknowledged.push(...so.acknowledged);
    await relay.ended;
  }
  expect(acknowledged.length).toBeGreaterThan(100);

  const last = await serve(folder, variables);
  const arrived = (): boolean => {
    const counted = times(api);
    return acknowledged.every((email) => counted.has(email));
  };
  await waitUntil('every acknowledged signup is delivered', arrived);
  last.child.kill('SIGTERM');
  expect((await last.ended).code).toBe(0);
  const repeated = [...times(api).values()].reduce((sum, count) => sum + count - 1, 0);
  expect(repeated).toBeLessThanOrEqual(kills * concurrency);
  const subscribed = new Set((await api.subscriptions()).map(({ email }) => email));
  expect(acknowledged.filter((email) => !subscribed.has(email))).toEqual([]);
});

it('without a crash each signup reaches the API exactly once', async () => {
  const api = sandboxApi();
  const relay = await serve(scratchFolder(), { NEWSLETTER_API_URL: `${await onPort(api.fetch)}/v2` });
  const { acknowledged } = await load(
    relay,
    16,
    (n) => `p${n}@example.com`,
    (so) => so.acknowledged.length >= 300,
  );
  await waitUntil('all are delivered', () => times(api).size >= acknowledged.length);
  relay.child.kill('SIGTERM');
  expect((await relay.ended).code).toBe(0);
  expect(Object.fromEntries(times(api))).toEqual(Object.fromEntries(acknowledged.map((email) => [email, 1])));
});

/** Ways to run out of room: a limit on the size of files for everyone, a tiny file system where one may be mounted. */
const fullDisks: readonly {
  readonly name: string;
  readonly possible: boolean;
  readonly fill: () => { folder: string; wrapper?: string; makeRoom: () => void };
}[] = [
  {
    name: 'a file that may not grow',
    possible: true,
    fill: () => ({ folder: scratchFolder(), wrapper: 'ulimit -f 3000; exec "$@"', makeRoom: () => undefined }),
  },
  {
    name: 'a disk without room',
    possible: canMount(),
    fill: () => {
      const folder = join(scratchFolder(), 'disk');
      mkdirSync(folder);
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=6m', 'tmpfs', folder]);
      onTestFinished(() => void execFileSync('umount', ['-l', folder]));
      return { folder, makeRoom: () => void execFileSync('mount', ['-o', 'remount,size=64m', folder]) };
    },
  },
];

for (const { name, possible, fill } of fullDisks) {
  it.skipIf(!possible)(`${name} is answered with 503, and nothing acknowledged is lost`, async () => {
    const api = sandboxApi();
    const { folder, wrapper, makeRoom } = fill();
    const cramped = await serve(folder, {}, wrapper);
    // Sixteen at a time share a commit and need the more room; then one by one, until not even one fits.
    const isRefused = (so: Load): boolean => so.refused !== null;
    const together = await load(cramped, 16, (n) => `p${n}@example.com`, isRefused);
    const { acknowledged: alone, refused } = await load(cramped, 1, (n) => `q${n}@example.com`, isRefused);
    const acknowledged = [...together.acknowledged, ...alone];
    expect([refused?.status, refused?.headers.get('retry-after')]).toEqual([503, '5']);
    expect(await refused?.json()).toMatchObject({ status: 503, errors: [{ code: 'UNAVAILABLE' }] });
    const ready = await cramped.ask('/readyz');
    expect([ready.status, await ready.json()]).toEqual([
      503,
      { status: 'unready', reason: expect.stringMatching(/free some space|free space/) as string },
    ]);
    expect(acknowledged.length).toBeGreaterThan(30);
    cramped.child.kill('SIGTERM');
    expect((await cramped.ended).code).toBe(0);

    makeRoom();
    const roomy = await serve(folder, { NEWSLETTER_API_URL: `${await onPort(api.fetch)}/v2` });
    expect((await roomy.signUp('after@example.com')).status).toBe(202);
    await waitUntil('all are delivered', () => times(api).size >= acknowledged.length + 1);
    expect(new Set(times(api).keys())).toEqual(new Set([...acknowledged, 'after@example.com']));
  });
}

it.skipIf(!canTrace())('a 202 leaves only after a sync of the disk', async () => {
  const folder = scratchFolder();
  const trace = join(folder, 'trace');
  const relay = await serve(folder);
  const tracer = spawn('strace', [
    '-f',
    '-p',
    String(relay.child.pid),
    '-o',
    trace,
    '-s',
    '20',
    '-e',
    'trace=fsync,fdatasync,write,writev',
  ]);
  onTestFinished(() => void tracer.kill());
  await once(tracer.stderr, 'data'); // "Process … attached"
  const posts = 20;
  for (let n = 0; n < posts; n++) expect((await relay.signUp(`p${n}@example.com`)).status).toBe(202);
  relay.child.kill('SIGTERM');
  await Promise.all([relay.ended, once(tracer, 'close')]);
  const events = readFileSync(trace, 'utf8')
    .split('\n')
    .flatMap((line) => {
      // A call that another thread's call came into is told in two lines.
      if (/\b(fsync|fdatasync)(\(| resumed>).*= 0/.test(line)) return ['sync'];
      return line.includes('HTTP/1.1 202') ? ['202'] : [];
    });
  expect(events.filter((event) => event === '202')).toHaveLength(posts);
  for (const [i, event] of events.entries()) if (event === '202') expect(events[i - 1]).toBe('sync');
});
