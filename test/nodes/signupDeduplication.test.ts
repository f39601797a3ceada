/** Deduplication of the signup trigger: bounded, and correct over restarts, failed saves and concurrent posts. */
import fc from 'fast-check';
import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import { loadBundle, type Bundle } from './bundle.ts';
import { hostSignup, loadSignupTrigger, post, type HostedNode, type SignupHost, site } from './signupHost.ts';

const allowedOrigins = site;

let bundle: Bundle;
let host: SignupHost;
beforeAll(async () => {
  bundle = await loadBundle();
});
afterEach(async () => {
  vi.useRealTimers();
  await host.close();
});

const load = (): HostedNode => loadSignupTrigger(bundle.folder);

/** A node whose process can be restarted while the port stays. */
function restartable(): HostedNode & { restart(): void } {
  let node = load();
  return {
    webhook: function (this: unknown) {
      return node.webhook.call(this);
    },
    restart: () => void (node = load()),
  };
}

async function subscribe(to: SignupHost, email: string): Promise<number> {
  const response = await post(to, { email });
  await response.text();
  return response.status;
}

const passedOn = ({ kept }: SignupHost): Record<string, number> =>
  (JSON.parse(kept) as { passedOn: Record<string, number> }).passedOn;

it('stores the newest thousand hashes', async () => {
  const now = Math.floor(Date.now() / 1000);
  host = await hostSignup(load(), { allowedOrigins });
  host.kept = JSON.stringify({
    passedOn: Object.fromEntries(Array.from({ length: 1_500 }, (_, age) => [`h${age}`, now - age - 1])),
  });
  await subscribe(host, 'ada@example.com');
  const kept = Object.keys(passedOn(host));
  expect(kept).toHaveLength(1_000);
  expect([kept.includes('h998'), kept.includes('h999')]).toEqual([true, false]);
});

it('removes expired hashes', async () => {
  const now = Math.floor(Date.now() / 1000);
  host = await hostSignup(load(), { allowedOrigins });
  host.kept = JSON.stringify({ passedOn: { old: now - 3_601, recent: now - 3_000 } });
  await subscribe(host, 'ada@example.com');
  expect(Object.keys(passedOn(host))).toEqual([expect.stringMatching(/^[0-9a-f]{24}$/), 'recent']);
});

it('holds the limit where the clock is set back between two signups, and for an hour at most', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-11-20T10:00:00Z') });
  host = await hostSignup(load(), { allowedOrigins, signupsPerAddress: 1 });
  await subscribe(host, 'ada@example.com');
  vi.setSystemTime(Date.parse('2026-11-18T10:00:00Z'));
  await subscribe(host, 'ada@example.com');
  await subscribe(host, 'bob@example.com');
  await subscribe(host, 'ada@example.com');
  expect(host.started.map(({ email }) => email)).toEqual(['ada@example.com', 'bob@example.com']);
  vi.setSystemTime(Date.parse('2026-11-18T11:00:01Z'));
  await subscribe(host, 'ada@example.com');
  expect(host.started.map(({ email }) => email)).toEqual(['ada@example.com', 'bob@example.com', 'ada@example.com']);
});

it('takes signups, and keeps their limit in memory, where the static data cannot be changed', async () => {
  host = await hostSignup(load(), { allowedOrigins, signupsPerAddress: 1 });
  host.frozen = true;
  for (let tries = 0; tries < 2; tries += 1) expect(await subscribe(host, 'ada@example.com')).toBe(202);
  expect([host.started.length, host.logged]).toEqual([
    1,
    [expect.stringContaining('the static data of the workflow cannot be changed')],
  ]);
});

it.each([
  [{}],
  [{ passedOn: null }],
  [{ passedOn: 'text' }],
  [{ passedOn: [1] }],
  [{ passedOn: { hash: 'yesterday' } }],
])('treats stored %j as empty', async (kept) => {
  host = await hostSignup(load(), { allowedOrigins });
  host.kept = JSON.stringify(kept);
  expect(await subscribe(host, 'ada@example.com')).toBe(202);
  expect([host.started.length, Object.keys(passedOn(host)).length]).toEqual([1, 1]);
});

it('stores different hashes in every node, so that addresses cannot be compared', async () => {
  const hashes: string[] = [];
  for (let node = 0; node < 2; node += 1) {
    host = await hostSignup(load(), { allowedOrigins });
    await subscribe(host, 'ada@example.com');
    hashes.push(...Object.keys(passedOn(host)));
    if (node === 0) await host.close();
  }
  expect(new Set(hashes).size).toBe(2);
});

it('starts three executions an hour for one mailbox in any spelling, over five restarts', async () => {
  // At night 10,000.
  const spellings = Array.from(
    { length: Number(process.env['MAILBOX_SPELLINGS'] ?? 500) },
    (_, index) => `${index % 2 ? 'Ada.L' : 'a.d.a.l'}+${index}@${index % 3 ? 'gmail' : 'googlemail'}.com`,
  );
  const node = restartable();
  host = await hostSignup(node, { allowedOrigins, signupsPerMinute: 20_000 });
  for (const person of ['bob', 'cyd', 'eve']) await subscribe(host, `${person}@example.com`);
  for (const [index, spelling] of spellings.entries()) {
    if (index % (spellings.length / 5) === 1) node.restart();
    await subscribe(host, spelling);
  }
  expect(host.started).toHaveLength(6);
});

it('starts as many executions per address and hour as allowed, across restarts and failed saves', async () => {
  const step = fc.record({
    address: fc.integer({ min: 0, max: 3 }),
    pause: fc.integer({ min: 0, max: 40 }), // minutes
    saved: fc.boolean(),
    restart: fc.boolean(),
  });
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-11-20T10:00:00Z') });
  const node = restartable();
  host = await hostSignup(node, { allowedOrigins, signupsPerAddress: 2 });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 20 }), async (steps) => {
      node.restart();
      host.kept = '{}';
      const starts: { readonly address: number; readonly at: number }[] = [];
      for (const { address, pause, saved, restart } of steps) {
        vi.setSystemTime(Date.now() + pause * 60_000);
        if (restart) node.restart();
        host.started.length = 0;
        host.save = () => (saved ? Promise.resolve() : Promise.reject(new Error('The database is down')));
        const recent = starts.filter((each) => each.address === address && each.at > Date.now() - 3_600_000);
        const due = recent.length < 2;
        const status = await subscribe(host, `reader${address}@example.com`);
        expect([status, host.started.length]).toEqual(due ? (saved ? [202, 1] : [500, 0]) : [202, 0]);
        if (due && saved) starts.push({ address, at: Date.now() });
      }
    }),
    { numRuns: Number(process.env['PROPERTY_RUNS'] ?? 40) },
  );
});

it('restores the hashes that concurrent requests overwrote in each other’s static data', async () => {
  host = await hostSignup(load(), { allowedOrigins });
  let release: () => void = () => undefined;
  let waiting = 0;
  const both = new Promise<void>((resolve) => (release = resolve));
  host.save = () => {
    waiting += 1;
    if (waiting === 2) release();
    return both;
  };
  await Promise.all([subscribe(host, 'ada@example.com'), subscribe(host, 'bob@example.com')]);
  expect(Object.keys(passedOn(host))).toHaveLength(1);
  host.save = async () => undefined;
  await subscribe(host, 'cyd@example.com');
  expect(Object.keys(passedOn(host))).toHaveLength(3);
});
