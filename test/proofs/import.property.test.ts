/**
 * Bulk import under kills between any two effects and under every fault of the sandbox. `npm test` tries 60 schedules;
 * `IMPORT_RUNS=5000 npm test -- test/proofs/import.property` tries more; `TEST_SEED` repeats a run.
 */
import { createEngine, createFetchHost, type Host } from '@newsletter-kit/core';
import {
  importSubscriptions,
  type ImportProgress,
  type ImportResult,
  type Rejection,
} from '@newsletter-kit/core/import';
import { apiKeys, createSandbox, publicationId, type FaultRequest, type Sandbox } from '@newsletter-kit/sandbox';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { killable, type Disk } from './import/killable.ts';

const usualRuns = 60;
const runs = Number(process.env['IMPORT_RUNS'] ?? usualRuns);
/** Most runs of one schedule. */
const mostRuns = 60;

const row = fc.oneof(
  { weight: 12, arbitrary: fc.constant('new' as const) },
  { weight: 2, arbitrary: fc.constant('again' as const) },
  { weight: 1, arbitrary: fc.constant('invalid' as const) },
  { weight: 1, arbitrary: fc.constant('refused' as const) },
);
const effects: readonly FaultRequest['effect'][] = [
  'lostResponse',
  'reset',
  'truncate',
  'duplicate',
  { status: 429, retryAfter: 1 },
  { status: 503 },
  { status: 500, body: 'html' },
  { status: 502, body: 'empty' },
];
const effect = fc.constantFrom(...effects);
const fault = fc.record({
  effect,
  probability: fc.double({ min: 0.02, max: 0.5, noNaN: true }),
  seed: fc.integer({ min: 1, max: 1000 }),
});
const schedule = fc.record({
  rows: fc.array(row, { minLength: 1, maxLength: 120 }),
  batchSize: fc.integer({ min: 1, max: 25 }),
  concurrency: fc.integer({ min: 1, max: 5 }),
  kills: fc.array(fc.integer({ min: 1, max: 60 }), { maxLength: 12 }),
  faults: fc.array(fault, { maxLength: 3 }),
  retries: fc.integer({ min: 0, max: 2 }),
});

type Kind = 'new' | 'again' | 'invalid' | 'refused';
type Schedule = typeof schedule extends fc.Arbitrary<infer T> ? T : never;

const address = (index: number): string => `reader${index}@example.com`;

/**
 * The rows of a schedule: `again` has the address of an earlier row, `refused` has a value that only the service can
 * recognize as wrong.
 */
function rowsOf(kinds: readonly Kind[]): { email: string; utm_campaign: string; newsletter_list_ids?: string[] }[] {
  return kinds.map((kind, index) => {
    const email =
      kind === 'again'
        ? address(index >> 1).replace('reader', 'READER')
        : kind === 'invalid'
          ? `reader${index}`
          : address(index);
    return { email, utm_campaign: `row ${index}`, ...(kind === 'refused' && { newsletter_list_ids: [poison] }) };
  });
}
const poison = 'nl_list_00000000-0000-4000-8000-0000000000ff';

/** A request as the service received it. */
interface Arrival {
  readonly emails: readonly string[];
  /** Number of the run that sent it. */
  readonly run: number;
}

/**
 * The sandbox as a host on a virtual clock. It refuses a whole request if one of its rows has the value `poison`, as a
 * strict service would.
 */
function wire(sandbox: Sandbox, arrivals: Arrival[], run: () => number, inFlight: Set<Promise<unknown>>): Host {
  const real = createFetchHost({
    fetch: async (url, init) => {
      const { pathname } = new URL(url);
      const body = JSON.parse(init.body ?? '') as { email?: string; subscriptions?: { email: string }[] };
      arrivals.push({
        emails: (body.subscriptions ?? [body as { email: string }]).map(({ email }) => email),
        run: run(),
      });
      if (JSON.stringify(body).includes(poison)) {
        const errors = [{ message: 'A newsletter list does not exist.', code: 'INVALID' }];
        return Response.json({ status: 400, statusText: 'Bad Request', errors }, { status: 400 });
      }
      expect(pathname).toContain(publicationId);
      const answer = sandbox.fetch(url, init);
      inFlight.add(answer);
      return answer;
    },
  });
  return {
    ...real,
    now: () => sandbox.clock.now(),
    monotonic: () => sandbox.clock.now(),
    sleep: async (ms) => sandbox.clock.advance(Math.ceil(ms)),
  };
}

async function prove({ rows: kinds, batchSize, concurrency, kills, faults, retries }: Schedule): Promise<void> {
  const sandbox = createSandbox({ profile: 'unlimited', now: () => Date.UTC(2026, 0, 1) });
  const inFlight = new Set<Promise<unknown>>();
  try {
    for (const each of faults) sandbox.faults.add({ match: 'subscriptions.*', ...each, times: 40 });
    const rows = rowsOf(kinds);
    const disk: Disk = { records: [] };
    const arrivals: Arrival[] = [];
    const reported = new Set<string>();
    let run = 0;
    const real = wire(sandbox, arrivals, () => run, inFlight);
    let result: ImportResult | undefined;
    let rejections: Rejection[] = [];

    for (; run < mostRuns && result?.outcome !== 'complete'; run += 1) {
      const world = killable(real, disk, kills[run] ?? Number.POSITIVE_INFINITY);
      const engine = createEngine({
        host: world.host,
        baseUrl: 'http://sandbox.test/v2',
        token: apiKeys.workspace,
        publicationId,
        retry: { retries },
      });
      const rejected: Rejection[] = [];
      rejections = rejected;
      const seen: ImportProgress[] = [];
      const reportedBefore = new Set(reported);
      const sentBefore = arrivals.length;
      const learn = (numbers: readonly number[]): void => {
        for (const number of numbers) {
          const email = rows[number - 1]?.email ?? '';
          expect(reported, 'each row is reported as accepted once').not.toContain(email);
          reported.add(email);
        }
      };
      const shared = {
        engine,
        journal: world.journal,
        source: rows,
        concurrency,
        giveUpAfter: 3,
        onRejected: (rejection: Rejection) => void rejected.push(rejection),
        onProgress: (progress: ImportProgress) => void seen.push(progress),
      };
      const importing = importSubscriptions({ ...shared, batchSize, onAccepted: (batch) => learn(batch.rows) });
      const ended = await Promise.race([importing, world.killed]);
      result = ended === 'killed' ? undefined : ended;

      const resent = arrivals
        .slice(sentBefore)
        .flatMap(({ emails }) => emails)
        .filter((email) => reportedBefore.has(email));
      expect(resent, 'no row is sent again once its batch was acknowledged').toEqual([]);
      for (const [index, now] of seen.entries()) {
        const before = seen[index - 1] ?? now;
        for (const count of ['read', 'accepted', 'rejected', 'duplicates', 'failed', 'batches'] as const)
          expect(now[count]).toBeGreaterThanOrEqual(before[count]);
      }
    }

    expect(result?.outcome).toBe('complete');
    const valid = rows.filter(
      ({ email }, index) =>
        kinds[index] !== 'invalid' &&
        rows.findIndex((other) => other.email.toLowerCase() === email.toLowerCase()) === index,
    );
    const expected = valid.filter(({ newsletter_list_ids }) => !newsletter_list_ids);
    sandbox.clock.advance('PT1H');
    const there = createEngine({
      host: createFetchHost({ fetch: sandbox.fetch }),
      baseUrl: 'http://sandbox.test/v2',
      token: apiKeys.workspace,
      publicationId,
    });
    sandbox.faults.clear();
    const met: string[] = [];
    for await (const { email } of there.list('subscriptions.list', { limit: 100 })) met.push(String(email));
    expect(met.sort(), 'the service has every row once').toEqual(expected.map(({ email }) => email).sort());

    // A later run repeats batches of an earlier run unchanged, without new rows in them.
    for (const { emails, run: later } of arrivals) {
      for (const earlier of arrivals.filter(
        (other) => other.run < later && other.emails.some((email) => emails.includes(email)),
      )) {
        const [whole, part] =
          earlier.emails.length >= emails.length ? [earlier.emails, emails] : [emails, earlier.emails];
        expect(whole).toEqual(expect.arrayContaining([...part]));
      }
    }
    expect(result).toMatchObject({
      read: rows.length,
      accepted: expected.length,
      failed: 0,
      duplicates: rejections.filter(({ kind }) => kind === 'duplicate').length,
    });
    expect((result?.accepted ?? 0) + (result?.rejected ?? 0) + (result?.duplicates ?? 0)).toBe(rows.length);
    expect(
      rejections.map((rejection) => rejection.row).sort((a, b) => a - b),
      'the last run reports every row that is left out',
    ).toEqual(rows.flatMap((each, index) => (expected.includes(each) ? [] : [index + 1])));
    for (const { reason } of rejections) expect(reason).not.toMatch(/reader\d/i);
  } finally {
    await Promise.allSettled(inFlight); // a killed run leaves requests in flight
    sandbox.close();
  }
}

test(
  'loses no row and repeats no acknowledged row under any schedule of kills and faults',
  runs === usualRuns ? {} : { timeout: runs * 1000 },
  async () => {
    await fc.assert(fc.asyncProperty(schedule, prove), { numRuns: runs });
  },
);
